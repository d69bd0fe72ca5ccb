// What the API has to stand when the code behind it lives in a process of its own: tools that end it or block it, and a child that lies.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { folderWith, openHost } from "../../test/contracts/host.ts";
import type { Brings, ToolCallPlace } from "../events/brings.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import { eventually } from "../system/test-waiting.ts";
import type { AgentSide } from "./asks.ts";
import type { LoadedExtension } from "./host.ts";

const never = new AbortController().signal;
const place = (signal = never): ToolCallPlace => ({ signal, cwd: "/projects/a", sessionId: "s1", callId: "c1", update: () => {} });

async function open(side: AgentSide = {}) {
	const folder = await folderWith({});
	const logged: string[] = [];
	const strays: string[] = [];
	const brought = new Map<string, Brings>();
	const host = openHost("node", { ...side, log: (from, message) => void logged.push(`${from}: ${message}`), onStray: ({ extension, message, during }) => void strays.push(`${during} ${extension}: ${message}`) });
	return {
		logged,
		strays,
		brings: (name: string): Brings => brought.get(name) ?? assert.fail(`${name} brought nothing`),
		async load(name: string, body: string): Promise<LoadedExtension> {
			await writeFile(join(folder.path, `${name}.ts`), `import { writeSync } from "node:fs";\nimport { defineExtension } from "hookline";\nconst tell = (message: object) => void writeSync(3, \`\${JSON.stringify(message)}\\n\`);\nexport default defineExtension((hooks, hookline) => {\n${body}\n});\n`);
			const loaded = await host.load({ name, file: join(folder.path, `${name}.ts`), trust: "user" }, { onBrings: (brings) => void brought.set(name, brings) });
			brought.set(name, loaded.brings!);
			return loaded;
		},
		async run(name: string, tool: string, args: JsonObject = {}, signal = never): Promise<string> {
			const found = this.brings(name).tools.find((one) => one.name === tool) ?? assert.fail(`there is no tool ${tool}`);
			return (await found.run(args, place(signal))).text;
		},
		async [Symbol.asyncDispose]() {
			await host[Symbol.asyncDispose]();
			await folder[Symbol.asyncDispose]();
		},
	};
}

const tool = (name: string, run: string): string => `hookline.registerTool({ name: "${name}", description: "A test.", parameters: { type: "object" }, run: ${run} });`;

test("a tool that loops for ever costs its process the life when nobody waits any more; it is there for the next call, and what it hears is heard again", async () => {
	await using opened = await open();
	await opened.load("a", `${tool("loops", "() => { for (;;); }")}\n${tool("pid", "() => String(process.pid)")}\nhookline.events.on("a:x", (n) => hookline.log(\`heard \${n}\`));\n${tool("emit", "({ n }) => { hookline.events.emit('x', n); return ''; }")}`);
	const before = await opened.run("a", "pid");
	await opened.run("a", "emit", { n: 1 });
	const stop = new AbortController();
	const looping = opened.run("a", "loops", {}, stop.signal);
	stop.abort(new Error("stopped"));
	await assert.rejects(looping, /stopped/);
	await eventually(() => opened.strays.some((stray) => stray.startsWith("host a: its process ended: it kept its process busy")), "the end was told");
	assert.notEqual(await opened.run("a", "pid"), before);
	await opened.run("a", "emit", { n: 2 });
	await eventually(() => opened.logged.includes("a: heard 2"), "it is heard again");
	assert.deepEqual(opened.logged, ["a: heard 1", "a: heard 2"]);
});

test("a tool that ends its process fails by its name, another's call under way fails as a bystander's, and what was registered later is gone", async () => {
	await using opened = await open();
	await opened.load("a", `${tool("exits", "() => process.exit(3)")}\n${tool("grows", `() => { ${tool("later", "() => ''")} return ''; }`)}`);
	await opened.load("b", tool("waits", "() => new Promise<string>(() => {})"));
	await opened.run("a", "grows");
	await eventually(() => opened.brings("a").tools.length === 3, "it grew");
	const waiting = opened.run("b", "waits");
	await assert.rejects(opened.run("a", "exits"), /its process ended: it called process\.exit\(3\)/);
	await assert.rejects(waiting, /the process it shares with others ended: a called process\.exit\(3\)/);
	await eventually(() => opened.brings("a").tools.length === 2, "it was told that a tool is gone");
});

