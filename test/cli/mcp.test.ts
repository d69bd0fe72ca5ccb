// MCP servers through the real program: what a person sees of them, what the trace shows, addresses, and the ends of processes.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { Check } from "../../src/cli/doctor/check.ts";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { startMcpServer } from "../programs/mcp-server.ts";
import { startWebServer } from "../programs/web-server.ts";
import { extension, Place } from "./program.ts";

const liar = join(import.meta.dirname, "../programs/mcp-liar.mjs");
let place: Place;
beforeEach(() => void (place = new Place()));
afterEach(() => place[Symbol.asyncDispose]());

/** JSON is YAML. */
const configure = (mcp: Readonly<Record<string, object>>): string => place.config(JSON.stringify({ mcp }));
const program = (...args: readonly string[]): { readonly command: string; readonly args: readonly string[] } => ({ command: process.execPath, args: [liar, ...args] });

test("a tool of a server is called, blocked by a guard, and both are in the trace", async () => {
	configure({ files: program("well") });
	place.extension("gate.ts", extension(`	hooks.guard("tool.calling", { name: "careful", tool: "mcp__files__*" }, (call) => call.args.path === "/etc" ? block("Not there.") : undefined);`));
	const { code, stdout, stderr } = await place.run(["run", 'SEQ\nCALL mcp__files__pid {"path":"here"}\nCALL mcp__files__pid {"path":"/etc"}']);
	assert.deepEqual([code, stdout], [0, "DONE\n"], stderr);
	const records = await place.trace("--event", "tool.calling");
	assert.deepEqual(records.map(({ outcome, by }) => [outcome, by]).sort(), [["blocked", "gate/careful"], ["go", undefined]].sort());
	assert.match((await place.run(["hooks", "trace"])).stdout, /mcp__files__pid/);
});

test("a server that is required and does not start stops the start with a sentence; one that is not is warned of", async () => {
	configure({ db: { ...program("exits"), required: true }, other: program("well") });
	const refused = await place.run(["run", "SAY hi"]);
	assert.deepEqual([refused.code, refused.stdout], [1, ""]);
	assert.equal(refused.stderr, "hookline: The MCP server 'db' is required and not there, so nothing starts: it exited with code 3 (the last it printed: \\u{1b}[31mno database\\u{1b}[0m).\n");
	configure({ db: program("exits") });
	const warned = await place.run(["run", "SAY hi"]);
	assert.deepEqual([warned.code, warned.stdout], [0, "hi\n"]);
	assert.equal(warned.stderr, "hookline: The MCP server 'db' is not there, so its tools are missing: it exited with code 3 (the last it printed: \\u{1b}[31mno database\\u{1b}[0m). 'hookline doctor' tries it again.\n");
	assert.match((await place.run(["logs"])).stdout, /mcp\/db {2}\\u\{1b\}\[31mno database/);
});

test("only what has an agent starts servers, and one that is not enabled is not started", async () => {
	const notes = join(place.folder, "notes");
	configure({ files: program("well", notes) });
	await place.run(["hooks", "list"]);
	await place.run(["sessions"]);
	assert.ok(!existsSync(notes));
	await place.run(["run", "SAY hi"]);
	assert.ok(existsSync(notes));
	const off = join(place.folder, "off");
	configure({ files: { ...program("exits", off), enabled: false } });
	assert.deepEqual((await place.run(["run", "TOOLS"])).stderr, "");
	assert.ok(!existsSync(off));
});

test("the library behind servers is loaded only when there is one", async () => {
	const hook = 'import { registerHooks } from "node:module"; registerHooks({ load: (url, context, next) => { if (url.includes("@modelcontextprotocol")) console.error("LOADED"); return next(url, context); } });';
	const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(hook)}"` };
	place.config("agent: {max_steps: 9}\n");
	assert.deepEqual((await place.run(["run", "SAY hi"], { env })).stderr, "");
	configure({ off: { ...program("well"), enabled: false } });
	assert.deepEqual((await place.run(["run", "SAY hi"], { env })).stderr, "");
	configure({ files: program("well") });
	assert.match((await place.run(["run", "SAY hi"], { env })).stderr, /LOADED/);
});

test("a project's own .mcp.json is never read", async () => {
	const marker = join(place.folder, "marker");
	writeFileSync(join(place.work, ".mcp.json"), JSON.stringify({ mcpServers: { trap: program("well", marker) } }));
	configure({ files: program("well") });
	const { stdout } = await place.run(["run", "TOOLS"]);
	assert.match(stdout, /mcp__files__pid/);
	assert.doesNotMatch(stdout, /trap/);
	assert.ok(!existsSync(marker));
});

