// What an extension registers through its API, and how that comes and goes, in whatever host its code runs.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { LoadError } from "../../src/hosts/host.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { open, place, runCommand, runTool, textOf, tool, toolNamed } from "./opened.ts";

const refused: readonly (readonly [sentence: string, body: string, expected: RegExp])[] = [
	["a tool without a name", "hookline.registerTool({});", /^\/a\.ts:3: a: registerTool\(\): 'run' must be a function, not undefined\.$/],
	["a tool whose name no provider takes", tool("a b", "() => ''"), /^\/a\.ts:3: a: registerTool\('a b'\): 'name' must be 1 to 64 letters/],
	["a tool without a description", "\nhookline.registerTool({ name: 'x', parameters: { type: 'object' }, run: () => '' } as never);", /^\/a\.ts:4: a: registerTool\('x'\): 'description' must be a text/],
	["a tool whose parameters are no object", "hookline.registerTool({ name: 'x', description: 'X.', parameters: { type: 'string' }, run: () => '' });", /registerTool\('x'\): 'parameters' must be a JSON Schema of an object/],
	["a tool of a library that gives no JSON Schema", "hookline.registerTool({ name: 'x', description: 'X.', parameters: { '~standard': { version: 1, vendor: 'tiny', validate: (value) => ({ value }) } }, run: () => '' });", /the library of its 'parameters' \(tiny\) gives no JSON Schema\. Add one as 'jsonSchema'\./],
	["two tools of one name", `${tool("x", "() => ''")}\n${tool("x", "() => ''")}`, /^\/a\.ts:4: a: registerTool\('x'\): there is a tool of that name already/],
	["a command with its slash", "hookline.registerCommand({ name: '/x', summary: 'X', run() {} });", /registerCommand\('\/x'\): 'name' must be 1 to 32 letters, digits, '_' or '-', without the slash\./],
	["a command with a long story", "hookline.registerCommand({ name: 'x', summary: 'a\\nb', run() {} });", /'summary' must be one line/],
	["a shortcut without a modifier", "hookline.registerShortcut({ key: 'g', summary: 'X', run() {} });", /registerShortcut\('g'\): 'key' must be like 'ctrl\+g'/],
	["a flag of another type than its default", "hookline.registerFlag({ name: 'x', summary: 'X', type: 'boolean', default: 'yes' });", /'default' must be a boolean, not a string\./],
	["a kebab-case event that does not exist", "hookline.registerHook({ event: 'before-tool-cal' as never, handler() {} });", /^\/a\.ts:3: a: registerHook\('before-tool-cal'\): there is no such event\. Did you mean 'before-tool-call'\?$/],
	["a handler of the bus that is none", "hookline.events.on('b:done', 5 as never);", /events\.on\('b:done'\): the handler must be a function, not 5\./],
	["a bus event without an extension", "hookline.events.on('done', () => {});", /events\.on\('done'\): the event is '<extension>:<name>'/],
	["a refusal its factory keeps quiet about", "try { hookline.registerCommand({ name: '', summary: 'X', run() {} }); } catch {}", /registerCommand\(''\): 'name' must be/],
];

