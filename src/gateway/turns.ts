// From a message in the inbox to what is said about it. A turn that began and did not end is told of, and never run again.
import { commandIn, type Conversation, SwitchRefused } from "../agent/conversation.ts";
import { timedOut } from "../agent/approval.ts";
import { send } from "../agent/output.ts";
import type { ParkedCall } from "../agent/parked.ts";
import type { ApprovalAnswer } from "../agent/surface.ts";
import type { TurnResult } from "../agent/turn.ts";
import { SessionInUseError } from "../stores/leases.ts";
import { IndeterminateError, type Turn } from "../stores/session-engine.ts";
import type { Chats } from "./chats.ts";
import { textWithFiles, withFiles } from "./files.ts";
import { chatOf, type Done, kinds, type Letter, type Reply } from "./letters.ts";
import { type Pending, question } from "./pending.ts";
import type { Live, Platform } from "./platform.ts";
import { type Answering, type Said, type Speaking, speaking } from "./speaking.ts";

export interface TurnsOptions {
	readonly chats: Chats;
	/** By name. */
	readonly platforms: ReadonlyMap<string, Platform>;
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

/** How one step of a message came out, as the engine keeps it. */
interface Ended {
	readonly said: readonly Said[];
	/** Messages that were said into it. */
	readonly joined: readonly string[];
	readonly sessionId: string;
	readonly how: "answered" | "joined" | "waits";
	/** What is open from now on. */
	readonly pending?: Pending;
	/** To questions, by `approvalId`. */
	readonly answers: Readonly<Record<string, ApprovalAnswer>>;
}

/** The two steps a message can have. A process that ended in the second had begun to do what was approved. */
type Step = "turn" | "go on";
type Work = (conversation: Conversation, stop: AbortSignal) => Promise<TurnResult>;

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

	/** Turns under way. */
	get running(): number {
		return this.#running.size;
	}

	/** Says an accepted message into that turn. When it has ended meanwhile the message waits for its own. */
	join(session: string, id: string, { text, sender, role, into, files }: Letter): void {
		const running = this.#running.get(session);
		if (running === undefined || running.messageId !== into) return;
		const { conversation, stop, joined } = running;
		running.joining = running.joining.then(async () => {
			const one = { id, over: false };
			// A turn takes no images on its way; what they are is said with their paths.
			const words = textWithFiles(text, files);
			const result = await speaking.run({ sender, role, messageId: id }, () => conversation.steer(words, "typed", stop.signal));
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
			if (letter.expires !== undefined) turn.set("pending", undefined);
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
		// It may have been heard, and what came of it may have been done; a command as well.
		if ((await turn.get("interrupted")) !== into) return false;
		const words = `You also said, while that turn ran: "${beginning(letter.text)}". It may have been heard; say it again if it still counts.`;
		this.#emit(turn, letter, "interrupted", [await this.#options.ownWords(words, letter)]);
		return true;
	}

	async #answer(turn: Turn, letter: Letter): Promise<void> {
		const { expires } = letter;
		const before = (await turn.get("pending")) as Pending | undefined;
		const expired = before?.turn.calls.find(({ approvalId }) => approvalId === expires?.approvalId);
		if (expires !== undefined && expired === undefined) return;
		// An answer may wait behind a turn that took long: it came in time, and goes first.
		if (expires !== undefined && expires.last === undefined) return turn.send(turn.session, { id: `${turn.message.id} last`, kind: kinds.expiry, body: { ...letter, expires: { ...expires, last: true } } satisfies Letter });
		const known = (await turn.get("session")) as string | undefined;
		let conversation: Conversation | undefined;
		let ended: Ended | undefined;
		try {
			conversation = await speaking.run(speakingOf(turn, letter), () => this.#enter(turn, known, letter));
			if (expired === undefined) {
				ended = await this.#step("turn", turn, letter, conversation, before, async (open, stop) => {
					const given = await withFiles(letter.text, letter.files);
					return open.submit(given.text, "typed", stop, given.images);
				});
			}
			const answers = new Map(Object.entries(expired === undefined ? (ended?.answers ?? {}) : { [expired.approvalId]: timedOut(expired.description, expired.expiresAt - expired.askedAt) }));
			if (answers.size > 0) {
				const goneOn = await this.#step("go on", turn, letter, conversation, ended === undefined ? before : ended.pending, (open, stop) => open.goOn(answers, stop));
				ended = { ...goneOn, said: [...(ended?.said ?? []), ...goneOn.said], joined: [...(ended?.joined ?? []), ...goneOn.joined] };
			}
		} catch (error) {
			if (error instanceof IndeterminateError && conversation !== undefined) return this.#tellInterrupted(turn, letter, conversation, before, error.step as Step);
			if (expires !== undefined || !(error instanceof SwitchRefused || error instanceof SessionInUseError)) throw error;
			return this.#emit(turn, letter, "answered", [await this.#options.ownWords(error.message, letter)]);
		}
		const { sessionId, joined, pending, how, said } = ended!;
		turn.set("session", sessionId);
		// A step that an earlier attempt did was done in a conversation that is not this one.
		if (conversation.session.id !== sessionId) await this.#options.chats.drop(turn.session);
		if (joined.length > 0) turn.set("joined", [...(((await turn.get("joined")) ?? []) as readonly string[]), ...joined]);
		if (before !== undefined || pending !== undefined) turn.set("pending", pending);
		for (const { approvalId, expiresAt } of newIn(pending, before)) {
			const body: Letter = { text: "", sender: pending!.sender, role: "user", expires: { approvalId, messageId: pending!.messageId } };
			turn.send(turn.session, { id: `expiry ${approvalId} ${expiresAt}`, kind: kinds.expiry, body, notBefore: expiresAt });
		}
		this.#emit(turn, letter, how, said, how === "joined" ? pending?.messageId : undefined);
	}

