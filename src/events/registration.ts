// One hook as it is registered, and everything that is refused at that moment: what can never work is an error here, not silence later.
import { type DecisionKind, eventNames, type FailurePolicy, isEventName, type Stage, specOf, stages } from "./catalog.ts";
import { didYouMean } from "../system/nearest.ts";
import type { EventName } from "./payloads/all.ts";
import { surfaces } from "./payloads/facts.ts";

/** Exact name, `*` as wildcard inside a name, or a regular expression that must match the whole name. */
export type Pattern = string | RegExp;

/** Which dispatches of its event a hook takes part in. All given fields must match; a list matches when one entry does. */
export interface Matcher {
	readonly tool?: Pattern | readonly Pattern[];
	readonly platform?: Pattern | readonly Pattern[];
	readonly surface?: Pattern | readonly Pattern[];
	readonly session?: Pattern | readonly Pattern[];
}

/** What an author may set beside the handler. */
export interface HookOptions extends Matcher {
	/** Tells apart the hooks of one extension in lists and traces; otherwise they are numbered. */
	readonly name?: string;
	/** Lower runs earlier; 100 when not given. */
	readonly priority?: number;
	/** Milliseconds, at most 600,000; the catalog's when not given. */
	readonly timeoutMs?: number;
	/** What a failure of this hook means: `closed` blocks, `open` goes on without it. Observers have no say. */
	readonly onError?: FailurePolicy;
	/** Transforms only: what this hook takes out is secret, so the trace keeps no value from before it. */
	readonly redacts?: boolean;
	/** Wrappers only: `next()` may be called more than once. */
	readonly repeatable?: boolean;
}

/** Where a hook comes from, and how far it is trusted. */
export interface Source {
	readonly extension: string;
	readonly file?: string;
	readonly line?: number;
	/** Project code can only tighten: its `allow` counts for nothing. */
	readonly trust: "bundled" | "user" | "project";
	readonly dialect: string;
	/** Ties of priority: native 0, Python plugins 1, shell hooks 2, webhooks 3. */
	readonly rank: number;
}

/** Where a handler's code runs. */
export type HostName = "inline" | "node" | "python" | "shell" | "http";

/** A hook as the engine takes it. `event` may be a wildcard: `tool.*` or `*`. */
export interface HookDefinition {
	readonly event: string;
	readonly stage: Stage;
	readonly handler: (...given: never[]) => unknown;
	readonly options: HookOptions;
	readonly source: Source;
	readonly host: HostName;
	/**
	 * A transform that may also allow, ask or block, as foreign hooks do. When the value changed after it answered it is asked once more
	 * on the final value, and then only its refusal counts.
	 */
	readonly judges?: boolean;
	/** Observers only: how many events may wait for it before the oldest are dropped; 1,024 when not given. */
	readonly queue?: number;
	/** Observers only: those that name the same hear a session in the order in which things were told, one at a time; otherwise each hook has a queue of its own. */
	readonly inOrder?: string;
}

/** A registration that can never work. The message names the extension, the hook and the nearest right word. */
export class RegistrationError extends Error {
	override readonly name = "RegistrationError";
}

export const defaultPriority = 100;
export const defaultQueue = 1024;
export const maxTimeoutMs = 600_000;

const optionNames = ["name", "tool", "platform", "surface", "session", "priority", "timeoutMs", "onError", "redacts", "repeatable"] as const satisfies readonly (keyof HookOptions)[];
const stageDecisions = {
	transform: ["rewrite", "inject", "respond"],
	guard: ["ask", "allow", "block"],
} as const satisfies Partial<Record<Stage, readonly DecisionKind[]>>;

/**
 * The events a definition applies to, its wildcard resolved.
 * @throws RegistrationError for an unknown event, stage or option, a handler that is no function, a value out of range,
 *   or a stage the event cannot have.
 */
export function checkRegistration(hook: HookDefinition): readonly EventName[] {
	const where = `${hook.source.extension}: ${String(hook.stage)}('${String(hook.event)}')`;
	const refuse = (why: string): never => {
		throw new RegistrationError(`${where}: ${why}`);
	};
	if (!stages.includes(hook.stage)) refuse(`there is no stage '${String(hook.stage)}'; the stages are ${stages.join(", ")}.${didYouMean(String(hook.stage), stages)}`);
	if (typeof hook.event !== "string") refuse("the event must be a name, such as 'tool.calling'.");
	if (typeof hook.handler !== "function") refuse(`the handler must be a function, not ${describe(hook.handler)}.`);
	checkOptions(hook, refuse);
	const events = expand(hook.event, refuse).filter((event) => hook.event === event || stageProblem(event, hook.stage) === undefined);
	if (hook.event === events[0]) {
		const problem = stageProblem(events[0], hook.stage);
		if (problem) refuse(problem);
	}
	if (events.length === 0) refuse(`no event that '${hook.event}' stands for can have a ${hook.stage}.`);
	if (hook.options.tool !== undefined && !events.some(hasTool)) refuse(`'tool' can never match: ${hook.event} is not about a tool. Leave it out, or use 'tool.calling'.`);
	return events;
}

