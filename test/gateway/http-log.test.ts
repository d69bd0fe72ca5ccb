// What the HTTP platform keeps of its chats, and what clients that follow one get of it.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Http } from "../../src/platforms/http/http.ts";
import { ChatLog } from "../../src/platforms/http/log.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { RealDoor } from "../contracts/platform.ts";

const day = 24 * 3600_000;
const headers = { Authorization: "Bearer t", "Content-Type": "application/json" };
const buttons = [{ label: "No", says: "/deny x" }];

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "hookline-http-"));
	try {
		await run(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Started, with a door of its own. */
async function withHttp(run: (platform: Http, door: RealDoor, folder: string) => Promise<void>): Promise<void> {
	await inFolder(async (folder) => {
		const platform = new Http({ host: "127.0.0.1", port: 0, token: "t", log: join(folder, "log.db"), files: join(folder, "files"), version: "0", warn: (message) => assert.fail(message) });
		const door = new RealDoor();
		await platform.start(door);
		try {
			await run(platform, door, folder);
		} finally {
			await platform.stop();
			await platform.close();
		}
	});
}

const post = (platform: Http, body: object, query = "") => fetch(`${platform.address}/v1/messages${query}`, { method: "POST", headers, body: JSON.stringify(body) });

test("texts and files are there for 30 days, also in a process that runs for months", () =>
	inFolder(async (folder) => {
		let now = Date.now();
		const files = join(folder, "files");
		const log = new ChatLog(join(folder, "log.db"), files, () => now);
		const path = join(folder, "report.txt");
		writeFileSync(path, "x");
		const say = (key: string) => log.message({ key, chatId: "a", text: key, purpose: "answer", files: [{ path, name: "report.txt", mediaType: "text/plain" }] });
		const said = () => log.after("a", 0, 100).map((event) => (event.type === "message" ? event.text : ""));
		say("first");
		now += 29 * day;
		say("second");
		assert.deepEqual([said(), readdirSync(files).length], [["first", "second"], 2]);
		now += 2 * day;
		say("third");
		assert.deepEqual([said(), readdirSync(files).length], [["second", "third"], 2]);
		assert.equal(statSync(files).mode & 0o777, 0o700);
		// By a clock that was years ahead nothing is kept for years.
		now -= 10 * day;
		say("fourth");
		assert.deepEqual(said(), ["second", "third", "fourth"]);
		log.close();
	}));

test("a button is pressed once, by its words alone, and whoever follows the chat sees it at once", () =>
	withHttp(async (platform) => {
		await platform.send({ key: "q", chatId: "a", text: "May I?", purpose: "question", buttons });
		const stop = new AbortController();
		const response = await fetch(`${platform.address}/v1/chats/a/events`, { headers: { ...headers, "Last-Event-ID": "0" }, signal: stop.signal });
		for (const text of ["deny x", "/deny y", "/deny x", "/deny x"]) assert.equal((await post(platform, { chat: "a", text })).status, 202);
		await post(platform, { chat: "b", text: "/deny x" });
		await platform.send({ key: "end", chatId: "a", text: "the end", purpose: "answer" });
		let heard = "";
		for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
			heard += piece;
			if (heard.includes("the end")) break;
		}
		stop.abort();
		const events = [...heard.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)$/gm)].map(([, id, type, data]) => ({ id: Number(id), type, data: JSON.parse(data!) as { event?: number; says?: string } }));
		assert.deepEqual(events.map(({ type }) => type), ["message", "pressed", "message"]);
		assert.deepEqual([events[1]!.data.event, events[1]!.data.says], [events[0]!.id, "/deny x"]);
	}));

test("too many messages are a 429 with the seconds to wait", () =>
	withHttp(async (platform, door) => {
		door.answer = async () => ({ kind: "too-many", reason: "Wait.", retryAfterMs: 41_200 });
		const response = await post(platform, { chat: "a", text: "x", user: "7" }, "?wait=1");
		assert.deepEqual([response.status, response.headers.get("retry-after"), ((await response.json()) as { error: string }).error], [429, "42", "Wait."]);
	}));

test("who waits for an answer gets it when it is there, and pieces of it wake nobody in vain", () =>
	withHttp(async (platform, door) => {
		const waiting = post(platform, { chat: "a", text: "x", id: "1" }, "?wait=1");
		await eventually(() => door.messages.length === 1, "it is taken");
		for (let i = 0; i < 1000; i++) platform.show({ chatId: "a" }, { kind: "delta", text: "x", replyTo: "1" });
		await platform.send({ key: "other", chatId: "a", text: "not yet", purpose: "interim", replyTo: "1" });
		await platform.send({ key: "k", chatId: "a", text: "there", purpose: "answer", replyTo: "1" });
		await platform.handled({ key: "h", chatId: "a", messageId: "1", how: "answered" });
		assert.deepEqual(await (await waiting).json(), { id: "1", status: "answered", messages: ["not yet", "there"] });
	}));

test("a file can be had with the token, to be saved and nothing else, until it is gone", () =>
	withHttp(async (platform, _, folder) => {
		const path = join(folder, "x.html");
		writeFileSync(path, "<script>alert(1)</script>");
		await platform.send({ key: "k", chatId: "a", text: "", purpose: "answer", files: [{ path, name: 'a"\r\n ü.html', mediaType: "text/html" }] });
		rmSync(path);
		const [id] = readdirSync(join(folder, "files"));
		const address = `${platform.address}/v1/files/${id}`;
		assert.equal((await fetch(address)).status, 401);
		const response = await fetch(address, { headers });
		assert.equal(await response.text(), "<script>alert(1)</script>");
		assert.deepEqual([response.headers.get("content-disposition"), response.headers.get("content-security-policy"), response.headers.get("x-content-type-options")], ["attachment; filename*=UTF-8''a%22%0D%0A%20%C3%BC.html", "sandbox", "nosniff"]);
		for (const other of ["../log.db", "..%2Flog.db", "nothing"]) assert.equal((await fetch(`${platform.address}/v1/files/${other}`, { headers })).status, 404, other);
		rmSync(join(folder, "files", id!));
		assert.equal((await fetch(address, { headers })).status, 404);
		assert.equal(existsSync(join(folder, "log.db")), true);
	}));
