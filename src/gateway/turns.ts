// From a message in the inbox to what is said about it. A turn that began and did not end is told of, and never run again.
import { commandIn, type Conversation, SwitchRefused } from "../agent/conversation.ts";
import { send } from "../agent/output.ts";
import { SessionInUseError } from "../stores/leases.ts";
import { IndeterminateError, type Turn } from "../stores/session-engine.ts";
import type { Chats } from "./chats.ts";
import { chatOf, type Done, type Letter, type Reply } from "./letters.ts";
import type { Live } from "./platform.ts";
import { type Said, type Speaking, speaking } from "./speaking.ts";

export interface TurnsOptions {
	readonly chats: Chats;
	readonly show: (sender: Letter["sender"], live: Live) => void;
	/** A text of the gateway's own, past the hooks; what is left of it. */
	readonly ownWords: (text: string, letter: Letter) => Promise<Said>;
	readonly warn: (message: string) => void;
}

/** After this many failures a message is given up, and its sender told. */
export const attempts = 5;
/** A turn that takes longer counts as lost, in ms. */
const longestTurnMs = 24 * 3600_000;
const typingEveryMs = 4_000;
const quoted = 120;

interface Running {
	readonly messageId: string;
	readonly stop: AbortController;
	readonly conversation: Conversation;
	/** In the order they were said; true for those that a hook or a command has answered. */
	readonly joined: { readonly id: string; over: boolean }[];
	/** Settles when the last of them has passed its hooks. */
	joining: Promise<void>;
}

interface Ended {
	readonly said: readonly Said[];
	/** Messages that were said into it. */
	readonly joined: readonly string[];
	readonly sessionId: string;
}

export class Turns {
	readonly #options: TurnsOptions;
	readonly #running = new Map<string, Running>();

	constructor(options: TurnsOptions) {
		this.#options = options;
	}

	/** The message whose turn runs in a session, when one does and this text can be said into it. A command that has to wait is none. */
	joinable(session: string, text: string): string | undefined {
		const running = this.#running.get(session);
		if (running === undefined) return undefined;
		const command = commandIn(text);
		return command === undefined || running.conversation.commands.get(command.name)?.anytime === true ? running.messageId : undefined;
	}

