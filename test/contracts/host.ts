// What every host must do, wherever it runs an extension's code: seen through a real engine, with extensions in real files.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Engine } from "../../src/engine/engine.ts";
import type { DurableState } from "../../src/events/context.ts";
import type { ToolResult } from "../../src/events/payloads/tool.ts";
import type { AgentSide } from "../../src/hosts/asks.ts";
import { type Host, LoadError, type LoadedExtension, type Stray } from "../../src/hosts/host.ts";
import { inlineHost } from "../../src/hosts/inline.ts";
import { nodeHost } from "../../src/hosts/node.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { commandOf, engineWith, facts, input, inWords, toolCall, toolCalled } from "../engine.ts";

export const program = (name: string): string => join(dirname(import.meta.dirname), "programs", name);

/** Durable state in a plain map, JSON as a store has it. Keys that begin with `full` find the store full. */
export function stateIn(values: Map<string, string>): DurableState {
	return {
		get: (key) => (values.has(key) ? (JSON.parse(values.get(key)!) as unknown) : undefined),
		set(key, value) {
			if (key.startsWith("full")) throw new Error("it is over its quota");
			values.set(key, JSON.stringify(value));
		},
		delete: (key) => void values.delete(key),
		keys: () => [...values.keys()],
	};
}

export interface Given extends AgentSide {
	readonly onStray?: (stray: Stray) => void;
	readonly log?: (from: string, message: string) => void;
	readonly stateOf?: (extension: string) => DurableState;
}

/** The host of that kind. A stray error nobody expects fails the test by ending the run. */
export function openHost(kind: string, given: Given = {}): Host {
	const onStray = given.onStray ?? ((stray) => assert.fail(`a stray error: ${JSON.stringify(stray)}`));
	const options = { log: () => {}, stateOf: () => stateIn(new Map()), ...given, onStray };
	return kind === "inline" ? inlineHost(options) : nodeHost({ ...options, name: "test" });
}

/** A temporary folder with some files. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<AsyncDisposable & { readonly path: string }> {
	const path = await mkdtemp(join(tmpdir(), "hookline-test-"));
	for (const [name, text] of Object.entries(files)) {
		await mkdir(dirname(join(path, name)), { recursive: true });
		await writeFile(join(path, name), text);
	}
	return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const extension = (body: string, first = ""): string => `${first}import { defineExtension, block } from "hookline";\nexport default defineExtension((hooks) => {\n${body}\n});\n`;
const blocking = (reason: string): string => extension(`hooks.guard("tool.calling", () => block(${JSON.stringify(reason)}));`);

/** Why a file cannot be loaded, without the folder's name. */
async function refusal(host: Host, files: Readonly<Record<string, string>>, file = Object.keys(files)[0]!, timeoutMs?: number): Promise<string> {
	await using folder = await folderWith(files);
	try {
		await host.load({ name: "mine", file: join(folder.path, file), trust: "user" }, timeoutMs === undefined ? {} : { timeoutMs });
	} catch (error) {
		assert.ok(error instanceof LoadError, `a LoadError, not ${String(error)}`);
		assert.equal(error.extension, "mine");
		return error.message.replaceAll(folder.path, "");
	}
	return assert.fail("it was loaded");
}

