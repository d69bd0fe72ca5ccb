// A person's conversation on one surface: what they type becomes a command or a turn, and the session under it can change.
import { orAborted } from "../system/abort.ts";
import { didYouMean } from "../system/nearest.ts";
import type { CallPlace, ExtensionCommand } from "../events/brings.ts";
import type { InputReceiving, SessionEnded, SessionSwitching } from "../events/payloads/conversation.ts";
import { SessionInUseError } from "../stores/leases.ts";
import { type NewImage, newSessionId, type SessionRecord } from "../stores/sessions.ts";
import { StoreError } from "../stores/store.ts";
import { newId } from "../system/ids.ts";
import { withdraw } from "./approval.ts";
import { type GivenImage, takeImages } from "./images.ts";
import { send } from "./output.ts";
import type { WaitingTurn } from "./parked.ts";
import type { AgentParts } from "./parts.ts";
import { interruptedResult, lostResult, newSession, resumeSession, type Session, type SessionPlace } from "./session.ts";
import type { ApprovalAnswer } from "./surface.ts";
import { goOnWithTurn, runTurn, type TurnResult } from "./turn.ts";

export interface Command {
	/** Without the slash. */
	readonly name: string;
	readonly summary: string;
	/** Set where it may run while a turn does; any other waits until that is over. */
	readonly anytime?: true;
	/** Gives the text to show, when there is one. */
	run(conversation: Conversation, args: string, stop: AbortSignal): Promise<string | undefined> | string | undefined;
	/** What the arguments typed so far could become, whole. May reject, and may take long. */
	complete?(conversation: Conversation, args: string, stop: AbortSignal): Promise<readonly string[]>;
}

/** A hook refused to open or switch a session. The message is its reason. */
export class SwitchRefused extends Error {
	override readonly name = "SwitchRefused";
}

/** A command cannot do what was asked. The message is for the person; the conversation goes on. */
export class CommandRefused extends Error {
	override readonly name = "CommandRefused";
}

export class Conversation {
	readonly parts: AgentParts;
	readonly #ownCommands: readonly Command[];
	#commands: { readonly version: number | undefined; readonly all: ReadonlyMap<string, Command> } | undefined;
	#session: Session;
	#waiting: WaitingTurn | undefined;
	/** Begins a turn with a text that nobody typed; set by a surface that can. */
	beginTurn: ((text: string) => void) | undefined;
	/** Why whoever speaks now may not run a command; undefined when they may. Set by a surface where not everybody may run all of them. */
	commandRefusal: ((name: string) => string | undefined) | undefined;
	/** Set by a command that ends the conversation. */
	over = false;

	private constructor(parts: AgentParts, commands: readonly Command[], session: Session) {
		this.parts = parts;
		this.#ownCommands = commands;
		this.#session = session;
	}

	/** By name, those of extensions included. */
	get commands(): ReadonlyMap<string, Command> {
		const { brought } = this.parts;
		if (this.#commands === undefined || this.#commands.version !== brought?.version) {
			const own = new Map(this.#ownCommands.map((command) => [command.name, command]));
			const more = [...(brought?.commands([...own.keys()]) ?? [])].map(([name, command]) => [name, commandOf(name, command)] as const);
			this.#commands = { version: brought?.version, all: new Map([...own, ...more]) };
		}
		return this.#commands.all;
	}

	get session(): Session {
		return this.#session;
	}

	/**
	 * Opens a conversation, in a new session or, when a record is given, where that one was left.
	 * @throws SwitchRefused when a hook does not let the session be resumed; SessionInUseError; StoreError.
	 */
	static async open(parts: AgentParts, place: SessionPlace, commands: readonly Command[], resume?: SessionRecord): Promise<Conversation> {
		if (resume === undefined) return Conversation.#begin(parts, commands, newSession(parts, place));
		const { engine } = parts;
		if (engine.has("session.switching")) {
			const outcome = await engine.dispatch("session.switching", { ...factsWithout(place), to: "resume", targetSessionId: resume.id });
			if (outcome.kind === "blocked") throw new SwitchRefused(`Session ${resume.id} was not resumed: ${outcome.reason}`);
		}
		const opened = resumeSession(parts, place, resume);
		takeUpModel(parts, resume);
		const conversation = Conversation.#begin(parts, commands, opened);
		const { session } = conversation;
		if (engine.has("session.switched")) engine.tell("session.switched", { ...session.facts(), to: "resume", targetSessionId: resume.id });
		tellModel(parts, session, resume);
		return conversation;
	}

	static #begin(parts: AgentParts, commands: readonly Command[], session: Session): Conversation {
		const { engine, model } = parts;
		if (engine.has("session.started")) engine.tell("session.started", { ...session.facts(), model: model.name, resumed: session.resumed });
		const conversation = new Conversation(parts, commands, session);
		parts.open?.attach(conversation);
		return conversation;
	}

