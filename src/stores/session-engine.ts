// Durable turns: messages that wait for their session, a handler that takes them one by one, and what it leaves behind.
// One interface for the embedded database and for whatever many machines share later. test/contracts/session-engine.ts holds each to it.

export interface SessionEngine extends AsyncDisposable {
	/**
	 * Puts a message at the end of its session's queue, makes the session when it is new. Resolves when the message is on the disk: it survives
	 * a crash of the process and of the machine from then on, and only then may its sender be told. A rejected append left nothing.
	 * A message whose id the session has seen is dropped, also when the earlier one was handled long ago (ids are remembered for 14 days).
	 * Appends that are called one after the other for one session, without waiting, keep that order.
	 * @throws StoreError `bad-value` for names or a body that cannot be kept, `over-quota` when the session has as many waiting as it may,
	 * and for a store that cannot be written.
	 */
	append(session: string, message: NewMessage): Promise<"accepted" | "duplicate">;

	/**
	 * Hands messages to the handler until it is stopped: at most one running turn per session (over all processes that serve the same store), in the
	 * order in which they were accepted; a message with `notBefore` joins its place in that order when its time has come. Sessions run side by
	 * side up to `concurrency`, and take turns: who has just had one goes behind those that wait.
	 *
	 * A handler that resolves has handled the message: its `set`, `emit` and `send` are committed together, all or nothing, and the
	 * message is never handed out again. A handler that throws changed nothing; the message is tried again after a pause, before any
	 * later one of its session, and is a dead letter after `attempts` failures. So it is at once when IndeterminateError leaves the handler, since trying
	 * again cannot help. A process that ends in the middle of a turn leaves the message to whoever serves next.
	 * @throws StoreError `bad-value` for a concurrency that is no whole number above 0
	 */
	serve(handler: Handler, options: ServeOptions): Promise<Serving>;

	/**
	 * Aborts the signal of the turn that runs now, in whichever process, with an InterruptError. Passes the queue by. A turn that waits
	 * for another attempt is interrupted too, and so is the next attempt of one whose process ends meanwhile; the next message never is.
	 * The handler may end as it likes; if it throws, the message counts as handled and nothing of the turn is kept.
	 * @returns whether there was a turn. Another process hears of it within a second.
	 */
	interrupt(session: string, why: string): Promise<boolean>;

	/** What is committed, all of one moment; a turn that runs shows only by `current`. Undefined when nothing was ever appended. */
	read(session: string): Promise<SessionSnapshot | undefined>;

	/**
	 * What turns emitted and nobody acknowledged, oldest first, from after this number on (0: all); waits for more until the signal is
	 * aborted, which ends it without an error. A session's come in the order of its turns and of their emits. Each comes at
	 * least once: again to whoever starts over, until it is acknowledged, with the same `id`. Several readers all get everything.
	 */
	outbox(after: number, signal: AbortSignal): AsyncIterable<Outgoing>;
	/** These need not be told again. Numbers that are gone already do no harm. */
	acknowledge(...numbers: readonly number[]): Promise<void>;

	/** Messages that were given up, oldest first; at most `limit` (100 when not given) with a number above `after`. */
	deadLetters(options?: { readonly after?: number; readonly limit?: number }): Promise<readonly DeadLetter[]>;
	/**
	 * Back into its session's queue, at its old place, with all its attempts before it. What its steps recorded stays. A step that is
	 * indeterminate stays so unless `settled` says under its name what a person found out.
	 * @returns whether there was such a dead letter
	 */
	requeue(session: string, id: string, settled?: Readonly<Record<string, Settlement>>): Promise<boolean>;
	/** Forgets a dead letter for good; its id stays known. @returns whether there was such a dead letter */
	discard(session: string, id: string): Promise<boolean>;

	/** How much there is to do at this moment, over all sessions and processes. */
	counts(): Promise<EngineCounts>;

	/** Stops serving without waiting for turns (`Serving.stop(0)`), then closes. Calling it again does nothing. */
	close(): Promise<void>;
}

export interface EngineCounts {
	/** Messages whose time has come and whose turn has not begun. */
	readonly waiting: number;
	/** Turns under way. */
	readonly running: number;
	/** Things in the outbox that nobody acknowledged. */
	readonly outgoing: number;
	readonly deadLetters: number;
}

export interface NewMessage {
	/** 1 to 512 characters. Unique in its session: the sender's own number for it, so that what is delivered twice is handled once. */
	readonly id: string;
	/** 1 to 512 characters. */
	readonly kind: string;
	/** Plain data, as JSON holds. */
	readonly body: unknown;
	/** Not handed out before this moment, in ms since the epoch by the clock on the wall. Survives restarts; up to a second late. */
	readonly notBefore?: number;
}

export interface QueuedMessage extends NewMessage {
	/** When it was accepted, in ms since the epoch. */
	readonly at: number;
}

export type Handler = (turn: Turn) => Promise<void>;

export interface ServeOptions {
	/** How many turns run at the same time in this process. */
	readonly concurrency: number;
	/** Told in one sentence of what goes wrong where nobody waits: a turn that cannot be committed yet, a message that was given up. */
	readonly onProblem: (message: string) => void;
	/** After so many failures a message is a dead letter; 5 when not given. */
	readonly attempts?: number;
	/** So is one in whose turn the process ended so many times; 20 when not given. */
	readonly crashes?: number;
	/** The pause after the first, second, … failure, in ms. When not given about 1 s, doubled each time, at most 5 minutes. */
	readonly pauseMs?: (failures: number) => number;
}

