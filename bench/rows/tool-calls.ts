// A tool call with 2 KB of arguments through two transforms that rewrite and five guards, checked with the tool's schema as the agent does.
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import type { ToolCalling } from "../../src/events/payloads/tool.ts";
import type { Extension } from "../../src/events/hooks.ts";
import type { HookDefinition } from "../../src/events/registration.ts";
import type { ExtensionFile } from "../../src/hosts/host.ts";
import { inlineHost } from "../../src/hosts/inline.ts";
import { createRegistrar } from "../../src/hosts/registrar.ts";
import { checkArguments } from "../../src/tools/schema.ts";
import { program } from "../child.ts";
import { toolCall } from "../handlers.ts";
import { keep, race } from "../measure.ts";
import { atMost, type Measurement, raceRow, us } from "../row.ts";

const line = "\tconst value = compute(input, { retries: 3, signal });\n";
const text = line.repeat(18);
const edit = { old: line, new: line.toUpperCase() };

interface Shape {
	readonly name: string;
	readonly parameters: JsonObject;
	readonly args: () => JsonObject;
}

/** As the tool `patch` has them: few and long. */
const flat: Shape = {
	name: "patch",
	parameters: {
		type: "object",
		properties: { path: { type: "string" }, old: { type: "string", minLength: 1 }, new: { type: "string" }, all: { type: "boolean" } },
		required: ["path", "old", "new"],
		additionalProperties: false,
	},
	args: () => ({ path: "src/engine/dispatch.ts", old: text, new: text }),
};

/** As tools of others have them: eighteen edits in a list. */
const nested: Shape = {
	name: "multi_edit",
	parameters: {
		type: "object",
		properties: {
			path: { type: "string" },
			new: { type: "string" },
			edits: { type: "array", items: { type: "object", properties: { old: { type: "string" }, new: { type: "string" } }, required: ["old", "new"], additionalProperties: false } },
		},
		required: ["path", "edits"],
	},
	args: () => ({ path: "src/engine/dispatch.ts", new: "", edits: Array.from({ length: 18 }, () => ({ ...edit })) }),
};

const callOf = ({ name, args }: Shape, n: number): ToolCalling => ({ ...toolCall(n), toolName: name, args: args() });

const extension: ExtensionFile = { name: "seven", file: program("seven-hooks.ts"), trust: "user" };
/** What it registers, without a host around it. */
async function bareHooks(): Promise<readonly HookDefinition[]> {
	const { default: made } = (await import(extension.file)) as { readonly default: Extension };
	const registrar = createRegistrar(extension, "inline");
	await made.factory(registrar.hooks, undefined as never);
	return registrar.close();
}

function engineWith(hooks: readonly HookDefinition[]): Engine {
	const engine = createEngine();
	engine.register(hooks);
	return engine;
}

const dispatches = (engine: Engine, shape: Shape) => {
	const options = { validate: (_: string, value: unknown) => checkArguments(shape, value) };
	return (times: number) => {
		for (let i = 0; i < times; i++) {
			const outcome = engine.dispatch("tool.calling", callOf(shape, i), options);
			if (outcome instanceof Promise || outcome.kind !== "go") throw new Error("The call did not go ahead at once.");
			keep(outcome.payload);
		}
	};
};

/** The same functions called by hand: rewrites taken as they come, answers looked at. */
function bare(hooks: readonly HookDefinition[], shape: Shape) {
	const handlers = hooks.map(({ stage, handler }) => ({ rewrites: stage === "transform", run: handler as (call: ToolCalling) => unknown }));
	return (times: number) => {
		for (let i = 0; i < times; i++) {
			let call = callOf(shape, i);
			for (const { rewrites, run } of handlers) {
				const answer = run(call) as { readonly value?: JsonObject } | undefined;
				if (rewrites && answer?.value) call = { ...call, args: answer.value };
			}
			keep(call);
		}
	};
}

const what = "tool.calling, 2 KB, 2 rewrites, 5 guards";

export const measurements: readonly Measurement[] = [
	{
		about: "tool.calling, 2 KB, 2 transforms, 5 guards",
		async measure() {
			const hooks = await bareHooks();
			const timings = await race([{ name: "engine", work: dispatches(engineWith(hooks), flat) }, { name: "called by hand", work: bare(hooks, flat) }], { warmUpMs: 400 });
			return [raceRow(timings, { what, budget: atMost(8 * us) })];
		},
	},
	{
		about: "tool.calling, 2 KB, through the inline host",
		async measure() {
			await using host = inlineHost({ onStray: ({ message }) => console.error(message) });
			const { definitions } = await host.load(extension);
			const hooks = await bareHooks();
			const timings = await race([{ name: "inline host", work: dispatches(engineWith(definitions), flat) }, { name: "called by hand", work: bare(hooks, flat) }], { warmUpMs: 400 });
			return [raceRow(timings, { what: `${what}, inline host`, budget: atMost(8 * us) })];
		},
	},
	{
		about: "tool.calling, 2 KB in 18 objects, 2 transforms, 5 guards",
		async measure() {
			const hooks = await bareHooks();
			const timings = await race([
				{ name: "engine", work: dispatches(engineWith(hooks), nested) },
				{ name: "called by hand", work: bare(hooks, nested) },
			], { warmUpMs: 400 });
			return [raceRow(timings, { what: `${what}, in a list of 18 objects` })];
		},
	},
];
