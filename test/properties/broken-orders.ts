// Two ways to dispatch that look right and are not. They are here to show that the properties notice.
import type { Outcome } from "../../src/engine/outcome.ts";
import type { ToolCalling } from "../../src/events/payloads/tool.ts";
import { type Dispatcher, type Live, matches } from "./hook-sets.ts";

type Answer = { readonly kind: string; readonly value?: unknown; readonly reason?: string } | undefined;

/** One list for all hooks: guards judge the value as it is when their turn comes, and later transforms still rewrite it. */
export const guardsBeforeLateRewrites: Dispatcher = async (hooks, call, ask) => {
	let payload = call;
	let wantsPerson = false;
	let allowedBy: string | undefined;
	for (const hook of byPriority(hooks)) {
		const answer = await answerOf(hook, payload);
		if (answer?.kind === "block") return blocked(hook, answer.reason ?? "");
		if (answer?.kind === "rewrite") payload = withArgs(payload, answer.value);
		if (answer?.kind === "ask") wantsPerson = true;
		if (answer?.kind === "allow" && hook.sketch.trust === "user") allowedBy = hook.sketch.name;
	}
	return settled(payload, wantsPerson, wantsPerson ? undefined : allowedBy, ask);
};

/** Transforms first, as it should be; but among the guards' answers each replaces the one before. */
export const lastAnswerWins: Dispatcher = async (hooks, call, ask) => {
	let payload = call;
	let last: { readonly hook: Live; readonly answer: NonNullable<Answer> } | undefined;
	for (const hook of byPriority(hooks.filter(({ sketch }) => sketch.stage === "transform"))) {
		const answer = await answerOf(hook, payload);
		if (answer?.kind === "block") return blocked(hook, answer.reason ?? "");
		if (answer?.kind === "rewrite") payload = withArgs(payload, answer.value);
	}
	for (const hook of byPriority(hooks.filter(({ sketch }) => sketch.stage === "guard"))) {
		const answer = await answerOf(hook, payload);
		if (answer !== undefined) last = { hook, answer };
	}
	if (last?.answer.kind === "block") return blocked(last.hook, last.answer.reason ?? "");
	return settled(payload, last?.answer.kind === "ask", last?.answer.kind === "allow" ? last.hook.sketch.name : undefined, ask);
};

const byPriority = (hooks: readonly Live[]) => hooks.filter(({ sketch }) => matches(sketch)).toSorted((a, b) => a.sketch.priority - b.sketch.priority);

/** Failures are treated as they should be: it is only the order that is broken. */
async function answerOf({ definition, sketch }: Live, call: ToolCalling): Promise<Answer> {
	const failed = sketch.onError === "closed" ? { kind: "block", reason: `${sketch.name} failed` } : undefined;
	try {
		const answer = (await (definition.handler as (call: ToolCalling) => unknown)(call)) as Answer;
		return answer?.kind === "blok" || answer?.value === "no object" ? failed : answer;
	} catch {
		return failed;
	}
}

const withArgs = (call: ToolCalling, args: unknown): ToolCalling => Object.freeze({ ...call, args: Object.freeze(args as ToolCalling["args"]) });
const blocked = ({ sketch }: Live, reason: string): Outcome<"tool.calling"> => ({ kind: "blocked", reason, by: sketch.name, cause: "decision" });

async function settled(payload: ToolCalling, asks: boolean, allowedBy: string | undefined, ask: () => Promise<boolean>): Promise<Outcome<"tool.calling">> {
	const go = { kind: "go", payload: withArgs(payload, payload.args), injections: [], metadata: {} } as const;
	if (!asks) return allowedBy === undefined ? go : { ...go, allowedBy };
	return (await ask()) ? { ...go, approval: { by: "person", digest: "" } } : { kind: "blocked", reason: "no", by: "person", cause: "denied" };
}
