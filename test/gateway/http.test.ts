// The HTTP platform, held to what every platform has to do, and what is its own.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Http } from "../../src/platforms/http/http.ts";
import { platformContract, RealDoor, type SentFile } from "../contracts/platform.ts";

const token = "a token of the tests";

interface Event {
	readonly id: number;
	readonly type: string;
	readonly text: string;
	readonly event?: number;
	readonly buttons?: readonly { readonly label: string; readonly says: string }[];
	readonly files?: readonly { readonly id: string; readonly name: string }[];
}

function openHttp() {
	const folder = mkdtempSync(join(tmpdir(), "hookline-http-"));
	const warnings: string[] = [];
	const platform = new Http({ host: "127.0.0.1", port: 0, token, log: join(folder, "log.db"), files: join(folder, "files"), version: "0", warn: (message) => warnings.push(message) });
	const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
	const get = async (path: string) => (await fetch(platform.address + path, { headers })).json() as Promise<{ events: readonly Event[] }>;
	const all = async (chat: string) => (await get(`/v1/chats/${encodeURIComponent(chat)}/messages`)).events;
	return {
		platform,
		warnings,
		async say({ chat, text, file }: { readonly chat: string; readonly text: string; readonly file?: SentFile }) {
			const files = file && [{ name: file.name, data: Buffer.from(file.content).toString("base64") }];
			const response = await fetch(`${platform.address}/v1/messages`, { method: "POST", headers, body: JSON.stringify({ chat, text, ...(files && { files }) }) });
			if (!response.ok) throw new Error(await response.text());
			return ((await response.json()) as { readonly id: string }).id;
		},
		events: async (chat: string, after = 0) => (await get(`/v1/chats/${encodeURIComponent(chat)}/messages?after=${after}`)).events,
		sees: async (chat: string) => (await get(`/v1/chats/${encodeURIComponent(chat)}/messages`)).events.map(({ text }) => text),
		buttons: async (chat: string) => {
			const events = await all(chat);
			const pressed = new Set(events.map(({ event }) => event));
			return events.flatMap(({ id, buttons = [] }) => (pressed.has(id) ? [] : buttons.map(({ label }) => label)));
		},
		async press(chat: string, label: string) {
			const button = (await all(chat)).flatMap(({ buttons = [] }) => buttons).find((one) => one.label === label);
			await this.say({ chat, text: button!.says });
		},
		async files(chat: string) {
			const files = (await all(chat)).flatMap(({ files = [] }) => files);
			return Promise.all(files.map(async ({ id, name }) => ({ name, content: await (await fetch(`${platform.address}/v1/files/${id}`, { headers })).text() })));
		},
		async [Symbol.asyncDispose]() {
			await platform.stop();
			await platform.close();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

platformContract({ name: "http", chats: ["a", "b"], open: async () => openHttp() });

test("a text that comes a second time after a crash is shown once", async () => {
	await using opened = openHttp();
	await opened.platform.start(new RealDoor());
	const text = { key: "k", chatId: "a", text: "once", purpose: "answer" } as const;
	await opened.platform.send(text);
	await opened.platform.send(text);
	assert.deepEqual(await opened.sees("a"), ["once"]);
});

test("a chat can have any name, that of an event of Node's emitters too", async () => {
	await using opened = openHttp();
	await opened.platform.start(new RealDoor());
	for (const chatId of ["error", "newListener", "__proto__", "a/b ?#%", "😀"]) {
		opened.platform.show({ chatId }, { kind: "typing" });
		await opened.platform.send({ key: chatId, chatId, text: chatId, purpose: "answer" });
		assert.deepEqual(await opened.sees(chatId), [chatId]);
	}
});

test("a client that does not read costs no more than a client that does: live events beyond a bound are dropped, texts are not", async () => {
	await using opened = openHttp();
	await opened.platform.start(new RealDoor());
	const stop = new AbortController();
	const response = await fetch(`${opened.platform.address}/v1/chats/a/events`, { headers: { Authorization: `Bearer ${token}` }, signal: stop.signal });
	for (let i = 0; i < 50_000; i++) opened.platform.show({ chatId: "a" }, { kind: "delta", text: "x".repeat(100), replyTo: "1" });
	await opened.platform.send({ key: "k", chatId: "a", text: "the answer", purpose: "answer" });
	let heard = "";
	for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
		heard += piece;
		if (heard.includes("the answer")) break;
	}
	stop.abort();
	assert.ok(heard.split("event: delta").length < 10_000);
});
