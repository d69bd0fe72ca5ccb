// The gateway examples of the specification, as they are printed, in a gateway that people talk to.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { jsonLines, Place } from "../cli/program.ts";
import { Served } from "../gateway/served.ts";
import { Hermes, type Kind, put, Receiver } from "./printed.ts";

interface Talking {
	readonly place: Hermes;
	readonly gateway: Served;
	/** The lines a handler wrote, once there are so many. */
	lines(file: string, count: number): Promise<readonly Record<string, unknown>[]>;
}

/** A gateway with one block in its home, of whose people 7 is one. */
async function talk(kind: Kind, block: string, given: string, run: (talking: Talking) => Promise<void>): Promise<void> {
	await using place = new Hermes(await Receiver.open());
	put(place.hermes, kind, block, given, place.receiver.address);
	const own = join(place.hermes, "hookline");
	const settings = JSON.parse(readFileSync(join(own, "config.yaml"), "utf8")) as object;
	writeFileSync(join(own, "config.yaml"), JSON.stringify({ ...settings, gateway: { http: { port: 0 }, access: { users: ["http:7"] } } }));
	const gateway = await Served.in(place, own);
	await run({
		place,
		gateway,
		async lines(file, count) {
			const path = join(place.hermes, file);
			const read = () => (existsSync(path) ? jsonLines(readFileSync(path, "utf8")) : []);
			await eventually(() => read().length >= count, `${file} has ${count} lines`);
			return read();
		},
	});
	assert.equal(await gateway.stop(), 0);
}

describe("an example for the gateway, as it is printed", { concurrency: 2, timeout: 120_000 }, () => {
	test("01-my-hook: all activity is logged, with who and where", () =>
		talk("hooks", "01-my-hook", "", async ({ gateway, lines }) => {
			await gateway.ask('CALL terminal {"command":"true"}', { user: "7" });
			const logged = await lines("hooks/my-hook/activity.log", 4);
			assert.deepEqual(logged.map(({ event, platform, user_id, iteration, tool_names, message, response }) => [event, platform, user_id, iteration, tool_names, message, response]), [
				["agent:start", "http", "7", undefined, undefined, 'CALL terminal {"command":"true"}', undefined],
				["agent:step", "http", "7", 1, ["terminal"], undefined, undefined],
				["agent:step", "http", "7", 2, [], undefined, undefined],
				["agent:end", "http", "7", undefined, undefined, 'CALL terminal {"command":"true"}', "DONE"],
			]);
			assert.equal(new Set(logged.map(({ session_id: id }) => id)).size, 1);
		}));

	test("02-long-task-alert: ten steps send one alert", () =>
		talk("hooks", "02-long-task-alert", "", async ({ place, gateway }) => {
			await gateway.ask('LOOP 12 terminal {"command":"true"}', { user: "7" });
			await eventually(() => place.receiver.posted.length > 0, "the alert is sent");
			assert.deepEqual(place.receiver.posted, [{ url: "https://api.telegram.org/botT/sendMessage", json: { chat_id: "C", text: "⚠️ Agent has been running for 10 steps. Last tools: terminal" } }]);
		}));

	test("03-command-logger: every slash command with who typed it", () =>
		talk("hooks", "03-command-logger", "", async ({ gateway, lines }) => {
			await gateway.ask("/status", { user: "7" });
			await gateway.ask("/name my chat", { user: "7" });
			await gateway.ask("/model rehearsal");
			const logged = await lines("logs/command_usage.jsonl", 3);
			assert.deepEqual(logged.map(({ command, args, platform, user }) => [command, args, platform, user]), [
				["status", "", "http", "7"],
				["name", "my chat", "http", "7"],
				["model", "rehearsal", "http", "owner"],
			]);
		}));

	test("04-session-webhook: a new session and a reset are posted, in their order, with who and which", () =>
		talk("hooks", "04-session-webhook", "", async ({ place, gateway }) => {
			await gateway.ask("hello", { user: "7" });
			await gateway.ask("/new", { user: "7" });
			const { posted } = place.receiver;
			await eventually(() => posted.length >= 3, "three are posted");
			assert.deepEqual(posted.map(({ json }) => [json["event"], json["platform"], json["user_id"]]), [
				["session:start", "http", "7"],
				["session:reset", "http", "7"],
				["session:start", "http", "7"],
			]);
			const [first, reset, second] = posted.map(({ json }) => json["session_key"]);
			assert.notEqual(first, second);
			assert.equal(reset, second);
		}));

	test("05-boot-md: the checklist is worked off in the background when the gateway starts, and a silent answer reaches nobody", () =>
		talk("hooks", "05-boot-md", "", async ({ place, gateway }) => {
			const log = join(place.hermes, "hookline/logs/hookline.log");
			const logged = () => (existsSync(log) ? readFileSync(log, "utf8") : "");
			await eventually(() => /boot-md (?:completed|agent failed)/.test(logged()), "it was worked off");
			assert.match(logged(), /boot-md completed \(nothing to report\)/);
			assert.deepEqual(await gateway.events(), []);
		}));

	test("18-deny-unauthorized-dms: a stranger's message goes no further, not even to a pairing code", () =>
		talk("plugins", "18-deny-unauthorized-dms", 'def _is_approved_user(user_id):\n    return user_id == "7"\n', async ({ gateway }) => {
			const stranger = await gateway.ask("hello", { user: "8" });
			assert.match(stranger.error ?? "", /unauthorized-dm/);
			assert.deepEqual(await gateway.events(), []);
			assert.deepEqual((await gateway.ask("hello", { user: "7" })).messages, ["ECHO: hello"]);
		}));
});

const order = `import json, os

def register(ctx):
    for name in ("on_session_start", "on_session_finalize", "on_session_reset"):
        ctx.register_hook(name, lambda session_id=None, name=name, **kwargs: note(name, session_id))

def note(name, session):
    with open(os.path.join(os.path.expanduser("~"), "order.jsonl"), "a") as f:
        f.write(json.dumps([name, session]) + "\\n")
`;

test("/new finalizes the old session, puts a new one in its place and starts it, in the order that the specification gives", { timeout: 120_000 }, async () => {
	await using place = new Place();
	const plugin = join(place.home, "plugins/order");
	mkdirSync(plugin, { recursive: true });
	writeFileSync(join(plugin, "plugin.yaml"), "name: order\n");
	writeFileSync(join(plugin, "__init__.py"), order);
	const gateway = await Served.start(place, `plugins: {enabled: [order]}\npython: {env: ["HOME=${place.work}"]}\ngateway: {http: {port: 0}}`);
	await gateway.ask("hello");
	await gateway.ask("/new");
	const file = join(place.work, "order.jsonl");
	const noted = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line) as readonly [string, string]) : []);
	await eventually(() => noted().length >= 4, "all four are told");
	assert.equal(await gateway.stop(), 0);
	const [old] = noted()[0]!.slice(1);
	const [fresh] = noted()[3]!.slice(1);
	assert.notEqual(old, fresh);
	assert.deepEqual(noted().slice(0, 4), [["on_session_start", old], ["on_session_finalize", old], ["on_session_reset", fresh], ["on_session_start", fresh]]);
});
