// The gateway as people run it: the real program, its HTTP platform, real hooks.
import assert from "node:assert/strict";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { Served, texts } from "../gateway/served.ts";
import { callTerminal, extension, jsonLines, Place } from "./program.ts";

const limit = { timeout: 60_000 };
/** Runs until the file is there. */
/** Also over when the place is gone: a gateway that was killed leaves it running. */
const until = (file: string) => callTerminal(`while [ ! -e ${file} ] && [ -d "$PWD" ]; do sleep 0.02; done`);

test("a message is answered, and its chat goes on where it was left after a restart", limit, async () => {
	await using place = new Place();
	const first = await Served.start(place);
	assert.deepEqual((await first.ask("hello")).messages, ["ECHO: hello"]);
	assert.equal(await first.stop(), 0);
	const second = await Served.start(place);
	assert.deepEqual((await second.ask("SEEN hello")).messages, ["2"]);
	assert.deepEqual((await second.ask("SEEN hello", { chat: "b" })).messages, ["0"], "another chat knows nothing of it");
	assert.deepEqual((await second.ask("SEEN hello", { thread: "t" })).messages, ["0"], "nor does a thread of its own");
	assert.equal(await second.stop(), 0);
});

test("a message that is delivered twice is handled once", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	assert.equal((await gateway.ask("hello", { id: "m1" })).status, "answered");
	assert.equal((await gateway.say("hello", { id: "m1" })).status, "duplicate");
	assert.deepEqual((await gateway.ask("SEEN hello", { id: "m2" })).messages, ["2"]);
});

test("every payload of a turn names the sender, from message.receiving to message.sent", limit, async () => {
	await using place = new Place();
	place.extension("facts.ts", `import { appendFileSync } from "node:fs";\n${extension(`	hooks.observe("*", (payload, { event }) => appendFileSync(${JSON.stringify(join(place.work, "facts"))}, JSON.stringify({ event, ...payload }) + "\\n"));\n	for (const event of ["message.receiving", "input.receiving", "turn.starting", "model.calling", "tool.calling", "message.sending"]) hooks.transform(event, (payload, context) => void appendFileSync(${JSON.stringify(join(place.work, "facts"))}, JSON.stringify({ event: context.event, ...payload }) + "\\n"));`)}`);
	const gateway = await Served.start(place, "gateway: {http: {port: 0}, access: {users: ['http:kitchen']}}");
	await gateway.ask(callTerminal("true"), { user: "kitchen", thread: "t" });
	assert.equal(await gateway.stop(), 0);
	const facts = jsonLines(place.read("facts"));
	for (const event of ["message.receiving", "message.received", "input.receiving", "session.started", "turn.starting", "turn.started", "model.calling", "model.called", "tool.calling", "tool.called", "turn.ended", "message.sending", "message.sent"]) {
		const one = facts.find((fact) => fact["event"] === event);
		assert.ok(one, `${event} was told`);
		assert.deepEqual([one["surface"], one["platform"], one["userId"], one["chatId"], one["threadId"], one["chatType"]], ["gateway", "http", "kitchen", "a", "t", "dm"], event);
	}
	assert.deepEqual(facts.find((fact) => fact["event"] === "gateway.started")?.["platforms"], ["http"]);
	assert.equal(facts.filter((fact) => fact["event"] === "message.sent").length, 1);
	assert.equal(facts.at(-1)?.["event"] === "gateway.stopped" || facts.some((fact) => fact["event"] === "gateway.stopped"), true);
});

test("hooks of message.receiving see strangers too: they rewrite, answer and drop", limit, async () => {
	await using place = new Place();
	place.extension("door.ts", extension(`	hooks.transform("message.receiving", ({ text }) => text === "secret" ? block("not here") : text === "ping" ? respond("pong") : rewrite(text.replace("tea", "coffee")));`));
	const gateway = await Served.start(place);
	assert.deepEqual((await gateway.ask("tea")).messages, ["ECHO: coffee"]);
	assert.deepEqual((await gateway.ask("ping", { user: "nobody" })).messages, ["pong"]);
	const dropped = await gateway.post({ chat: "a", text: "secret" });
	assert.equal(dropped.status, 403);
	assert.match(((await dropped.json()) as { error: string }).error, /not here/);
});

