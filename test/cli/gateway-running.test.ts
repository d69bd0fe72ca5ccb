// The gateway operated as people do: in the background, asked, stopped, restarted, reloaded; and what it could not do put right.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import type { GatewayStatus } from "../../src/cli/gateway/control.ts";
import type { Live } from "../../src/cli/gateway/live.ts";
import { openSqliteSessionEngine } from "../../src/stores/sqlite/session-engine.ts";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { Served, texts } from "../gateway/served.ts";
import { callTerminal, type Ended, extension, Place, type StartOptions } from "./program.ts";

const limit = { timeout: 60_000 };
const until = (file: string) => callTerminal(`while [ ! -e ${file} ] && [ -d "$PWD" ]; do sleep 0.02; done`);

/** A place whose gateway in the background ends with the test. */
class Operated implements AsyncDisposable {
	readonly place = new Place();
	readonly options: StartOptions;

	constructor(config = "gateway: {http: {port: 0}}", options: StartOptions = {}) {
		this.options = options;
		this.place.config(`${config}\n`);
	}

	gateway(...args: readonly string[]): Promise<Ended> {
		return this.place.run(["gateway", ...args], this.options);
	}

	async start(): Promise<Live> {
		const { code, stderr, stdout } = await this.gateway("start", "--model", "rehearsal");
		assert.equal(code, 0, stderr);
		assert.match(stdout, /It runs in the background as process \d+/);
		return this.live;
	}

	get live(): Live {
		return JSON.parse(readFileSync(join(this.place.home, "gateway.json"), "utf8")) as Live;
	}

	async status(): Promise<GatewayStatus> {
		return JSON.parse((await this.gateway("status", "--json")).stdout) as GatewayStatus;
	}

	async post(body: object, query = ""): Promise<{ readonly messages?: readonly string[] }> {
		const token = readFileSync(join(this.place.home, "gateway-token"), "utf8").trim();
		const response = await fetch(`${this.live.address}/v1/messages${query}`, { method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: JSON.stringify({ chat: "a", ...body }) });
		return (await response.json()) as { messages?: readonly string[] };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.gateway("stop", "--now");
		await this.place[Symbol.asyncDispose]();
	}
}

function overSocket(path: string, url: string): Promise<string> {
	return new Promise((resolve, reject) => {
		request({ socketPath: path, path: url }, async (response) => resolve((await response.setEncoding("utf8").toArray()).join(""))).on("error", reject).end();
	});
}