const unreadable: readonly (readonly [sentence: string, files: Readonly<Record<string, string>>, expected: RegExp | string])[] = [
	["a syntax error in TypeScript", { "a.ts": "const a: number = 1;\n\nconst b: = 2;\nexport default b;" }, /^\/a\.ts:3: it cannot be read: .+/],
	["a syntax error in JavaScript", { "a.mjs": "export const a = 1;\nconst b = = 2;" }, "/a.mjs:2: it cannot be read: Unexpected token '='."],
	["a syntax error in a file it imports", { "a.js": "import { b } from './b.js';\nexport default b;", "b.js": "export const a = 1;\n\n\nconst b = = 2;" }, "/b.js:4: it cannot be read: Unexpected token '='."],
	["a syntax error in CommonJS", { "a.cjs": "const a = 1;\nconst b = = 2;" }, "/a.cjs:2: it cannot be read: Unexpected token '='."],
	["a package that is not installed", { "a.ts": 'const a = 1;\nimport { b } from "not-there";\nexport default b;' }, "/a.ts:2: it imports the package 'not-there', which is not installed. Run 'npm install not-there' in its folder."],
	["a package that CommonJS cannot find", { "a.cjs": '\nmodule.exports = require("not-there");' }, "/a.cjs:2: it imports the package 'not-there', which is not installed. Run 'npm install not-there' in its folder."],
	["a file that is not there", { "a.ts": 'import { b } from "./b.ts";\nexport default b;' }, "/a.ts:1: it imports '/b.ts', and there is no such file."],
	["an export that is not there", { "a.ts": '\nimport { gaurd } from "hookline";\nexport default gaurd;' }, /^\/a\.ts:2: it cannot be read: The requested module 'hookline' does not provide an export named 'gaurd'\.$/],
	["a throw in its body", { "a.ts": "const a: number = 1;\n\nthrow new TypeError(`no ${a}`);" }, "/a.ts:3: it threw TypeError: no 1 while it was read."],
	["a throw in a file it imports", { "a.ts": 'import "./b.ts";', "b.ts": "\nexport {};\nthrow new Error('no b');" }, "/b.ts:3: it threw no b while it was read."],
	["a string thrown in its body", { "a.mjs": "export {};\nthrow 'boom';" }, '/a.mjs: threw "boom" while it was read.'],
	["no default export", { "a.ts": "export const a = 1;" }, '/a.ts: it has no default export. It must export an extension:\n  import { defineExtension } from "hookline";\n  export default defineExtension((hooks) => { /* hooks.guard("tool.calling", …) */ });'],
	["a default export of its own making", { "a.ts": "export default (hooks: unknown) => hooks;" }, /^\/a\.ts: its default export is a function, which was not made by defineExtension\. It must export an extension:\n/],
	["a factory that throws", { "a.ts": extension("\tthrow new Error('no key');") }, "/a.ts:3: its factory threw no key."],
	["a factory that throws a string", { "a.ts": extension('\tthrow "boom";') }, '/a.ts: its factory threw "boom".'],
	["a factory that misspells a verb", { "a.ts": extension("\n\thooks.gaurd('tool.calling', () => {});") }, "/a.ts:4: its factory threw TypeError: hooks.gaurd is not a function."],
	["an unknown event", { "a.ts": extension("\n\n\thooks.guard('tool.cal', () => {});") }, /^\/a\.ts:5: mine: guard\('tool\.cal'\): there is no such event\. Did you mean 'tool\.calling'\?/],
	["a misspelt option", { "a.ts": extension("\thooks.guard('tool.calling', { priorty: 1 }, () => {});") }, /^\/a\.ts:3: mine: guard\('tool\.calling'\): there is no option 'priorty'\. Did you mean 'priority'\?/],
	["a handler that is none", { "a.ts": extension("\thooks.guard('tool.calling', {}, 5);") }, /^\/a\.ts:3: mine: guard\('tool\.calling'\): the handler must be a function, not 5\./],
	["a handler left out", { "a.ts": extension("\thooks.guard('tool.calling', {});") }, "/a.ts:3: mine: guard('tool.calling'): the handler is missing: it comes after the options. The call is guard(event, handler) or guard(event, options, handler)."],
	["options after the handler", { "a.ts": extension("\thooks.guard('tool.calling', () => {}, {});") }, /^\/a\.ts:3: .* the options come before the handler\./],
	["no event", { "a.ts": extension("\thooks.observe(() => {});") }, /^\/a\.ts:3: mine: observe\(\): the event must be a name, such as 'tool\.calling', not a function\./],
	["a name that is taken", { "a.ts": extension("\thooks.guard('tool.calling', { name: 'a' }, () => {});\n\thooks.guard('shell.running', { name: 'a' }, () => {});") }, "/a.ts:4: mine: guard('shell.running'): there is a hook named 'a' already. Give this one another name."],
	["a refusal its factory keeps quiet about", { "a.ts": extension("\ttry {\n\t\thooks.guard('tool.cal', () => {});\n\t} catch {}") }, /^\/a\.ts:4: mine: guard\('tool\.cal'\): there is no such event\./],
	["a file that does not exist", { "b.ts": "" }, "/a.ts: there is no such file."],
	["a folder in place of a file", { "a.ts/b.ts": "" }, "/a.ts: it is no file. An extension is a .ts, .js or .mjs file, or a folder with an index.ts."],
	["a top-level await that never ends", { "a.mjs": "await new Promise(() => {});\nexport default 1;" }, "/a.mjs: it was not read to its end within 300 ms: an 'await' outside of any function waits for something that does not come."],
	["a factory that never returns", { "a.ts": extension("\treturn new Promise<void>(() => {});") }, "/a.ts: its factory did not return within 300 ms. Start what takes long inside a handler, or do not wait for it."],
];

