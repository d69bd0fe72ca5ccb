// Fires an event at the hooks that are live, outside of any conversation: nothing but hooks runs.
import type { Engine } from "../engine/engine.ts";
import type { ApprovalAnswer, ApprovalQuestion, Outcome } from "../engine/outcome.ts";
import { specOf, type WrappableEvent } from "../events/catalog.ts";
import type { EventName, InterceptEvent, ObserveEvent, Payloads } from "../events/payloads/all.ts";
import type { DispatchRecord } from "../events/record.ts";
import { checkArguments } from "../tools/schema.ts";
import type { Tool } from "../tools/tool.ts";

export interface Fired {
	/** Undefined for what has happened: it is told, and nothing comes of it. */
	readonly outcome: Outcome | undefined;
	/** What the hooks did, those of other events that they caused included, in order. */
	readonly records: readonly DispatchRecord[];
}

export interface FireOptions {
	/** Rewritten arguments have to fit the tool's schema, as in a real call. */
	readonly tools: readonly Pick<Tool, "name" | "parameters">[];
	/** Without it every question is answered no, in words that say what would be asked. */
	readonly ask?: (question: ApprovalQuestion) => Promise<ApprovalAnswer>;
}

/** Resolves when all observers have heard of it too. */
export async function fire<Name extends EventName>(engine: Engine, event: Name, payload: Payloads[Name], options: FireOptions): Promise<Fired> {
	const before = new Set(engine.recent());
	let outcome: Outcome | undefined;
	if (specOf(event).kind === "observe") engine.tell(event as ObserveEvent, payload as never);
	else outcome = await dispatch(engine, event as InterceptEvent, payload as Payloads[InterceptEvent], options);
	await engine.idle();
	return { outcome, records: engine.recent().filter((record) => !before.has(record)) };
}

const nobodyIsAsked = async ({ reasons }: ApprovalQuestion): Promise<ApprovalAnswer> => ({ approved: false, by: "test", reason: `A person would now be asked: ${reasons.map(({ reason }) => reason).join(" ")}` });

async function dispatch(engine: Engine, event: InterceptEvent, payload: Payloads[InterceptEvent], { tools, ask = nobodyIsAsked }: FireOptions): Promise<Outcome> {
	const tool = tools.find(({ name }) => name === (payload as { readonly toolName?: string }).toolName);
	const validate = tool !== undefined && event === "tool.calling" ? { validate: (_: string, value: unknown) => checkArguments(tool, value) } : {};
	const outcome = (await engine.dispatch(event, payload as never, { ...validate, ask })) as Outcome;
	const spec = specOf(event);
	if (outcome.kind === "go" && spec.kind === "intercept" && spec.wrappable) {
		// Wrappers run around something harmless, so that they show in the trace too.
		const result = event === "tool.calling" ? { text: "(a test: the tool did not run)", isError: false } : { text: "(a test: the model was not called)", reasoning: "", toolCalls: [], finish: "stop", usage: {} };
		await engine.perform(event as WrappableEvent, outcome as never, async () => result).catch(() => undefined);
	}
	return outcome;
}
