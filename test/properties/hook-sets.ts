// Generated sets of hooks, and one run of a set through whatever dispatches: the engine, or an order that is known to be broken.
import * as fc from "fast-check";
import { type Engine } from "../../src/engine/engine.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import type { ToolCalling } from "../../src/events/payloads/tool.ts";
import type { HookDefinition } from "../../src/events/registration.ts";
import { engineWith, hook, inWords, toolCall } from "../engine.ts";

/** What one hook does. Plain, so that a counterexample can be read. */
export interface Sketch {
	readonly name: string;
	readonly stage: "transform" | "guard";
	readonly priority: number;
	readonly does: "pass" | "allow" | "ask" | "block" | "block-if-rewritten" | "rewrite" | "rewrite-wrongly" | "throw" | "reject" | "nonsense";
	readonly later: boolean;
	readonly onError: "open" | "closed";
	readonly trust: "user" | "project";
	readonly judges: boolean;
	readonly tool: "terminal" | "patch" | undefined;
}

type Does = Sketch["does"];
const failing: readonly Does[] = ["throw", "reject", "nonsense", "rewrite-wrongly"];
const refusing: readonly Does[] = ["block"];
const common: readonly Does[] = ["pass", "block", "throw", "reject", "nonsense"];
const ofTransform: readonly Does[] = [...common, "rewrite", "rewrite", "rewrite", "rewrite-wrongly"];
const ofJudging: readonly Does[] = [...ofTransform, "allow", "ask", "block-if-rewritten"];
const ofGuard: readonly Does[] = [...common, "allow", "allow", "ask", "block-if-rewritten"];

export const matches = ({ tool }: Sketch) => tool !== "patch";
export const fails = ({ does }: Sketch) => failing.includes(does);
export const refuses = ({ does }: Sketch) => refusing.includes(does);

/** Names are unique, since the name settles which of two equal blocks speaks. */
function sketches(stage: Sketch["stage"], maxLength: number): fc.Arbitrary<Sketch[]> {
	const one = fc.boolean().chain((judges) =>
		fc.record({
			priority: fc.constantFrom(1, 100, 100, 200),
			does: fc.constantFrom(...(stage === "guard" ? ofGuard : judges ? ofJudging : ofTransform)),
			later: fc.boolean(),
			onError: fc.constantFrom("open" as const, "closed" as const),
			trust: fc.constantFrom("user" as const, "project" as const),
			judges: fc.constant(stage === "transform" && judges),
			tool: fc.constantFrom(undefined, undefined, "terminal" as const, "patch" as const),
		}),
	);
	return fc.array(one, { maxLength }).map((list) => list.map((rest, i) => ({ name: `${stage[0]}${i}`, stage, ...rest })));
}

export const transforms = sketches("transform", 4);
export const guards = sketches("guard", 5);
/** A set, in an order of registration of its own. */
export const hookSets = fc.tuple(transforms, guards).chain(([some, others]) => shuffled([...some, ...others]));
export const shuffled = <T>(list: readonly T[]): fc.Arbitrary<T[]> => fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length });
/** Whether the person who is asked says yes. */
export const persons = fc.boolean();

/** A handler as dispatchers in these tests see it. */
export interface Live {
	readonly sketch: Sketch;
	readonly definition: HookDefinition;
}

export type Dispatcher = (hooks: readonly Live[], call: ToolCalling, ask: () => Promise<boolean>) => Promise<Outcome<"tool.calling">>;

/** One run: the outcome, whether a person was asked, and every value each hook saw, in order. */
export interface Run {
	readonly outcome: Outcome<"tool.calling">;
	readonly asked: boolean;
	readonly seen: ReadonlyMap<string, readonly ToolCalling[]>;
	readonly refused: ReadonlySet<string>;
}

const original = { command: "ls", written: "by the model" };

export async function run(dispatch: Dispatcher, set: readonly Sketch[], personSaysYes: boolean): Promise<Run> {
	const seen = new Map<string, ToolCalling[]>();
	const refused = new Set<string>();
	let asked = false;
	const live = set.map((sketch): Live => {
		const handler = (call: ToolCalling) => {
			seen.set(sketch.name, [...(seen.get(sketch.name) ?? []), call]);
			const answer = answerOf(sketch, call);
			if (answer?.kind === "block") refused.add(sketch.name);
			return answer;
		};
		const { name, stage, priority, onError, trust, judges, tool } = sketch;
		const given = sketch.later ? async (call: ToolCalling) => (await Promise.resolve(), handler(call)) : handler;
		return { sketch, definition: hook("tool.calling", stage, given, { name, priority, onError, trust, judges, ...(tool !== undefined && { tool }) }) };
	});
	const outcome = await dispatch(live, toolCall(original), async () => {
		asked = true;
		return personSaysYes;
	});
	return { outcome, asked, seen, refused };
}

function answerOf({ name, does }: Sketch, call: ToolCalling): { kind: string; [more: string]: unknown } | undefined {
	switch (does) {
		case "pass":
			return undefined;
		case "allow":
			return { kind: "allow" };
		case "ask":
			return { kind: "ask", reason: `${name} asks` };
		case "block":
			return { kind: "block", reason: `${name} blocks` };
		case "block-if-rewritten":
			return String(call.args["command"]) === original.command ? undefined : { kind: "block", reason: `${name} blocks` };
		case "rewrite":
			return { kind: "rewrite", value: { ...call.args, command: `${String(call.args["command"])} ${name}` } };
		case "rewrite-wrongly":
			return { kind: "rewrite", value: "no object" };
		case "nonsense":
			return { kind: "blok" };
		case "throw":
		case "reject":
			throw new Error(`${name} is broken`);
	}
}

/** The engine itself, through its door. */
export const throughEngine: Dispatcher = async (hooks, call, ask) => {
	const engine: Engine = engineWith(hooks.map(({ definition }) => definition));
	return engine.dispatch("tool.calling", call, {
		ask: async () => ((await ask()) ? { approved: true, by: "person" } : { approved: false, by: "person", reason: "no" }),
	});
};

/** What must not depend on the order of guards: everything but who is named first in a question. */
export function essence({ outcome, asked }: Run): string {
	return `${asked ? "asked, " : ""}${inWords(outcome)}${outcome.kind === "go" ? ` with ${JSON.stringify(outcome.payload.args)}` : ""}`;
}
