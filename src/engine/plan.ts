// The hooks of one event, sorted and ready to be looped over. Built when hooks come or go, never during a dispatch.
import { type AnyInterceptSpec, type FailurePolicy, type ObserveSpec, type Stage, specOf } from "../events/catalog.ts";
import type { EventName } from "../events/payloads/all.ts";
import type { HookSummary } from "../events/record.ts";
import { checkRegistration, defaultPriority, defaultQueue, type HookDefinition, type Source } from "../events/registration.ts";
import { compileMatcher, fieldTest, type Matchable, matcherText } from "./matcher.ts";

/** One live hook at one event. */
export interface Hook {
	readonly id: string;
	readonly stage: Stage;
	readonly handler: (payload: unknown, ...rest: unknown[]) => unknown;
	readonly matchesTool: ((toolName: string | undefined) => boolean) | undefined;
	/** Platform, surface and session; the tool is settled when the plan is made. */
	readonly matchesRest: ((payload: Matchable) => boolean) | undefined;
	readonly priority: number;
	readonly timeoutMs: number;
	readonly closed: boolean;
	readonly judges: boolean;
	readonly repeatable: boolean;
	readonly redacts: boolean;
	readonly queue: number;
	readonly inOrder: string | undefined;
	/** False for hooks of a project folder: they can only tighten. */
	readonly mayAllow: boolean;
	readonly source: Source;
	readonly summary: HookSummary;
	failuresInARow: number;
	/** In ms of the engine's clock; 0 when it is not on hold. */
	suspendedUntil: number;
	lastFailure: string;
}

/** The hooks that can run at one event for one tool. A snapshot: a hook added during a dispatch takes part in the next one. */
export interface Plan {
	readonly transforms: readonly Hook[];
	readonly guards: readonly Hook[];
	readonly wraps: readonly Hook[];
	readonly observers: readonly Hook[];
}

/** The plans of one event. With a thousand hooks for a thousand tools, a dispatch loops over those of its own tool only. */
export interface Plans {
	readonly all: readonly Hook[];
	forTool(toolName: string | undefined): Plan;
}

/** The live hooks of a definition, one for each event its name stands for. `id` must be unique. */
export function toHooks(id: string, definition: HookDefinition): readonly Hook[] {
	return checkRegistration(definition).map((event) => toHook(id, event, definition));
}

function toHook(id: string, event: EventName, definition: HookDefinition): Hook {
	const { options, stage, source, host } = definition;
	const spec = specOf(event);
	const policy: FailurePolicy | "none" = stage === "observe" || spec.kind === "observe" ? "none" : (options.onError ?? spec.onError[stage]);
	const priority = options.priority ?? defaultPriority;
	const timeoutMs = options.timeoutMs ?? spec.timeoutMs;
	return {
		id,
		stage,
		handler: definition.handler as Hook["handler"],
		matchesTool: fieldTest(options.tool),
		matchesRest: compileMatcher(options, ["platform", "surface", "session"]),
		priority,
		timeoutMs,
		closed: policy === "closed",
		judges: definition.judges === true,
		repeatable: options.repeatable === true,
		redacts: options.redacts === true,
		queue: definition.queue ?? defaultQueue,
		inOrder: definition.inOrder,
		mayAllow: source.trust !== "project",
		source,
		summary: { id, event, stage, matcher: matcherText(options), priority, timeoutMs, onError: policy, host, source, ifItFails: inWords(policy, spec) },
		failuresInARow: 0,
		suspendedUntil: 0,
		lastFailure: "",
	};
}

function inWords(policy: FailurePolicy | "none", spec: AnyInterceptSpec | ObserveSpec): string {
	if (policy === "none" || spec.kind === "observe") return "nobody waits for it; its failure is in the trace";
	return policy === "closed" ? `closed: ${spec.ifBlocked}` : "open: things go on without it, with a warning";
}

/**
 * Sorts the hooks of an event by priority, then native before foreign, then in the order they came. A project's transforms come before all others, so that
 * the user's own have the last word, and its wrappers inside of all others, so that none is left out by them.
 */
export function toPlans(hooks: readonly Hook[]): Plans {
	const sorted = hooks.toSorted((a, b) => standing(a) - standing(b) || a.priority - b.priority || a.source.rank - b.source.rank);
	const particular = sorted.some((hook) => hook.matchesTool !== undefined);
	const plans = new Map<string | undefined, Plan>();
	return {
		all: sorted,
		forTool(toolName) {
			const key = particular ? toolName : undefined;
			let plan = plans.get(key);
			if (plan === undefined) {
				// A model can make up tool names without end; the table must not grow with them.
				if (plans.size >= 256) plans.clear();
				plan = toPlan(sorted.filter((hook) => hook.matchesTool?.(toolName) ?? true));
				plans.set(key, plan);
			}
			return plan;
		},
	};
}

function standing({ stage, source }: Hook): number {
	if (source.trust !== "project") return 0;
	return stage === "transform" ? -1 : stage === "wrap" ? 1 : 0;
}

function toPlan(hooks: readonly Hook[]): Plan {
	const ofStage = (stage: Stage) => hooks.filter((hook) => hook.stage === stage);
	return { transforms: ofStage("transform"), guards: ofStage("guard"), wraps: ofStage("wrap"), observers: ofStage("observe") };
}
