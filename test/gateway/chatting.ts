// A conversation in this process as the gateway leads one: in a chat, with somebody who speaks, and with what is brought here.
import { basicCommands } from "../../src/agent/commands.ts";
import { type Command, Conversation } from "../../src/agent/conversation.ts";
import type { AgentParts } from "../../src/agent/parts.ts";
import type { Role } from "../../src/gateway/access.ts";
import type { Deliverer } from "../../src/gateway/deliverer.ts";
import type { OutboundFile } from "../../src/gateway/platform.ts";
import { speaking } from "../../src/gateway/speaking.ts";
import { targetIn, targetText } from "../../src/gateway/target.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { open, type Opened } from "../agent/open.ts";

export interface Brings {
	readonly tools?: readonly Tool[];
	readonly commands?: readonly Command[];
	/** `PLATFORM:CHAT`; without it the turn is part of no chat. */
	readonly chat?: string;
	readonly role?: Role;
}

export class Chatting implements AsyncDisposable {
	readonly opened: Opened;
	readonly #conversation: Conversation;
	readonly #brings: Brings;

	private constructor(opened: Opened, conversation: Conversation, brings: Brings) {
		this.opened = opened;
		this.#conversation = conversation;
		this.#brings = brings;
	}

	static async open(brings: Brings): Promise<Chatting> {
		const opened = await open();
		const agent = await opened.runtime.agent();
		const parts: AgentParts = {
			...agent,
			get model() {
				return agent.models.current;
			},
			tools: [...agent.tools, ...(brings.tools ?? [])],
		};
		const place = { ...opened.runtime.place, ...(brings.chat !== undefined && { sender: senderIn(brings.chat) }) };
		return new Chatting(opened, await Conversation.open(parts, place, [...basicCommands, ...(brings.commands ?? [])]), brings);
	}

	/** What the person is told. */
	async type(text: string): Promise<string> {
		const { chat, role = "owner" } = this.#brings;
		const say = () => this.#conversation.submit(text, "typed", new AbortController().signal);
		const result = await (chat === undefined ? say() : speaking.run({ sender: senderIn(chat), role, messageId: "m1" }, say));
		return result.error ?? result.text;
	}

	/** What the model reads of one call. */
	async call(tool: string, args: object): Promise<string> {
		await this.type(`CALL ${tool} ${JSON.stringify(args)}`);
		return this.#conversation.session.messages.findLast(({ role }) => role === "tool")!.text;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#conversation.close("finished");
		await this.opened[Symbol.asyncDispose]();
	}
}

const senderIn = (chat: string) => ({ ...targetIn(chat)!, userId: "u1" });

/** Keeps what it is given. */
export class Kept implements Deliverer {
	readonly sent: { readonly to: string; readonly text: string; readonly key: string; readonly files?: readonly OutboundFile[] }[] = [];
	readonly home;
	/** What a hook makes of a text. */
	hook: (text: string) => { readonly text: string } | { readonly withheld: string } = (text) => ({ text });

	constructor(home?: string) {
		this.home = home === undefined ? undefined : targetIn(home);
	}

	platforms(): readonly string[] {
		return ["http", "telegram"];
	}

	maxFileBytes(platform: string): number | undefined {
		return platform === "telegram" ? 10 : undefined;
	}

	async deliver(...[to, text, { key, files }]: Parameters<Deliverer["deliver"]>): ReturnType<Deliverer["deliver"]> {
		const said = this.hook(text);
		if ("text" in said) this.sent.push({ to: targetText(to), text: said.text, key, ...(files && { files }) });
		return said;
	}
}
