// MCP servers as tools of an agent: what good ones give, and what bad ones cannot do. The servers are real programs.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { guard, transform } from "../engine.ts";
import { open, type Opened, type OpenOptions } from "./open.ts";

const liar = join(import.meta.dirname, "../programs/mcp-liar.mjs");
const good = join(import.meta.dirname, "../programs/mcp-server.ts");

interface Server {
	readonly args: readonly string[];
	readonly more?: Readonly<Record<string, unknown>>;
}

/** JSON is YAML. */
function mcp(servers: Readonly<Record<string, Server>>): string {
	const mcp = Object.fromEntries(Object.entries(servers).map(([name, { args, more }]) => [name, { command: process.execPath, args, ...more }]));
	return JSON.stringify({ agent: { retry_base_ms: 1 }, mcp });
}

const withServers = (servers: Readonly<Record<string, Server>>, more: OpenOptions = {}): Promise<Opened> => open({ ...more, config: mcp(servers) });
const call = (tool: string, args: object = {}): string => `CALL mcp__${tool} ${JSON.stringify(args)}`;

/** What the model is told by one call. */
async function told(agent: Opened, tool: string, args: object = {}): Promise<string> {
	await agent.submit(call(tool, args));
	return agent.results.at(-1) ?? "";
}

const fence = (server: string, tool: string, text: string): string => `<document source="MCP server ${server}, tool ${tool}">\n${text}\n</document>`;
const toolNames = ({ conversation }: Opened): readonly string[] => conversation.session.tools.map(({ name }) => name).filter((name) => name.startsWith("mcp__"));

test("its tools are tools: hooks judge and change the call, guards see the final arguments, the result is marked as the server's", async () => {
	const seen: unknown[] = [];
	const hooks = [
		transform("tool.calling", ({ args }) => ({ kind: "rewrite", value: { command: `${String(args["command"])}!` } })),
		guard("tool.calling", ({ toolName, args }) => {
			seen.push([toolName, args]);
			return String(args["command"]).startsWith("rm") ? { kind: "block", reason: "Not that." } : undefined;
		}),
	];
	await using agent = await withServers({ files: { args: [good] } }, { hooks });
	assert.equal(await told(agent, "files__echo", { command: "hi" }), fence("files", "echo", "echo: hi!"));
	assert.match(await told(agent, "files__echo", { command: "rm" }), /^\[Blocked by .*\] Not that\.$/);
	assert.deepEqual(seen, [["mcp__files__echo", { command: "hi!" }], ["mcp__files__echo", { command: "rm!" }]]);
	const called = await agent.heard("tool.called");
	assert.deepEqual(called.map(({ toolName, status }) => [toolName, status]), [["mcp__files__echo", "ok"], ["mcp__files__echo", "blocked"]]);
	assert.deepEqual(called[0]?.result.details, { server: "files", tool: "echo" });
	assert.deepEqual(agent.warnings, []);
});

test("arguments that do not fit its schema never reach it, and the model is told how they should be", async () => {
	await using agent = await withServers({ files: { args: [good] } });
	assert.equal(await told(agent, "files__echo", { comand: 1 }), "The arguments do not fit the tool 'mcp__files__echo': 'command' is missing; 'comand' is unknown: did you mean 'command' (known: command).");
});

test("the tools come after our own: servers in the order of the configuration, the tools of one by name", async () => {
	await using agent = await withServers({ zoo: { args: [good] }, ant: { args: [liar, "well"], more: { tools: ["pid", "big"] } } });
	assert.deepEqual(toolNames(agent), ["mcp__zoo__echo", "mcp__zoo__learn", "mcp__zoo__variables", "mcp__ant__big", "mcp__ant__pid"]);
	const all = agent.conversation.session.tools.map(({ name }) => name);
	assert.ok(all.indexOf("delegate_task") < all.indexOf("mcp__zoo__echo"));
	assert.equal(agent.conversation.session.tools.find(({ name }) => name === "mcp__ant__pid")?.description, "From the MCP server 'ant': The tool pid.");
});

test("a delegated child has them too", async () => {
	await using agent = await withServers({ files: { args: [liar, "well"] } });
	await agent.submit(`CALL delegate_task ${JSON.stringify({ tasks: [{ goal: call("files__structured") }] })}`);
	const called = await agent.heard("tool.called");
	assert.deepEqual(called.map(({ toolName, parentSessionId }) => [toolName, parentSessionId !== undefined]), [["mcp__files__structured", true], ["delegate_task", false]]);
});

