// The engine: it holds the hooks and dispatches events. It needs nothing but Node, so it can be mounted in any program:
//
//   const engine = createEngine();
//   engine.register([{ event: "tool.calling", stage: "guard", handler, options: {}, source, host: "inline" }]);
//   const outcome = await engine.dispatch("tool.calling", payload);
import { catalog, type Stage, type WrappableEvent } from "../events/catalog.ts";
import type { DurableState } from "../events/context.ts";
import { type HookFailure } from "../events/failure.ts";
import type { EventName, InterceptEvent, ObserveEvent, Payloads } from "../events/payloads/all.ts";
import type { Facts, JsonObject } from "../events/payloads/facts.ts";
import type { DispatchRecord, HookSummary, TraceSink } from "../events/record.ts";
import { type HookDefinition, RegistrationError } from "../events/registration.ts";
import { monotonicMs } from "../system/clock.ts";
import { Deadlines } from "../system/deadlines.ts";
import { newId } from "../system/ids.ts";
import type { LogLevel } from "../system/log.ts";
import { copyPlain, deepFreeze } from "../system/plain.ts";
import { causeOf, type EngineParts, maxDepth, maxWaiting } from "./context.ts";
import { Waiting } from "./deadline.ts";
import { Dispatch } from "./dispatch.ts";
import { countFailure } from "./failure.ts";
import { Observers } from "./observe.ts";
import type { Blocked, DispatchOptions, Go, Outcome } from "./outcome.ts";
import { OperationBlocked, perform, type PerformOptions } from "./perform.ts";
import { type Hook, type Plans, toHooks, toPlans } from "./plan.ts";
import { Trace } from "./trace.ts";

export interface EngineOptions {
	/** `false`: no trace and no timing of synchronous handlers. Otherwise how many records stay in memory (1,000; at least 1), and who keeps all of them. */
	readonly trace?: false | { readonly capacity?: number; readonly sink?: TraceSink };
	/** Durable state of extensions; in memory when left out. */
	readonly stateOf?: (extension: string) => DurableState;
	/** Where lines of hooks (`info`) and warnings of the engine go (`error` for a failure that blocks); nowhere when left out. */
	readonly log?: (hook: string, message: string, level: LogLevel) => void;
	/** Monotonic milliseconds. */
	readonly now?: () => number;
}

/** What a registration gave: the ids of its hooks, and how to take all of them back. */
export interface Registration {
	readonly ids: readonly string[];
	remove(): void;
}

/** A hook whose answer is waited for. */
export interface PendingHook {
	readonly hook: string;
	readonly event: EventName;
	readonly stage: Stage;
	/** How long by now, in ms. */
	readonly forMs: number;
}

export interface Engine {
	/**
	 * Adds hooks, all of them or none. The live hooks of `replaces` leave in the same instant: a dispatch sees the old or the new, never neither.
	 * @throws RegistrationError that names the hook and what is wrong with it.
	 */
	register(definitions: readonly HookDefinition[], replaces?: Registration): Registration;
	/** Whether anything is hooked at an event. Ask before building a payload: an event without hooks must cost nothing else. */
	has(event: EventName): boolean;
	/** Decides an event that is about to happen. A promise only when a handler made one. Never throws for what a hook does. */
	dispatch<Name extends InterceptEvent>(event: Name, payload: Payloads[Name], options?: DispatchOptions): Outcome<Name> | Promise<Outcome<Name>>;
	/** Runs the operation an outcome allows, inside the wrappers of its event. Once per outcome. */
	perform<Name extends WrappableEvent, Result>(event: Name, go: Go<Name>, operation: (payload: Payloads[Name]) => Promise<Result>, options?: PerformOptions): Promise<Result>;
	/** Tells what has happened. Returns at once. */
	tell<Name extends ObserveEvent>(event: Name, payload: Payloads[Name]): void;
	/** Forgets the state of a turn. */
	endTurn(turnId: string): void;
	/** Every live hook, in the order it would run. */
	hooks(event?: EventName): readonly HookSummary[];
	/** Whether a hook is on hold, and how often it failed in a row. */
	healthOf(id: string): { readonly suspendedForMs: number; readonly failuresInARow: number; readonly lastFailure: string } | undefined;
	/** The hooks that hold something up right now, the longest first: those whose answer is waited for. Observers hold up nothing. */
	pending(): readonly PendingHook[];
	/** The newest records of the trace, oldest first. */
	recent(limit?: number): readonly DispatchRecord[];
	/** Resolves when all observers have heard everything, and hands the trace to its sink. */
	idle(): Promise<void>;
}

