// A message's way in: the hooks that see it first, the access check, the disk.
import type { Engine } from "../engine/engine.ts";
import type { SessionPlace } from "../agent/session.ts";
import type { GatewayConfig } from "../config/gateway.ts";
import type { Sender } from "../events/payloads/facts.ts";
import type { SessionEngine } from "../stores/session-engine.ts";
import type { Access, Role } from "./access.ts";
import type { Files } from "./files.ts";
import { chatOf, factsOf, kinds, type Letter, type Reply, senderOf, sessionOf } from "./letters.ts";
import type { Accepted, Inbound } from "./platform.ts";
import { Rates } from "./rates.ts";
import type { Said } from "./speaking.ts";
import type { Turns } from "./turns.ts";

export interface InboxOptions {
	readonly engine: Engine;
	readonly sessions: SessionEngine;
	readonly place: SessionPlace;
	readonly turns: Turns;
	readonly access: Access;
	readonly settings: Pick<GatewayConfig, "session_per" | "groups" | "messages_per_minute">;
	readonly files: Files;
	readonly ownWords: (text: string, sender: Sender) => Promise<Said>;
	readonly say: (reply: Reply) => void;
}

const messagesPerMinute = 30;
/** Of a stranger. More are not answered: whoever writes to everybody is not to be written to. */
const strangersPerMinute = 3;

export class Inbox {
	readonly #options: InboxOptions;
	readonly #rates = new Rates();

	constructor(options: InboxOptions) {
		this.#options = options;
	}

	/** @throws StoreError when it cannot be kept, AccessError when nobody can tell who may talk to the agent */
	async accept(platform: string, message: Inbound): Promise<Accepted> {
		const { engine, place, turns, settings } = this.#options;
		const { messageId } = message;
		const isGroup = message.chatType !== "dm";
		const rule = settings.groups ?? "mention";
		if (isGroup && rule === "off") return { kind: "ignored" };
		const sender = senderOf(platform, message);
		let { text } = message;
		if (engine.has("message.receiving")) {
			const outcome = await engine.dispatch("message.receiving", { ...factsOf(place, sender), text, messageId });
			if (outcome.kind === "blocked") return { kind: "blocked", reason: outcome.reason };
			if (outcome.kind === "responded") return { kind: "answered", text: await this.#say(outcome.text, sender, messageId) };
			({ text } = outcome.payload);
		}
		// Not before the hooks: some keep what is said in a group for when the agent is named.
		if (isGroup && rule === "mention" && message.toAgent !== true) return { kind: "ignored" };
		const role = message.isOwner ? "owner" : this.#options.access.roleOf(platform, message.userId);
		const tooMany = await this.#tooMany(role, sender, messageId);
		if (role === undefined) {
			const reason = "This agent does not know you.";
			// A group would be told of each of its members.
			if (isGroup || tooMany !== undefined) return { kind: "stranger", reason };
			return { kind: "stranger", reason: await this.#say(await this.#options.access.refusalFor(platform, message.userId), sender, messageId) };
		}
		if (tooMany !== undefined) return tooMany;
		const { kept, problems } = await this.#options.files.keep(message.files ?? []);
		const whole = [text, ...problems.map((problem) => `[${problem}]`)].filter((part) => part !== "").join("\n\n");
		const session = sessionOf(settings.session_per ?? "thread", platform, message);
		const into = turns.joinable(session, whole);
		const letter: Letter = { text: whole, sender, role, ...(into !== undefined && into !== messageId && { into }), ...(kept.length > 0 && { files: kept }) };
		const kind = await this.#append(session, messageId, letter);
		if (kind === "duplicate") return { kind };
		if (engine.has("message.received")) engine.tell("message.received", { ...factsOf(place, sender), text, messageId });
		turns.join(session, messageId, letter);
		return { kind };
	}

	async #append(session: string, id: string, letter: Letter): Promise<"accepted" | "duplicate"> {
		let kind;
		try {
			return (kind = await this.#options.sessions.append(session, { id, kind: kinds.message, body: letter }));
		} finally {
			// When it comes again its files come again.
			if (kind !== "accepted") await this.#options.files.remove(letter.files ?? []);
		}
	}

	async #tooMany(role: Role | undefined, sender: Sender, messageId: string): Promise<(Accepted & { readonly kind: "too-many" }) | undefined> {
		if (role === "owner") return undefined;
		const most = role === undefined ? strangersPerMinute : (this.#options.settings.messages_per_minute ?? messagesPerMinute);
		const over = this.#rates.count(`${sender.platform ?? ""}:${sender.userId ?? ""}`, most, role && messageId);
		if (over === undefined) return undefined;
		const reason = `That is more than ${most} messages in a minute. Wait ${Math.ceil(over.waitMs / 1000)} s, then say it again: it was not taken.`;
		if (role !== undefined && over.first) await this.#say(reason, sender, messageId);
		return { kind: "too-many", reason, retryAfterMs: over.waitMs };
	}

	async #say(words: string, sender: Sender, replyTo: string): Promise<string> {
		const said = await this.#options.ownWords(words, sender);
		this.#options.say({ platform: sender.platform ?? "", chat: chatOf(sender), replyTo, ...said });
		return said.text;
	}
}
