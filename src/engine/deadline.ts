// Waiting for handlers that returned a promise: one list of deadlines and one timer for all of them, since a timer for each would cost
// more than the handler does.
import type { Stage } from "../events/catalog.ts";
import { HookFailure, toFailure } from "../events/failure.ts";
import type { EventName } from "../events/payloads/all.ts";

/** Something with a time limit. It is its own list entry, so that adding and removing cost a few assignments. */
export class Deadline {
	due = 0;
	previous: Deadline | undefined = undefined;
	next: Deadline | undefined = undefined;
	expire: (this: Deadline) => void;

	constructor(onExpire: (this: Deadline) => void) {
		this.expire = onExpire;
	}
}

/** Times in ms of the clock given. */
export class Deadlines {
	readonly now: () => number;
	readonly #head = new Deadline(() => {});
	#timer: NodeJS.Timeout | undefined;
	#timerDue = Infinity;
	#refed = false;

	constructor(now: () => number) {
		this.now = now;
	}

	/** Expires `deadline` once at `due` unless it is removed first. Keeps the process alive meanwhile. */
	add(deadline: Deadline, due: number): void {
		deadline.due = due;
		const { next } = this.#head;
		deadline.previous = this.#head;
		deadline.next = next;
		if (next !== undefined) next.previous = deadline;
		this.#head.next = deadline;
		if (due < this.#timerDue) this.#arm(due);
		// Not AbortSignal.timeout() and not an unref'd timer: a hanging hook with nothing else to do would end a one-shot run.
		else if (!this.#refed) {
			this.#refed = true;
			this.#timer!.ref();
		}
	}

	/** Harmless when it has expired or was removed. */
	remove(deadline: Deadline): void {
		const { previous, next } = deadline;
		if (previous === undefined) return;
		previous.next = next;
		if (next !== undefined) next.previous = previous;
		deadline.previous = deadline.next = undefined;
		if (this.#head.next === undefined && this.#refed) {
			this.#refed = false;
			this.#timer?.unref();
		}
	}

	/** Everything that is waited for, the newest first. */
	*all(): Generator<Deadline> {
		for (let deadline = this.#head.next; deadline !== undefined; deadline = deadline.next) yield deadline;
	}

	#arm(due: number): void {
		clearTimeout(this.#timer);
		this.#timerDue = due;
		this.#refed = true;
		this.#timer = setTimeout(() => this.#sweep(), Math.max(1, Math.ceil(due - this.now())));
	}

	#sweep(): void {
		const now = this.now();
		this.#timer = undefined;
		this.#timerDue = Infinity;
		this.#refed = false;
		const expired: Deadline[] = [];
		let earliest = Infinity;
		for (let deadline = this.#head.next; deadline !== undefined; deadline = deadline.next) {
			if (deadline.due <= now) expired.push(deadline);
			else earliest = Math.min(earliest, deadline.due);
		}
		for (const deadline of expired) {
			// The end of one may have been the end of another.
			if (deadline.previous === undefined) continue;
			this.remove(deadline);
			deadline.expire();
		}
		// What expired may have been followed by something new that armed the timer already.
		if (earliest < this.#timerDue) this.#arm(earliest);
	}
}

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
	late(): void;
}

const nativeThen = Promise.prototype.then;

/** A handler's promise that is waited for: deadline, list entry and listener in one object, because this is made for every such call. */
export class Waiting extends Deadline {
	readonly #promise: Promise<unknown>;
	readonly #for: WaitingFor;
	#take: ((answer: unknown) => void) | undefined = undefined;
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
			(thrown: unknown) => this.#settled(toFailure(thrown)),
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
		if (this.#take === undefined) this.#for.late();
		else this.#close()(answer);
	}

	#end(failure: HookFailure): void {
		if (this.#take === undefined) return;
		const take = this.#close();
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