test("it starts in the background, says where it is, is asked over a socket that only its user can reach, and stops", limit, async () => {
	await using operated = new Operated();
	const { pid, control, cwd, args } = await operated.start();
	assert.deepEqual([cwd, args], [operated.place.work, ["--model", "rehearsal"]]);
	assert.deepEqual([statSync(control).mode & 0o777, statSync(join(control, "..")).mode & 0o777], [0o600, 0o700]);
	assert.match((await operated.gateway("start")).stderr, new RegExp(`already: process ${pid}`));
	assert.deepEqual((await operated.post({ text: "hello" }, "?wait=1")).messages, ["ECHO: hello"]);
	const status = await operated.status();
	assert.deepEqual([status.state, status.pid, status.model, status.turnsRunning, status.waiting, status.givenUp], ["ready", pid, "rehearsal", 0, 0, 0]);
	assert.deepEqual(status.platforms, [{ name: "http", started: true, connected: true }]);
	assert.match((await operated.gateway("status")).stdout, /^The gateway is ready: process \d+, .*\n {2}platforms {2}http\n/);
	const metrics = await overSocket(control, "/metrics");
	assert.match(metrics, /^hookline_messages_total\{platform="http",outcome="accepted"\} 1$/m);
	assert.match(metrics, /^hookline_turns_total\{outcome="completed"\} 1$/m);
	assert.match(metrics, /^hookline_deliveries_total\{platform="http",outcome="sent"\} 1$/m);
	assert.equal((await fetch(`${operated.live.address}/metrics`)).status, 401, "over HTTP it takes the token");
	const token = readFileSync(join(operated.place.home, "gateway-token"), "utf8").trim();
	const overHttp = await fetch(`${operated.live.address}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
	assert.match(overHttp.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
	assert.match(await overHttp.text(), /^hookline_platform_up\{platform="http"\} 1$/m);
	assert.match(await overSocket(control, "/nothing"), /There is no GET \/nothing here/);
	const stopped = await operated.gateway("stop");
	assert.equal(stopped.code, 0, stopped.stderr);
	assert.match(stopped.stdout, /^The gateway has stopped, after \d+\.\d s\.\n$/);
	await eventually(() => isDead(pid), "the process is gone");
	assert.equal(existsSync(control), false);
	assert.equal((await operated.gateway("stop")).code, 0, "there is nothing to stop, which is what was wanted");
});

test("a gateway that cannot start says why, and leaves nothing behind", limit, async () => {
	await using operated = new Operated("gateway: {http: {port: 0, host: 0.0.0.0}}");
	const { code, stderr } = await operated.gateway("start");
	assert.equal(code, 1);
	assert.match(stderr, /gateway\.http\.host is 0\.0\.0\.0[\s\S]*hookline: The gateway ended while it started \(1\)\. What it said stands above\.\n$/);
	assert.match((await operated.gateway("status")).stdout, /No gateway runs/);
});

test("stop lets a turn end, and says what waits for the next start; restart goes on with the same model in the same folder", limit, async () => {
	await using operated = new Operated("gateway: {http: {port: 0}, max_turns: 1}");
	const { place } = operated;
	const first = await operated.start();
	await operated.post({ id: "m1", text: `SEQ\n${callTerminal("touch begun")}\n${until("go")}` });
	await eventually(() => place.made("begun"), "the turn has begun");
	await operated.post({ id: "m2", chat: "b", text: "and I?" });
	assert.deepEqual([(await operated.status()).turnsRunning, (await operated.status()).waiting], [1, 1]);
	const stopping = place.start(["gateway", "restart"], { cwd: place.folder });
	await stopping.shows("1 turn runs and may end, up to 8 s.");
	await eventually(async () => (JSON.parse(await overSocket(first.control, "/status")) as GatewayStatus).state === "stopping", "it is stopping");
	writeFileSync(join(place.work, "go"), "");
	const { code, stdout, stderr } = await stopping.ended;
	assert.equal(code, 0, stderr);
	assert.match(stdout, /The gateway has stopped, .* Until the next start 1 message waits/);
	const second = operated.live;
	assert.deepEqual([second.args, second.cwd], [first.args, first.cwd]);
	assert.notEqual(second.pid, first.pid);
	assert.deepEqual((await operated.post({ text: "SEEN begun" }, "?wait=1")).messages, ["1"], "the chat goes on");
});

test("one that hangs is told of, and --now ends that very process; the next start does not mind what it left", limit, async () => {
	await using operated = new Operated();
	const { pid } = await operated.start();
	process.kill(pid, "SIGSTOP");
	const asked = await operated.gateway("status", "--json");
	assert.deepEqual([asked.code, (JSON.parse(asked.stdout) as { state: string }).state], [1, "not answering"]);
	const killed = await operated.gateway("stop", "--now");
	assert.equal(killed.code, 0, killed.stderr);
	assert.match(killed.stdout, new RegExp(`^Process ${pid} was ended at once\\.`));
	await eventually(() => isDead(pid), "it is gone");
	const { control } = await operated.start();
	assert.match(await overSocket(control, "/status"), /"state":"ready"/);
});

test("hooks list shows those of the gateway that runs, and a reload makes a new one live there", limit, async () => {
	await using operated = new Operated();
	const { place } = operated;
	const { pid } = await operated.start();
	place.extension("late.ts", extension(`	hooks.guard("tool.calling", { name: "no" }, () => block("not now"));`));
	const before = await place.run(["hooks", "list"]);
	assert.doesNotMatch(before.stdout, /late\/no/);
	assert.match(before.stderr, new RegExp(`^The gateway that runs \\(process ${pid}, .*What is missing is taken up by 'hookline gateway reload'`));
	assert.match((await place.run(["hooks", "list", "--here"])).stdout, /late\/no/);
	const reloaded = await operated.gateway("reload");
	assert.deepEqual([reloaded.code, reloaded.stdout], [0, "Settings, hooks and extensions are taken up as they are now.\n"], reloaded.stderr);
	const listed = JSON.parse((await place.run(["hooks", "list", "--json"])).stdout) as { hooks: readonly { id: string }[]; gateway: { pid: number } };
	assert.ok(listed.hooks.some(({ id }) => id === "late/no"));
	assert.equal(listed.gateway.pid, pid);
	await operated.post({ text: callTerminal("touch made") }, "?wait=1");
	assert.equal(place.made("made"), false, "it blocks");
	const { control } = operated.live;
	await eventually(async () => /^hookline_hook_decisions_total\{hook="late\/no",decision="block"\} 1$/m.test(await overSocket(control, "/metrics")), "its block is counted");
	place.config("gateway: {http: {port: not a number}}");
	const broken = await operated.gateway("reload");
	assert.equal(broken.code, 1);
	assert.match(broken.stderr, /^hookline: The gateway could not do it: .*gateway\.http\.port/);
	assert.equal((await operated.status()).state, "ready");
});

test("a home whose path is too long for a socket has it elsewhere, in a folder of its own", limit, async () => {
	const deep = "a-folder-with-a-long-name/".repeat(5);
	await using place = new Place();
	const home = join(place.folder, deep);
	mkdirSync(home, { recursive: true });
	writeFileSync(join(home, "config.yaml"), "gateway: {http: {port: 0}}\n");
	const options = { env: { HOOKLINE_HOME: home } };
	const running = place.start(["gateway", "run", "--model", "rehearsal"], options);
	await running.shows(/ready at \S+/);
	const { control } = JSON.parse(readFileSync(join(home, "gateway.json"), "utf8")) as Live;
	assert.ok(Buffer.byteLength(control) < 104 && !control.startsWith(home), control);
	assert.deepEqual([statSync(control).mode & 0o777, statSync(join(control, "..")).mode & 0o777], [0o600, 0o700]);
	assert.equal((await place.run(["gateway", "status"], options)).code, 0);
	assert.equal((await place.run(["gateway", "stop"], options)).code, 0);
	assert.equal((await running.ended).code, 0);
	assert.equal(existsSync(join(control, "..")), false);
});

test("what was given up is listed, tried again and dropped, whether a gateway runs or not", limit, async () => {
	await using place = new Place();
	const undelivered = (...args: readonly string[]) => place.run(["gateway", "undelivered", ...args]);
	const listed = async () => JSON.parse((await undelivered("list", "--json")).stdout) as readonly { id: string; kind: string; where: string; why: string; text: string }[];
	assert.deepEqual([(await undelivered("list")).stderr, await listed()], ["Everything has arrived.\n", []]);
	const served = await Served.start(place);
	await served.ask("hello");
	const facts = { eventId: "e", at: 1, surface: "gateway", cwd: place.work, profile: "default" };
	const line = (text: string) => `${JSON.stringify({ at: Date.now(), why: "the chat is gone", platform: "http", chat: { chatId: "a" }, text, purpose: "answer", facts })}\n`;
	writeFileSync(join(place.home, "undelivered.jsonl"), `${line("one")}${line("two")}{"at": 17, "wh`);
	const [one, two] = await listed();
	assert.deepEqual([one?.kind, one?.where, one?.why, one?.text, two?.text], ["text", "http:a", "the chat is gone", "one", "two"]);
	assert.equal((JSON.parse((await place.run(["gateway", "status", "--json"])).stdout) as GatewayStatus).givenUp, 2);
	const unknown = await undelivered("retry", one!.id, "t-nothing");
	assert.deepEqual([unknown.code, unknown.stderr], [1, "hookline: There is no 't-nothing'; nothing was done. 'hookline gateway undelivered list' shows what there is.\n"]);
	assert.equal((await undelivered("retry")).code, 2);
	assert.match((await undelivered("retry", one!.id)).stderr, /^1 is tried again now/);
	await eventually(async () => texts(await served.events()).includes("one"), "the text has arrived");
	assert.match((await undelivered("drop", two!.id)).stderr, /^1 is forgotten/);
	assert.deepEqual(await listed(), []);
	assert.equal(await served.stop(), 0);

	const sessions = openSqliteSessionEngine(join(place.home, "hookline.db"));
	const gaveUp = Promise.withResolvers<string>();
	await sessions.append("gateway/http/chat/a", { id: "lost", kind: "message", body: { text: "SEEN hello", sender: { platform: "http", userId: "owner", chatId: "a", chatType: "dm" }, role: "owner" } });
	await sessions.serve(() => Promise.reject(new Error("a bad day")), { concurrency: 1, attempts: 1, onProblem: gaveUp.resolve });
	await gaveUp.promise;
	await sessions.close();
	const [lost, ...others] = await listed();
	assert.deepEqual([lost?.kind, lost?.where, lost?.why, lost?.text, others.length], ["message", "http:a", "a bad day", "SEEN hello", 0]);
	assert.match((await undelivered("retry", "--all")).stderr, /^1 is tried again when the gateway is started/);
	const again = await Served.start(place);
	assert.deepEqual(texts(await again.handled("lost")), ["2"]);
	assert.deepEqual(await listed(), []);
});