export function apiContract(kind: "inline" | "node"): void {
	describe(`the API in the ${kind} host`, () => {
		test("what is registered right after the factory has returned is not lost", async () => {
			await using opened = await open(kind);
			await opened.load("a", `${tool("first", "() => ''")}\nqueueMicrotask(() => { ${tool("second", "() => ''")} });\nvoid Promise.resolve().then(() => null).then(() => { ${tool("third", "() => ''")} });\nsetImmediate(() => { ${tool("fourth", "() => ''")} });`);
			await eventually(() => opened.brings().tools.length === 4, "all four are told");
		});

		test("a tool runs with its arguments, its place, and updates on the way", async () => {
			await using opened = await open(kind);
			await opened.load("a", tool("greet", "async ({ name }, call) => { call.update('thinking'); await null; return `Hello ${name} in ${call.cwd}, ${call.sessionId} ${call.turnId} ${call.callId}`; }", "timeoutMs: 5_000, overrides: true,"));
			const { run: _, ...shown } = toolNamed(opened.brings(), "greet");
			assert.deepEqual(shown, { name: "greet", description: "A test.", parameters: { type: "object" }, timeoutMs: 5_000, overrides: true });
			const updates: string[] = [];
			const result = await runTool(opened.brings(), "greet", { name: "you" }, { update: (text) => void updates.push(text) });
			assert.deepEqual([result, updates], [{ text: "Hello you in /projects/a, s1 t1 c1", isError: false }, ["thinking"]]);
		});

		test("a tool gives a result with details; what it throws and what is no result is told in words", async () => {
			await using opened = await open(kind);
			await opened.load("a", [tool("details", "() => ({ text: 'no', isError: true, details: { n: 1 } })"), tool("throws", "() => { throw new Error('no disk'); }"), tool("nothing", "() => undefined as never"), tool("date", "() => ({ text: '', details: { at: new Date() } }) as never")].join("\n"));
			assert.deepEqual(await runTool(opened.brings(), "details"), { text: "no", isError: true, details: { n: 1 } });
			await assert.rejects(runTool(opened.brings(), "throws"), /no disk/);
			await assert.rejects(runTool(opened.brings(), "nothing"), /it gave undefined, and a tool gives a text or \{ text, isError \}/);
			await assert.rejects(runTool(opened.brings(), "date"), /the details of its result\.at is an instance of Date, not plain data/);
		});

		test("the arguments of a Standard Schema are checked and are what it makes of them", async () => {
			await using opened = await open(kind);
			const zod = import.meta.resolve("zod");
			await opened.load("a", `const { z } = await import(${JSON.stringify(zod)});\nhookline.registerTool({ name: "pad", description: "Pads.", parameters: z.object({ text: z.string(), width: z.number().int().default(4) }), run: ({ text, width }) => text.padEnd(width, ".") });`);
			const { parameters } = toolNamed(opened.brings(), "pad");
			assert.deepEqual([parameters["type"], Object.keys(parameters["properties"] as object), parameters["required"]], ["object", ["text", "width"], ["text"]]);
			assert.equal(await textOf(opened.brings(), "pad", { text: "a" }), "a...");
			const wrong = await runTool(opened.brings(), "pad", { text: 5 });
			assert.ok(wrong.isError);
			assert.match(wrong.text, /^The arguments do not fit: 'text': /);
		});

		test("a tool whose call is stopped has its signal aborted, and nobody waits for it", async () => {
			await using opened = await open(kind);
			await opened.load("a", tool("waits", "(_, { signal }) => new Promise<string>(() => { signal.addEventListener('abort', () => hookline.log('stopped')); })"));
			const stop = new AbortController();
			const running = runTool(opened.brings(), "waits", {}, { signal: stop.signal });
			setImmediate(() => stop.abort(new Error("the user stopped it")));
			if (kind === "node") await assert.rejects(running, /the user stopped it/);
			await eventually(() => opened.logged.includes("a: stopped"), "the tool heard of it");
		});

		test("a command runs and completes; what it gives is shown", async () => {
			await using opened = await open(kind);
			await opened.load("a", "hookline.registerCommand({ name: 'deploy', summary: 'deploys', anytime: true, run: (args, { sessionId }) => args === '' ? undefined : `to ${args} from ${sessionId}`, complete: async (args) => ['staging', 'production'].filter((one) => one.startsWith(args)) });");
			const [command] = opened.brings().commands;
			assert.deepEqual([command?.name, command?.summary, command?.anytime], ["deploy", "deploys", true]);
			assert.equal(await runCommand(opened.brings(), "deploy", "staging"), "to staging from s1");
			assert.equal(await runCommand(opened.brings(), "deploy"), undefined);
			assert.deepEqual(await command?.complete?.("pro", place()), ["production"]);
		});

		test("what is registered or taken back later is told, all of it", async () => {
			await using opened = await open(kind);
			await opened.load("a", `let taken = ${tool("first", "() => 'one'")}\n${tool("grow", `() => { ${tool("second", "() => 'two'")} taken[Symbol.dispose](); return 'grown'; }`)}`);
			await runTool(opened.brings(), "grow");
			await eventually(() => opened.brings().tools.length === 2 && opened.brings().tools[1]?.name === "second", "the change was told");
			assert.equal(await textOf(opened.brings(), "second"), "two");
			await assert.rejects(runTool(opened.brings(), "grow"), new RegExp(`a: registerTool\\('second'\\): there is a tool of that name already\\. .*\\(${RegExp.escape(join(opened.path, "a.ts"))}:\\d+\\)`));
		});

		for (const [sentence, body, expected] of refused) {
			test(`${sentence} is refused with its place, and the extension is not loaded`, async () => {
				await using opened = await open(kind);
				await assert.rejects(opened.load("a", body), (error) => error instanceof LoadError && expected.test(error.message.replaceAll(opened.path, "")) ? true : assert.fail(String(error)));
			});
		}

		test("state is durable, config is what the person set and cannot be changed, log lines bear the name", async () => {
			await using opened = await open(kind, { configOf: (extension) => ({ of: extension, deep: { n: 1 } }) });
			await opened.load("a", `${tool("keep", "() => { hookline.state.set('n', [...(hookline.state.get('n') as number[] ?? []), 1]); return JSON.stringify(hookline.state.get('n')); }")}\n${tool("change", "() => { (hookline.config as any).deep.n = 2; return ''; }")}\nhookline.log(\`\${hookline.name} \${JSON.stringify(hookline.config)}\`);`);
			assert.equal(await textOf(opened.brings(), "keep"), "[1]");
			assert.equal(await textOf(opened.brings(), "keep"), "[1,1]");
			assert.deepEqual([...opened.values], [["n", "[1,1]"]]);
			await assert.rejects(runTool(opened.brings(), "change"), /read only/);
			await eventually(() => opened.logged.includes('a: a {"of":"a","deep":{"n":1}}'), "the line was logged");
		});

		test("a flood of log lines costs a hundred a second", async () => {
			await using opened = await open(kind);
			await opened.load("a", "for (let n = 0; n < 10_000; n++) hookline.log(`line ${n}`);");
			await eventually(() => opened.logged.length >= 100, "some were logged");
			assert.ok(opened.logged.length <= 200, `${opened.logged.length} lines`);
		});

		test("a flag is what the person chose, else its default", async () => {
			await using opened = await open(kind, { flagsOf: () => ({ plan: true, level: 5 as never }) });
			await opened.load("a", `hookline.registerFlag({ name: "plan", summary: "plans", type: "boolean", default: false });\nhookline.registerFlag({ name: "level", summary: "how much", type: "string", default: "some" });\n${tool("flags", "() => JSON.stringify([hookline.flags.get('plan'), hookline.flags.get('level')])")}\n${tool("unknown", "() => String(hookline.flags.get('plam'))")}`);
			assert.equal(await textOf(opened.brings(), "flags"), '[true,"some"]', "what is not of its type does not count");
			await assert.rejects(runTool(opened.brings(), "unknown"), /a: there is no flag 'plam'\. Register it first\./);
			assert.deepEqual(opened.brings().flags?.map(({ name }) => name), ["plan", "level"]);
		});

		test("a shortcut's key is brought into order, and it runs", async () => {
			await using opened = await open(kind);
			await opened.load("a", "hookline.registerShortcut({ key: 'Shift+Ctrl+G', summary: 'goes', run: ({ sessionId }) => hookline.log(`went ${sessionId}`) });");
			const [shortcut] = opened.brings().shortcuts ?? [];
			assert.equal(shortcut?.key, "ctrl+shift+g");
			await shortcut?.run(place());
			await eventually(() => opened.logged.includes("a: went s1"), "it ran");
		});

		test("what leaves does so in reverse order, also when one of it fails, and the signal comes last", async () => {
			await using opened = await open(kind);
			const loaded = await opened.load("a", "const note = (what: string) => hookline.state.set('order', `${hookline.state.get('order') ?? ''}${what} `);\nhookline.onUnload(() => note('first'));\nhookline.onUnload(() => { throw new Error('at the end'); });\nhookline.onUnload(async () => { await null; note('second'); });\nhookline.onUnload(() => note('never'))[Symbol.dispose]();\nhookline.signal.addEventListener('abort', () => note('signal'));");
			assert.equal(opened.values.get("order"), '"never "');
			await loaded.unload();
			await loaded.unload();
			await eventually(() => opened.values.get("order") === '"never second first signal "', `it ended with ${opened.values.get("order")}`);
			assert.deepEqual(opened.strays, ["a: at the end"]);
		});

		test("what leaves when the program ends does so too, and can still run and keep something", async () => {
			const opened = await open(kind);
			await opened.load("a", "hookline.onUnload(async () => { hookline.state.set('said', (await hookline.exec('echo', ['over'])).stdout); });");
			await opened[Symbol.asyncDispose]();
			assert.equal(opened.values.get("said"), '"over\\n"');
		});

		test("what takes for ever to leave is left after two seconds, and told", async () => {
			await using opened = await open(kind);
			const loaded = await opened.load("a", "hookline.onUnload(() => hookline.state.set('last', 1));\nhookline.onUnload(() => new Promise(() => {}));");
			await loaded.unload();
			await eventually(() => opened.strays.length > 0, "it was told");
			assert.deepEqual([opened.strays, opened.values.get("last")], [["a: what it does when it is unloaded was not done within 2 s"], "1"]);
		});

		test("timers it has left running end with it, and those of others go on", async () => {
			await using opened = await open(kind);
			const tick = (name: string) => `let n = 0;\nsetInterval(() => hookline.state.set(${JSON.stringify(name)}, ++n), 1);\nconst once = setTimeout(() => hookline.state.set("${name} once", true), 1);\nclearTimeout(setTimeout(() => hookline.state.set("${name} never", true), 1));\nawait new Promise((resolve) => setTimeout(resolve, 5));`;
			const first = await opened.load("a", tick("a"));
			await opened.load("b", tick("b"));
			await eventually(() => Number(opened.values.get("a")) > 3 && opened.values.has("a once"), "it ticks");
			await first.unload();
			const [a, b] = ["a", "b"].map((name) => Number(opened.values.get(name)));
			await eventually(() => Number(opened.values.get("b")) > b! + 10, "the other one ticks on");
			// What was told before it left may still have been on its way.
			assert.ok(Number(opened.values.get("a")) <= a! + 3, `it ticked on: ${a}, ${opened.values.get("a")}`);
			assert.deepEqual([opened.values.has("a never"), opened.values.has("b once")], [false, true]);
		});

		test("calls of tools are under way at the same time", async () => {
			await using opened = await open(kind);
			await opened.load("a", `const { promise, resolve } = Promise.withResolvers<string>();\n${tool("first", "() => promise")}\n${tool("second", "() => { resolve('both'); return promise; }")}`);
			assert.deepEqual(await Promise.all([textOf(opened.brings(), "first"), textOf(opened.brings(), "second")]), ["both", "both"]);
		});

		test("a factory that throws halfway has what it registered taken back", async () => {
			await using opened = await open(kind);
			await assert.rejects(opened.load("a", `hookline.onUnload(() => hookline.state.set("rolled", "back"));\nhookline.events.on("b:x", () => hookline.log("heard"));\n${tool("x", "() => ''")}\nthrow new Error("no key");`), /a\.ts:\d+: its factory threw no key\./);
			assert.equal(opened.values.get("rolled"), '"back"');
			const { brings } = await opened.load("b", tool("emit", "() => { hookline.events.emit('x'); return ''; }"));
			await runTool(brings!, "emit");
			await opened.load("c", "hookline.log('later');");
			await eventually(() => opened.logged.includes("c: later"), "what came later");
			assert.deepEqual(opened.logged, ["c: later"]);
		});
	});
}