test("message.sending has the last word on answers and on the gateway's own words", limit, async () => {
	await using place = new Place();
	place.extension("censor.ts", extension(`	hooks.transform("message.sending", ({ text }) => rewrite(text.replace(/hello|does not know you/, "***")));`));
	const gateway = await Served.start(place);
	assert.deepEqual((await gateway.ask("hello")).messages, ["ECHO: ***"]);
	assert.match((await gateway.ask("hello", { user: "nobody" })).error!, /^This agent \*\*\* yet/);
});

test("a stranger gets a code, and is let in by it; a user may not run what is the owner's", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	const refused = await gateway.post({ chat: "a", user: "kitchen", text: "hello" });
	assert.equal(refused.status, 403);
	const code = /gateway pair (\w+)/.exec(((await refused.json()) as { error: string }).error)![1]!;
	assert.match((await place.run(["gateway", "pair", "WRONG"])).stderr, /no pairing code 'WRONG'/);
	assert.match((await place.run(["gateway", "pair", code])).stderr, /http:kitchen may talk to the agent now, as a user/);
	assert.deepEqual((await gateway.ask("hello", { user: "kitchen" })).messages, ["ECHO: hello"]);
	assert.deepEqual((await gateway.ask("/sessions", { user: "kitchen" })).messages, ["/sessions is for the owner of this agent."]);
	assert.deepEqual((await gateway.ask("/whoami", { user: "kitchen" })).messages, ["http:kitchen, user, in chat a"]);
	assert.match((await gateway.ask("/sessions")).messages![0]!, /this one/);
	assert.equal((await place.run(["gateway", "pair", code])).code, 1, "a code is good once");
	assert.match((await place.run(["gateway", "people"])).stdout, /^http:kitchen\tuser\t/);
	await place.run(["gateway", "unpair", "http:kitchen"]);
	assert.equal((await gateway.post({ chat: "a", user: "kitchen", text: "hello" })).status, 403);
});

test("without pairing strangers are refused, and with a list that cannot be read nobody gets in by it", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, "gateway: {http: {port: 0}, session_per: user, access: {users: ['http:kitchen'], pairing: 'off'}}");
	assert.match((await gateway.ask("hello", { user: "nobody" })).error!, /not on the list of those who may talk/);
	await gateway.ask("hello", { user: "kitchen" });
	assert.deepEqual((await gateway.ask("SEEN hello", { user: "kitchen", chat: "b" })).messages, ["2"], "one person is one conversation, in every chat");
	writeFileSync(join(place.home, "gateway-people.json"), "{}");
	const broken = await gateway.post({ chat: "a", user: "nobody", text: "hello" });
	assert.equal(broken.status, 503);
	assert.match(((await broken.json()) as { error: string }).error, /gateway-people\.json is not what Hookline writes there/);
	assert.match((await place.run(["gateway", "people"])).stderr, /Move it away and pair them again/);
});

test("a command that a hook rewrites into another one is checked again", limit, async () => {
	await using place = new Place();
	place.extension("sly.ts", extension(`	hooks.transform("command.running", ({ name }) => name === "help" ? rewrite({ name: "sessions" }) : undefined);`));
	const gateway = await Served.start(place, "gateway: {http: {port: 0}, access: {users: ['http:*']}}");
	assert.deepEqual((await gateway.ask("/help", { user: "kitchen" })).messages, ["/sessions is for the owner of this agent."]);
});

test("what is said while a turn runs joins it; /status answers at once, and /stop ends it", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	await gateway.say(`SEQ\n${callTerminal("touch begun")}\n${until("go")}`, { id: "m1" });
	await eventually(() => place.made("begun"), "the turn has begun");
	await gateway.say("/status", { id: "m1b" });
	await eventually(async () => /A turn runs/.test(texts(await gateway.events()).join("")), "/status is answered while the turn runs");
	const joined = await gateway.say("and this", { id: "m2" });
	assert.equal(joined.status, "accepted");
	writeFileSync(join(place.work, "go"), "");
	assert.deepEqual((await gateway.handled("m2")).map((event) => event.type === "handled" && [event.how, event.into]), [["joined", "m1"]]);
	assert.deepEqual((await gateway.ask("SEEN and this")).messages, ["1"]);
	await gateway.say(`SEQ\n${callTerminal("touch begun-again")}\n${until("never")}`, { id: "m3" });
	await eventually(() => place.made("begun-again"), "the next turn has begun");
	await gateway.say("/stop", { id: "m4" });
	assert.deepEqual(texts(await gateway.handled("m3")), ["Stopped."]);
});

