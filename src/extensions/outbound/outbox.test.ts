import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { Receiver, status } from "../../../test/outbound-receiver.ts";
import type { OutboundTarget } from "../../dialects/hermes-outbound/target.ts";
import { mostWaiting, type OutboundStore } from "../../stores/outbound.ts";
import { openSqliteOutboundStore } from "../../stores/sqlite/outbound.ts";
import { eventually } from "../../system/test-waiting.ts";
import { Outbox } from "./outbox.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-outbound-"));
after(() => rmSync(folder, { recursive: true }));
let made = 0;
const newFile = () => join(folder, `${++made}.db`);
const dayMs = 86_400_000;

const targetAt = (url: string, more: Partial<OutboundTarget> = {}): OutboundTarget => ({ id: "a", url, subscriptions: [], timeoutMs: 10_000, format: "hermes", file: "/config.yaml", line: 1, ...more });

function open(t: TestContext, targets: readonly OutboundTarget[], file = newFile()) {
	const warnings: string[] = [];
	const outbox = new Outbox({ targets, secrets: new Map(), store: openSqliteOutboundStore(file), warn: (message) => void warnings.push(message) });
	let n = 0;
	let closed: Promise<void> | undefined;
	const close = (graceMs = 0) => (closed ??= outbox.close(graceMs));
	t.after(() => close());
	return {
		file,
		warnings,
		close,
		put: (target = "a", id = `${target}${++n}`, at = Date.now()) => outbox.put({ id, target, event: "post_tool_call", body: JSON.stringify({ id }), at }),
		/** As another process sees it. */
		look<Result>(see: (store: OutboundStore) => Result): Result {
			using store = openSqliteOutboundStore(file);
			return see(store);
		},
	};
}

test("deliveries come in their order, and leave nothing behind", async (t) => {
	await using receiver = await Receiver.open();
	const { put, look, close } = open(t, [targetAt(receiver.url)]);
	for (let i = 0; i < 50; i++) put();
	await receiver.hears(50);
	await close(10_000);
	assert.deepEqual(receiver.heard.map(({ body }) => body["id"]), Array.from({ length: 50 }, (_, i) => `a${i + 1}`));
	assert.deepEqual(look((store) => store.targets()), [{ target: "a", waiting: 0, dead: 0, failures: 0, nextAt: 0 }]);
});

test("a receiver that is in trouble is tried again under the same id, and what is behind waits for its turn", async (t) => {
	await Promise.all(
		[500, 503, 408, 429].map(async (code) => {
			await using receiver = await Receiver.open((response, _, number) => void response.writeHead(number === 1 ? code : 200).end());
			const { put } = open(t, [targetAt(receiver.url)]);
			put();
			put();
			await receiver.hears(3);
			assert.deepEqual(receiver.heard.map(({ headers }) => headers["webhook-id"]), ["a1", "a1", "a2"], String(code));
		}),
	);
});

test("one that says when to come back is not asked before", async (t) => {
	await using receiver = await Receiver.open(status(429, { "Retry-After": "3600" }));
	const { put, look } = open(t, [targetAt(receiver.url)]);
	put();
	await receiver.hears(1);
	await eventually(() => look((store) => store.targets()[0]!.failures === 1), "the failure is written down");
	const [{ nextAt, why } = assert.fail()] = look((store) => store.targets());
	assert.ok(nextAt > Date.now() + 3_000_000 && nextAt < Date.now() + 3_700_000);
	assert.equal(why, "it answered 429");
});

test("a refusal and a redirect are final: nothing is followed, it is kept and told once", async (t) => {
	await using elsewhere = await Receiver.open();
	for (const [answer, why] of [[status(401, {}, "the signature is wrong"), "it answered 401: the signature is wrong"], [status(302, { Location: elsewhere.url }), "it answered 302 and named another address, which is not followed"]] as const) {
		await using receiver = await Receiver.open(answer);
		const { put, look, warnings } = open(t, [targetAt(receiver.url)]);
		put();
		put();
		await receiver.hears(2);
		await eventually(() => look((store) => store.dead().length === 2), "both are given up");
		assert.deepEqual(look((store) => store.dead().map((one) => [one.id, one.tries, one.why])), [["a1", 1, why], ["a2", 1, why]]);
		assert.deepEqual(warnings, [`The outbound webhook a was not delivered: ${why}. It is not tried again. 'hookline hooks outbound list' shows what was given up.`]);
	}
	assert.equal(elsewhere.heard.length, 0);
});

test("what was not taken for a day is given up, all of it at once", async (t) => {
	await using receiver = await Receiver.open(status(500));
	const file = newFile();
	{
		using store = openSqliteOutboundStore(file);
		const old = ["x", "y"].map((id) => ({ id, target: "a", event: "e", body: "{}", at: Date.now() - dayMs - 1000 }));
		store.add([...old, { id: "z", target: "a", event: "e", body: "{}", at: Date.now() }, { id: "other", target: "gone", event: "e", body: "{}", at: Date.now() - 2 * dayMs }], 0);
	}
	const { look, warnings } = open(t, [targetAt(receiver.url)], file);
	await eventually(() => look((store) => store.dead().length === 3), "three are given up");
	assert.deepEqual(look((store) => store.dead().map(({ id }) => id)).toSorted(), ["other", "x", "y"]);
	assert.deepEqual(look((store) => store.targets().map(({ target, waiting }) => [target, waiting])), [["a", 1], ["gone", 0]]);
	assert.match(warnings.join("\n"), /that are no longer in config\.yaml waited for a day/);
	assert.match(warnings.join("\n"), /webhook a was not delivered 2 times: it was tried for a day, and at last it answered 500\./);
});