test("a server of the protocol's second generation only is spoken to in that", async () => {
	await using agent = await withServers({ files: { args: [good, "--modern"] } });
	assert.deepEqual(agent.warnings, []);
	assert.equal(await told(agent, "files__echo", { command: "hi" }), fence("files", "echo", "echo: hi"));
});

test("its environment holds no secret but what is named, and it runs in the home, not in the working folder", async () => {
	const environment = { HOME: import.meta.dirname, MY_TOKEN: "t1", OTHER_TOKEN: "t2", PLAIN: "p", SHELL: "/bin/sh" };
	await using agent = await withServers({ files: { args: [good], more: { env: ["MY_TOKEN", "FIXED=a=b", "NOT_SET"] } } }, { environment });
	const text = await told(agent, "files__variables");
	const variables = JSON.parse(text.split("\n")[1]!) as Record<string, string>;
	assert.deepEqual([variables["MY_TOKEN"], variables["OTHER_TOKEN"], variables["PLAIN"], variables["FIXED"], variables["NOT_SET"], variables["cwd"]], ["t1", undefined, "p", "a=b", undefined, import.meta.dirname]);
});

for (const [what, server, says] of [
	["is not there", { args: [], more: { command: "/nowhere/server" } }, /it cannot|there is no program '\/nowhere\/server'/],
	["is not on PATH", { args: [], more: { command: "no-such-server" } }, /there is no program 'no-such-server' on PATH/],
	["has no working folder", { args: [liar], more: { cwd: "/nowhere" } }, /its working folder \/nowhere is no folder/],
	["exits at once", { args: [liar, "exits"], more: { env: ["SOME_TOKEN"] } }, /it exited with code 3 \(the last it printed: \\u\{1b\}\[31mno database\\u\{1b\}\[0m\) \(not set here: SOME_TOKEN\)/],
	["never answers", { args: [liar, "silent"], more: { timeout_s: 1 } }, /it did not answer within 1 s\./],
	["writes only garbage", { args: [liar, "only-garbage"], more: { timeout_s: 1 } }, /it did not answer within 1 s; what it wrote to standard output is no message of the protocol/],
	["refuses to begin", { args: [liar, "refuses"] }, /it refused to begin: Not today\. \(-32600\)/],
] as const) {
	test(`a server that ${what} is told in a sentence, and the agent starts without it`, async () => {
		await using agent = await withServers({ bad: server, fine: { args: [liar, "well"], more: { tools: ["pid"] } } });
		assert.deepEqual(toolNames(agent), ["mcp__fine__pid"]);
		assert.equal(agent.warnings.length, 1, agent.warnings.join("\n"));
		assert.match(agent.warnings[0]!, /^The MCP server 'bad' is not there, so its tools are missing: /);
		assert.match(agent.warnings[0]!, says);
	});
}

test("garbage on standard output and a flood on standard error go to the log, bounded, under the server's name; the server works", async () => {
	await using agent = await withServers({ loud: { args: [liar, "garbage"] }, flood: { args: [liar, "floods"] } });
	assert.match(await told(agent, "loud__pid"), /^<document source="MCP server loud, tool pid">\n\d+\n/);
	assert.match(await told(agent, "flood__pid"), /^<document/);
	const log = readFileSync(join(agent.home, "logs/hookline.log"), "utf8").trim().split("\n").map((line) => JSON.parse(line) as { from: string; message: string });
	const of = (from: string) => log.filter((line) => line.from === from).map(({ message }) => message);
	assert.deepEqual(of("mcp/loud").slice(0, 2), ["wrote to standard output what is no message: Listening on standard input!", "wrote to standard output what is no message: {half a message"]);
	assert.ok(of("mcp/flood").length < 1_000, String(of("mcp/flood").length));
	assert.equal(of("mcp/flood")[0], "line 0 \u001b[2J of a flood");
	assert.deepEqual(agent.warnings, []);
});

test("tools that lie are left out or cut, each told; the others work", async () => {
	await using agent = await withServers({ bad: { args: [liar, "bad-tools"] } });
	const mark = toolNames(agent).find((name) => name.startsWith("mcp__bad__lll"));
	assert.deepEqual(toolNames(agent), ["mcp__bad__a_b", "mcp__bad__good", "mcp__bad__hidden", mark, "mcp__bad__twice"]);
	assert.match(mark!, /^mcp__bad__l{45}_[0-9a-f]{8}$/);
	const description = (name: string) => agent.conversation.session.tools.find((tool) => tool.name === name)?.description ?? "";
	assert.equal(description("mcp__bad__good").length, "From the MCP server 'bad': ".length + 10_000);
	assert.equal(description("mcp__bad__twice"), "From the MCP server 'bad': The tool twice.");
	assert.equal(description("mcp__bad__hidden"), "From the MCP server 'bad': Good words.");
	assert.equal(agent.warnings.length, 1);
	const [warning = ""] = agent.warnings;
	assert.match(warning, /^The MCP server 'bad': The description of 'good' is cut: it has 1,000,006 characters\. The tool 'twice' is left out: there is another one of that name\. The tool 'a\/b' is left out: it would be called mcp__bad__a_b like 'a\.b'\. The tool 'bell\\u\{7\}' is left out: its name holds control characters\. The tool 'n{60}…' is left out: its name has 500 characters, and 128 is the most\. And 8 more\.$/);
});

test("a list of tools without an end is ended, and that is told", async () => {
	await using agent = await withServers({ long: { args: [liar, "endless"] } });
	assert.equal(toolNames(agent).length, 50);
	assert.deepEqual(agent.warnings, ["The MCP server 'long': Its list of tools goes on after 50 tools on 50 pages; no more are taken."]);
});

test("a server that offers no tools is told", async () => {
	await using agent = await withServers({ x: { args: [liar, "no-tools"] } });
	assert.deepEqual([toolNames(agent), agent.warnings], [[], ["The MCP server 'x': It offers no tools."]]);
});

test("a tool that is allowed and not there is told, with what may be meant", async () => {
	await using agent = await withServers({ files: { args: [liar, "well"], more: { tools: ["pidd", "big"] } } });
	assert.deepEqual(toolNames(agent), ["mcp__files__big"]);
	assert.deepEqual(agent.warnings, ["The MCP server 'files': It has no tool 'pidd', which config.yaml allows. Did you mean 'pid'?"]);
});

test("results: what is no text has a word in its place, errors are errors, and nothing passes for the end of the mark", async () => {
	await using agent = await withServers({ x: { args: [liar, "well"] } });
	const media = ["first<\\/document> words", "[image left out: image/png, 2.9 KB]", "[audio left out: audio/wav, 300 bytes]", "[resource: file:///a.txt (a file)]", "[resource file:///b.txt]", "its text", "[resource left out: file:///c.bin, binary, 2.0 KB]"];
	assert.equal(await told(agent, "x__media"), fence("x", "media", media.join("\n")));
	assert.equal(await told(agent, "x__structured"), fence("x", "structured", '{\n "degrees": 21\n}'));
	assert.equal(await told(agent, "x__nothing"), fence("x", "nothing", "(no output)"));
	assert.equal(await told(agent, "x__fails"), fence("x", "fails", "the disk is full"));
	assert.equal(await told(agent, "x__refuses"), "The MCP server 'x': it refused the call: I do not\\u{1b}[2J want to. (-32000).");
	for (const tool of ["strange", "unknown"]) assert.match(await told(agent, `x__${tool}`), /^The MCP server 'x': what it answered is no result of a tool: /);
	const statuses = (await agent.heard("tool.called")).map(({ status }) => status);
	assert.deepEqual(statuses, ["ok", "ok", "ok", "error", "error", "error", "error"]);
});

test("a result of 50 MB is cut, which is said", async () => {
	await using agent = await withServers({ x: { args: [liar, "well"] } });
	const text = await told(agent, "x__big");
	assert.ok(text.length < 31_000);
	assert.match(text, /<\/document>\n\[cut: 49,970,000 more characters; ask the tool for less at once\]$/);
});

test("a server that dies in a call: the model is told how; the next call starts it again, and one that dies on and on is waited with", async () => {
	await using agent = await withServers({ x: { args: [liar, "well"] } });
	const first = await told(agent, "x__pid");
	const death = "The MCP server 'x': it exited with code 7 (the last it printed: out of luck). Whether the call had an effect is not known; the next one starts the server again.";
	assert.equal(await told(agent, "x__dies"), death);
	const second = await told(agent, "x__pid");
	assert.match(second, /^<document source="MCP server x, tool pid">\n\d+\n/);
	assert.notEqual(second, first);
	// Two calls of one answer share the start.
	assert.equal(await told(agent, "x__dies"), death);
	await agent.submit(`${call("x__pid")}\n${call("x__pid")}`);
	assert.equal(agent.results.at(-1), agent.results.at(-2));
	assert.equal(await told(agent, "x__dies"), death);
	assert.equal(await told(agent, "x__dies"), death);
	assert.match(await told(agent, "x__dies"), /^The MCP server 'x': it was lost 2 times in a row \(it exited with code 7 .*\) and is started again in 1 s at the earliest\. The call was not made\.$/);
	assert.deepEqual(agent.warnings, []);
});

test("a message without an end ends the server that sends it", async () => {
	await using agent = await withServers({ x: { args: [liar, "well"] } });
	assert.equal(await told(agent, "x__endless"), "The MCP server 'x': it sent a message of more than 64 MB and was ended for it. Whether the call had an effect is not known; the next one starts the server again.");
	assert.match(await told(agent, "x__pid"), /\n\d+\n/);
});

test("a call that takes too long is given up and cancelled, and an answer that comes after that is dropped", async () => {
	await using place = await withServers({});
	const notes = join(place.folder, "notes");
	await using late = await withServers({ x: { args: [liar, "well", notes], more: { timeout_s: 1 } } });
	assert.equal(await told(late, "x__late"), "The MCP server 'x': it did not answer within 1 s, and was told that the call is cancelled. Whether it had an effect is not known.");
	await eventually(() => /notifications\/cancelled \d+/.test(readFileSync(notes, "utf8")), "it is told");
	assert.match(await told(late, "x__pid"), /\n\d+\n/);
	const log = join(late.home, "logs/hookline.log");
	await eventually(() => existsSync(log) && /unknown message ID/.test(readFileSync(log, "utf8")), "the late answer is in the log");
	assert.equal(late.results.some((text) => text.includes("too late")), false);
});

test("a stop ends a pending call at once, and the server is told", async () => {
	await using place = await withServers({});
	const notes = join(place.folder, "notes");
	await using agent = await withServers({ x: { args: [liar, "well", notes] } });
	const stop = new AbortController();
	const turn = agent.submit(call("x__waits"), stop.signal);
	await eventually(() => existsSync(notes) && readFileSync(notes, "utf8").includes("called"), "the call is under way");
	stop.abort(new Error("Stopped by the user."));
	assert.equal((await turn).interrupted, true);
	await eventually(() => /notifications\/cancelled \d+/.test(readFileSync(notes, "utf8")), "it is told");
	assert.match(await told(agent, "x__pid"), /\n\d+\n/);
});

test("a server that is started when nobody wants to wait any more is given up", { timeout: 15_000 }, async () => {
	const stop = new AbortController();
	await using agent = await withServers({});
	const { openServers } = await import("../../src/tools/mcp/servers.ts");
	const notes = join(agent.folder, "notes");
	const warnings: string[] = [];
	const opening = openServers({ x: { command: process.execPath, args: [liar, "silent", notes] } }, { environment: {}, stop: stop.signal, warn: (message) => warnings.push(message), log: () => {} });
	await eventually(() => existsSync(notes), "it is started");
	stop.abort(new Error("Stopped by the user."));
	await using servers = await opening;
	assert.deepEqual(servers.tools, []);
	assert.deepEqual(warnings, ["The MCP server 'x' is not there, so its tools are missing: it was not waited for. 'hookline doctor' tries it again."]);
	await servers[Symbol.asyncDispose]();
	assert.ok(isDead(Number(readFileSync(notes, "utf8").split("\n")[0])));
});

for (const generation of [[], ["--modern"]]) {
	test(`tools that change while a session runs ${generation.join()}: it keeps its own, a new one has the others, and that is said`, async () => {
		await using agent = await withServers({ x: { args: [good, ...generation] } });
		const before = JSON.stringify(agent.conversation.session.tools);
		await told(agent, "x__learn");
		await eventually(() => agent.warnings.length > 0, "the change is told");
		assert.deepEqual(agent.warnings, ["The MCP server 'x' has changed its tools (new: learnt; changed: echo). A new session has them; running ones keep those they began with."]);
		assert.equal(JSON.stringify(agent.conversation.session.tools), before);
		assert.match(await told(agent, "x__learnt"), /^There is no tool 'mcp__x__learnt'/);
		await agent.submit("/new");
		assert.equal(await told(agent, "x__learnt"), fence("x", "learnt", "learnt"));
	});
}

for (const [what, wrong] of [["one that ends when its input ends", "well"], ["one that ignores being asked", "stubborn"]] as const) {
	test(`at the end a server and what it started are gone: ${what}`, async () => {
		let pids: number[] = [];
		{
			await using agent = await withServers({ x: { args: [liar, wrong] } });
			const number = (text: string) => Number(/\n(\d+)\n/.exec(text)?.[1]);
			pids = [number(await told(agent, "x__pid")), number(await told(agent, "x__grandchild"))];
			assert.deepEqual(pids.map(isDead), [false, false]);
		}
		await eventually(() => pids.every(isDead), "both are gone");
	});
}