	#step(name: Step, turn: Turn, letter: Letter, conversation: Conversation, before: Pending | undefined, work: Work): Promise<Ended> {
		return turn.step(name, { effect: "once", timeoutMs: longestTurnMs }, ({ signal }) => {
			const speaks = speakingOf(turn, letter);
			return speaking.run(speaks, () => this.#run(turn, letter, conversation, before, signal, speaks, work));
		});
	}

	async #tellInterrupted(turn: Turn, letter: Letter, conversation: Conversation, before: Pending | undefined, step: Step): Promise<void> {
		const { ownWords } = this.#options;
		turn.set("interrupted", idOf(turn, letter));
		conversation.takeUpWaiting(before?.turn);
		if (step === "go on") conversation.loseWaiting();
		const { waiting } = conversation;
		turn.set("pending", before && waiting && { ...before, turn: waiting });
		const on = letter.expires === undefined ? `your message "${beginning(letter.text)}"` : "what goes on without an answer to its question";
		const next = waiting === undefined ? 'Say "go on" to let it continue.' : `${openNow(waiting.calls)} as before.`;
		const said = [await ownWords(`Hookline was ended while it worked on ${on}. What it had done by then stays done, and nothing was repeated. ${next}`, letter)];
		if (waiting === undefined && before !== undefined && before.said.length > 0) said.push(await ownWords(`While a question was open this was said: "${before.said.map(beginning).join('", "')}". It may have been heard; say it again if it still counts.`, letter));
		this.#emit(turn, letter, "interrupted", said);
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

