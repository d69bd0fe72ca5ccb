// What goes out over WhatsApp, and what becomes of it when Meta refuses, is slow or is not there.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RetryLaterError } from "../../src/gateway/platform.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { RealDoor } from "../contracts/platform.ts";
import { graphError, number, token } from "./whatsapp-fake.ts";
import { openWhatsApp, person, signal, startWhatsApp } from "./whatsapp-opened.ts";

test("up to three buttons are buttons, more or under a long text a list, and what Meta refuses goes out as words", async () => {
	await using opened = await startWhatsApp();
	const buttons = (count: number) => Array.from({ length: count }, (_, i) => ({ label: `Choice number ${i} is rather long`, says: `/choose ${i}` }));
	const kindOfLast = () => (opened.meta.shown.at(-1)!.raw["interactive"] as { type: string } | undefined)?.type;
	await opened.send("a?", { buttons: [{ label: "Allow always, for all", says: "/approve" }, { label: "No", says: "/deny" }] });
	assert.deepEqual([kindOfLast(), await opened.buttons(person)], ["button", ["Allow always, for a…", "No"]]);
	await opened.send("a?", { buttons: buttons(4) });
	assert.deepEqual([kindOfLast(), (await opened.buttons(person)).length], ["list", 4]);
	await opened.send("x".repeat(1025), { buttons: [{ label: "Yes", says: "/y" }] });
	assert.equal(kindOfLast(), "list");
	await opened.press(person, "Yes");
	assert.equal(opened.door.messages.at(-1)!.text, "/y");
	await opened.send("same?", { buttons: [{ label: "Yes", says: "/y" }, { label: "Yes", says: "/z" }] });
	assert.equal(opened.meta.shown.at(-1)!.text, "same?\n\nYes: /y\nYes: /z");
	await opened.send("many?", { buttons: buttons(11) });
	assert.equal(opened.meta.shown.at(-1)!.text.split("\n").length, 13);
});

test("what Meta says to a text decides what becomes of it", async () => {
	await using opened = await startWhatsApp();
	const { meta, platform } = opened;
	const sending = async (answer: Response) => {
		meta.instead.push({ path: "/messages", answer: () => answer });
		return platform.send({ key: "k", chatId: person, text: "x", purpose: "answer" }, signal).then(
			() => assert.fail("it was taken"),
			(error: unknown) => error as RetryLaterError,
		);
	};
	const kindOf = ({ name, message, afterMs }: RetryLaterError) => [name, message, afterMs];
	const closed = "more than 24 hours since this person last wrote: WhatsApp takes no text for them until they write again (error 131047)";
	assert.deepEqual(kindOf(await sending(graphError(131047, 400, "Re-engagement"))), ["UndeliverableError", closed, undefined]);
	assert.deepEqual(kindOf(await sending(graphError(131009, 400, "Parameter value is not valid"))), ["UndeliverableError", "Parameter value is not valid (error 131009)", undefined]);
	assert.deepEqual(kindOf(await sending(graphError(131056, 400, "too many to the same number"))), ["RetryLaterError", "Meta wants fewer messages: too many to the same number (error 131056)", 6_000]);
	assert.equal((await sending(graphError(130429, 429, "x"))).afterMs, 5_000);
	assert.equal((await sending(graphError(130429, 429, "x", "", { "Retry-After": "31" }))).afterMs, 31_000);
	const usage = JSON.stringify({ 1022: [{ type: "messaging", call_count: 100, estimated_time_to_regain_access: 7 }] });
	assert.equal((await sending(graphError(80007, 400, "x", "", { "X-Business-Use-Case-Usage": usage }))).afterMs, 420_000);
	assert.equal((await sending(graphError(80007, 400, "x", "", { "X-Business-Use-Case-Usage": "{" }))).afterMs, 60_000);
	assert.deepEqual(kindOf(await sending(graphError(131042, 400, "Payment issue"))), ["AccountError", "Meta has stopped this account. See the WhatsApp Manager: Payment issue (error 131042)", undefined]);
	assert.equal((await sending(graphError(10, 403, "Permission denied"))).message, "Meta does not permit this: Permission denied (error 10). The access token needs the permissions whatsapp_business_messaging and whatsapp_business_management");
	assert.deepEqual(kindOf(await sending(graphError(131000, 500, "Something went wrong"))), ["Error", "Meta failed at it: Something went wrong (error 131000)", undefined]);
	assert.equal(platform.connected, true);
	assert.equal((await sending(new Response("<html>", { status: 502 }))).name, "UnreachableError");
	assert.equal((await sending(new Response("<html>captive"))).name, "UnreachableError");
	await eventually(() => platform.connected, "Meta answers again");
});