test("the tools come back when a session is taken up in another process", async () => {
	configure({ files: program("well") });
	await place.run(["run", "SAY hi"]);
	const { code, stderr } = await place.run(["run", "--continue", "CALL mcp__files__structured {}"]);
	assert.deepEqual([code, stderr], [0, ""]);
});

test("nothing of a server lives on when the agent is killed", { skip: existsSync("/usr/bin/setpriv") ? false : "without setpriv the system cannot be told" }, async () => {
	const notes = join(place.folder, "notes");
	configure({ files: program("stubborn", notes) });
	const running = place.start(["run", "CALL mcp__files__waits {}"]);
	await eventually(() => existsSync(notes) && readFileSync(notes, "utf8").includes("called"), "the call is under way");
	running.signal("SIGKILL");
	await running.ended;
	const pid = Number(readFileSync(notes, "utf8").split("\n")[0]);
	await eventually(() => isDead(pid), "the server is gone");
});

test("Ctrl-C ends a call that is under way, and the server with it", async () => {
	const notes = join(place.folder, "notes");
	configure({ files: program("well", notes) });
	const running = place.start(["run", "CALL mcp__files__waits {}"]);
	await eventually(() => existsSync(notes) && readFileSync(notes, "utf8").includes("called"), "the call is under way");
	running.signal("SIGINT");
	assert.equal((await running.ended).code, 130);
	const [pid] = readFileSync(notes, "utf8").split("\n");
	assert.ok(isDead(Number(pid)));
});

test("Ctrl-C while a server does not come up ends the wait", async () => {
	const notes = join(place.folder, "notes");
	configure({ files: program("silent", notes) });
	const running = place.start(["run", "SAY hi"]);
	await eventually(() => existsSync(notes), "the server is started");
	running.signal("SIGINT");
	const { code, stdout, stderr } = await running.ended;
	assert.deepEqual([code, stdout], [130, ""]);
	assert.match(stderr, /it was not waited for/);
	assert.ok(isDead(Number(readFileSync(notes, "utf8").split("\n")[0])));
});

test("a server at an address: the token of the environment opens it, and its tools work", async () => {
	await using server = await startMcpServer("sesame");
	configure({ web: { url: server.url, token_env: "WEB_TOKEN", headers: { "x-team": "birds" } } });
	const env = { WEB_TOKEN: "sesame" };
	const { code, stderr } = await place.run(["run", 'CALL mcp__web__echo {"command":"hi"}'], { env });
	assert.deepEqual([code, stderr], [0, ""]);
	assert.match((await place.run(["sessions", "show", "latest"])).stdout, /echo: hi/);
	assert.ok(server.tokens.length > 0 && server.tokens.every((token) => token === "Bearer sesame"));
	const without = await place.run(["run", "SAY hi"]);
	assert.match(without.stderr, /^hookline: The MCP server 'web' is not there, .*: it refused access \(401\): it wants a token, or another one, which token_env names \(not set here: WEB_TOKEN\)\. /);
});

test("addresses that are wrong: each failure has its sentence, and a token goes to no other host", async () => {
	const closed = await startWebServer();
	await closed[Symbol.asyncDispose]();
	await using other = await startWebServer({ "/mcp": (response) => response.writeHead(200, { "content-type": "application/json" }).end("{}") });
	await using server = await startWebServer({
		"/html": (response) => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<h1>Log in</h1>"),
		"/away": (response) => response.writeHead(307, { location: `${other.origin}/mcp` }).end(),
		"/broken": (response) => response.writeHead(200, { "content-type": "application/json" }).end("{nope"),
		"/strange": (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"hello":"there"}'),
		"/flood": (response) => response.writeHead(200, { "content-type": "application/json" }).end(Buffer.alloc(65 * 1024 ** 2, " ")),
		"/error": (response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>"),
	});
	const at = (url: string) => ({ url, token_env: "WEB_TOKEN", timeout_s: 5 });
	const urls = { html: `${server.origin}/html`, away: `${server.origin}/away`, broken: `${server.origin}/broken`, strange: `${server.origin}/strange`, flood: `${server.origin}/flood`, error: `${server.origin}/error`, gone: `${server.origin}/gone`, refused: `${closed.origin}/mcp` };
	configure(Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, at(url)])));
	const { code, stdout, stderr } = await place.run(["run", "SAY hi"], { env: { WEB_TOKEN: "sesame-sesame" } });
	assert.deepEqual([code, stdout], [0, "hi\n"]);
	const why = Object.fromEntries([...stderr.matchAll(/The MCP server '(\w+)' is not there, so its tools are missing: (.*?)\. 'hookline doctor'/g)].map(([, name, words]) => [name, words]));
	assert.deepEqual(why, {
		html: "it answered with text/html; charset=utf-8, which is no MCP: a proxy, or a page to log in?",
		away: `it answered 307: Redirect to ${other.origin}/mcp not followed`,
		broken: "what it answered is no message of the protocol",
		strange: "what it answered is no message of the protocol",
		flood: "it answered with more than 64 MB",
		error: "it answered 502",
		gone: "there is nothing of it at this address (404)",
		refused: `it cannot be reached (connect ECONNREFUSED ${closed.host})`,
	});
	assert.equal(other.requests.length, 0);
	assert.doesNotMatch(stderr, /sesame/);
});