export { OperationBlocked };

/** @throws RangeError for a trace that could hold nothing. */
export function createEngine(options: EngineOptions = {}): Engine {
	return new HookEngine(options);
}

class HookEngine implements Engine {
	#plans: Partial<Record<EventName, Plans>> = {};
	/** In the order they were registered. */
	#hooks: readonly Hook[] = [];
	/** By registration, not by id: an id that was given back may be somebody else's by now. */
	readonly #registered = new WeakMap<Registration, readonly Hook[]>();
	readonly #parts: EngineParts;
	readonly #observers: Observers;
	readonly #turns = new Map<string, Map<string, unknown>>();
	readonly #states = new Map<string, DurableState>();

	constructor(options: EngineOptions) {
		const now = options.now ?? monotonicMs;
		const stateOf = options.stateOf ?? (() => memoryState());
		const trace = options.trace === false ? undefined : new Trace({ capacity: options.trace?.capacity ?? 1000, sink: options.trace?.sink, hooks: () => this.hooks() });
		this.#parts = {
			deadlines: new Deadlines(now),
			trace,
			running: undefined,
			waiting: 0,
			now,
			turnState: (turnId) => this.#turnState(turnId),
			stateOf: (extension) => {
				let state = this.#states.get(extension);
				if (state === undefined) this.#states.set(extension, (state = stateOf(extension)));
				return state;
			},
			log: options.log ?? (() => {}),
			failed: (hook, failure, facts, effect) => this.#failed(hook, failure, facts, effect),
		};
		this.#observers = new Observers(this.#parts);
	}

	register(definitions: readonly HookDefinition[], replaces?: Registration): Registration {
		const leaving = new Set(replaces && this.#registered.get(replaces));
		const staying = this.#hooks.filter((hook) => !leaving.has(hook));
		const taken = new Set(staying.map((hook) => hook.id));
		const ids: string[] = [];
		const hooks = definitions.flatMap((definition) => {
			const id = idFor(definition, taken);
			taken.add(id);
			ids.push(id);
			return toHooks(id, definition);
		});
		// What replaces something takes its place, so that ties of priority stay as they were.
		const place = this.#hooks.findIndex((hook) => leaving.has(hook));
		this.#setHooks(staying.toSpliced(place < 0 ? staying.length : place, 0, ...hooks));
		const registration = { ids, remove: () => this.#setHooks(this.#hooks.filter((hook) => !hooks.includes(hook))) };
		this.#registered.set(registration, hooks);
		return registration;
	}

	has(event: EventName): boolean {
		return this.#plans[event] !== undefined;
	}

	dispatch<Name extends InterceptEvent>(event: Name, payload: Payloads[Name], options: DispatchOptions = noOptions): Outcome<Name> | Promise<Outcome<Name>> {
		const plans = this.#plans[event];
		if (plans === undefined) return { kind: "go", payload, injections: nothing, metadata: noMetadata };
		const parts = this.#parts;
		const sealed = this.#seal(payload, options);
		if (sealed.cause !== undefined && sealed.cause.depth > maxDepth) return tooDeep(`hooks fired events from inside each other ${maxDepth} levels deep, the last from ${sealed.cause.hook}`);
		if (parts.waiting >= maxWaiting) return tooDeep(`${maxWaiting} dispatches wait for hooks at once; a hook that calls back into the engine for ever does this`);
		const plan = plans.forTool((sealed as { toolName?: string }).toolName);
		const entry = parts.trace?.begin(event, sealed, parts.now());
		const dispatch = new Dispatch(parts, event, plan, sealed, options, entry);
		return dispatch.run() as Outcome<Name> | Promise<Outcome<Name>>;
	}

	async perform<Name extends WrappableEvent, Result>(event: Name, go: Go<Name>, operation: (payload: Payloads[Name]) => Promise<Result>, options: PerformOptions = {}): Promise<Result> {
		const plan = this.#plans[event]?.forTool((go.payload as { toolName?: string }).toolName);
		if (plan === undefined || plan.wraps.length === 0) return perform(this.#parts, noWraps, go, operation, options, undefined);
		const { trace } = this.#parts;
		const entry = trace?.begin(event, { ...go.payload, eventId: newId("e") }, this.#parts.now());
		let outcome: Outcome = go as Go;
		// Counted like a dispatch that waits: wrappers that call back into the engine for ever end there too.
		this.#parts.waiting++;
		try {
			return await perform(this.#parts, plan, go, operation, options, entry);
		} catch (error) {
			if (error instanceof OperationBlocked) outcome = error.outcome;
			throw error;
		} finally {
			this.#parts.waiting--;
			// Without a word of a wrapper there is nothing to add to the record of the dispatch.
			if (entry !== undefined && entry.hooks.length > 0) trace!.finish(entry, outcome, this.#parts.now());
		}
	}

	tell<Name extends ObserveEvent>(event: Name, payload: Payloads[Name]): void {
		const plans = this.#plans[event];
		if (plans === undefined && !("always" in catalog[event])) return;
		const sealed = this.#seal(payload, noOptions);
		if (sealed.cause !== undefined && sealed.cause.depth > maxDepth) {
			this.#parts.log(sealed.cause.hook, `fired ${event} from inside ${maxDepth} levels of hooks; it was not told`, "warning");
			return;
		}
		const plan = plans?.forTool((sealed as { toolName?: string }).toolName);
		this.#observers.tell(event, sealed, plan?.observers ?? [], !("frequent" in catalog[event]));
	}

	endTurn(turnId: string): void {
		this.#turns.delete(turnId);
	}

	hooks(event?: EventName): readonly HookSummary[] {
		const events = event === undefined ? (Object.keys(catalog) as EventName[]) : [event];
		return events.flatMap((name) => this.#plans[name]?.all.map((hook) => hook.summary) ?? []);
	}

	healthOf(id: string): ReturnType<Engine["healthOf"]> {
		const hooks = this.#hooks.filter((hook) => hook.id === id);
		const [worst] = hooks.toSorted((a, b) => b.failuresInARow - a.failuresInARow);
		return worst && { suspendedForMs: Math.max(0, worst.suspendedUntil - this.#parts.now()), failuresInARow: worst.failuresInARow, lastFailure: worst.lastFailure };
	}

	pending(): readonly PendingHook[] {
		const now = this.#parts.now();
		const waiting: PendingHook[] = [];
		for (const deadline of this.#parts.deadlines.all()) {
			if (!(deadline instanceof Waiting) || deadline.call.stage === "observe") continue;
			const { hook, event, stage, started } = deadline.call;
			waiting.push({ hook, event, stage, forMs: now - started });
		}
		return waiting.toSorted((a, b) => b.forMs - a.forMs);
	}

	recent(limit?: number): readonly DispatchRecord[] {
		return this.#parts.trace?.recent(limit) ?? [];
	}

	async idle(): Promise<void> {
		await this.#observers.idle();
		this.#parts.trace?.flush();
	}

	#setHooks(hooks: readonly Hook[]): void {
		this.#parts.trace?.hooksChanged();
		this.#observers.forget(this.#hooks.filter((hook) => !hooks.includes(hook)));
		const plans: Partial<Record<EventName, Plans>> = {};
		for (const [event, ofEvent] of Map.groupBy(hooks, (hook) => hook.summary.event)) plans[event] = toPlans(ofEvent);
		// Both at once: a dispatch that is under way keeps the plan it began with.
		this.#hooks = hooks;
		this.#plans = plans;
	}

	/** Freezes a payload to the bottom, with its cause when a handler fires it. */
	#seal<Payload extends Facts>(payload: Payload, options: DispatchOptions): Payload {
		const { running } = this.#parts;
		const cause = options.cause ?? (running && causeOf(running));
		return deepFreeze(cause === undefined ? payload : { ...payload, cause });
	}

	#turnState(turnId: string | undefined): Map<string, unknown> {
		if (turnId === undefined) return new Map();
		let state = this.#turns.get(turnId);
		if (state === undefined) this.#turns.set(turnId, (state = new Map()));
		return state;
	}

	#failed(hook: Hook, failure: HookFailure, facts: Facts, effect: "blocked" | "passed" | "none"): void {
		if (failure.kind !== "suspended") hook.lastFailure = failure.message;
		const suspended = countFailure(hook, failure, this.#parts.now());
		const { event } = hook.summary;
		// It was told when it was put on hold; only what that blocks is news.
		if (failure.kind === "suspended" && effect !== "blocked") return;
		const consequence = effect === "blocked" ? ", which blocks it" : effect === "passed" ? "; it is open, so things go on without it" : "";
		this.#parts.log(hook.id, `failed at ${event} (${failure.kind}): ${failure.message}${consequence}${suspended ? "; it is now on hold" : ""}`, effect === "blocked" ? "error" : "warning");
		// What a failure of an observer of failures causes is a failure again: it stays in the log and the trace.
		if (event === "hook.failed") return;
		const { eventId: _, at: __, cause: ___, ...place } = onlyFacts(facts);
		this.tell("hook.failed", { ...place, eventId: newId("e"), at: Date.now(), hook: hook.id, extension: hook.source.extension, event, failure: failure.kind, message: failure.message, effect, suspended });
	}
}

/** The name the author gave, or the first free number of the extension. */
function idFor({ source: { extension }, options }: HookDefinition, taken: ReadonlySet<string>): string {
	if (typeof options?.name === "string") {
		const id = `${extension}/${options.name}`;
		if (taken.has(id)) throw new RegistrationError(`${extension}: there is a hook '${id}' already. Give this one another name.`);
		return id;
	}
	let n = 1;
	while (taken.has(`${extension}#${n}`)) n++;
	return `${extension}#${n}`;
}

const noOptions: DispatchOptions = Object.freeze({});
const noMetadata: JsonObject = Object.freeze({});
const nothing = Object.freeze([]);
const noWraps = { transforms: nothing, guards: nothing, wraps: nothing, observers: nothing };

const factFields = ["eventId", "at", "surface", "cwd", "profile", "sessionId", "parentSessionId", "turnId", "step", "platform", "userId", "chatId", "threadId", "chatType", "cause"] as const satisfies readonly (keyof Facts)[];

function onlyFacts(payload: Facts): Facts {
	return Object.fromEntries(factFields.flatMap((name) => (payload[name] === undefined ? [] : [[name, payload[name]]]))) as unknown as Facts;
}

function tooDeep(why: string): Blocked {
	return { kind: "blocked", reason: `The engine stopped this: ${why}.`, by: "engine", cause: "too-deep" };
}

/** State for engines that are mounted without a store: gone with the process. */
function memoryState(): DurableState {
	const values = new Map<string, unknown>();
	return {
		get: (key) => values.get(key),
		set: (key, value) => void values.set(key, copyPlain(value, key)),
		delete: (key) => void values.delete(key),
		keys: () => [...values.keys()],
	};
}
