// Runs the samples of a dialect whose hooks are in Python: one folder is one case, its name the sentence. It holds the files as a user has them in their home, and
// `case.json` with the events that are fired and what has to come of them. Real interpreters, the real engine.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Brought } from "../src/agent/brought.ts";
import type { ExtensionConfig, PluginsConfig } from "../src/config/schema.ts";
import { createEngine } from "../src/engine/engine.ts";
import type { Go, Outcome } from "../src/engine/outcome.ts";
import { specOf } from "../src/events/catalog.ts";
import type { EventName, InterceptEvent } from "../src/events/payloads/all.ts";
import type { JsonObject } from "../src/events/payloads/facts.ts";
import type { Message } from "../src/events/payloads/model.ts";
import type { ToolResult } from "../src/events/payloads/tool.ts";
import { samplePayload } from "../src/events/samples.ts";
import { type ExtensionSet, loadExtensions } from "../src/extensions/load.ts";
import type { Host } from "../src/hosts/host.ts";
import { nodeHost } from "../src/hosts/node.ts";
import { pythonHost } from "../src/hosts/python/host.ts";
import type { PythonHost, PythonServices } from "../src/hosts/python/unit.ts";
import { eventually } from "../src/system/test-waiting.ts";
import { facts, inWords } from "./engine.ts";

interface Case {
	/** In the user's config.yaml, of their extensions. */
	readonly settings?: Readonly<Record<string, ExtensionConfig>>;
	/** In the user's config.yaml, of plugins; and their environment. */
	readonly plugins?: PluginsConfig;
	readonly environment?: Readonly<Record<string, string>>;
	/** What a person says who is asked; nobody is there without it. */
	readonly person?: "yes" | "no";
	/** The messages there are of every session. */
	readonly messages?: readonly Message[];
	readonly fire?: readonly {
		readonly event: EventName;
		/** Laid over the sample of the event. */
		readonly payload?: Record<string, unknown>;
		/** Nobody waits until the observers of the one before have heard. */
		readonly atOnce?: true;
		/** What the operation gives when nobody stops it; wrappers run around it. */
		readonly gives?: unknown;
	}[];
	/** Tools and slash commands of the extensions, called after that. */
	readonly call?: readonly { readonly tool?: string; readonly command?: string; readonly args?: unknown }[];
	readonly expect: {
		/** The hooks that are live, each with its event, in the order in which they run. */
		readonly hooks?: readonly string[];
		/** Of the events that are about to happen; one that ends with … is only the beginning. */
		readonly outcomes?: readonly string[];
		/** Fields of the payload the last of them goes on with, and what was added to it. */
		readonly goes?: Record<string, unknown>;
		readonly added?: readonly string[];
		/** What operations came to, and what tools and commands gave. */
		readonly results?: readonly unknown[];
		/** Everything the user's code printed, in order, with whose it is. */
		readonly said?: readonly string[];
		/** Some of it. */
		readonly says?: readonly string[];
		/** What the engine says, in order; a part of each line. */
		readonly log?: readonly string[];
		/** The beginning of each warning. `FOLDER` stands for the case's folder. */
		readonly warnings?: readonly string[];
	};
}

export interface Hosts {
	readonly python: () => Promise<PythonHost>;
	readonly scripts: () => Promise<Host>;
	readonly warn: (message: string) => void;
}

