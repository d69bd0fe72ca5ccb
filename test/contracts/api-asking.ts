// What an extension reaches for through its API: the agent, other extensions, the person, programs, and hooks by other names.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { AgentRequests, Asker } from "../../src/events/requests.ts";
import { noUi, type Ui } from "../../src/events/ui.ts";
import { askingDepth, atAskingDepth } from "../../src/system/asking-depth.ts";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { commandOf, engineWith, inWords, toolCall, toolCalled } from "../engine.ts";
import { open, runTool, textOf, tool } from "./opened.ts";

/** An agent that says what it was asked, and by whom. */
function recordingAgent(asked: string[]): AgentRequests {
	const note = (what: string, { extension, sessionId }: Asker, ...more: unknown[]) => void asked.push([what, extension, sessionId ?? "-", ...more.map((one) => JSON.stringify(one))].join(" "));
	return {
		async callTool(from, name, args) {
			note("callTool", from, name, args);
			if (name === "never") await new Promise((_, reject) => from.signal?.addEventListener("abort", () => (asked.push("stopped"), reject(new Error("it was stopped")))));
			if (name === "broken") throw new Error("there is no tool 'broken'");
			return { text: `${name} ran`, isError: false };
		},
		say: async (from, text) => (note("say", from, text), "queued"),
		complete: async (from, request) => (note("complete", from, request), { text: "Because.", model: "rehearsal", usage: { outputTokens: 1 } }),
		converse: async (from, request) => (note("converse", from, request), { sessionId: "s2", text: "Done.", completed: true, interrupted: false, messages: [], steps: 1 }),
		model: async (from) => (note("model", from), { name: "a:b", provider: "a", model: "b" }),
		tools: async (from) => (note("tools", from), { all: ["terminal", "patch"], active: ["patch"] }),
		setActiveTools: async (from, names) => note("setActiveTools", from, names),
	};
}

