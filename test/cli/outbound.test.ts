// `hooks.outbound` through the program: receivers on loopback, and what they are told by runs, conversations and processes that are killed.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { eventually } from "../../src/system/test-waiting.ts";
import { Receiver, status } from "../outbound-receiver.ts";
import { callTerminal, extension, Place, type StartOptions } from "./program.ts";

const secret = "whsec_" + Buffer.from("a secret of these tests").toString("base64");
const env = { HOOK_SECRET: secret };
const hooks = (receiver: Receiver, more = "", events = "post_tool_call") => `hooks:\n  outbound:\n    - {url: "${receiver.url}", name: alerts, events: [${events}], secret_env: HOOK_SECRET${more}}\n`;
const say = (place: Place, words: string, options: StartOptions = {}) => place.run(["run", "--model", "rehearsal", words], { ...options, env: { ...env, ...options.env } });

interface Listed {
	readonly waiting: readonly { readonly target: string; readonly waiting: number; readonly failures: number }[];
	readonly dead: readonly { readonly id: string; readonly target: string; readonly event: string; readonly why: string }[];
}
const listed = async (place: Place) => JSON.parse((await place.run(["hooks", "outbound", "list", "--json"])).stdout) as Listed;

test("a run tells of its tool calls before it ends, signed in both ways", async () => {
	await using place = new Place();
	await using receiver = await Receiver.open();
	place.config(hooks(receiver, ", matcher: terminal", "pre_tool_call, post_tool_call, on_session_end"));
	const ended = await say(place, `SEQ\n${callTerminal("echo hello")}\nCALL read_file {"path":"no.txt"}`);
	assert.deepEqual([ended.code, ended.stderr], [0, ""]);
	assert.deepEqual(receiver.events, ["pre_tool_call", "post_tool_call", "on_session_end"]);
	const { headers, text, body } = receiver.heard[1]!;
	assert.equal(headers["x-hermes-event"], "post_tool_call");
	assert.equal(headers["x-hermes-delivery"], body["delivery_id"]);
	assert.equal(headers["x-hermes-signature-256"], `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`);
	assert.deepEqual(new Webhook(secret).verify(text, headers), body);
	assert.deepEqual([body["tool_name"], body["tool_input"], body["profile"]], ["terminal", { command: "echo hello" }, "default"]);
	assert.match(JSON.stringify(body["extra"]), /"result":"hello/);
	assert.deepEqual(await listed(place), { waiting: [], dead: [] });
});

test("what hooks change and take out is what is told, and secrets are not", async () => {
	await using place = new Place();
	await using receiver = await Receiver.open();
	place.extension("quiet.ts", extension(`hooks.transform("tool.calling", { priority: 500 }, (call) => rewrite({ ...call.args, command: "echo changed" }));\nhooks.transform("turn.answering", { priority: 500 }, () => rewrite("nothing to see"));`));
	place.config(hooks(receiver, "", "pre_tool_call, transform_llm_output"));
	const ended = await say(place, `${callTerminal("echo TOP_SECRET=abcdefgh1234")}`);
	assert.equal(ended.stdout.trim(), "nothing to see");
	assert.deepEqual(receiver.heard.map(({ body }) => (body["tool_input"] as object) ?? (body["extra"] as { readonly text: string }).text), [{ command: "echo changed" }, "nothing to see"]);
	place.config(hooks(receiver, ", format: standard", "input.receiving"));
	await say(place, "SAY the key is sk-abcdefghijklmnop1234");
	const { body, headers } = receiver.heard[2]!;
	assert.deepEqual([body["type"], (body["data"] as { readonly text: string }).text], ["input.receiving", "SAY the key is [redacted]"]);
	assert.equal(headers["x-hermes-event"], undefined);
});

test("a receiver that never answers holds up a run for two seconds at most, and the next process brings it the rest", async () => {
	await using place = new Place();
	await using receiver = await Receiver.open(() => {});
	place.config(hooks(receiver, ", timeout: 60"));
	const ended = await say(place, `SEQ\n${callTerminal("echo one")}\n${callTerminal("echo two")}`);
	assert.equal(ended.code, 0);
	assert.deepEqual((await listed(place)).waiting.map(({ waiting }) => waiting), [2]);
	receiver.answer = status(200);
	await say(place, "SAY nothing");
	assert.equal(receiver.heard.length, 3);
	assert.deepEqual(receiver.ids, [receiver.heard[0]!, receiver.heard[2]!].map(({ headers }) => headers["webhook-id"]));
	assert.deepEqual((await listed(place)).waiting, []);
});

test("a conversation that is killed loses nothing, and what was on the way comes again under its id", async () => {
	await using place = new Place();
	await using receiver = await Receiver.open(() => {});
	place.config(hooks(receiver));
	const chat = place.start(["--plain", "--model", "rehearsal"], { env });
	for (const word of ["one", "two", "three"]) {
		chat.write(`${callTerminal(`echo ${word}`)}\n`);
		await eventually(async () => (await place.trace("--event", "tool.called")).length > ["one", "two", "three"].indexOf(word), `${word} was called`);
	}
	await receiver.hears(1);
	chat.signal("SIGKILL");
	await chat.ended;
	receiver.answer = status(204);
	await say(place, "SAY nothing");
	assert.deepEqual(receiver.heard.map(({ body }) => (body["tool_input"] as { readonly command: string }).command), ["echo one", "echo one", "echo two", "echo three"]);
	assert.equal(receiver.ids.length, 3);
});

test("two conversations with one home deliver each event once", async () => {
	await using place = new Place();
	await using receiver = await Receiver.open((response) => void setTimeout(() => response.writeHead(204).end(), 20));
	place.config(hooks(receiver));
	const words = (name: string) => `SEQ\n${Array.from({ length: 8 }, (_, i) => callTerminal(`echo ${name}${i}`)).join("\n")}`;
	await Promise.all([say(place, words("a")), say(place, words("b"))]);
	await say(place, "SAY nothing");
	const told = receiver.heard.map(({ body }) => (body["tool_input"] as { readonly command: string }).command);
	// The end of a run cuts off what takes too long; that comes once more as the same delivery.
	assert.equal(receiver.ids.length, 16);
	for (const name of ["a", "b"]) assert.deepEqual([...new Set(told.filter((command) => command.startsWith(`echo ${name}`)))], Array.from({ length: 8 }, (_, i) => `echo ${name}${i}`));
});

test("what was refused is told once, listed, tried again and dropped", async () => {
	await using place = new Place();
	await using receiver = await Receiver.open(status(403, {}, "go away"));
	place.config(hooks(receiver));
	const ended = await say(place, `SEQ\n${callTerminal("echo one")}\n${callTerminal("echo two")}`);
	assert.match(ended.stderr, /^hookline: The outbound webhook alerts was not delivered: it answered 403: go away\. It is not tried again\. 'hookline hooks outbound list' shows/m);
	const { dead } = await listed(place);
	assert.deepEqual(dead.map(({ target, event, why }) => [target, event, why]), [["alerts", "post_tool_call", "it answered 403: go away"], ["alerts", "post_tool_call", "it answered 403: go away"]]);
	const table = (await place.run(["hooks", "outbound", "list"])).stdout;
	assert.match(table, new RegExp(`^${dead[0]!.id}\talerts\tpost_tool_call\t.*\t1\tit answered 403: go away$`, "m"));
	const doctor = await place.run(["hooks", "doctor"], { env });
	assert.match(doctor.stdout, /^outbound alerts\twarning\thttp:\/\/127\.0\.0\.1:\d+\/hook is told of post_tool_call\. 2 given up\./m);

	for (const [args, code, said] of [[["retry"], 2, /Give the ids/], [["drop", "none"], 1, /There is no 'none'; nothing was done/]] as const) {
		const refused = await place.run(["hooks", "outbound", ...args]);
		assert.equal(refused.code, code);
		assert.match(refused.stderr, said);
	}
	assert.equal((await place.run(["hooks", "outbound", "drop", dead[1]!.id])).stdout, "1 delivery is forgotten.\n");
	assert.match((await place.run(["hooks", "outbound", "retry", "--all"])).stdout, /^1 delivery waits again\./);
	receiver.answer = status(204);
	await say(place, "SAY nothing");
	assert.equal(receiver.heard.at(-1)!.headers["webhook-id"], dead[0]!.id);
	assert.deepEqual(await listed(place), { waiting: [], dead: [] });
});

test("lists show where events go without what may be secret, and a test sends one", async () => {
	await using place = new Place();
	await using receiver = await Receiver.open();
	place.config(`hooks:\n  outbound:\n    - {url: "${receiver.url.replace("//", "//me:pass@")}?token=abc", name: alerts, events: [post_tool_call, "command:*"], secret_env: HOOK_SECRET}\n`);
	const list = await place.run(["hooks", "list"]);
	assert.match(list.stdout, /^outbound\/alerts\.post_tool_call\tobserve\ttool\.called\tall\t1000000\thttp \(http:\/\/127\.0\.0\.1:\d+\/hook, UNSIGNED\)/m);
	assert.match(list.stdout, /^outbound\/alerts\.any\.command\.running\tguard\tcommand\.running/m);
	assert.match(list.stderr, /the variable HOOK_SECRET is not set, so what the outbound webhook alerts is sent is UNSIGNED/);
	assert.doesNotMatch(list.stdout + list.stderr, /pass|abc/);
	const { outbound } = JSON.parse((await place.run(["hooks", "list", "--json"], { env })).stdout) as { readonly outbound: readonly object[] };
	assert.deepEqual(outbound, [{ id: "alerts", url: receiver.url, events: ["post_tool_call", "command:*"], hooks: ["outbound/alerts.post_tool_call", "outbound/alerts.any.command.running"], format: "hermes", signed: true }]);
	assert.equal(receiver.heard.length, 0);

	const tested = await place.run(["hooks", "test", "post_tool_call"], { env });
	assert.equal(tested.code, 0);
	assert.match(tested.stderr, /\[outbound\/alerts\.post_tool_call\] told http:\/\/127\.0\.0\.1:\d+\/hook, which answered 204/);
	assert.equal(receiver.heard.length, 1);
	receiver.answer = status(500);
	const failed = await place.run(["hooks", "test", "command.running"], { env });
	assert.equal(failed.code, 1);
	assert.match(failed.stdout, /it answered 500/);
	assert.deepEqual(await listed(place), { waiting: [], dead: [] });
});

test("it works as it stands in Hermes's own home, is imported without secrets, and a project adds no receiver", async () => {
	await using place = new Place();
	await using receiver = await Receiver.open();
	const hermes = join(place.folder, ".hermes");
	mkdirSync(hermes);
	writeFileSync(join(hermes, "config.yaml"), `_config_version: 31\n${hooks(receiver, ", timeout: 5", "post_tool_call, kanban_task_claimed")}    - {url: "https://example.org/x", events: [pre_llm_call], secret: written-down-here-1}\n`);
	const beside = await say(place, callTerminal("echo hi"), { env: { HOOKLINE_HOME: hermes, HERMES_SAFE_MODE: "1" } });
	assert.match(beside.stderr, /HERMES_SAFE_MODE is 1, so the outbound webhooks of .* are told nothing: alerts/);
	await say(place, callTerminal("echo hi"), { env: { HOOKLINE_HOME: hermes } });
	assert.deepEqual(receiver.events, ["post_tool_call"]);

	const imported = await place.run(["import", "hermes", "--from", hermes, "--json"]);
	assert.equal(imported.code, 1);
	assert.match(imported.stdout, /Its secret stands in the file, and secrets are not copied/);
	assert.doesNotMatch(imported.stdout + readFileSync(join(place.home, "config.yaml"), "utf8"), /written-down|kanban_task_claimed\]|example\.org\/x/);
	const again = JSON.parse((await place.run(["import", "hermes", "--from", hermes, "--json"])).stdout) as { readonly present: readonly { readonly kind: string }[] };
	assert.ok(again.present.some(({ kind }) => kind === "outbound webhook"));
	await say(place, callTerminal("echo hi"));
	assert.equal(receiver.heard.length, 2);

	mkdirSync(join(place.work, ".hookline"));
	writeFileSync(join(place.work, ".hookline/config.yaml"), `hooks: {outbound: [{url: "${receiver.url}2", events: [post_tool_call]}]}\n`);
	const { hash } = JSON.parse((await place.run(["trust", "--show", "--json"])).stdout) as { readonly hash: string };
	assert.equal((await place.run(["trust", "--hash", hash])).code, 0);
	const trusted = await say(place, callTerminal("echo hi"));
	assert.match(trusted.stderr, /'hooks\.outbound' counts in the user's own config\.yaml alone; it was left out/);
	assert.deepEqual(receiver.heard.map(({ path }) => path), ["/hook", "/hook", "/hook"]);
});

test("a receiver that cannot be used stops nothing, and is told of", async () => {
	await using place = new Place();
	place.config('hooks:\n  outbound:\n    - {url: "gopher://x", events: [post_tool_call]}\n    - {url: "http://127.0.0.1:9", events: [post_tol_call], secret_env: X}\n');
	const ended = await say(place, "SAY hi");
	assert.deepEqual([ended.code, ended.stdout], [0, "hi\n"]);
	assert.match(ended.stderr, /config\.yaml:3:\d+: entry 1 of hooks\.outbound: its 'url' is no address that begins with https:\/\/ or http:\/\/, so it was left out\./);
	assert.match(ended.stderr, /there is no event 'post_tol_call'\. Did you mean 'post_tool_call'\?/);
	const checked = await place.run(["config", "check"]);
	assert.equal(checked.code, 0);
	assert.match(checked.stderr, /none of its events is there, so it was left out/);
});
