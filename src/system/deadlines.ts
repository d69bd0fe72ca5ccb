// Time limits of many that are waited for at once: one list and one timer for all of them, since a timer for each would cost more than what most of
// them wait for.

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