	/** The turn that ended with questions to a person and goes on with the answers. Until then what is said joins it. */
	get waiting(): WaitingTurn | undefined {
		return this.#waiting;
	}

	/** Takes up a turn that waits, as it may have been left by another process. Questions about calls that are over are withdrawn. */
	takeUpWaiting(turn: WaitingTurn | undefined): void {
		const session = this.#session;
		const open = new Set(turn === undefined ? [] : session.openCalls.map(({ id }) => id));
		const isOpen = ({ callId, sessionKey }: WaitingTurn["calls"][number]) => sessionKey === session.id && open.has(callId);
		this.#waiting = turn?.calls.some(isOpen) === true ? { ...turn, calls: turn.calls.filter(isOpen) } : undefined;
		if (turn !== undefined) withdraw(session, turn.calls.filter((call) => !isOpen(call)), "The conversation went on without an answer.");
	}

	/** Lets the turn that waits go on with answers, by `approvalId`; when there is none nothing happens. */
	async goOn(answers: ReadonlyMap<string, ApprovalAnswer>, stop: AbortSignal): Promise<TurnResult> {
		const turn = this.#waiting;
		if (turn === undefined) return done("");
		this.#waiting = undefined;
		return this.#withWhatCameLate(await goOnWithTurn(this.#session, turn, answers, stop), stop);
	}