export interface Serving extends AsyncDisposable {
	/**
	 * Takes no more messages and waits for the turns that run, this long in ms (for ever when not given). Then it aborts their signals with a
	 * TurnLostError and gives their messages back, unharmed and with that attempt not counted. Of several calls the least patient counts. Disposing is `stop(0)`.
	 */
	stop(graceMs?: number): Promise<void>;
}

/** One message in the hands of the handler. Everything in it refuses once the handler has settled or another process has the session. */
export interface Turn {
	readonly session: string;
	readonly message: QueuedMessage;
	/** 1 for the first. */
	readonly attempt: number;
	/** Rises each time the session is handed out: what an outside system has seen with a higher one makes a lower one void. */
	readonly fence: number;
	/** Aborted by `interrupt` (InterruptError), and when the session was lost or is given back (TurnLostError). */
	readonly signal: AbortSignal;

	/**
	 * Does something once for this message and records the result on the disk before it resolves; a later attempt gets the record and
	 * does not run `fn`. The result is plain data and comes back as JSON gives it, the first time too. A name stands for one step of a message:
	 * it is the same in each attempt, and no two steps of an attempt have the same.
	 *
	 * What happens to a step in whose middle the process ended, or `timeoutMs` passed, is up to its effect:
	 * - `pure`: nothing outside changes; it runs again.
	 * - `idempotent`: whoever it changes knows `call.key`; it runs again with the same key.
	 * - `verify`: `verify` is asked whether it happened, and `fn` runs again only if not.
	 * - `once`: it never runs again. The step is *indeterminate*, which is thrown: ask a person, and end the turn.
	 *
	 * A `once` step that threw has an outcome too: the next attempt gets a StepFailedError with its message. The others run again.
	 * @throws what `fn` throws · StepTimeoutError · IndeterminateError · StepFailedError · the signal's reason when the turn was interrupted or lost
	 * before it began, unless its result is recorded · StoreError
	 */
	step<Result>(name: string, options: StepOptions<Result>, fn: (call: StepCall) => Promise<Result> | Result): Promise<Result>;

	/** The session's value: what this turn set, else what is committed. Undefined when there is none. */
	get(key: string): Promise<unknown>;
	/** Plain data; undefined removes it. @throws StoreError `bad-value` */
	set(key: string, value: unknown): void;
	/** Into the outbox. @throws StoreError `bad-value` */
	emit(kind: string, body: unknown): void;
	/** To a session, this one too: timers, subagents, approvals. As `append`, but with the turn and without a limit. @throws StoreError `bad-value` */
	send(session: string, message: NewMessage): void;
}

export type StepOptions<Result> = { readonly timeoutMs: number } & (
	| { readonly effect: "pure" | "idempotent" | "once" }
	| { readonly effect: "verify"; readonly verify: (call: StepCall) => Promise<Verdict<Result>> | Verdict<Result> }
);
export type Effect = StepOptions<unknown>["effect"];

/** `unknown` makes the step indeterminate. */
export type Verdict<Result> = { readonly happened: true; readonly result: Result } | { readonly happened: false } | "unknown";

export interface StepCall {
	/** 32 characters; the same for this step of this message in every attempt, and for no other. */
	readonly key: string;
	readonly fence: number;
	/** The turn's, and aborted when the step's time is over. */
	readonly signal: AbortSignal;
}

/** What a person found out about an indeterminate step: it happened, with this result, or it did not and may run. */
export type Settlement = { readonly result: unknown } | "run again";

export interface SessionSnapshot {
	readonly state: Readonly<Record<string, unknown>>;
	/** Messages that are not handled yet: the one under way, and timers, included. */
	readonly waiting: number;
	readonly fence: number;
	/** The message whose turn was begun and is not settled. */
	readonly current?: { readonly id: string; readonly attempt: number; readonly running: boolean };
}

export interface Outgoing {
	/** Rises with each; nothing with a lower number is added later. */
	readonly number: number;
	/** 32 characters; the same each time it comes. A platform that takes such keys can drop repetitions by it. */
	readonly id: string;
	readonly session: string;
	readonly kind: string;
	readonly body: unknown;
	/** When its turn was committed, in ms since the epoch. */
	readonly at: number;
}

export interface DeadLetter {
	readonly number: number;
	readonly session: string;
	readonly message: QueuedMessage;
	readonly attempts: number;
	/** The last error's text. */
	readonly why: string;
	/** Its steps that began and have no outcome. */
	readonly indeterminate: readonly string[];
}

/** Somebody interrupted the turn. */
export class InterruptError extends Error {
	override readonly name = "InterruptError";
	readonly why: string;

	constructor(why: string) {
		super(`The turn was interrupted: ${why}`);
		this.why = why;
	}
}

/** The turn is not this process's any more. The message is or will be handled elsewhere; nothing more can be done here. */
export class TurnLostError extends Error {
	override readonly name = "TurnLostError";
}

/** A step began, and whether it happened cannot be known. It was not run again. */
export class IndeterminateError extends Error {
	override readonly name = "IndeterminateError";
	readonly step: string;
	/** The key its `fn` had got. */
	readonly key: string;

	constructor(step: string, key: string) {
		super(`Step '${step}' was begun and nobody knows whether it happened: its outcome was never recorded. It is not run again. Let a person look, then settle it.`);
		this.step = step;
		this.key = key;
	}
}

/** A `once` step threw in an earlier attempt; the message is that error's. */
export class StepFailedError extends Error {
	override readonly name = "StepFailedError";
}

/** A step took longer than it may. It is not waited for any more, and a late result is dropped. */
export class StepTimeoutError extends Error {
	override readonly name = "StepTimeoutError";

	constructor(step: string, timeoutMs: number) {
		super(`Step '${step}' did not end within ${timeoutMs} ms.`);
	}
}