const door = 'require("hookline")';
/** A home folder often has one, for something else. */
const commonJs = '{"type":"commonjs"}';
const readable: readonly (readonly [sentence: string, files: Readonly<Record<string, string>>])[] = [
	["TypeScript", { "a.ts": `import { defineExtension, block, type Hooks } from "hookline";\nexport default defineExtension((hooks: Hooks) => hooks.guard("tool.calling", () => block("here")));` }],
	["an ES module in a .js file", { "a.js": blocking("here") }],
	["an .mjs file", { "a.mjs": blocking("here") }],
	["CommonJS with module.exports", { "a.js": `const { defineExtension, block } = ${door};\nmodule.exports = defineExtension((hooks) => hooks.guard("tool.calling", () => block("here")));` }],
	["CommonJS with exports.default", { "a.cjs": `const { defineExtension, block } = ${door};\nexports.default = defineExtension((hooks) => hooks.guard("tool.calling", () => block("here")));` }],
	["a folder with more files", { "f/index.ts": 'import { reason } from "./reason.ts";\nimport { defineExtension, block } from "hookline/extension";\nexport default defineExtension((hooks) => hooks.guard("tool.calling", () => block(reason)));', "f/reason.ts": 'export const reason = "here";' }],
	["an async factory", { "a.ts": blocking("here").replace("((hooks) => {", "(async (hooks) => {\n\tawait null;") }],
	["enums and parameter properties", { "a.ts": `enum Word { Here = "here" }\nclass Reason { constructor(readonly word: Word) {} }\n${extension(`hooks.guard("tool.calling", () => block(new Reason(Word.Here).word));`)}` }],
	["an import of the engine", { "a.ts": `import { createEngine } from "hookline";\n${blocking("here")}export const engine = createEngine();` }],
	["an ES module below a package.json that says CommonJS", { "a.js": blocking("here"), "package.json": commonJs }],
	["TypeScript below a package.json that says CommonJS", { "a.ts": `import { reason } from "./_parts/reason.ts";\n${extension('hooks.guard("tool.calling", () => block(reason));')}`, "_parts/reason.ts": 'export const reason: string = "here";', "package.json": commonJs }],
	["CommonJS below a package.json that says so", { "a.js": `const { defineExtension, block } = ${door};\nmodule.exports = defineExtension((hooks) => hooks.guard("tool.calling", () => block("here")));`, "package.json": commonJs }],
	["a path with spaces, a hash and brackets", { "a (b) #1 é.ts": blocking("here") }],
];

async function guardReason(engine: Engine, command: string): Promise<string> {
	return inWords(await engine.dispatch("tool.calling", toolCall({ command })));
}