function checkOptions(hook: HookDefinition, refuse: (why: string) => never): void {
	const options: unknown = hook.options;
	if (typeof options !== "object" || options === null || Array.isArray(options)) return refuse(`the options must be an object, not ${describe(options)}.`);
	for (const key of Object.keys(options)) {
		if (!(optionNames as readonly string[]).includes(key)) refuse(`there is no option '${key}'.${didYouMean(key, optionNames) || ` The options are ${optionNames.join(", ")}.`}`);
	}
	const { name, priority, timeoutMs, onError, redacts, repeatable } = hook.options;
	if (name !== undefined && (typeof name !== "string" || !/^[\w.-]{1,64}$/.test(name))) refuse("'name' must be 1 to 64 letters, digits, '.', '_' or '-'.");
	if (priority !== undefined && !Number.isFinite(priority)) refuse(`'priority' must be a number, not ${describe(priority)}.`);
	if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs >= 1 && timeoutMs <= maxTimeoutMs)) refuse(`'timeoutMs' must be 1 to ${maxTimeoutMs} milliseconds, not ${describe(timeoutMs)}.`);
	if (onError !== undefined && onError !== "open" && onError !== "closed") refuse(`'onError' must be 'open' or 'closed', not ${describe(onError)}.`);
	if (onError !== undefined && hook.stage === "observe") refuse("an observer cannot stop anything, so 'onError' means nothing here. Register a guard to stop something.");
	if (redacts !== undefined && (typeof redacts !== "boolean" || hook.stage !== "transform")) refuse("'redacts' is true or false, and only for a transform.");
	if (repeatable !== undefined && (typeof repeatable !== "boolean" || hook.stage !== "wrap")) refuse("'repeatable' is true or false, and only for a wrap.");
	for (const field of ["tool", "platform", "surface", "session"] as const) checkPatterns(field, hook.options[field], refuse);
}

function checkPatterns(field: keyof Matcher, given: unknown, refuse: (why: string) => never): void {
	if (given === undefined) return;
	const patterns: unknown[] = Array.isArray(given) ? given : [given];
	if (patterns.length === 0) refuse(`'${field}' is an empty list and can never match. Leave it out to match all.`);
	for (const pattern of patterns) {
		if (!(pattern instanceof RegExp) && (typeof pattern !== "string" || pattern === "")) refuse(`'${field}' must be a name, a list of names or a regular expression, not ${describe(pattern)}.`);
		if (field === "surface" && typeof pattern === "string" && !pattern.includes("*") && !(surfaces as readonly string[]).includes(pattern)) {
			refuse(`there is no surface '${pattern}'.${didYouMean(pattern, surfaces) || ` The surfaces are ${surfaces.join(", ")}.`}`);
		}
	}
}

function expand(event: string, refuse: (why: string) => never): readonly EventName[] {
	if (isEventName(event)) return [event];
	if (event === "*") return eventNames;
	if (event.endsWith(".*")) {
		const found = eventNames.filter((name) => name.startsWith(event.slice(0, -1)));
		if (found.length > 0) return found;
	}
	return refuse(`there is no such event.${didYouMean(event, eventNames)} 'hookline hooks events' lists them all.`);
}

/** Why this event cannot have a hook of this stage, or undefined. */
function stageProblem(event: EventName, stage: Stage): string | undefined {
	const spec = specOf(event);
	if (spec.kind === "observe") {
		if (stage === "observe") return undefined;
		const before = interceptTwinOf(event);
		return `${event} has happened: nothing can be decided about it any more.${before ? ` Did you mean '${before}'?` : " Use observe."}`;
	}
	if (stage === "observe") return `${event} is about to happen, and observers are told what has happened.${spec.twin ? ` Did you mean '${spec.twin}'?` : " A guard or transform that returns nothing sees it without a say."}`;
	if (stage === "wrap") return spec.wrappable ? undefined : `only ${eventNames.filter(isWrappable).join(" and ")} can be wrapped.`;
	const possible = stageDecisions[stage].filter((kind) => spec.decisions.includes(kind));
	if (possible.length > 0) return undefined;
	return `a ${stage} of ${event} could decide nothing: the event takes ${spec.decisions.join(", ")}. Register a ${stage === "guard" ? "transform" : "guard"}.`;
}

function interceptTwinOf(event: EventName): EventName | undefined {
	return eventNames.find((name) => {
		const spec = specOf(name);
		return spec.kind === "intercept" && spec.twin === event;
	});
}

const hasTool = (event: EventName): boolean => event.startsWith("tool.") || event.startsWith("approval.");

function isWrappable(event: EventName): boolean {
	const spec = specOf(event);
	return spec.kind === "intercept" && spec.wrappable === true;
}

/** A value in a few words, for messages: `a string`, `null`, `a list`. */
export function describe(value: unknown): string {
	if (value === null || value === undefined) return String(value);
	if (Array.isArray(value)) return "a list";
	if (typeof value === "number" || typeof value === "boolean") return String(value);
	return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