test("doctor tries each server: how many tools it has, or exactly why it is not there", async () => {
	configure({ fine: program("well"), poor: program("endless"), bad: program("exits"), must: { ...program("exits"), required: true }, off: { ...program("exits"), enabled: false } });
	const { code, stdout } = await place.run(["doctor", "--json"]);
	assert.equal(code, 1);
	const found = Object.fromEntries((JSON.parse(stdout) as Check[]).filter(({ name }) => name.startsWith("mcp ")).map(({ name, state, message }) => [name.slice(4), `${state}: ${message.replace(/\d+ ms/, "N ms")}`]));
	const died = "it exited with code 3 (the last it printed: \\u{1b}[31mno database\\u{1b}[0m).";
	assert.deepEqual(found, {
		fine: "ok: It answers, in N ms: 14 tools.",
		poor: "warning: It answers, in N ms: 50 tools. Its list of tools goes on after 50 tools on 50 pages; no more are taken.",
		bad: `problem: It is not there: ${died}`,
		must: `problem: It is required and not there, so nothing starts: ${died}`,
		off: "ok: Not started: config.yaml says enabled: false.",
	});
});

const wrong: readonly (readonly [what: string, yaml: string, says: string])[] = [
	["both ways", "  x: {command: a, url: 'http://a'}", "2:3: 'mcp.x' has both 'command' and 'url': a server is either started or reached, so take one of them out."],
	["no way", "  x: {timeout_s: 5}", "2:3: 'mcp.x' has neither 'command' (a program to start) nor 'url' (an address): give it one of them."],
	["an odd name", "  my server: {command: a}", "2:3: 'mcp.my server' is no name for a server: take letters, digits, - and single _ between them, 32 characters at most."],
	["a name with a double underscore", "  a__b: {command: a}", "2:3: 'mcp.a__b' is no name for a server: take letters, digits, - and single _ between them, 32 characters at most."],
	["a setting of the other way", "  x: {command: a, token_env: T}", "2:19: 'mcp.x.token_env' has no effect on a server that is started by a command."],
	["an argument for an address", "  x: {url: 'http://a', args: [b]}", "2:24: 'mcp.x.args' has no effect on a server that is reached at an address."],
	["a program of the working folder", "  x: {command: ./server}", "2:7: 'mcp.x.command' must be a name that is found on PATH or an absolute path: from a relative one, what runs would depend on the folder you are in."],
	["a relative folder", "  x: {command: a, cwd: b}", "2:19: 'mcp.x.cwd' must be an absolute path, or one from `~` on."],
	["no address", "  x: {url: 'file:///a'}", "2:7: 'mcp.x.url' must be an address that begins with http:// or https://."],
	["a password in the address", "  x: {url: 'https://a:b@c/'}", "2:7: 'mcp.x.url' holds a user name or a password, which would be shown in messages: use token_env."],
	["no header", "  x: {url: 'http://a', headers: {'a b': c}}", "2:24: 'mcp.x.headers' holds 'a b', which cannot be the name of a header."],
	["required and off", "  x: {command: a, required: true, enabled: false}", "2:3: 'mcp.x' says both 'required: true' and 'enabled: false': take one of them out."],
	["an unknown setting", "  x: {command: a, argz: [b]}", "2:19: 'mcp.x.argz' is unknown: did you mean 'args' (known: command, args, env, cwd, url, headers, token_env, enabled, required, timeout_s, tools)."],
	["no list", "  - x", "1:1: 'mcp' must be object, and is an array."],
];
for (const [what, yaml, says] of wrong) {
	test(`a mistake in the configuration has its line and column: ${what}`, async () => {
		const file = place.config(`mcp:\n${yaml}\n`);
		const { code, stderr } = await place.run(["run", "SAY hi"]);
		assert.equal(stderr, `hookline: ${file}:${says}\n`);
		assert.equal(code, 1);
	});
}