export function hostContract(kind: "inline" | "node"): void {
	describe(`the ${kind} host`, () => {
		const logged: string[] = [];
		const values = new Map<string, string>();
		let host: Host;
		let polite: LoadedExtension;
		let faulty: LoadedExtension;
		before(async () => {
			const log = (from: string, message: string) => void logged.push(`${from}: ${message}`);
			host = openHost(kind, { log, stateOf: () => stateIn(values) });
			polite = await host.load({ name: "polite", file: program("extensions/polite.ts"), trust: "user" });
			faulty = await host.load({ name: "faulty", file: program("extensions/faulty.ts"), trust: "project" });
		});
		after(() => host[Symbol.asyncDispose]());
		const engineOf = (loaded: LoadedExtension) => engineWith(loaded.definitions, { stateOf: () => stateIn(values), log: (hook, message) => void logged.push(`${hook}: ${message}`) });

		test("a transform rewrites, and a guard judges what it made of it, with metadata and the state of the turn", async () => {
			const engine = engineOf(polite);
			assert.equal(commandOf(await engine.dispatch("tool.calling", toolCall({ command: "ls" }))), "nice ls");
			assert.equal(await guardReason(engine, "rm"), "blocked by polite/judge (decision): No rm (prefixed: true, seen: ls,rm, turn t1, event tool.calling, hook polite/judge).");
			assert.equal(commandOf(await engine.dispatch("tool.calling", toolCall({ command: "ls" }, { toolName: "read_file" }))), "ls", "the matcher leaves other tools alone");
		});

		test("a hook keeps its options, and names the author's file and line", () => {
			const [prefix, ...others] = polite.definitions;
			assert.deepEqual(prefix?.options, { name: "prefix", tool: [/term.*/i, "patch"], priority: 10, timeoutMs: 5_000, onError: "closed" });
			assert.deepEqual(prefix.source, { extension: "polite", file: program("extensions/polite.ts"), line: 6, trust: "user", dialect: "native", rank: 0 });
			assert.deepEqual([prefix, ...others].map(({ host: where }) => where), polite.definitions.map(() => kind));
			assert.deepEqual(others.map(({ stage, source }) => `${stage} ${source.line}`), ["guard 10", "wrap 15", "observe 20", "observe 23", "transform 24"]);
			assert.equal(faulty.definitions[0]?.source.trust, "project");
		});

		test("a wrapper runs around the operation, and more than once when it says so", async () => {
			const engine = engineOf(polite);
			const run = async (command: string) => {
				let runs = 0;
				const go = await engine.dispatch("tool.calling", toolCall({ command }));
				assert.ok(go.kind === "go");
				const given: ToolResult = { text: "done", isError: false };
				const result = await engine.perform("tool.calling", go, async () => (runs++, given));
				return { text: result.text, runs, same: result === given };
			};
			assert.deepEqual(await run("ls"), { text: "<done>", runs: 1, same: false });
			assert.deepEqual(await run("twice"), { text: "<done>", runs: 2, same: false });
			assert.deepEqual(await run("same"), { text: "done", runs: 1, same: true });
		});

		test("what the operation throws passes through a wrapper as it is, and is not the wrapper's failure", async () => {
			const engine = engineOf(polite);
			const go = await engine.dispatch("tool.calling", toolCall({ command: "ls" }));
			assert.ok(go.kind === "go");
			const broken = new Error("the disk is full");
			await assert.rejects(engine.perform("tool.calling", go, () => Promise.reject(broken)), (error) => error === broken);
			assert.equal(engine.healthOf("polite/around")?.failuresInARow, 0);
		});

		test("observers are told, also by a wildcard, and can log", async () => {
			const engine = engineOf(polite);
			logged.length = 0;
			engine.tell("tool.called", toolCalled());
			engine.tell("session.reset", { ...facts(), reason: "asked", previousSessionId: "s0" } as never);
			await engine.idle();
			assert.deepEqual(logged.toSorted(), ["polite#1: session.reset s1", "polite/told: told of terminal: done"]);
		});

		test("durable state is read, written and deleted, and is there after the extension was loaded anew", async () => {
			values.clear();
			values.set("old", '"from before"');
			const again = await host.load({ name: "polite", file: program("extensions/polite.ts"), trust: "user" });
			const engine = engineOf(again);
			const tell = async (text: string) => inWords(await engine.dispatch("input.receiving", input(text)));
			const shown = async (): Promise<unknown> => {
				const outcome = await engine.dispatch("input.receiving", input("show"));
				return outcome.kind === "go" ? JSON.parse(outcome.payload.text) : assert.fail(inWords(outcome));
			};
			await tell("set a 1");
			await tell("set b 2");
			await tell("delete a");
			assert.deepEqual(await shown(), { old: "from before", b: { value: "2" } });
			assert.deepEqual([...values], [["old", '"from before"'], ["b", '{"value":"2"}']]);
			await tell("set full 1");
			await tell("set c 3");
			assert.ok(logged.some((line) => line.includes("it is over its quota")), "the author hears of it at the next change at the latest");
			assert.deepEqual(await shown().then((all) => "full" in (all as object)), false, "what was refused is not there");
			await again.unload();
		});

		for (const [command, expected] of [
			["throws an error", "blocked by faulty/guard (failure): Hook faulty/guard failed (threw): TypeError: x is not a function. It is closed, so nothing goes on without its answer."],
			["throws a string", 'blocked by faulty/guard (failure): Hook faulty/guard failed (threw): threw "boom". It is closed, so nothing goes on without its answer.'],
			["throws a failure", /failed \(cannot-start\): has no python/],
			["rejects", /failed \(threw\): no network/],
			["writes to the payload", /failed \(threw\): TypeError: Cannot assign to read only property 'command'/],
			["answers a date", /failed \(bad-answer\): its answer\.metadata\.when is an instance of Date, not plain data/],
			["answers a function", /failed \(bad-answer\): its answer\.metadata\.f is a function, not plain data/],
			["answers itself", /failed \(bad-answer\): its answer\.metadata.* contains itself/],
			["answers a big integer", /failed \(bad-answer\): its answer\.metadata\.n is a bigint, not plain data/],
			["never answers", /failed \(timed-out\): gave no answer within 400 ms/],
			["registers late", /failed \(threw\): RegistrationError: faulty: guard\('tool\.calling'\): hooks can be registered only until the factory has returned\./],
		] as const) {
			test(`a handler that ${command} fails by itself, with words for it`, async () => {
				const said = await guardReason(engineOf(faulty), command);
				if (typeof expected === "string") assert.equal(said, expected);
				else assert.match(said, expected);
			});
		}

		test("at its time-out a handler's signal is aborted, and the answer after that is dropped and logged", async () => {
			logged.length = 0;
			const engine = engineOf(faulty);
			assert.match(await guardReason(engine, "stops when told"), /failed \(timed-out\)/);
			assert.equal(await guardReason(engine, "ls"), "go", "the extension is there for the next call");
			await eventually(() => logged.includes("faulty/guard: answered tool.calling after its time was up; the answer was dropped"), "the late answer was logged");
		});

		test("a user's stop ends a pending handler at once", async () => {
			const stop = new AbortController();
			const outcome = engineOf(faulty).dispatch("tool.calling", toolCall({ command: "stops when told" }), { signal: stop.signal });
			stop.abort();
			assert.equal(inWords(await outcome), "blocked by person (interrupted): Stopped by the user.");
		});

		for (const [sentence, files, expected] of unreadable) {
			test(`${sentence} is reported with its place`, async () => {
				const file = sentence.startsWith("a file that does not exist") ? "a.ts" : Object.keys(files)[0]!.split("/")[0]!;
				const said = await refusal(host, files, file, /never/.test(sentence) ? 300 : undefined);
				if (typeof expected === "string") assert.equal(said, expected);
				else assert.match(said, expected);
			});
		}

		for (const [sentence, files] of readable) {
			test(`${sentence} can be loaded from any folder`, async () => {
				await using folder = await folderWith(files);
				const loaded = await host.load({ name: "mine", file: join(folder.path, Object.keys(files)[0]!), trust: "user" });
				assert.equal(await guardReason(engineOf(loaded), "ls"), "blocked by mine#1 (decision): here");
				await loaded.unload();
			});
		}

		test("a translated file keeps the author's lines", async () => {
			await using folder = await folderWith({ "a.ts": `enum Word {\n\tHere = "here",\n}\n${extension(`\n\n\thooks.guard("tool.calling", () => block(Word.Here));`)}` });
			const loaded = await host.load({ name: "mine", file: join(folder.path, "a.ts"), trust: "user" });
			assert.equal(loaded.definitions[0]?.source.line, 8);
			await loaded.unload();
		});

		for (const [sentence, first, second] of [
			["a changed file", { "a.ts": blocking("old") }, { "a.ts": blocking("new") }],
			["a changed CommonJS file", { "a.cjs": `module.exports = ${door}.defineExtension((hooks) => hooks.guard("tool.calling", () => ${door}.block("old")));` }, { "a.cjs": `module.exports = ${door}.defineExtension((hooks) => hooks.guard("tool.calling", () => ${door}.block("new")));` }],
			[
				"a changed file that it imports",
				{ "a.ts": 'import { reason } from "./b.ts";\nimport { defineExtension, block } from "hookline";\nexport default defineExtension((hooks) => hooks.guard("tool.calling", () => block(reason)));', "b.ts": 'export const reason = "old";' },
				{ "b.ts": 'export const reason = "new";' },
			],
		] as const) {
			test(`${sentence} is read anew when its extension is loaded again, and the old one goes on until then`, async () => {
				await using folder = await folderWith(first);
				const file = join(folder.path, Object.keys(first)[0]!);
				const old = await host.load({ name: "mine", file, trust: "user" });
				for (const [name, text] of Object.entries(second)) await writeFile(join(folder.path, name), text);
				const fresh = await host.load({ name: "mine", file, trust: "user" });
				assert.match(await guardReason(engineOf(old), "ls"), /: old$/);
				assert.match(await guardReason(engineOf(fresh), "ls"), /: new$/);
				await old.unload();
				assert.match(await guardReason(engineOf(fresh), "ls"), /: new$/);
				await fresh.unload();
			});
		}

		test("errors that nobody can catch are told with extension, file and line, and harm nothing else", async () => {
			const file = program("extensions/faulty.ts");
			const expected = [
				["throws in a timer", "in a timer", 48],
				["throws in a callback", "in a callback", 48],
				["throws after an answer", "after the answer", 48],
				["leaves a promise rejected", "nobody waits for this", 39],
				["throws a string in a timer", 'threw "a string in a timer"', undefined],
				...(kind === "inline" ? ([["is called back by others", "called back by others", 48]] as const) : []),
			] as const;
			const { code, output } = await run("strays.ts", [kind, file, ...expected.map(([command]) => command)]);
			const lines = expected.flatMap(([command, message, line]) => [
				{ command, outcome: command },
				{ extension: "faulty", file, ...(line !== undefined && { line }), message, during: "run" },
			]);
			assert.deepEqual(output.trim().split("\n").map((line) => JSON.parse(line) as unknown), [...lines, { alive: true, told: expected.length }]);
			assert.equal(code, 0);
		});
	});
}

/** Runs a program of `test/programs` to its end. */
export async function run(name: string, args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> {
	const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program(name), ...args], { stdio: ["ignore", "pipe", "pipe"] });
	let output = "";
	let errors = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
	child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
	const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
	return { code, output, errors };
}
