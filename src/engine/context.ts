// What dispatches share, and one call of one handler.
import type { Stage } from "../events/catalog.ts";
import type { DurableState, HookContext } from "../events/context.ts";
import { type HookFailure, toFailure } from "../events/failure.ts";
import type { EventName } from "../events/payloads/all.ts";
import type { Cause, Facts, JsonObject } from "../events/payloads/facts.ts";
import type { Deadlines } from "../system/deadlines.ts";
import type { LogLevel } from "../system/log.ts";
import { Waiting, type WaitingFor } from "./deadline.ts";
import type { Hook } from "./plan.ts";
import type { Trace } from "./trace.ts";

/** The parts of an engine that dispatches share. */
export interface EngineParts {
	readonly deadlines: Deadlines;
	/** Undefined when tracing is off; then handlers are not timed either. */
	readonly trace: Trace | undefined;
	/** The handler that is running right now, synchronously: what it fires has it as its cause. */
	running: Running | undefined;
	/** Dispatches that wait for a handler. Bounds handlers that call back into the engine for ever across awaits. */
	waiting: number;
	/** Milliseconds, monotonic. */
	now(): number;
	turnState(turnId: string | undefined): Map<string, unknown>;
	stateOf(extension: string): DurableState;
	log(hook: string, message: string, level: LogLevel): void;
	/** Tells `hook.failed`, unless that is what failed. */
	failed(hook: Hook, failure: HookFailure, facts: Facts, effect: "blocked" | "passed" | "none"): void;
}

/** One dispatch under way, as far as others must know it. */
export interface Running {
	readonly event: EventName;
	readonly payload: Facts;
	readonly metadata: JsonObject;
	readonly depth: number;
	readonly hook: string;
}

export const maxDepth = 8;
export const maxWaiting = 10_000;

/** The chain a payload fired now would carry, when a handler is running. */
export function causeOf(running: Running): Cause {
	return { eventId: running.payload.eventId, event: running.event, hook: running.hook, depth: running.depth + 1 };
}

/** One call of one handler. It is the handler's context and, while the handler runs, what nested events name as their cause. */
export class Call implements HookContext, Running, WaitingFor {
	readonly payload: Facts;
	readonly metadata: JsonObject;
	readonly #parts: EngineParts;
	readonly #hook: Hook;
	#controller: AbortController | undefined;
	#ended: HookFailure | undefined;
	readonly stop: AbortSignal | undefined;
	/** Clock of the engine, ms; known from the start only when the dispatch is timed. */
	started: number;

	constructor(parts: EngineParts, hook: Hook, payload: Facts, metadata: JsonObject, stop: AbortSignal | undefined, started: number) {
		this.payload = payload;
		this.metadata = metadata;
		this.#parts = parts;
		this.#hook = hook;
		this.#controller = undefined;
		this.#ended = undefined;
		this.stop = stop;
		this.started = started;
	}

	/** Calls the handler: what it returned, its failure, or what is to be waited for. Never throws. */
	run(): unknown {
		const parts = this.#parts;
		const outer = parts.running;
		parts.running = this;
		try {
			const returned = this.#hook.handler(this.payload, this);
			if (returned === undefined || !isThenable(returned)) return returned;
			if (this.started === 0) this.started = parts.now();
			return new Waiting(returned, this);
		} catch (thrown) {
			return toFailure(thrown);
		} finally {
			parts.running = outer;
		}
	}

	get deadlines(): Deadlines {
		return this.#parts.deadlines;
	}

	get timeoutMs(): number {
		return this.#hook.timeoutMs;
	}

	late({ kind }: HookFailure): void {
		this.#parts.log(this.hook, `answered ${this.event} after ${kind === "timed-out" ? "its time was up" : "it was stopped"}; the answer was dropped`, "warning");
	}

	get hook(): string {
		return this.#hook.id;
	}

	get event(): EventName {
		return this.#hook.summary.event;
	}

	get stage(): Stage {
		return this.#hook.stage;
	}

	get depth(): number {
		return this.payload.cause?.depth ?? 0;
	}

	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			if (this.#ended !== undefined) this.#controller.abort(this.#ended);
		}
		return this.#controller.signal;
	}

	get turn(): HookContext["turn"] {
		return { id: this.payload.turnId, state: this.#parts.turnState(this.payload.turnId) };
	}

	get state(): DurableState {
		return this.#parts.stateOf(this.#hook.source.extension);
	}

	get cause(): Cause {
		return causeOf(this);
	}

	log(message: string): void {
		this.#parts.log(this.hook, message, "info");
	}

	/** Ends what the handler waits for. The engine's side: handlers only see the signal. */
	abort(why: HookFailure): void {
		this.#ended = why;
		this.#controller?.abort(why);
	}
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
	return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
