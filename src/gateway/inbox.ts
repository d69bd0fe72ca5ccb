// A message's way in: the hooks that see it first, the access check, the disk.
import type { Engine } from "../engine/engine.ts";
import type { SessionPlace } from "../agent/session.ts";
import type { Sender } from "../events/payloads/facts.ts";
import type { SessionEngine } from "../stores/session-engine.ts";
import type { Access } from "./access.ts";
import { chatOf, factsOf, type Letter, type Reply, senderOf, sessionOf, type SessionRule } from "./letters.ts";
import type { Accepted, Inbound } from "./platform.ts";
import type { Said } from "./speaking.ts";
import type { Turns } from "./turns.ts";

export interface InboxOptions {
	readonly engine: Engine;
	readonly sessions: SessionEngine;
	readonly place: SessionPlace;
	readonly turns: Turns;
	readonly access: Access;
	readonly rule: SessionRule;
	readonly ownWords: (text: string, sender: Sender) => Promise<Said>;
	readonly say: (reply: Reply) => void;
}

export class Inbox {
	readonly #options: InboxOptions;

	constructor(options: InboxOptions) {
		this.#options = options;
	}

	/** @throws StoreError when it cannot be kept, AccessError when nobody can tell who may talk to the agent */
	async accept(platform: string, message: Inbound): Promise<Accepted> {
		const { engine, sessions, place, turns, rule } = this.#options;
		const { messageId } = message;
		const sender = senderOf(platform, message);
		let { text } = message;
		if (engine.has("message.receiving")) {
			const outcome = await engine.dispatch("message.receiving", { ...factsOf(place, sender), text, messageId });
			if (outcome.kind === "blocked") return { kind: "blocked", reason: outcome.reason };
			if (outcome.kind === "responded") return { kind: "answered", text: await this.#say(outcome.text, sender, messageId) };
			({ text } = outcome.payload);
		}
		const role = message.isOwner ? "owner" : this.#options.access.roleOf(platform, message.userId);
		if (role === undefined) return { kind: "stranger", reason: await this.#say(await this.#options.access.refusalFor(platform, message.userId), sender, messageId) };
		const session = sessionOf(rule, platform, message);
		const into = turns.joinable(session, text);
		const letter: Letter = { text, sender, role, ...(into !== undefined && into !== messageId && { into }) };
		const kind = await sessions.append(session, { id: messageId, kind: "message", body: letter });
		if (kind === "duplicate") return { kind };
		if (engine.has("message.received")) engine.tell("message.received", { ...factsOf(place, sender), text, messageId });
		turns.join(session, messageId, letter);
		return { kind };
	}

	async #say(words: string, sender: Sender, replyTo: string): Promise<string> {
		const said = await this.#options.ownWords(words, sender);
		this.#options.say({ platform: sender.platform ?? "", chat: chatOf(sender), replyTo, ...said });
		return said.text;
	}
}
