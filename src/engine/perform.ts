// The wrap stage: the operation itself runs, inside the wrappers. It gets the value the guards judged and nothing else can be given to it.
import type { WrappableEvent } from "../events/catalog.ts";
import { HookFailure, toFailure } from "../events/failure.ts";
import type { Payloads } from "../events/payloads/all.ts";
import { Deadline } from "../system/deadlines.ts";
import { Call, type EngineParts } from "./context.ts";
import { failureReason, suspension } from "./failure.ts";
import type { Matchable } from "./matcher.ts";
import type { Blocked, Go } from "./outcome.ts";
import type { Hook, Plan } from "./plan.ts";
import type { DispatchEntry, HookEntry } from "./trace.ts";

export interface PerformOptions {
	readonly signal?: AbortSignal;
	/** Checks what a wrapper gives in place of the operation's result; gives the mistake as a sentence. */
	readonly check?: (result: unknown) => string | undefined;
}

/** Outcomes whose operation has run: each lets it run once. */
const used = new WeakSet<Go>();

/** A closed wrapper failed before the operation ran, so it did not run. */
export class OperationBlocked extends Error {
	override readonly name = "OperationBlocked";
	readonly outcome: Blocked;

	constructor(outcome: Blocked) {
		super(outcome.reason);
		this.outcome = outcome;
	}
}

/**
 * Runs an operation that an outcome allows, inside the wrappers of its event, the first by priority outermost.
 * A wrapper that fails before it called `next()` is skipped, unless it is closed; after that the operation's result stands.
 * @throws what the operation throws; OperationBlocked; Error when the outcome was used before.
 */
export async function perform<Name extends WrappableEvent, Result>(
	parts: EngineParts,
	plan: Plan,
	go: Go<Name>,
	operation: (payload: Payloads[Name]) => Promise<Result>,
	options: PerformOptions,
	entry: DispatchEntry | undefined,
): Promise<Result> {
	if (used.has(go)) throw new Error("This outcome was performed before; an approval is good for one run. Dispatch the event again.");
	used.add(go);
	const wraps = plan.wraps.filter((hook) => hook.matchesRest === undefined || hook.matchesRest(go.payload as Matchable));
	// Async, so that an operation that throws at once has run nevertheless.
	const layer = async (i: number): Promise<Result> => {
		const hook = wraps[i];
		if (hook === undefined) return operation(go.payload);
		return new Wrapped(parts, hook, go, () => layer(i + 1), options, entry).run();
	};
	return layer(0);
}

/** One wrapper around what lies inside it. */
class Wrapped<Name extends WrappableEvent, Result> {
	readonly #parts: EngineParts;
	readonly #hook: Hook;
	readonly #go: Go<Name>;
	readonly #inside: () => Promise<Result>;
	readonly #options: PerformOptions;
	readonly #entry: DispatchEntry | undefined;
	readonly #started: number;
	/** The latest run of the inside, once there was one. */
	#inner: Promise<Result> | undefined;
	#runs = 0;
	/** How many of them are under way. */
	#underWay = 0;
	/** Its own time, without that of the inside. */
	#ownMs = 0;
	#clock: number;
	readonly #deadline = new Deadline(() => this.#fail(new HookFailure("timed-out", `took more than ${this.#hook.timeoutMs} ms of its own`)));
	#ticking = false;
	#over = false;
	#fail!: (failure: HookFailure) => void;

	constructor(parts: EngineParts, hook: Hook, go: Go<Name>, inside: () => Promise<Result>, options: PerformOptions, entry: DispatchEntry | undefined) {
		this.#parts = parts;
		this.#hook = hook;
		this.#go = go;
		this.#inside = inside;
		this.#options = options;
		this.#entry = entry;
		this.#started = this.#clock = parts.now();
	}