test("what a child says it brought is looked at: what can never work is not taken, and said", async () => {
	await using opened = await open();
	await opened.load("a", `${tool("honest", "() => 'yes'")}\n${tool("lies", "({ brings }) => { tell({ t: 'brings', extension: 1, brings: { tools: [], commands: [], shortcuts: [], flags: [], providers: [], ...(brings as object) } }); return ''; }")}`);
	for (const brings of [{ tools: [{ name: "a b", description: "x", parameters: { type: "object" } }] }, { commands: [{ name: "x" }] }, { flags: [{ name: "x", summary: "x", type: "boolean" }, { name: "x", summary: "x", type: "boolean" }] }]) {
		await opened.run("a", "lies", { brings });
	}
	await eventually(() => opened.logged.length === 3, "three times");
	assert.match(opened.logged.join("\n"), /^a: what it registered is not taken: a tool that its process told of can never work: 'name' must be .*\n.*a command .* 'summary' must be .*\n.*a flag .* there are two of that name\.$/);
	assert.equal(await opened.run("a", "honest"), "yes", "what it brought before stands");
});

test("what a child asks is looked at: unknown words, foreign numbers and a flood harm nobody", async () => {
	const waiting: (() => void)[] = [];
	let most = 0;
	let under = 0;
	const agent = { model: async () => ((most = Math.max(most, ++under)), await new Promise<void>((resolve) => waiting.push(resolve)), under--, { name: "a:b", provider: "a", model: "b" }) };
	await using opened = await open({ agent: agent as never });
	await opened.load("a", [
		tool("asks", "({ message }) => { tell({ t: 'ask', extension: 1, args: {}, ...(message as object) }); return ''; }"),
		tool("floods", "async () => { const asked = Array.from({ length: 70 }, () => hookline.model().then(() => 'answered', (error) => error.message)); const first = await Promise.race(asked); hookline.log('refused'); return `${first} ${(await Promise.all(asked)).filter((one) => one === 'answered').length}`; }"),
	].join("\n"));
	for (const message of [{ what: "constructor" }, { what: "model", extension: 99 }, { what: "callTool", args: { tool: 5 } }, { what: "model", ask: 9_999, call: 77 }]) await opened.run("a", "asks", { message });
	await eventually(() => opened.logged.length > 0, "one of them is complained about");
	assert.deepEqual(opened.logged, ["a: constructor: there is no 'constructor' here"]);
	waiting.shift()?.();
	const flooding = opened.run("a", "floods");
	await eventually(() => opened.logged.includes("a: refused"), "some were refused");
	for (const answer of waiting) answer();
	assert.match(await flooding, /^64 requests of this extension are under way; wait for one of them 64$/);
	assert.equal(most, 64);
});

test("a tool whose result is larger than a line fails by itself", async () => {
	await using opened = await open();
	await opened.load("a", `${tool("huge", "() => 'x'.repeat(17 * 1024 * 1024)")}\n${tool("small", "() => 'small'")}`);
	await assert.rejects(opened.run("a", "huge"), /its answer is 17 MiB long; a host takes 16 MiB/);
	assert.equal(await opened.run("a", "small"), "small");
});

test("what ends because its extension was unloaded is no failure of it", async () => {
	const agent = { model: (from: { readonly signal: AbortSignal }) => new Promise((_, reject) => from.signal.addEventListener("abort", () => reject(new Error("stopped")))) };
	await using opened = await open({ agent: agent as never });
	await opened.load("b", tool("here", "() => 'here'"));
	const loaded = await opened.load("a", "void hookline.model();\nvoid hookline.exec('sleep', ['600']);");
	await loaded.unload();
	assert.equal(await opened.run("b", "here"), "here", "its process has come by since");
	assert.deepEqual([opened.strays, opened.logged], [[], []]);
});
