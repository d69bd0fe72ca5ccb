// `delegate_task`: children that work on tasks of their own, each in a session of its own, through the same hooks as everything else.
import type { JsonObject } from "../events/payloads/facts.ts";
import type { SubagentStarting } from "../events/payloads/house.ts";
import type { ToolResult } from "../events/payloads/tool.ts";
import { didYouMean } from "../system/nearest.ts";
import type { Tool } from "../tools/tool.ts";
import { inParallel } from "./parallel.ts";
import type { AgentParts } from "./parts.ts";
import { newSession, type Session } from "./session.ts";
import { nobodyReads } from "./surface.ts";
import type { AgentToolContext } from "./tool-context.ts";
import { runTurn, type TurnResult } from "./turn.ts";

/** Children may have children, and no further: what a person asked for must stay in sight. */
const maxDelegationDepth = 2;
const maxTasks = 8;
const parallelChildren = 4;
const defaultSteps = 30;
const defaultTimeoutS = 600;

const delegateTaskName = "delegate_task";

interface DelegateArgs {
	readonly tasks: readonly { readonly goal: string; readonly context?: string }[];
	readonly tools?: readonly string[];
	readonly max_steps?: number;
	readonly timeout_s?: number;
}

export const delegateTask: Tool = {
	name: delegateTaskName,
	description: [
		"Hands tasks to children that work on them at the same time, each on its own and without seeing this conversation, and gives their answers in order.",
		"Good for wide work (searching in many places, independent changes). Say in each goal everything the child has to know and what it should answer.",
	].join(" "),
	parameters: {
		type: "object",
		properties: {
			tasks: {
				type: "array",
				minItems: 1,
				maxItems: maxTasks,
				items: {
					type: "object",
					properties: {
						goal: { type: "string", minLength: 1, description: "What to do and what to answer." },
						context: { type: "string", description: "What the child has to know beside the goal." },
					},
					required: ["goal"],
					additionalProperties: false,
				},
			},
			tools: { type: "array", items: { type: "string" }, description: "The tools the children may use. Default: all of yours." },
			max_steps: { type: "integer", minimum: 1, maximum: 200, description: `Model answers for each child. Default ${defaultSteps}.` },
			timeout_s: { type: "number", exclusiveMinimum: 0, maximum: 3600, description: `Seconds for each child. Default ${defaultTimeoutS}.` },
		},
		required: ["tasks"],
		additionalProperties: false,
	},
	async run(args, context) {
		const { session: parent } = context as AgentToolContext;
		const given = args as unknown as DelegateArgs;
		const names = parent.toolset.map(({ name }) => name);
		const unknown = given.tools?.find((name) => !names.includes(name));
		if (unknown !== undefined) return refused(`There is no tool '${unknown}' to give to a child.${didYouMean(unknown, names)} The tools are ${names.join(", ")}.`);
		const children = await Promise.all(inParallel(given.tasks, parallelChildren, (task) => runChild(parent, task, given, context.signal)));
		const text = children.map(({ status, summary }, i) => `Task ${i + 1} (${status}): ${summary}`).join("\n\n");
		const details: JsonObject = { children: children.map(({ sessionId, status }) => ({ sessionId, status })) };
		return { text, isError: children.every(({ status }) => status !== "completed"), details };
	},
};

interface ChildResult {
	/** Absent when it was refused before it began. */
	readonly sessionId?: string;
	readonly status: "completed" | "failed" | "interrupted" | "blocked";
	readonly summary: string;
}

async function runChild(parent: Session, task: DelegateArgs["tasks"][number], given: DelegateArgs, stop: AbortSignal): Promise<ChildResult> {
	const { engine } = parent.parts;
	if (stop.aborted) return { status: "interrupted", summary: "It was stopped before it began." };
	const child = newSession(partsFor(parent, given), parent.place, { parent });
	try {
		const facts = (): Omit<SubagentStarting, "goal"> => ({ ...parent.facts(), childSessionId: child.id, depth: child.depth });
		let { goal } = task;
		if (engine.has("subagent.starting")) {
			const outcome = await engine.dispatch("subagent.starting", { ...facts(), goal }, { signal: stop });
			if (outcome.kind !== "go") return { status: "blocked", summary: outcome.kind === "blocked" ? `[Blocked by ${outcome.by}] ${outcome.reason}` : outcome.text };
			goal = outcome.payload.goal;
		}
		if (engine.has("subagent.started")) engine.tell("subagent.started", { ...facts(), goal });
		if (engine.has("session.started")) engine.tell("session.started", { ...child.facts(), model: child.parts.model.name, resumed: false });
		const began = performance.now();
		const result = await withinTime(given.timeout_s ?? defaultTimeoutS, stop, (signal) => runTurn(child, task.context === undefined ? goal : `${goal}\n\n${task.context}`, signal));
		const ended = inWords(result, stop, given.timeout_s ?? defaultTimeoutS);
		if (engine.has("session.ended")) engine.tell("session.ended", { ...child.facts(), reason: ended.status === "completed" ? "finished" : "failed", turns: child.turns });
		if (engine.has("subagent.stopped")) engine.tell("subagent.stopped", { ...facts(), goal, ...ended, durationMs: performance.now() - began });
		return { sessionId: child.id, ...ended };
	} finally {
		await child.close();
	}
}

/** The parent's parts with the child's own tools and limits; nobody reads what it says but its parent. */
function partsFor(parent: Session, { tools: allowed, max_steps: maxSteps = defaultSteps }: DelegateArgs): AgentParts {
	const isLast = parent.depth + 1 >= maxDelegationDepth;
	const tools = parent.toolset.filter(({ name }) => (allowed === undefined || allowed.includes(name)) && !(isLast && name === delegateTaskName));
	const models = parent.parts.models.forChild();
	const { parksQuestions: _, ...parts } = parent.parts;
	return {
		...parts,
		models,
		get model() {
			return models.current;
		},
		tools,
		brought: undefined,
		output: nobodyReads,
		limits: { ...parent.parts.limits, maxSteps },
	};
}

async function withinTime(seconds: number, stop: AbortSignal, run: (signal: AbortSignal) => Promise<TurnResult>): Promise<TurnResult> {
	const time = new AbortController();
	const timer = setTimeout(() => time.abort(new Error("The child's time was up.")), seconds * 1000);
	try {
		return await run(AbortSignal.any([stop, time.signal]));
	} finally {
		clearTimeout(timer);
	}
}

function inWords({ text, completed, interrupted, error }: TurnResult, stop: AbortSignal, seconds: number): { readonly status: "completed" | "failed" | "interrupted"; readonly summary: string } {
	if (completed) return { status: "completed", summary: text };
	if (!interrupted) return { status: "failed", summary: error ?? "It gave no answer." };
	return stop.aborted ? { status: "interrupted", summary: "It was stopped by the user." } : { status: "failed", summary: `It was not done within ${seconds} s and was ended.` };
}

const refused = (text: string): ToolResult => ({ text, isError: true });