test("one that never answers holds up no other, is given up in time, and its end is waited for no longer than was said", async (t) => {
	await using slow = await Receiver.open(() => {});
	await using quick = await Receiver.open();
	const { put, look, close } = open(t, [targetAt(slow.url, { timeoutMs: 60_000 }), targetAt(quick.url, { id: "b" })]);
	put("a", "slow");
	await slow.hears(1);
	for (let i = 0; i < 20; i++) put("b");
	await quick.hears(20);
	await close(50);
	// Nobody knows whether it arrived: it waits as it was, for whoever comes next.
	assert.deepEqual(look((store) => store.next("a", Date.now())?.id), "slow");
	const again = open(t, [targetAt(slow.url, { timeoutMs: 1000 })]);
	again.put();
	await eventually(() => again.look((store) => store.targets()[0]?.why === "it gave no answer in 1 s"), "the time is up");
});

test("an endless answer is not read to its end, and one that breaks off counts by its status", async (t) => {
	let written = 0;
	await using receiver = await Receiver.open((response, _, number) => {
		response.writeHead(200);
		if (number === 1) {
			response.write("half");
			response.socket!.destroySoon();
			return;
		}
		const pour = () => {
			do written += 65_536;
			while (!response.destroyed && response.write(Buffer.alloc(65_536)));
		};
		response.on("drain", pour);
		pour();
	});
	const { put, look } = open(t, [targetAt(receiver.url, { timeoutMs: 60_000 })]);
	put();
	put();
	await receiver.hears(2);
	await eventually(() => look((store) => store.targets()[0]!.waiting === 0), "both are settled");
	assert.ok(written < 50_000_000, String(written));
	assert.equal(receiver.heard.length, 2);
});

test("a receiver that is down gets everything in order once it is back", async (t) => {
	await using receiver = await Receiver.open();
	await receiver.close();
	const { put, look } = open(t, [targetAt(receiver.url)]);
	for (let i = 0; i < 5; i++) put();
	await eventually(() => look((store) => store.targets()[0]!.failures > 0), "it is found to be down");
	assert.match(look((store) => store.targets()[0]!.why!), /it cannot be reached \(ECONNREFUSED\)/);
	await receiver.listen();
	await receiver.hears(5);
	assert.deepEqual(receiver.ids, ["a1", "a2", "a3", "a4", "a5"]);
});

test("of two that share a home only one sends, and what the one leaves the other takes up", async (t) => {
	await using receiver = await Receiver.open((response) => void setTimeout(() => response.writeHead(204).end(), 5));
	const file = newFile();
	const [one, two] = [open(t, [targetAt(receiver.url)], file), open(t, [targetAt(receiver.url)], file)];
	for (let i = 0; i < 30; i++) (i % 2 === 0 ? one : two).put("a", `n${i}`);
	await receiver.hears(5);
	await one.close();
	await receiver.hears(30);
	await eventually(() => two.look((store) => store.targets()[0]!.waiting === 0), "nothing waits");
	// What was being sent when the first one ended may come once more, as the same delivery.
	assert.ok(receiver.heard.length <= 31);
	assert.deepEqual(receiver.ids, Array.from({ length: 30 }, (_, i) => `n${i}`));
});

test("more than can wait pushes out the oldest, and they are counted in one warning", async (t) => {
	await using receiver = await Receiver.open(status(500));
	const { put, look, warnings, close, file } = open(t, [targetAt(receiver.url)]);
	{
		using store = openSqliteOutboundStore(file);
		store.add(Array.from({ length: mostWaiting }, (_, i) => ({ id: `old${i}`, target: "a", event: "e", body: "{}", at: Date.now() })), 0);
	}
	for (let i = 0; i < 7; i++) put();
	assert.deepEqual(look((store) => [store.targets()[0]!.waiting, store.next("a", Number.MAX_SAFE_INTEGER)?.id]), [mostWaiting, "old7"]);
	await close();
	assert.deepEqual(warnings, ["The outbound webhook a has too many deliveries waiting: the 7 oldest were forgotten."]);
});

test("while another process writes, nothing waits for long, and it is written afterwards", async (t) => {
	await using receiver = await Receiver.open();
	const { put, file } = open(t, [targetAt(receiver.url)]);
	const { DatabaseSync } = await import("node:sqlite");
	const other = new DatabaseSync(file);
	other.exec("BEGIN IMMEDIATE");
	put();
	assert.equal(receiver.heard.length, 0);
	other.exec("COMMIT");
	other.close();
	await receiver.hears(1);
});

test("user and password of an address go as a header", async (t) => {
	await using receiver = await Receiver.open();
	const { put } = open(t, [targetAt(receiver.url.replace("//", "//me:p%40ss@"))]);
	put();
	const [heard] = await receiver.hears(1);
	assert.equal(heard!.headers.authorization, `Basic ${Buffer.from("me:p@ss").toString("base64")}`);
});