test("more chats than are kept open go on where they were left", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	const chats = Array.from({ length: 120 }, (_, i) => `chat ${i}`);
	for (const text of ["hello", "SEEN hello"]) {
		const answers = await Promise.all(chats.map((chat) => gateway.ask(text, { chat })));
		for (const { messages } of answers) assert.deepEqual(messages, [text === "hello" ? "ECHO: hello" : "2"]);
	}
});

test("gateway hooks of Hermes Agent and commands of extensions work behind it", limit, async () => {
	await using place = new Place();
	const hook = join(place.home, "hooks", "start");
	mkdirSync(hook, { recursive: true });
	writeFileSync(join(hook, "HOOK.yaml"), "name: start\ndescription: x\nevents: [gateway:startup, agent:end]\n");
	writeFileSync(join(hook, "handler.py"), `def handle(event_type, context):\n    with open(${JSON.stringify(join(place.work, "heard"))}, "a") as f:\n        f.write(f"{event_type} {context.get('platforms')} {context.get('chat_id')}\\n")\n`);
	place.extension("deploy.ts", `import { defineExtension } from "hookline";\nexport default defineExtension((hooks, hookline) => hookline.registerCommand({ name: "deploy", summary: "x", run: (args) => "deployed " + args }));\n`);
	const gateway = await Served.start(place);
	assert.deepEqual((await gateway.ask("/deploy now")).messages, ["deployed now"]);
	await gateway.ask("hello");
	assert.equal(await gateway.stop(), 0);
	assert.deepEqual(place.read("heard").trim().split("\n"), ["gateway:startup ['http'] None", "agent:end None a"]);
});