	async #run(turn: Turn, letter: Letter, conversation: Conversation, pending: Pending | undefined, signal: AbortSignal, { said, answering }: TurnSpeaking, work: Work): Promise<Ended> {
		const { show, warn } = this.#options;
		const { sender } = letter;
		conversation.takeUpWaiting(pending?.turn);
		conversation.session.steered = pending?.said ?? [];
		const { waiting: before } = conversation;
		const running: Running = { messageId: idOf(turn, letter), stop: new AbortController(), conversation, joined: [], joining: Promise.resolve() };
		this.#running.set(turn.session, running);
		show(sender, { kind: "typing" });
		const typing = setInterval(() => show(sender, { kind: "typing" }), typingEveryMs);
		let result: TurnResult | undefined;
		try {
			result = await work(conversation, AbortSignal.any([signal, running.stop.signal]));
			signal.throwIfAborted();
			if (result.interrupted) await send(conversation.session, "Stopped.", "notice");
			else if (result.error !== undefined && result.error !== result.text && !said.some((one) => one.text === result?.error)) await send(conversation.session, result.error, "notice");
		} catch (error) {
			signal.throwIfAborted();
			warn(`A turn ended with a defect of Hookline: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
			await send(conversation.session, `Hookline failed on this message, which is a defect of its own: ${wordsOf(error)}`, "notice");
		} finally {
			clearInterval(typing);
			this.#running.delete(turn.session);
			await running.joining;
		}
		// Somebody stopped it in the moment in which it began to wait.
		if (running.stop.signal.aborted && (await conversation.endWaiting())) await send(conversation.session, "Stopped.", "notice");
		const { waiting } = conversation;
		const unsaid = conversation.takeUnsaid();
		const heard = running.joined.filter(({ over }) => !over);
		// What did not join is kept for the turn that waits, else has a turn of its own.
		const late = new Set(waiting === undefined ? heard.slice(Math.max(0, heard.length - unsaid.length)).map(({ id }) => id) : []);
		if (waiting === undefined) await conversation.tellUnheard(unsaid.slice(0, unsaid.length - late.size));
		const how = waiting === undefined || result?.waits === undefined ? "answered" : result.waits === before ? "joined" : "waits";
		const earlier = before && pending;
		const next: Pending | undefined = waiting && { messageId: running.messageId, sender, told: [], ...earlier, turn: waiting, said: unsaid };
		const ended = { said, joined: running.joined.map(({ id }) => id).filter((id) => !late.has(id)), sessionId: conversation.session.id, how, answers: Object.fromEntries(answering.answers) } as const;
		return next === undefined ? ended : { ...ended, pending: await this.#ask(conversation, next, earlier, letter, how, said) };
	}

	/** Puts the questions that are new, and tells whoever speaks that some are open. */
	async #ask({ session }: Conversation, pending: Pending, before: Pending | undefined, { sender }: Letter, how: Ended["how"], said: Said[]): Promise<Pending> {
		const { calls } = pending.turn;
		const asked = newIn(pending, before);
		const hasButtons = this.#options.platforms.get(sender.platform ?? "")?.buttons === true;
		for (const call of asked) said.push(await question(session, call, { hasButtons, isOnlyOne: calls.length === 1 }));
		if (how === "waits" && asked.length === 0) await send(session, `${openNow(calls)} as before.`, "notice");
		const { userId = "" } = sender;
		if (how !== "joined" || pending.told.includes(userId)) return pending;
		await send(session, `${openNow(calls)}. What you say is heard when the answer is there; /stop ends the turn.`, "notice");
		return { ...pending, told: [...pending.told, userId] };
	}

	#emit(turn: Turn, letter: Letter, how: Done["how"], said: readonly Said[], into?: string): void {
		const { sender, expires } = letter;
		const to = { platform: sender.platform ?? "", chat: chatOf(sender) };
		for (const one of said) turn.emit("text", { ...to, ...one, replyTo: idOf(turn, letter) } satisfies Reply);
		if (expires === undefined) turn.emit("handled", { ...to, messageId: turn.message.id, how, ...(into !== undefined && { into }) } satisfies Done);
	}
}

type TurnSpeaking = Speaking & { readonly said: Said[]; readonly answering: Answering };

const speakingOf = (turn: Turn, letter: Letter): TurnSpeaking => ({ sender: letter.sender, role: letter.role, messageId: idOf(turn, letter), said: [], answering: { at: turn.message.at, answers: new Map() } });

/** The message of a person that a turn is about. */
const idOf = (turn: Turn, { expires }: Letter): string => expires?.messageId ?? turn.message.id;

/** The questions that were not open before. */
const newIn = (pending: Pending | undefined, before: Pending | undefined): readonly ParkedCall[] => (pending?.turn.calls ?? []).filter(({ approvalId }) => before?.turn.calls.some((call) => call.approvalId === approvalId) !== true);

const openNow = (calls: readonly ParkedCall[]): string => `Question${calls.length === 1 ? "" : "s"} ${calls.map(({ approvalId }) => approvalId).join(", ")} ${calls.length === 1 ? "is" : "are"} open`;

const beginning = (text: string) => {
	const line = text.replace(/\s+/g, " ");
	return line.length > quoted ? `${line.slice(0, quoted)}…` : line;
};
const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