test("files go out as what WhatsApp takes them for, and of those that it does not take the person is told", async () => {
	await using opened = await startWhatsApp();
	const folder = mkdtempSync(join(tmpdir(), "hookline-whatsapp-"));
	try {
		const file = (name: string, mediaType: string) => {
			writeFileSync(join(folder, name), name);
			return { path: join(folder, name), name, mediaType };
		};
		const large = file("large.png", "image/png");
		writeFileSync(large.path, Buffer.alloc(6 * 1024 * 1024));
		const files = [file("a.jpg", "image/jpeg"), file("b.mp3", "audio/mpeg"), file("c.json", "application/json; charset=utf-8"), file("d.zip", "application/zip"), large];
		await opened.send("see", { files });
		assert.deepEqual(opened.meta.shown.map(({ raw, file, text }) => [raw["type"], file?.content ?? text]), [
			["text", "see"],
			["image", "a.jpg"],
			["audio", "b.mp3"],
			["document", "c.json"],
			["text", "[d.zip is not here: WhatsApp takes no files of the kind application/zip]"],
			["text", "[large.png is not here: WhatsApp does not take this file: its kind or size (error 131053)]"],
		]);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

test("a text whose file was not taken at first is not sent a second time when it is tried again", async () => {
	await using opened = await startWhatsApp();
	const folder = mkdtempSync(join(tmpdir(), "hookline-whatsapp-"));
	try {
		const path = join(folder, "x.txt");
		writeFileSync(path, "x");
		opened.meta.instead.push({ path: "/media", answer: () => graphError(130429, 429) });
		const files = [{ path, name: "x.txt", mediaType: "text/plain" }];
		await assert.rejects(opened.send("once", { files }), RetryLaterError);
		await opened.send("once", { files });
		assert.deepEqual([await opened.sees(person), (await opened.files(person)).length], [["once"], 1]);
		await opened.send("twice", { files: [] });
		assert.deepEqual(await opened.sees(person), ["once", "twice"]);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

test("while a turn works the last message is marked as read and typing is shown, not more often than it lasts, and again after a text", async () => {
	await using opened = await startWhatsApp();
	const { platform, meta } = opened;
	platform.show({ chatId: person }, { kind: "typing" });
	const id = await opened.say({ chat: person, text: "x" });
	meta.instead.push({ path: "/messages", answer: () => new Response(null, { status: 400 }) });
	for (let i = 0; i < 100; i++) platform.show({ chatId: person }, { kind: "typing" });
	await eventually(() => meta.instead.length === 0 && platform.connected, "it is asked for once, in vain");
	await opened.send("interim");
	for (let i = 0; i < 100; i++) platform.show({ chatId: person }, { kind: "typing" });
	await eventually(() => meta.read.length > 0, "it is shown");
	await opened.send("done");
	assert.deepEqual(meta.read, [{ id, typing: true }]);
});

test("a wrong token or number ends the start in one line that names the setting and holds no token", async () => {
	await using opened = await openWhatsApp();
	opened.meta.token = "another";
	const error = await opened.platform.start(new RealDoor()).then(() => assert.fail(), (error: Error) => error);
	assert.equal(error.message, "Meta refuses the access token: Malformed access token [redacted] (error 190). Put a valid one where gateway.whatsapp.token_env or token_file says.");
	await using unknown = await openWhatsApp({ phoneNumberId: "12/34" });
	await assert.rejects(unknown.platform.start(new RealDoor()), /^Error: Meta knows no number with the id 12\/34 \(gateway\.whatsapp\.phone_number_id\) that this token may use: .*\(error 100\)\.$/);
	assert.deepEqual([...opened.warnings, ...unknown.warnings], []);
});

test("where Meta cannot be reached it starts all the same, says so once, tries again, and says once when it is back", async () => {
	await using opened = await openWhatsApp();
	const { platform, meta, warnings } = opened;
	for (let i = 0; i < 4; i++) meta.instead.push({ path: number.id, answer: () => new Response("down", { status: 503 }) });
	const door = new RealDoor();
	await platform.start(door);
	assert.equal(platform.connected, false);
	await opened.say({ chat: person, text: "Meta can still reach us" });
	assert.equal(door.messages.length, 1);
	await eventually(() => platform.connected, "it is back");
	assert.deepEqual(warnings, ["whatsapp: Meta does not answer as it should: HTTP 503. It is tried again until it works.", "whatsapp: Meta answers again."]);
});

test("a Meta that accepts connections and never answers is given up after a while", { timeout: 30_000 }, async () => {
	await using opened = await openWhatsApp();
	const stuck = Promise.withResolvers<Response>();
	opened.meta.instead.push({ path: number.id, answer: () => stuck.promise });
	await opened.platform.start(new RealDoor());
	assert.match(opened.warnings[0]!, /^whatsapp: Meta cannot be reached: no answer within 5 s\./);
	stuck.resolve(new Response());
});

test("a token that is revoked later is warned of once and tried with pauses; one that is valid again works", async () => {
	await using opened = await startWhatsApp();
	const { platform, meta, warnings } = opened;
	meta.token = "revoked";
	for (let i = 0; i < 3; i++) await assert.rejects(opened.send("x"), { name: "TokenError" });
	const calls = meta.calls;
	await eventually(() => meta.calls > calls + 2, "it is tried again");
	assert.equal(platform.connected, false);
	meta.token = token;
	await eventually(() => platform.connected, "it is back");
	assert.equal(warnings.length, 2);
	assert.ok(!warnings.join().includes(token));
});

test("after the end nothing is taken, nothing is asked, and what was under way ends", async () => {
	const opened = await startWhatsApp({ pauseMs: () => 60_000 });
	opened.meta.instead.push({ path: "/messages", answer: () => new Response(null, { status: 502 }) });
	await assert.rejects(opened.send("x"));
	const aborted = new AbortController();
	const stuck = Promise.withResolvers<Response>();
	opened.meta.instead.push({ path: "/messages", answer: () => stuck.promise });
	const sending = opened.platform.send({ key: "k", chatId: person, text: "x", purpose: "answer" }, aborted.signal);
	aborted.abort(new Error("the end"));
	await assert.rejects(sending, /the end/);
	await opened.platform.stop();
	await assert.rejects(opened.say({ chat: person, text: "late" }), /503/);
	const before = performance.now();
	await opened.platform.close();
	assert.ok(performance.now() - before < 5_000);
	assert.equal(opened.platform.connected, false);
	stuck.resolve(new Response());
	await opened[Symbol.asyncDispose]();
});