test("a client that follows a chat sees pieces, tools and answers, and gets later what it missed", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	const following = gateway.follows("a", "event: handled", {}, () => gateway.say(callTerminal("true")));
	const live = await following;
	assert.match(live, /event: tool\ndata: \{"toolName":"terminal".*"status":"ok"/);
	assert.match(live, /event: delta\ndata: \{"text":"DONE"/);
	assert.match(live, /id: \d+\nevent: message\ndata: \{.*"text":"DONE","purpose":"answer"/);
	const last = (await gateway.events()).at(-1)!.id;
	await gateway.ask("later");
	const missed = await gateway.follows("a", "event: handled", { "Last-Event-ID": String(last) });
	assert.match(missed, /"text":"ECHO: later"/);
	assert.doesNotMatch(missed, /DONE/);
	assert.equal(await gateway.stop(), 0, "a client that follows does not hold it up");
});

test("a long answer comes in pieces, and no code block is torn", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	const { messages } = await gateway.ask(`SAY \`\`\`\n${"a line of code\n".repeat(2_000)}\`\`\``);
	assert.ok(messages!.length > 1);
	for (const message of messages!) assert.equal(message.match(/^```/gm)?.length, 2);
});

test("without the token nothing is told; with it, what is wrong with a request is", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	assert.equal(statSync(join(place.home, "gateway-token")).mode & 0o777, 0o600);
	for (const Authorization of ["", "Bearer wrong"]) assert.equal((await gateway.fetch("/v1/chats/a/messages", { headers: { Authorization } })).status, 401);
	const refusals: readonly (readonly [body: unknown, error: RegExp])[] = [
		[{ chat: "a" }, /'text' is what you want to say/],
		[{ text: "x" }, /'chat' is a text of 1 to 100/],
		[{ chat: "\ud800", text: "x" }, /'chat' is a text of 1 to 100/],
		[{ chat: "a", text: "x", txt: 1 }, /no 'txt'/],
		[[], /The body is an object/],
		[{ chat: "a", text: "x".repeat(2_000_000) }, /A text has at most 1048576 bytes\. Send more as a file\./],
		[{ chat: "a", files: [{ name: "a.txt", data: "not base64" }] }, /as base64/],
		[{ chat: "a", files: [] }, /a list of 1 to 10 files/],
	];
	assert.deepEqual((await gateway.ask("long", { chat: "語".repeat(100) })).messages, ["ECHO: long"]);
	for (const [body, error] of refusals) {
		const response = await gateway.post(body);
		assert.equal(response.status, 400);
		assert.match(((await response.json()) as { error: string }).error, error);
	}
	assert.equal((await gateway.fetch("/v1/messages", { method: "POST", body: "{" })).status, 400);
	assert.equal((await gateway.post({ chat: "a", text: "x".repeat(13_000_000) })).status, 413);
	assert.equal((await gateway.fetch("/v1/nothing")).status, 404);
	const page = await gateway.fetch("/", { headers: { Authorization: "" } });
	assert.match(page.headers.get("content-security-policy")!, /default-src 'none'; script-src 'self'/);
	assert.match(await page.text(), /src="\/chat\.js"/);
	assert.match(await (await gateway.fetch("/openapi.json")).text(), /"openapi":"3\.1\.0"/);
});

test("a home has one gateway, and status asks that one", limit, async () => {
	await using place = new Place();
	const none = await place.run(["gateway", "status"]);
	assert.equal(none.code, 1);
	assert.match(none.stdout, /No gateway runs/);
	const gateway = await Served.start(place);
	const second = await place.run(["gateway", "run"]);
	assert.equal(second.code, 1);
	assert.match(second.stderr, new RegExp(`A gateway runs for .* already: process ${gateway.running.pid}`));
	const status = JSON.parse((await place.run(["gateway", "status", "--json"])).stdout) as { state: string; pid: number };
	assert.deepEqual([status.state, status.pid], ["ready", gateway.running.pid]);
	await gateway.kill();
	assert.equal((await place.run(["gateway", "status"])).code, 1, "a lock goes with its process");
});

test("a gateway that others could reach without a token of its owner's does not start", limit, async () => {
	await using place = new Place();
	place.config("gateway: {http: {port: 0, host: 0.0.0.0}}");
	const open = await place.run(["gateway", "run"]);
	assert.equal(open.code, 1);
	assert.match(open.stderr, /gateway\.http\.host is 0\.0\.0\.0, where others can reach the gateway/);
	place.config("gateway: {http: {port: 0, host: 0.0.0.0, token_env: GATE}}");
	assert.match((await place.run(["gateway", "run"], { env: { GATE: "short" } })).stderr, /could be guessed/);
});

test("a port that is taken is told in a line", limit, async () => {
	await using place = new Place();
	await using other = new Place();
	const gateway = await Served.start(place);
	const { port } = new URL(gateway.address);
	other.config(`gateway: {http: {port: ${port}}}`);
	const run = await other.run(["gateway", "run"]);
	assert.equal(run.code, 1);
	assert.match(run.stderr, new RegExp(`http was not started: port ${port} of 127\\.0\\.0\\.1 is taken`));
});

test("SIGTERM lets a turn end, and what it said is there", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	await gateway.say(`SEQ\n${callTerminal("touch begun")}\n${until("go")}`, { id: "m1" });
	await eventually(() => place.made("begun"), "the turn has begun");
	gateway.running.signal("SIGTERM");
	await gateway.running.shows("Stopping");
	assert.equal((await gateway.post({ chat: "b", text: "late" })).status, 503);
	writeFileSync(join(place.work, "go"), "");
	assert.equal((await gateway.running.ended).code, 0);
	const next = await Served.start(place);
	assert.deepEqual(texts(await next.handled("m1")), ["DONE"]);
});

test("a turn in whose middle the process died is told of and not run again; a message that had not begun is handled", limit, async () => {
	await using place = new Place();
	const first = await Served.start(place, "gateway: {http: {port: 0}, max_turns: 1}");
	await first.say(`SEQ\n${callTerminal("echo once >> effects")}\n${until("never")}`, { id: "m1" });
	await eventually(() => place.made("effects"), "the turn has had an effect");
	await first.say("still there?", { id: "m2", chat: "b" });
	await first.kill();
	const second = await Served.start(place);
	const [told] = texts(await second.handled("m1"));
	assert.match(told!, /^Hookline was ended while it worked on your message "SEQ CALL terminal .*". What it had done by then stays done, .* Say "go on"/);
	assert.deepEqual(texts(await second.handled("m2", "b")), ["ECHO: still there?"]);
	assert.equal(place.read("effects"), "once\n");
	assert.deepEqual((await second.ask("SEEN echo once")).messages, ["1"], "the chat goes on in the same session");
});