export function apiAskingContract(kind: "inline" | "node"): void {
	describe(`what the API reaches in the ${kind} host`, () => {
		test("what it asks of the agent belongs to the session of the call it asks in", async () => {
			const asked: string[] = [];
			await using opened = await open(kind, { agent: recordingAgent(asked) });
			const { definitions, brings } = await opened.load("a", [
				"hooks.transform('tool.calling', async (call) => { await null; const { text } = await hookline.callTool('read_file', { path: 'a' }); return rewrite({ command: text }); });",
				tool("all", "async () => JSON.stringify([await hookline.sendMessage('hi'), (await hookline.complete({ messages: [{ role: 'user', text: 'Why?' }] })).text, (await hookline.converse({ text: 'Go' }, { sessionId: 'other' })).text, (await hookline.model()).name, await hookline.getActiveTools(), await hookline.getAllTools(), await hookline.setActiveTools(['patch']) ?? null])"),
				"await hookline.model();",
			].join("\n"));
			assert.equal(commandOf(await engineWith(definitions).dispatch("tool.calling", toolCall({ command: "ls" }, { sessionId: "s7" }))), "read_file ran");
			assert.equal(await textOf(brings!, "all"), '["queued","Because.","Done.","a:b",["patch"],["terminal","patch"],null]');
			assert.deepEqual(asked, [
				"model a -",
				'callTool a s7 "read_file" {"path":"a"}',
				'say a s1 "hi"',
				'complete a s1 {"messages":[{"role":"user","text":"Why?"}]}',
				'converse a other {"text":"Go"}',
				"model a s1",
				"tools a s1",
				"tools a s1",
				'setActiveTools a s1 ["patch"]',
			]);
		});

		test("what cannot be asked is said in words: no agent, wrong arguments, the agent's own no", async () => {
			await using without = await open(kind);
			await without.load("a", tool("ask", "() => hookline.callTool('x', {}) as never"));
			await assert.rejects(runTool(without.brings(), "ask"), /there is no agent here to ask/);
			await using opened = await open(kind, { agent: recordingAgent([]) });
			await opened.load("a", [tool("wrong", "() => hookline.callTool(5 as never, {}).catch((error) => error.message) as never"), tool("date", "() => hookline.callTool('x', { at: new Date() }) as never"), tool("broken", "() => hookline.callTool('broken', {}) as never")].join("\n"));
			assert.match(await textOf(opened.brings(), "wrong"), /^'tool' of callTool is not what it takes/);
			await assert.rejects(runTool(opened.brings(), "date"), /callTool\.args\.at is an instance of Date/);
			await assert.rejects(runTool(opened.brings(), "broken"), /there is no tool 'broken'/);
		});

		test("what was asked ends with its signal, and with the extension", async () => {
			const asked: string[] = [];
			await using opened = await open(kind, { agent: recordingAgent(asked) });
			const loaded = await opened.load("a", `${tool("stops", "async () => { const stop = new AbortController(); const asking = hookline.callTool('never', {}, { signal: stop.signal }); setImmediate(() => stop.abort(new Error('enough'))); return asking.then(() => 'done', (error) => error.message); }")}\nvoid hookline.callTool("never", {}).catch(() => {});`);
			assert.match(await textOf(opened.brings(), "stops"), /enough|it was stopped/);
			await eventually(() => asked.filter((one) => one === "stopped").length === 1, "the agent was told to stop");
			await loaded.unload();
			await eventually(() => asked.filter((one) => one === "stopped").length === 2, "the other one ended as well");
		});

		test("how deep requests of extensions lie inside of each other is known, across hooks, tools and awaits", async () => {
			const depths: number[] = [];
			const agent = {
				...recordingAgent([]),
				callTool: async (from: Asker) => {
					depths.push(askingDepth());
					if (depths.length > 3) return { text: "deep", isError: false };
					return atAskingDepth(askingDepth() + 1, async () => {
						const outcome = await engineWith(definitions).dispatch("tool.calling", toolCall({}, { sessionId: from.sessionId! }));
						return runTool(opened.brings(), "again", {}, { sessionId: inWords(outcome) });
					});
				},
			};
			await using opened = await open(kind, { agent });
			const { definitions } = await opened.load("a", `hooks.guard("tool.calling", async () => { await null; await hookline.model(); });\n${tool("again", "async () => { await null; return (await hookline.callTool('again', {})).text; }")}`);
			assert.equal(await textOf(opened.brings(), "again"), "deep");
			assert.deepEqual(depths, [0, 1, 2, 3]);
		});

		test("extensions hear each other, each a copy of its own, and none harms another", async () => {
			await using opened = await open(kind);
			await opened.load("b", "hookline.events.on('a:done', (payload: any, { event, from }) => { payload.n++; hookline.log(`${event} from ${from}: ${JSON.stringify(payload)}`); });");
			await opened.load("c", "const heard = hookline.events.on('a:done', async () => { await null; throw new Error('not me'); });\nhookline.events.on('a:off', () => heard[Symbol.dispose]());");
			await opened.load("d", "hookline.events.on('a:done', (payload) => hookline.log(JSON.stringify(payload)));");
			await opened.load("a", tool("emit", "({ name, payload }: any) => { hookline.events.emit(name, payload); return ''; }"));
			await runTool(opened.brings(), "emit", { name: "done", payload: { n: 1 } });
			await eventually(() => opened.logged.length === 2 && opened.strays.length === 1, "all heard it");
			assert.deepEqual(opened.logged.toSorted(), ['b: a:done from a: {"n":2}', 'd: {"n":1}']);
			assert.deepEqual(opened.strays, ["c: its handler of 'a:done' failed: not me"]);
			await runTool(opened.brings(), "emit", { name: "off" });
			await runTool(opened.brings(), "emit", { name: "done", payload: { n: 5 } });
			await eventually(() => opened.logged.length === 4, "it was heard again");
			assert.equal(opened.strays.length, 1, "who takes its handler back hears nothing more");
		});

		test("handlers that answer each other are stopped, a slow one keeps 64 waiting, and what cannot be emitted is refused", async () => {
			await using opened = await open(kind);
			await opened.load("b", "hookline.events.on('a:ping', () => hookline.events.emit('pong'));\nhookline.events.on('a:many', () => new Promise((resolve) => { hookline.signal.addEventListener('abort', resolve); }));");
			await opened.load("a", `let n = 0;\nhookline.events.on("b:pong", () => { n++; hookline.events.emit("ping"); });\n${tool("n", "() => String(n)")}\n${tool("emit", "({ name, payload, times = 1 }: any) => { for (let i = 0; i < times; i++) hookline.events.emit(name, payload); return ''; }")}\n${tool("date", "() => { hookline.events.emit('x', new Date()); return ''; }")}`);
			await runTool(opened.brings(), "emit", { name: "ping" });
			await eventually(() => opened.strays.length === 1, "the circle was broken");
			assert.match(opened.strays[0]!, /8 emissions have caused each other, so this one is not made/);
			assert.equal(await textOf(opened.brings(), "n"), "4");
			await runTool(opened.brings(), "emit", { name: "many", times: 70 });
			await eventually(() => opened.logged.some((line) => /^b: 64 emissions of 'a:many' wait for its handler; \d+ more were dropped$/.test(line)), "the drop was logged");
			await assert.rejects(runTool(opened.brings(), "emit", { name: "big", payload: "x".repeat(300 * 1024) }), /the payload has 301 KB, and 256 KB is the most/);
			await assert.rejects(runTool(opened.brings(), "date"), /the payload is an instance of Date/);
			await assert.rejects(runTool(opened.brings(), "emit", { name: "a:b" }), /'name' of emit is not what it takes/);
			await assert.rejects(runTool(opened.brings(), "emit", { name: "x", times: 1_001 }), /more than 1,000 emissions within a second/);
		});

		test("it shows itself and asks through the surface, and what it shows leaves with it", async () => {
			const shown: string[] = [];
			const ui: Ui = {
				can: (part) => part !== "widget",
				notify: (text, of) => void shown.push(`notify ${of} ${text}`),
				select: async (title, options) => `${title} ${options.at(-1)}`,
				confirm: async (title, text) => title === "Sure?" && text === "Really.",
				input: async (title, placeholder) => `${title} ${placeholder}`,
				status: (key, text) => void shown.push(`status ${key} ${text}`),
				widget: (key, lines, where) => void shown.push(`widget ${key} ${lines} ${where}`),
			};
			await using opened = await open(kind, { uiOf: () => ui });
			const loaded = await opened.load("a", tool("show", "async () => { const { ui } = hookline; ui.notify('hi'); ui.status('s', 'on'); ui.widget('w', ['1', '2']); return JSON.stringify([ui.can('status'), ui.can('widget'), await ui.select('Which?', ['a', 'b']), await ui.confirm('Sure?', 'Really.'), await ui.input('Name?', 'you')]); }"));
			assert.equal(await textOf(opened.brings(), "show"), '[true,false,"Which? b",true,"Name? you"]');
			await loaded.unload();
			await eventually(() => shown.length === 5, `it left: ${shown.join(", ")}`);
			assert.deepEqual(shown, ["notify info hi", "status s on", "widget w 1,2 above", "widget w undefined above", "status s undefined"]);
		});

		test("what a newer version shows stays when the one before it leaves", async () => {
			const shown = new Map<string, string | undefined>();
			const ui: Ui = { ...noUi, status: (key, text) => void (text === undefined ? shown.delete(key) : shown.set(key, text)), widget: (key, lines) => void (lines === undefined ? shown.delete(key) : shown.set(key, lines.join())) };
			await using opened = await open(kind, { uiOf: () => ui });
			const before = await opened.load("a", "hookline.ui.status('both', 'one'); hookline.ui.status('only', 'one'); hookline.ui.widget('both too', ['one']);");
			const now = await opened.load("a", "hookline.ui.status('both', 'two'); hookline.ui.widget('both too', ['two']);");
			await eventually(() => shown.get("both too") === "two", "the newer one shows itself");
			await before.unload();
			await eventually(() => !shown.has("only"), "what only the older one showed is gone");
			assert.deepEqual([...shown], [["both", "two"], ["both too", "two"]]);
			await now.unload();
			await eventually(() => shown.size === 0, "nothing is left");
		});

		test("what the surface can is known when it changes, and nobody is there without one", async () => {
			let there = false;
			const nobody: Ui = { can: () => there, notify: () => {}, select: async () => undefined, confirm: async () => false, input: async () => undefined, status: () => {}, widget: () => {} };
			await using opened = await open(kind, { uiOf: () => nobody });
			await opened.load("a", tool("can", "() => String(hookline.ui.can('select'))"));
			assert.equal(await textOf(opened.brings(), "can"), "false");
			there = true;
			assert.equal(await textOf(opened.brings(), "can"), "true");
			await using without = await open(kind);
			await without.load("a", tool("ask", "async () => String([hookline.ui.can('select'), await hookline.ui.select('Which?', ['a']), await hookline.ui.confirm('a', 'b')])"));
			assert.equal(await textOf(without.brings(), "ask"), "false,,false");
		});

		test("a program runs without a shell, in the agent's folder, without secrets, and ends with its time, its signal and its extension", async () => {
			process.env["HOOKLINE_TEST_API_KEY"] = "secret";
			process.env["HOOKLINE_TEST_WORD"] = "word";
			await using opened = await open(kind);
			const loaded = await opened.load("a", `${tool("exec", "async ({ command, args, options }: any) => JSON.stringify(await hookline.exec(command, args, options))")}\nvoid hookline.exec("sh", ["-c", "echo $$ > pid; sleep 600"]).catch(() => {});`);
			const exec = async (command: string, args: readonly string[], options: object = {}) => JSON.parse(await textOf(opened.brings(), "exec", { command, args, options })) as unknown;
			assert.deepEqual(await exec("sh", ["-c", "pwd; echo \"$X-$HOOKLINE_TEST_API_KEY-$HOOKLINE_TEST_WORD\" >&2; cat; exit 3"], { env: { X: "y" }, input: "in" }), { exitCode: 3, signal: null, stdout: `${opened.path}\nin`, stderr: kind === "inline" ? "y--word\n" : "y--\n" });
			assert.deepEqual(await exec("echo", ["$HOME; rm *"]), { exitCode: 0, signal: null, stdout: "$HOME; rm *\n", stderr: "" });
			assert.match(((await exec("sh", ["-c", "yes | head -c 100000"], { maxBytes: 1000 })) as { stdout: string }).stdout, /bytes of output dropped here/);
			await assert.rejects(exec("not-a-program", []), /'not-a-program' could not be started/);
			await assert.rejects(exec("true", [], { cwd: "/not/there" }), /'true' was not started: there is no folder '\/not\/there'\./);
			await assert.rejects(exec("sleep", ["600"], { timeoutMs: 50 }), /'sleep' was still running after 50 ms and was ended\./);
			await assert.rejects(exec("true", [], { timeoutMs: "soon" }), /'timeoutMs' of exec is not what it takes/);
			const pid = async () => Number(await readFile(join(opened.path, "pid"), "utf8").catch(() => ""));
			await eventually(async () => (await pid()) > 0, "the program runs");
			await loaded.unload();
			await eventually(async () => isDead(await pid()), "the program ended with its extension");
		});

		test("hooks by their kebab-case names get their contexts, run at the same time, and count by priority", async () => {
			await using opened = await open(kind);
			const { definitions } = await opened.load("a", [
				"let began = 0;",
				"const { promise, resolve } = Promise.withResolvers<void>();",
				"const both = () => (++began === 2 && resolve(), promise);",
				"hookline.registerHook({ event: 'before-tool-call', priority: 20, handler: async ({ args }) => { await both(); return rewrite({ ...args, second: args.first ?? 'unseen' }); } });",
				"hookline.registerHook({ event: 'before-tool-call', priority: 10, handler: async ({ args, toolName, runId }) => { await both(); return args.command === 'rm' ? block(`no rm of ${toolName} in ${runId}`) : rewrite({ ...args, first: true }); } });",
				"hookline.registerHook({ event: 'after-tool-call', handler: ({ result, toolName }) => hookline.log(`${toolName}: ${result?.text}`) });",
				"hookline.registerHook({ event: 'message-sent', handler: (context) => hookline.log(JSON.stringify(context)) });",
			].join("\n"));
			assert.deepEqual(definitions.map(({ event, stage, source, options }) => `${stage} ${event} ${source.line} ${options.priority ?? "-"}`), ["transform tool.calling 6 20", "transform tool.calling 7 10", "observe tool.called 8 -", "observe message.sent 9 -"]);
			const engine = engineWith(definitions);
			const outcome = await engine.dispatch("tool.calling", toolCall({ command: "ls" }));
			assert.ok(outcome.kind === "go", inWords(outcome));
			assert.deepEqual(outcome.payload.args, { command: "ls", first: true, second: "unseen" });
			assert.equal(inWords(await engine.dispatch("tool.calling", toolCall({ command: "rm" }))), "blocked by a#2 (decision): no rm of terminal in t1");
			engine.tell("tool.called", toolCalled());
			engine.tell("message.sent", { eventId: "e", at: 0, surface: "test", cwd: "/", profile: "default", sessionId: "s1", text: "Done.", purpose: "answer" });
			await engine.idle();
			await eventually(() => opened.logged.length === 2, "both were told");
			assert.deepEqual(opened.logged, ["a: terminal: done", 'a: {"sessionKey":"s1","channel":"test","senderId":"","direction":"sent","text":"Done."}']);
		});
	});
}
