// Waiting for handlers that returned a promise, each until its deadline.
import type { Stage } from "../events/catalog.ts";
import { HookFailure, toFailure } from "../events/failure.ts";
import type { EventName } from "../events/payloads/all.ts";
import { Deadline, type Deadlines } from "../system/deadlines.ts";

/** Who waits, and for whom: the engine's side of one call. */
export interface WaitingFor {
	readonly hook: string;
	readonly event: EventName;
	readonly stage: Stage;
	readonly deadlines: Deadlines;
	readonly timeoutMs: number;
	/** When the handler was called, ms of the deadlines' clock. */
	readonly started: number;
	/** The user's stop. */
	readonly stop: AbortSignal | undefined;
	/** Ends the handler's work: at the time-out and at the stop. */
	abort(why: HookFailure): void;
	/** An answer came after that. */
	late(why: HookFailure): void;
}

const nativeThen = Promise.prototype.then;

/** A handler's promise that is waited for: deadline, list entry and listener in one object, because this is made for every such call. */
export class Waiting extends Deadline {
	readonly #promise: Promise<unknown>;
	readonly #for: WaitingFor;
	#take: ((answer: unknown) => void) | undefined = undefined;
	/** Why nobody waits any more. */
	#over: HookFailure | undefined = undefined;
	#interrupt: (() => void) | undefined = undefined;

	constructor(promise: PromiseLike<unknown>, waitingFor: WaitingFor) {
		super(expire);
		// Any other thenable may throw, answer twice or answer with another one; a promise that is resolved with it sees to all of that.
		this.#promise = promise instanceof Promise && promise.then === nativeThen ? promise : new Promise((resolve) => resolve(promise));
		this.#for = waitingFor;
	}

	/** The call that is waited for. */
	get call(): Pick<WaitingFor, "hook" | "event" | "stage" | "started"> {
		return this.#for;
	}

	/** Begins to wait. `take` gets the answer, or the failure as a value: once, and never before this has returned. */
	start(take: (answer: unknown) => void): void {
		this.#take = take;
		const { deadlines, started, timeoutMs, stop } = this.#for;
		deadlines.add(this, started + timeoutMs);
		void this.#promise.then(
			(answer) => this.#settled(answer),
			(thrown: unknown) => this.#failed(toFailure(thrown)),
		);
		if (stop === undefined) return;
		this.#interrupt = () => this.#end(new HookFailure("interrupted", "was stopped together with the turn", { counts: false }));
		if (stop.aborted) queueMicrotask(this.#interrupt);
		else stop.addEventListener("abort", this.#interrupt, { once: true });
	}

	timeOut(): void {
		this.#end(new HookFailure("timed-out", `gave no answer within ${this.#for.timeoutMs} ms`));
	}

	#settled(answer: unknown): void {
		if (this.#take !== undefined) this.#close()(answer);
		// Silence is no answer, so nothing is dropped.
		else if (answer !== undefined) this.#for.late(this.#over!);
	}

	/** After its end that is no answer either: a handler that gives up when it is told to does as it should. */
	#failed(failure: HookFailure): void {
		if (this.#take !== undefined) this.#close()(failure);
	}

	#end(failure: HookFailure): void {
		if (this.#take === undefined) return;
		const take = this.#close();
		this.#over = failure;
		this.#for.abort(failure);
		take(failure);
	}

	#close(): (answer: unknown) => void {
		const take = this.#take!;
		this.#take = undefined;
		this.#for.deadlines.remove(this);
		if (this.#interrupt !== undefined) this.#for.stop!.removeEventListener("abort", this.#interrupt);
		return take;
	}
}

function expire(this: Deadline): void {
	(this as Waiting).timeOut();
}
