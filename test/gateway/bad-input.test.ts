// What comes to a gateway that nobody wishes for, through the real program: too much at once, clients that hang, platforms that are away, clocks that jump, disks that are full.
// HOOKLINE_MESSAGES=5000 makes the burst that large.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, statfsSync, unlinkSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteSessionEngine } from "../../src/stores/sqlite/session-engine.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { callTerminal, Place } from "../cli/program.ts";
import { Served } from "./served.ts";
import { TelegramFake } from "./telegram-fake.ts";

const limit = { timeout: 60_000 };
const burst = Number(process.env["HOOKLINE_MESSAGES"] ?? 200);
const until = (file: string) => callTerminal(`while [ ! -e ${file} ] && [ -d "$PWD" ]; do sleep 0.02; done`);
const rssMB = (gateway: Served) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${gateway.running.pid}/status`, "utf8"))![1]) / 1024;

test(`${burst} messages at once are all answered, or refused and told so, and cost no memory to speak of`, { timeout: 60_000 + burst * 20 }, async (t) => {
	await using place = new Place();
	place.config("gateway: {http: {port: 0}}");
	const gateway = await Served.of(place.start(["gateway", "run", "--model", "rehearsal"], { limitMs: 60_000 + burst * 20 }), place.home);
	const before = process.platform === "linux" ? rssMB(gateway) : 0;
	const taken = await Promise.all(
		Array.from({ length: burst }, async (_, i) => {
			const response = await gateway.post({ chat: `chat ${i % 50}`, id: `m${i}`, text: `SAY answer ${i}` });
			return { i, status: response.status, error: ((await response.json()) as { readonly error?: string }).error };
		}),
	);
	for (const { status, error } of taken) assert.ok(status === 202 || (status === 503 && error !== undefined), `${status} ${error ?? ""}`);
	const accepted = taken.filter(({ status }) => status === 202).map(({ i }) => i);
	const deadline = performance.now() + 60_000 + burst * 15;
	const waiting = async () => Number(/hookline_messages_waiting (\d+)/.exec(await (await gateway.fetch("/metrics")).text())![1]);
	while ((await waiting()) > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
	for (const i of accepted) assert.equal((await gateway.handled(`m${i}`, `chat ${i % 50}`)).filter(({ type }) => type === "handled").length, 1, `message ${i}`);
	if (process.platform === "linux") {
		t.diagnostic(`${accepted.length} of ${burst} accepted; ${Math.round(before)} MB before, ${Math.round(rssMB(gateway))} MB after`);
		assert.ok(rssMB(gateway) - before < 300, `${before} MB before, ${rssMB(gateway)} MB after`);
	}
	assert.equal(await gateway.stop(), 0);
});

test("a chat in which 10,000 messages wait takes no more, and says so; others do", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, "gateway: {http: {port: 0}, max_turns: 1}");
	await gateway.say(until("go"), { id: "first", chat: "b" });
	const sessions = openSqliteSessionEngine(join(place.home, "hookline.db"));
	const body = { text: "SAY x", sender: { platform: "http", userId: "owner", chatId: "a", chatType: "dm" }, role: "owner" };
	await Promise.all(Array.from({ length: 10_000 }, (_, i) => sessions.append("gateway/http/chat/a", { id: `old ${i}`, kind: "message", body })));
	await sessions.close();
	const refused = await gateway.post({ chat: "a", text: "one more" });
	assert.equal(refused.status, 503);
	assert.match(((await refused.json()) as { error: string }).error, /^The message was not taken: .*10000/);
	assert.equal((await gateway.say("hello", { chat: "c" })).status, "accepted");
	await gateway.kill();
});

test("the longest message there may be is answered whole, in pieces", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	const words = `${"word".repeat(250)} `.repeat(1_000).trimEnd();
	const { messages = [] } = await gateway.ask(`SAY ${words}`);
	assert.ok(messages.length > 60);
	assert.equal(messages.join(" ").replaceAll(/\s+/g, " "), words);
	const file = await gateway.post({ chat: "a", text: "a file", files: [{ name: "big.bin", data: Buffer.alloc(8_000_000).toString("base64") }] }, "?wait=1");
	assert.equal(file.status, 200);
	assert.equal((await gateway.post({ chat: "a", text: "x".repeat(10_000_000) })).status, 400);
	assert.equal(await gateway.stop(), 0);
});

test("clients that connect and say nothing, stop in the middle, or never read hold up nobody, nor the end", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	const { port } = new URL(gateway.address);
	const sockets: Socket[] = [];
	const client = (text = "") =>
		new Promise<void>((resolve) => {
			const socket = connect(Number(port), "127.0.0.1", () => {
				socket.pause();
				socket.write(text, () => resolve());
			});
			socket.on("error", () => {});
			sockets.push(socket);
		});
	const head = `Host: x\r\nAuthorization: Bearer ${gateway.token}\r\n`;
	for (let i = 0; i < 20; i++) {
		await client();
		await client("POST /v1/mess");
		await client(`POST /v1/messages HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"chat": "a", `);
		await client(`GET /v1/chats/a/events HTTP/1.1\r\n${head}\r\n`);
	}
	// More than the system keeps for clients that do not read.
	const long = `${"w".repeat(2_000)} `.repeat(30);
	for (let i = 0; i < 40; i++) assert.equal((await gateway.ask(`SAY ${long}`)).status, "answered");
	if (process.platform === "linux") assert.ok(rssMB(gateway) < 400, `${rssMB(gateway)} MB`);
	assert.equal(await gateway.stop(), 0);
	for (const socket of sockets) socket.destroy();
});

test("while a platform is down others are served; what is meant for it arrives in order when it is back", limit, async () => {
	await using fake = await TelegramFake.start();
	await using place = new Place();
	const gateway = await Served.start(place, `gateway: {http: {port: 0}, telegram: {token_env: BOT_WORD, base_url: "${fake.url}"}, access: {owners: ["telegram:11"]}}`, { BOT_WORD: fake.token });
	await fake.down();
	for (const [i, chat] of ["telegram:11", "telegram:12", "telegram:11", "telegram:11"].entries()) {
		const { messages } = await gateway.ask(`CALL send_message {"to": "${chat}", "text": "text ${i}"}`);
		assert.deepEqual(messages, ["DONE"]);
	}
	await gateway.running.shows(/telegram does not take a text now, and is tried again/);
	await fake.up();
	const shownIn = (chat: number) => fake.shown.filter((one) => one.chat === chat).map(({ text }) => text);
	await eventually(() => shownIn(11).length === 3 && shownIn(12).length === 1, "all have arrived");
	assert.deepEqual(shownIn(11), ["text 0", "text 2", "text 3"]);
	await fake.say(11, "SAY here again");
	await eventually(() => shownIn(11).includes("here again"), "and it is heard again");
	assert.equal(await gateway.stop(), 0);
});

test("a clock that jumps a day ahead and back: messages are answered once and in order, and texts that wait are not given up", limit, async () => {
	await using place = new Place();
	await using fake = await TelegramFake.start();
	const ahead = join(place.folder, "ahead");
	const preload = join(place.folder, "clock.mjs");
	writeFileSync(ahead, "0");
	writeFileSync(preload, `import { readFileSync } from "node:fs";\nconst now = Date.now;\nDate.now = () => now() + Number(readFileSync(${JSON.stringify(ahead)}, "utf8"));\n`);
	const gateway = await Served.start(place, `gateway: {http: {port: 0}, telegram: {token_env: BOT_WORD, base_url: "${fake.url}"}}`, { BOT_WORD: fake.token, NODE_OPTIONS: `--import=${preload}` });
	await gateway.ask("hello", { id: "m0" });
	await fake.down();
	await gateway.ask('CALL send_message {"to": "telegram:11", "text": "late"}', { id: "m1" });
	for (const [i, ms] of [90_000_000, -90_000_000, 0].entries()) {
		writeFileSync(ahead, String(ms));
		const id = `n${i}`;
		assert.deepEqual((await gateway.ask(`SAY answer ${i}`, { id })).messages, [`answer ${i}`]);
		assert.equal((await gateway.say(`SAY answer ${i}`, { id })).status, "duplicate");
		assert.equal((await gateway.say("hello", { id: "m0" })).status, "duplicate");
	}
	await fake.up();
	await eventually(() => fake.shown.some(({ text }) => text === "late"), "what waited arrives");
	const order = (await gateway.events()).flatMap((event) => (event.type === "handled" ? [event.message_id] : []));
	assert.deepEqual(order, ["m0", "m1", "n0", "n1", "n2"]);
	assert.equal(await gateway.stop(), 0);
});

const small = ["-t", "tmpfs", "-o", "size=6m", "tmpfs"];

test("on a full disk nothing is taken that was not written, and that is said; with room again it goes on", { ...limit, skip: process.platform === "linux" && process.getuid?.() === 0 ? false : "that takes root on Linux" }, async (t) => {
	await using place = new Place();
	const mounted = spawnSync("mount", [...small, place.home], { encoding: "utf8" });
	if (mounted.status !== 0) return t.skip(`no small disk can be mounted here: ${mounted.error?.message ?? mounted.stderr.trim()}`);
	try {
		const gateway = await Served.start(place);
		assert.deepEqual((await gateway.ask("SAY before", { id: "m0" })).messages, ["before"]);
		const ballast = join(place.home, "ballast");
		const { bavail, bsize } = statfsSync(place.home);
		// What the gateway writes meanwhile takes some of it.
		writeFileSync(ballast, Buffer.alloc((bavail - 16) * bsize));
		const accepted: string[] = [];
		let refused = "";
		for (let i = 0; refused === ""; i++) {
			const response = await gateway.post({ chat: "a", id: `full${i}`, text: `SAY ${"x".repeat(10_000)} ${i}` });
			if (response.status === 202) accepted.push(`full${i}`);
			else {
				assert.equal(response.status, 503);
				refused = ((await response.json()) as { error: string }).error;
			}
		}
		assert.match(refused, /^The message was not taken: The disk is full: .*hookline\.db cannot grow\. Free some space, then go on\.$/);
		assert.equal((await gateway.fetch("/v1/health")).status, 200);
		unlinkSync(ballast);
		assert.deepEqual((await gateway.ask("SAY after", { id: "m1" })).messages, ["after"]);
		for (const id of accepted) assert.ok((await gateway.handled(id)).length > 0, id);
		const order = (await gateway.events()).flatMap((event) => (event.type === "handled" ? [event.message_id] : []));
		assert.deepEqual(order, ["m0", ...accepted, "m1"]);
		assert.equal(await gateway.stop(), 0);
	} finally {
		spawnSync("umount", ["-l", place.home]);
	}
});