	/** Says an accepted message into that turn. When it has ended meanwhile the message waits for its own. */
	join(session: string, id: string, { text, sender, role, into }: Letter): void {
		const running = this.#running.get(session);
		if (running === undefined || running.messageId !== into) return;
		const { conversation, stop, joined } = running;
		running.joining = running.joining.then(async () => {
			const one = { id, over: false };
			const result = await speaking.run({ sender, role, messageId: id }, () => conversation.steer(text, "typed", stop.signal));
			one.over = result !== undefined;
			joined.push(one);
		}).catch((error: unknown) => this.#options.warn(`A message could not be said into a turn, and waits for its own: ${wordsOf(error)}`));
	}

	/** Ends the turn that runs in a conversation; false when none does. */
	stop(conversation: Conversation): boolean {
		const running = [...this.#running.values()].find((one) => one.conversation === conversation);
		// All that runs may be the message that asks.
		if (running === undefined || running.messageId === speaking.getStore()?.messageId) return false;
		running.stop.abort(new Error("Stopped by the user."));
		return true;
	}

	/** The engine's handler. */
	async handle(turn: Turn): Promise<void> {
		const letter = turn.message.body as Letter;
		if (letter.into !== undefined && (await this.#wasSaid(turn, letter, letter.into))) return;
		try {
			await this.#answer(turn, letter);
		} catch (error) {
			if (turn.signal.aborted || turn.attempt < attempts) throw error;
			this.#options.warn(`A message from ${letter.sender.platform ?? ""}:${letter.sender.userId ?? ""} was given up: ${wordsOf(error)}`);
			this.#emit(turn, letter, "answered", [await this.#options.ownWords(`Your message could not be handled: ${wordsOf(error)}`, letter)]);
		} finally {
			// What was lost may be led elsewhere now.
			if (turn.signal.aborted) await this.#options.chats.drop(turn.session);
			await this.#options.chats.leave(turn.session);
		}
	}

	/** Whether a message is done with because it was said into the turn of another one. */
	async #wasSaid(turn: Turn, letter: Letter, into: string): Promise<boolean> {
		const joined = ((await turn.get("joined")) ?? []) as readonly string[];
		if (joined.includes(turn.message.id)) {
			turn.set("joined", joined.filter((id) => id !== turn.message.id));
			this.#emit(turn, letter, "joined", [], into);
			return true;
		}
		// It may have been heard, and what came of it may have been done.
		if ((await turn.get("interrupted")) !== into || commandIn(letter.text) !== undefined) return false;
		const words = `You also said, while that turn ran: "${beginning(letter.text)}". It may have been heard; say it again if it still counts.`;
		this.#emit(turn, letter, "interrupted", [await this.#options.ownWords(words, letter)]);
		return true;
	}

	async #answer(turn: Turn, letter: Letter): Promise<void> {
		const { ownWords } = this.#options;
		const speaks: Speaking & { readonly said: Said[] } = { sender: letter.sender, role: letter.role, messageId: turn.message.id, said: [] };
		const known = (await turn.get("session")) as string | undefined;
		let ended: Ended;
		try {
			const conversation = await speaking.run(speaks, () => this.#enter(turn, known, letter));
			ended = await turn.step("turn", { effect: "once", timeoutMs: longestTurnMs }, ({ signal }) => speaking.run(speaks, () => this.#run(turn, letter, conversation, signal, speaks.said)));
		} catch (error) {
			if (error instanceof IndeterminateError) {
				turn.set("interrupted", turn.message.id);
				const words = `Hookline was ended while it worked on your message "${beginning(letter.text)}". What it had done by then stays done, and nothing was repeated. Say "go on" to let it continue.`;
				return this.#emit(turn, letter, "interrupted", [await ownWords(words, letter)]);
			}
			if (!(error instanceof SwitchRefused || error instanceof SessionInUseError)) throw error;
			return this.#emit(turn, letter, "answered", [await ownWords(error.message, letter)]);
		}
		turn.set("session", ended.sessionId);
		if (ended.joined.length > 0) turn.set("joined", [...(((await turn.get("joined")) ?? []) as readonly string[]), ...ended.joined]);
		this.#emit(turn, letter, "answered", ended.said);
	}

	async #enter(turn: Turn, known: string | undefined, { sender }: Letter): Promise<Conversation> {
		const { chats } = this.#options;
		const conversation = await chats.enter(turn.session, known, sender);
		if (conversation.session.id === known) return conversation;
		// Before anything is done in it: after a crash the chat goes on in this very session.
		const id = await turn.step("session", { effect: "pure", timeoutMs: longestTurnMs }, () => conversation.session.id);
		turn.set("session", id);
		if (id === conversation.session.id) return conversation;
		// An earlier attempt had begun another one.
		await chats.drop(turn.session);
		return chats.enter(turn.session, id, sender);
	}

	async #run(turn: Turn, { text, sender }: Letter, conversation: Conversation, signal: AbortSignal, said: Said[]): Promise<Ended> {
		const { show, warn } = this.#options;
		const running: Running = { messageId: turn.message.id, stop: new AbortController(), conversation, joined: [], joining: Promise.resolve() };
		this.#running.set(turn.session, running);
		show(sender, { kind: "typing" });
		const typing = setInterval(() => show(sender, { kind: "typing" }), typingEveryMs);
		try {
			const result = await conversation.submit(text, "typed", AbortSignal.any([signal, running.stop.signal]));
			signal.throwIfAborted();
			if (result.interrupted) await send(conversation.session, "Stopped.", "notice");
			else if (result.error !== undefined && result.error !== result.text && !said.some((one) => one.text === result.error)) await send(conversation.session, result.error, "notice");
		} catch (error) {
			signal.throwIfAborted();
			warn(`A turn ended with a defect of Hookline: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
			await send(conversation.session, `Hookline failed on this message, which is a defect of its own: ${wordsOf(error)}`, "notice");
		} finally {
			clearInterval(typing);
			this.#running.delete(turn.session);
			await running.joining;
		}
		const unsaid = conversation.takeUnsaid().length;
		const heard = running.joined.filter(({ over }) => !over);
		const late = new Set(heard.slice(Math.max(0, heard.length - unsaid)).map(({ id }) => id));
		return { said, joined: running.joined.map(({ id }) => id).filter((id) => !late.has(id)), sessionId: conversation.session.id };
	}

	#emit(turn: Turn, { sender }: Letter, how: Done["how"], said: readonly Said[], into?: string): void {
		const to = { platform: sender.platform ?? "", chat: chatOf(sender) };
		for (const one of said) turn.emit("text", { ...to, ...one, replyTo: turn.message.id } satisfies Reply);
		turn.emit("handled", { ...to, messageId: turn.message.id, how, ...(into !== undefined && { into }) } satisfies Done);
	}
}

const beginning = (text: string) => {
	const line = text.replace(/\s+/g, " ");
	return line.length > quoted ? `${line.slice(0, quoted)}…` : line;
};
const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