/** `setOf` finds in a case's folder what the dialect would find in the user's home. */
export function samplesOf(dialect: string, setOf: (folder: string, settings: Case["settings"], hosts: Hosts, one: Case) => ExtensionSet | Promise<ExtensionSet>, services: PythonServices = {}): void {
	const samples = join(import.meta.dirname, "samples", dialect);
	for (const name of readdirSync(samples).toSorted()) {
		test(name.replaceAll("-", " "), { timeout: 60_000 }, async () => {
			const folder = join(samples, name);
			const one = JSON.parse(readFileSync(join(folder, "case.json"), "utf8")) as Case;
			const said: string[] = [];
			const warnings: string[] = [];
			const host = { name: "user", log: (from: string, line: string) => void said.push(`${from}: ${line}`), onStray: ({ message }: { readonly message: string }) => void warnings.push(message) };
			await using python = pythonHost({ ...host, services });
			await using scripts = nodeHost({ ...host, stateOf: () => ({ get: () => undefined, set: () => {}, delete: () => {}, keys: () => [] }) });
			const hosts: Hosts = { python: async () => python, scripts: async () => scripts, warn: (message) => warnings.push(message) };
			await run(one, await setOf(folder, one.settings, hosts, one), hosts, { folder, warnings });
			// What is printed comes a moment after the answer.
			const { said: all, says: some = all ?? [] } = one.expect;
			await eventually(() => some.every((line) => said.includes(line)), `its code prints ${some.join(", ")}`).catch(() => assert.deepEqual(said, some));
			await python[Symbol.asyncDispose]();
			if (all !== undefined) assert.deepEqual(said, all);
		});
	}
}

async function run({ fire = [], call = [], person, expect }: Case, set: ExtensionSet, { warn }: Hosts, { folder, warnings }: { readonly folder: string; readonly warnings: readonly string[] }): Promise<void> {
	const log: string[] = [];
	const engine = createEngine({ log: (hook, line) => log.push(`${hook} ${line}`) });
	const brought = new Brought({ warn });
	await loadExtensions(set, { engine, host: () => Promise.reject(new Error("it has a host of its own")), facts, warn, brought });
	if (expect.hooks !== undefined) assert.deepEqual(engine.hooks().map(({ id, event }) => `${id} ${event}`), expect.hooks);
	const outcomes: Outcome[] = [];
	const results: unknown[] = [];
	for (const { event, payload, atOnce, gives } of fire) {
		const fired = { ...samplePayload(event, { cwd: "/projects/one", at: 0, eventId: "e" }), ...payload };
		if (specOf(event).kind === "observe") engine.tell(event as never, fired as never);
		else {
			const outcome = (await engine.dispatch(event as InterceptEvent, fired as never, { ...(person && { ask: async () => ({ approved: person === "yes", by: "person", reason: "No." }) }) })) as Outcome;
			outcomes.push(outcome);
			if (gives !== undefined && outcome.kind === "go") results.push(await engine.perform(event as "tool.calling", outcome as Go<"tool.calling">, async () => gives as ToolResult));
		}
		if (!atOnce) await engine.idle();
	}
	await engine.idle();
	const place = { signal: new AbortController().signal, cwd: "/projects/one", sessionId: "s1", callId: "c1", update: () => {} };
	for (const { tool, command, args } of call) {
		if (tool !== undefined) results.push(await brought.tools([]).find(({ name }) => name === tool)!.run(args as JsonObject, { ...place, session: { id: "s1", turnId: "t1" } } as never));
		else results.push((await brought.commands([]).get(command!)!.run(String(args ?? ""), place)) ?? null);
	}
	if (expect.results !== undefined) assert.deepEqual(results, expect.results);
	if (expect.outcomes !== undefined) assert.deepEqual(outcomes.map(inWords).map((words, i) => begun(words, expect.outcomes![i])), expect.outcomes);
	const last = outcomes.at(-1);
	if (expect.goes !== undefined || expect.added !== undefined) {
		assert.ok(last?.kind === "go");
		for (const [field, value] of Object.entries(expect.goes ?? {})) assert.deepEqual((last.payload as unknown as Record<string, unknown>)[field], value);
		assert.deepEqual(last.injections.map(({ as, text }) => `${as}: ${text}`), expect.added ?? []);
	}
	assert.deepEqual(log.map((line, i) => (line.includes(expect.log?.[i] ?? "\0") ? expect.log![i] : line)), expect.log ?? []);
	const expected = (expect.warnings ?? []).map((text) => text.replaceAll("FOLDER", folder));
	assert.deepEqual(warnings.map((text, i) => (text.startsWith(expected[i] ?? "\0") ? expected[i] : text)), expected);
}

const begun = (words: string, expected = "") => (expected.endsWith("…") && words.startsWith(expected.slice(0, -1)) ? expected : words);