	/** Ends the turn that waits, as when the user stops it; false when none does. */
	async endWaiting(): Promise<boolean> {
		if (this.#waiting === undefined) return false;
		const unheard = this.takeUnsaid();
		await this.goOn(new Map(), AbortSignal.abort());
		await this.tellUnheard(unheard);
		return true;
	}

	/** Gives up the turn that waits, which a process let go on and did not end: what its calls did is not known. */
	loseWaiting(): void {
		const turn = this.#waiting;
		this.#waiting = undefined;
		if (turn === undefined) return;
		this.parts.engine.endTurn(turn.turnId);
		withdraw(this.#session, turn.calls, "Hookline was ended before there was an answer.");
		this.#session.closeOpenCalls(lostResult);
	}

	/** Tells that what was said for a turn that waited came to nothing. */
	async tellUnheard(said: readonly string[]): Promise<void> {
		if (said.length > 0) await send(this.#session, `What was said while a question was open was not heard: "${said.join("\n\n")}". Say it again if it still counts.`, "notice");
	}

	/** Another turn for what was said too late to join one. */
	async #withWhatCameLate(first: TurnResult, stop: AbortSignal): Promise<TurnResult> {
		let result = first;
		while (result.completed && this.#session.steered.length > 0) {
			const [...said] = this.#session.steered;
			this.#session.steered = [];
			result = await runTurn(this.#session, said.join("\n\n"), stop);
		}
		this.#waiting = result.waits;
		return result;
	}

	/** Takes what a person typed: a command runs, anything else is a turn (images go with it), and another one for what was said too late to join it. */
	async submit(text: string, origin: InputReceiving["origin"], stop: AbortSignal, given: readonly GivenImage[] = []): Promise<TurnResult> {
		const session = this.#session;
		this.parts.open?.attach(this);
		const taken = takeImages(given);
		if ("mistake" in taken) return { ...done(await send(session, taken.mistake, "notice", stop)), completed: false, error: taken.mistake };
		const { images } = taken;
		const received = await this.#receive(text, origin, stop, images);
		if (!("input" in received)) return received;
		const command = commandIn(received.input);
		if (command && images.length > 0) this.parts.warn(`/${command.name} takes no images; send them with a message.`);
		if (command) return this.#command(command.name, command.args, stop);
		if (this.#waiting === undefined) return this.#withWhatCameLate(await runTurn(session, received.input, stop, images), stop);
		if (images.length > 0) {
			const error = "A question is open, and images cannot wait for its answer. Send them again when it is answered.";
			return { ...done(await send(session, error, "notice", stop)), completed: false, error };
		}
		session.steered = [...session.steered, received.input];
		return { text: "", completed: false, interrupted: false, waits: this.#waiting };
	}

	/**
	 * Takes what a person typed while a turn runs. A text joins the turn at its next step; a command runs when it may at any time. Gives what came of it
	 * where that is over already. What the turn did not take any more, because it was stopped or failed, is given back by `takeUnsaid`.
	 */
	async steer(text: string, origin: InputReceiving["origin"], stop: AbortSignal): Promise<TurnResult | undefined> {
		const received = await this.#receive(text, origin, stop);
		if (!("input" in received)) return received;
		const command = commandIn(received.input);
		if (command === undefined) {
			this.#session.steered = [...this.#session.steered, received.input];
			return undefined;
		}
		if (this.commands.get(command.name)?.anytime !== true && this.commands.has(command.name)) {
			const error = `/${command.name} has to wait until this turn is over. Type it again then, or end the turn with /stop.`;
			return { ...done(await send(this.#session, error, "notice", stop)), completed: false, error };
		}
		return this.#command(command.name, command.args, stop);
	}

	/** What was said into a turn that ended before it could join; it is nowhere else any more. */
	takeUnsaid(): readonly string[] {
		const { steered } = this.#session;
		this.#session.steered = [];
		return steered;
	}

	/** Lets the hooks see a text first: what is to become of it, or how it ended there. */
	async #receive(text: string, origin: InputReceiving["origin"], stop: AbortSignal, images: readonly NewImage[] = []): Promise<{ readonly input: string } | TurnResult> {
		const session = this.#session;
		const { engine } = this.parts;
		if (!engine.has("input.receiving")) return { input: text };
		const outcome = await engine.dispatch("input.receiving", { ...session.facts(), text, origin, ...(images.length > 0 && { images: images.map(({ part }) => part) }) }, { signal: stop });
		if (outcome.kind === "go") return { input: outcome.payload.text };
		if (outcome.kind === "responded") return done(await send(session, outcome.text, "answer", stop));
		if (outcome.cause === "interrupted") return { text: "", completed: false, interrupted: true };
		return { ...done(await send(session, outcome.reason, "notice", stop)), completed: false, error: outcome.reason };
	}

	async #command(typedName: string, typedArgs: string, stop: AbortSignal): Promise<TurnResult> {
		const session = this.#session;
		const { engine } = this.parts;
		const began = performance.now();
		let name = typedName;
		let args = typedArgs;
		const ran = (status: "ok" | "error" | "blocked") => {
			if (engine.has("command.ran")) engine.tell("command.ran", { ...session.facts(), name, args, status, durationMs: performance.now() - began });
		};
		const mayNot = async (refusal: string) => {
			ran("blocked");
			return { ...done(await send(session, refusal, "notice", stop)), completed: false, error: refusal };
		};
		const refusal = this.commandRefusal?.(name);
		if (refusal !== undefined) return mayNot(refusal);
		if (engine.has("command.running")) {
			const outcome = await engine.dispatch("command.running", { ...session.facts(), name, args }, { signal: stop });
			if (outcome.kind === "blocked") return mayNot(outcome.reason);
			if (outcome.kind === "responded") {
				ran("ok");
				return done(await send(session, outcome.text, "answer", stop));
			}
			({ name, args } = outcome.payload);
			const refusedNow = this.commandRefusal?.(name);
			if (refusedNow !== undefined) return mayNot(refusedNow);
		}
		const command = this.commands.get(name);
		if (command === undefined) {
			ran("error");
			const names = [...this.commands.keys()];
			const error = `There is no command /${name}.${didYouMean(name, names)} The commands are ${names.map((known) => `/${known}`).join(", ")}.`;
			return { ...done(await send(session, error, "notice", stop)), completed: false, error };
		}
		try {
			const text = await command.run(this, args, stop);
			ran("ok");
			return done(text === undefined ? "" : await send(this.#session, text, "notice", stop));
		} catch (error) {
			ran("error");
			if (!refusals.some((kind) => error instanceof kind) || !(error instanceof Error)) throw error;
			return { ...done(await send(session, error.message, "notice", stop)), completed: false, error: error.message };
		}
	}

	/**
	 * Leaves the session for a fresh one.
	 * @throws SwitchRefused when a hook does not let it.
	 */
	async startAnew(reason: "new" | "reset" = "new"): Promise<void> {
		await this.#switch("new", undefined, () => newSession(this.parts, this.#session.place), reason);
	}

	/**
	 * Leaves the session for another one, where that was left.
	 * @throws SwitchRefused when a hook does not let it; SessionInUseError; StoreError. The conversation then stays where it is.
	 */
	async resume(record: SessionRecord): Promise<void> {
		await this.#switch("resume", record.id, () => {
			const session = resumeSession(this.parts, this.#session.place, record);
			takeUpModel(this.parts, record);
			return session;
		});
		tellModel(this.parts, this.#session, record);
	}

	/**
	 * Leaves the session for a new one that begins with its first messages, all when no number is given.
	 * @throws SwitchRefused when a hook does not let it; StoreError when it cannot be cut there. The conversation then stays where it is.
	 */
	async fork(messages?: number): Promise<void> {
		const { parts } = this;
		const { id, place } = this.#session;
		const waited = this.#waiting !== undefined;
		await this.#switch("fork", undefined, () => resumeSession(parts, place, parts.store.sessions.fork(id, newSessionId(Date.now()), messages)));
		if (waited) this.#session.closeOpenCalls(interruptedResult);
	}

	async #switch(to: SessionSwitching["to"], targetSessionId: string | undefined, open: () => Session, reason = "new"): Promise<void> {
		const { engine } = this.parts;
		const old = this.#session;
		const target = targetSessionId !== undefined && { targetSessionId };
		if (engine.has("session.switching")) {
			const outcome = await engine.dispatch("session.switching", { ...old.facts(), to, ...target });
			if (outcome.kind === "blocked") throw new SwitchRefused(`The session stays: ${outcome.reason}`);
		}
		const session = open();
		await this.endWaiting();
		await this.#end(to === "new" ? "reset" : "switched");
		this.#session = session;
		const previousSessionId = old.id;
		if (to === "new" && engine.has("session.reset")) engine.tell("session.reset", { ...session.facts(), previousSessionId, reason });
		if (engine.has("session.started")) engine.tell("session.started", { ...session.facts(), model: this.parts.model.name, resumed: session.resumed });
		if (engine.has("session.switched")) engine.tell("session.switched", { ...session.facts(), to, previousSessionId, ...(to !== "new" && { targetSessionId: session.id }) });
	}

	/** Ends the conversation for this process. */
	async close(reason: SessionEnded["reason"]): Promise<void> {
		this.parts.open?.detach(this);
		await this.#end(reason);
	}

	async #end(reason: SessionEnded["reason"]): Promise<void> {
		const session = this.#session;
		const { engine } = this.parts;
		if (engine.has("session.ended")) engine.tell("session.ended", { ...session.facts(), reason, turns: session.turns });
		// It may go on in another process: what hooks keep of it is in this one's memory.
		if (this.#waiting !== undefined) engine.endTurn(this.#waiting.turnId);
		await session.close();
	}
}

/** A command of an extension, under the name it got. */
function commandOf(name: string, command: ExtensionCommand): Command {
	const place = ({ session }: Conversation, signal: AbortSignal): CallPlace => ({ signal, cwd: session.place.cwd, sessionId: session.id, ...(session.turnId !== undefined && { turnId: session.turnId }) });
	return {
		name,
		summary: command.summary,
		...(command.anytime === true && { anytime: true }),
		async run(conversation, args, stop) {
			try {
				const text: unknown = await orAborted(command.run(args, place(conversation, stop)), stop);
				return text === undefined || text === null ? undefined : String(text);
			} catch (error) {
				throw new CommandRefused(stop.aborted ? `/${name} was stopped.` : `/${name} failed: ${error instanceof Error ? error.message : String(error)}`);
			}
		},
		...(command.complete !== undefined && { complete: (conversation: Conversation, args: string, stop: AbortSignal) => orAborted(command.complete!(args, place(conversation, stop)), stop) }),
	};
}

/** The slash command a text is, when it is one. */
export function commandIn(text: string): { readonly name: string; readonly args: string } | undefined {
	const found = /^\/([\w-]+(?::[\w.-]+)*)(?:\s+([\s\S]*))?$/.exec(text.trim());
	return found ? { name: found[1]!, args: found[2]?.trim() ?? "" } : undefined;
}

/** What ends a command but not the conversation. */
const refusals = [SwitchRefused, CommandRefused, SessionInUseError, StoreError] as const;

const done = (text: string): TurnResult => ({ text, completed: true, interrupted: false });

/** A session goes on with the model it was led with last, unless the command line names one. */
function takeUpModel({ models, warn }: AgentParts, record: SessionRecord): void {
	const problem = models.takeUp(record.model);
	if (problem !== undefined) warn(`Session ${record.id} was led with ${record.model}, which cannot be had now; it goes on with ${models.chosen.name}. ${problem}`);
}

function tellModel({ engine, model }: AgentParts, session: Session, resumed: SessionRecord): void {
	if (model.name !== resumed.model && engine.has("model.selected")) engine.tell("model.selected", { ...session.facts(), model: model.name, previous: resumed.model });
}

const factsWithout = ({ cwd, surface, profile, sender }: SessionPlace) => ({ eventId: newId("e"), at: Date.now(), surface, cwd, profile, ...sender });
