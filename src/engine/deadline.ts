// Waiting for handlers that returned a promise: one list of deadlines and one timer for all of them, since a timer for each would cost
// more than the handler does.
import { HookFailure, toFailure } from "../events/failure.ts";

/** Something with a time limit. It is its own list entry, so that adding and removing cost a few assignments. */
export class Deadline {
	due = 0;
	previous: Deadline | undefined = undefined;
	next: Deadline | undefined = undefined;
	expire: () => void;

	constructor(expire: () => void) {
		this.expire = expire;
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

/** The answer of a handler that returned a promise, or its failure as a value. Never rejects. */
export function settle(promise: PromiseLike<unknown>, waiting: WaitingFor): Promise<unknown> {
	return new Promise((resolve) => new Settling(promise, waiting, resolve));
}

class Settling extends Deadline {
	readonly #waiting: WaitingFor;
	readonly #resolve: (answer: unknown) => void;
	#interrupt: (() => void) | undefined;
	#open = true;

	constructor(promise: PromiseLike<unknown>, waiting: WaitingFor, resolve: (answer: unknown) => void) {
		super(() => this.#end(new HookFailure("timed-out", `gave no answer within ${waiting.timeoutMs} ms`)));
		this.#waiting = waiting;
		this.#resolve = resolve;
		waiting.deadlines.add(this, waiting.started + waiting.timeoutMs);
		try {
			// A thenable that is no promise may throw, answer twice or answer with another one; Promise.resolve sees to all of that.
			(promise instanceof Promise ? promise : Promise.resolve(promise)).then(
				(answer) => this.#settled(answer),
				(thrown: unknown) => this.#settled(toFailure(thrown)),
			);
		} catch (thrown) {
			this.#settled(toFailure(thrown));
		}
		const { stop } = waiting;
		if (stop === undefined || !this.#open) return;
		this.#interrupt = () => this.#end(new HookFailure("interrupted", "was stopped together with the turn", { counts: false }));
		if (stop.aborted) this.#interrupt();
		else stop.addEventListener("abort", this.#interrupt, { once: true });
	}

	#settled(answer: unknown): void {
		if (!this.#open) return this.#waiting.late();
		this.#close();
		this.#resolve(answer);
	}

	#end(failure: HookFailure): void {
		if (!this.#open) return;
		this.#close();
		this.#waiting.abort(failure);
		this.#resolve(failure);
	}

	#close(): void {
		this.#open = false;
		this.#waiting.deadlines.remove(this);
		if (this.#interrupt !== undefined) this.#waiting.stop!.removeEventListener("abort", this.#interrupt);
	}
}
