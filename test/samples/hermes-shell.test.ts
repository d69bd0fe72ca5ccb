// One folder below hermes-shell/ is one case, its name the sentence: `config.yaml` as a user writes it (`~` is that folder), the programs it names, and `case.json`
// with the event that is fired and what has to come of it. Real programs, the real engine.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError, parseConfig } from "../../src/config/read.ts";
import { definitionsOf } from "../../src/dialects/hermes-shell/definitions.ts";
import { readShellHooks } from "../../src/dialects/hermes-shell/settings.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { Outcome } from "../../src/engine/outcome.ts";
import { specOf } from "../../src/events/catalog.ts";
import type { EventName } from "../../src/events/payloads/all.ts";
import { samplePayload } from "../../src/events/samples.ts";
import { builtInTools } from "../../src/tools/built-in.ts";
import { checkArguments } from "../../src/tools/schema.ts";
import { inWords } from "../engine.ts";
import { startHook } from "../shell-start.ts";

interface Case {
	readonly event?: EventName;
	/** Laid over the sample of the event. */
	readonly payload?: Record<string, unknown>;
	/** What a person says who is asked; nobody is there without it. */
	readonly person?: "yes" | "no";
	readonly expect: {
		/** What the settings are refused with. `FILE` stands for their path, `TOOLS` for the tools there are. */
		readonly mistakes?: string;
		readonly warnings?: readonly string[];
		/** Fields of the hooks that were read, in order. */
		readonly hooks?: readonly Record<string, unknown>[];
		/** `go` when left out. One that ends with … is only the beginning. */
		readonly outcome?: string;
		/** Fields of the payload that goes on. */
		readonly goes?: Record<string, unknown>;
		readonly added?: readonly string[];
		/** How the refusal was spelt, as the trace has it. */
		readonly spelling?: string;
		/** How many programs were started. */
		readonly started?: number;
		/** Fields of the document on standard input; `order` is that of its keys. */
		readonly stdin?: Record<string, unknown>;
		readonly order?: readonly string[];
		/** Lines the user finds in the log, in order; a part of each. */
		readonly log?: readonly string[];
	};
}

const samples = join(import.meta.dirname, "hermes-shell");
const tools = builtInTools();
const toolNames = [...tools.map(({ name }) => name), "delegate_task"];

for (const name of readdirSync(samples).toSorted()) test(name.replaceAll("-", " "), { timeout: 60_000 }, () => run(join(samples, name)));

async function run(folder: string): Promise<void> {
	const { event, payload = {}, person, expect } = JSON.parse(readFileSync(join(folder, "case.json"), "utf8")) as Case;
	assert.ok(existsSync(join(folder, "config.yaml")), "a case needs a config.yaml");
	const read = await parseConfig(readFileSync(join(folder, "config.yaml"), "utf8"));
	assert.deepEqual(read.mistakes, []);
	const settings = { file: "FILE", userHome: folder, toolNames };
	if (expect.mistakes !== undefined) {
		const expected = withTools(expect.mistakes);
		assert.throws(() => readShellHooks(read, settings), (error) => error instanceof ConfigError && (assert.equal(error.message, expected), true));
		return;
	}
	const { hooks, warnings } = readShellHooks(read, settings);
	assert.deepEqual(warnings, (expect.warnings ?? []).map(withTools));
	for (const [i, fields] of (expect.hooks ?? []).entries()) assert.deepEqual(pick({ ...hooks[i] }, Object.keys(fields)), fields);
	if (expect.hooks !== undefined) assert.equal(hooks.length, expect.hooks.length);
	if (event === undefined) return;

	const log: string[] = [];
	const documents: string[] = [];
	const engine = createEngine({ log: (hook, line) => log.push(`${hook} ${line}`) });
	for (const hook of hooks) {
		const start = startHook(hook, folder);
		engine.register(definitionsOf(hook, (document, signal) => (documents.push(document), start(document, signal))));
	}
	const fired = { ...samplePayload(event, { cwd: "/projects/one", at: 0, eventId: "e" }), ...payload };
	if (specOf(event).kind === "observe") {
		engine.tell(event as never, fired as never);
		await engine.idle();
	} else {
		const tool = tools.find((one) => one.name === (fired as { toolName?: string }).toolName);
		const outcome = (await engine.dispatch(event as never, fired as never, {
			...(tool && event === "tool.calling" && { validate: (_, value) => checkArguments(tool, value) }),
			...(person && { ask: async ({ reasons }) => ({ approved: person === "yes", by: "person", reason: `No: ${reasons.map(({ reason }) => reason).join(" ")}` }) }),
		})) as Outcome;
		const [words, expected] = [inWords(outcome).replaceAll(folder, "~"), expect.outcome ?? "go"];
		assert.equal(expected.endsWith("…") ? `${words.slice(0, expected.length - 1)}…` : words, expected);
		assert.deepEqual(outcome.kind === "go" ? outcome.injections.map(({ as, text }) => `${as}: ${text}`) : [], expect.added ?? []);
		if (outcome.kind === "go" && expect.goes !== undefined) assert.deepEqual(pick(outcome.payload, Object.keys(expect.goes)), expect.goes);
	}
	if (expect.spelling !== undefined) assert.deepEqual(engine.recent()[0]?.hooks[0]?.notes, [`metadata: ${JSON.stringify({ refusal: expect.spelling })}`]);
	if (expect.started !== undefined) assert.equal(documents.length, expect.started);
	const document = JSON.parse(documents[0] ?? "{}") as Record<string, unknown>;
	if (expect.order !== undefined) assert.deepEqual(Object.keys(document), expect.order);
	for (const [key, value] of Object.entries(expect.stdin ?? {})) assert.deepEqual(key === "extra" ? pick(document["extra"] as object, Object.keys(value as object)) : document[key], value, `stdin: ${key}`);
	const lines = log.map((line) => line.replaceAll(folder, "~"));
	assert.equal(lines.length, expect.log?.length ?? 0, `the log is:\n${lines.join("\n")}`);
	for (const [i, part] of (expect.log ?? []).entries()) assert.ok(lines[i]?.includes(part), `line ${i + 1} of the log is: ${lines[i]}`);
}

const withTools = (text: string) => text.replace("TOOLS", toolNames.join(", "));
const pick = (value: object, keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, (value as Record<string, unknown>)[key]]));