	async run(): Promise<Result> {
		const held = suspension(this.#hook, this.#parts.now());
		if (held !== undefined) return this.#without(held);
		if (this.#options.signal?.aborted) return this.#without(stopped());
		const call = new Call(this.#parts, this.#hook, this.#go.payload, this.#go.metadata, this.#options.signal, this.#started);
		const { signal } = this.#options;
		const interrupt = () => this.#fail(stopped());
		try {
			const failed = new Promise<never>((_, reject) => {
				this.#fail = (failure) => {
					call.abort(failure);
					reject(failure);
				};
			});
			signal?.addEventListener("abort", interrupt, { once: true });
			this.#startClock();
			const answer = await Promise.race([failed, this.#handle(call)]);
			return await this.#accept(answer);
		} catch (thrown) {
			return await this.#without(toFailure(thrown), thrown);
		} finally {
			this.#over = true;
			this.#pauseClock();
			signal?.removeEventListener("abort", interrupt);
		}
	}

	async #handle(call: Call): Promise<unknown> {
		const outer = this.#parts.running;
		this.#parts.running = call;
		try {
			return this.#hook.handler(this.#go.payload, this.#next, call);
		} finally {
			this.#parts.running = outer;
		}
	}

	readonly #next = (): Promise<Result> => {
		const result = this.#runInside();
		// A wrapper may leave it unread; what went wrong inside is known here all the same.
		result.catch(() => {});
		return result;
	};

	async #runInside(): Promise<Result> {
		if (this.#over) throw new HookFailure("threw", "called next() after its time was over");
		if (this.#runs > 0 && !this.#hook.repeatable) throw new HookFailure("threw", "called next() twice; a wrap that repeats the operation must say repeatable: true");
		this.#runs++;
		this.#underWay++;
		this.#pauseClock();
		// What the operation fires is not fired by this wrapper.
		const wrapper = this.#parts.running;
		this.#parts.running = undefined;
		try {
			this.#inner = this.#inside();
		} finally {
			this.#parts.running = wrapper;
		}
		try {
			return await this.#inner;
		} finally {
			this.#underWay--;
			if (!this.#over && this.#underWay === 0) this.#startClock();
		}
	}

	/** The wrapper's own result, or the operation's when it gave none. */
	async #accept(answer: unknown): Promise<Result> {
		if (answer === undefined && this.#inner !== undefined) {
			const result = await this.#inner;
			this.#hook.failuresInARow = 0;
			this.#note("wrapped");
			return result;
		}
		const mistake = answer === undefined ? "nothing, and it did not call next() either" : this.#options.check?.(answer);
		if (mistake !== undefined) throw new HookFailure("bad-answer", `gave ${mistake}`);
		this.#hook.failuresInARow = 0;
		this.#note(this.#inner === undefined ? "answered" : "wrapped");
		return answer as Result;
	}

	/** Goes on without this wrapper. What the operation itself threw is passed on as it is. */
	async #without(failure: HookFailure, thrown?: unknown): Promise<Result> {
		this.#over = true;
		if (this.#inner !== undefined) {
			const inner = await Promise.allSettled([this.#inner]).then(([settled]) => settled!);
			if (inner.status === "rejected" && (thrown === inner.reason || failure.kind === "interrupted")) {
				this.#note("wrapped");
				throw inner.reason;
			}
			this.#failed(failure, "passed");
			if (inner.status === "rejected") throw inner.reason;
			return inner.value;
		}
		const blocks = this.#hook.closed || failure.kind === "interrupted";
		this.#failed(failure, blocks ? "blocked" : "passed");
		if (!blocks) return this.#inside();
		const interrupted = failure.kind === "interrupted";
		throw new OperationBlocked({ kind: "blocked", reason: interrupted ? "Stopped by the user." : failureReason(this.#hook, failure), by: interrupted ? "person" : this.#hook.id, cause: interrupted ? "interrupted" : "failure" });
	}

	#failed(failure: HookFailure, effect: "blocked" | "passed"): void {
		this.#note("failed", failure);
		if (failure.kind !== "interrupted") this.#parts.failed(this.#hook, failure, this.#go.payload, effect);
	}

	#note(decision: string, failure?: HookFailure): void {
		this.#pauseClock();
		const entry: HookEntry = { hook: this.#hook, started: this.#started, ms: this.#ownMs, decision, ...(failure && { failure }), ...(this.#runs !== 1 && { notes: [`ran the operation ${this.#runs} times`] }) };
		this.#entry?.hooks.push(entry);
	}

	#startClock(): void {
		this.#clock = this.#parts.now();
		this.#ticking = true;
		this.#parts.deadlines.add(this.#deadline, this.#clock + this.#hook.timeoutMs - this.#ownMs);
	}

	#pauseClock(): void {
		if (!this.#ticking) return;
		this.#ticking = false;
		this.#parts.deadlines.remove(this.#deadline);
		this.#ownMs += this.#parts.now() - this.#clock;
	}
}

const stopped = () => new HookFailure("interrupted", "was stopped together with the turn", { counts: false });
