// The Telegram platform against a server of the Bot API that others wrote. It knows texts, buttons and edits, but no files, and no waiting for updates.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import elsewhere from "telegram-test-api";
import type { Platform } from "../../src/gateway/platform.ts";
import { Telegram } from "../../src/platforms/telegram/telegram.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { platformContract, RealDoor } from "../contracts/platform.ts";

// Its types know a default, the module itself is the class.
const TelegramServer = elsewhere as unknown as typeof elsewhere.default;
const token = "4200000003:AAtoken-for-the-server-of-others-012345678";

interface Bot {
	readonly chat_id: string | number;
	readonly text?: string;
	readonly reply_markup?: { readonly inline_keyboard?: readonly (readonly { readonly text: string; readonly callback_data: string }[])[] };
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, "close");
	return port;
}

async function open() {
	const server = new TelegramServer({ host: "127.0.0.1", port: await freePort() });
	await server.start();
	// It does not look at the offset, with which a bot says what it has taken.
	let offset = 0;
	(Reflect.get(server, "server") as { on(event: "request", listener: (request: IncomingMessage) => void): void }).on("request", (request) => {
		let body = "";
		if (request.url?.endsWith("/getUpdates")) request.on("data", (piece: Buffer) => (body += piece.toString())).on("end", () => (offset = (JSON.parse(body) as { readonly offset?: number }).offset ?? offset));
	});
	const warnings: string[] = [];
	const telegram = new Telegram({ token, baseUrl: server.config.apiURL, commands: [], times: { pauseMs: () => 10 }, warn: (message) => warnings.push(message) });
	const sent = (chat: string) => server.storage.botMessages.filter(({ message }) => String(message.chat_id) === chat).map(({ message, messageId }) => ({ ...(message as Bot), messageId }));
	const buttonsIn = (chat: string) => sent(chat).flatMap(({ reply_markup: markup, messageId }) => (markup?.inline_keyboard ?? []).flat().map((button) => ({ ...button, messageId })));
	const client = (chat: string) => server.getClient(token, { chatId: Number(chat), userId: Number(chat) });
	return {
		server,
		warnings,
		// Without files.
		platform: new Proxy(telegram as Platform, {
			get(platform, name) {
				const value: unknown = name === "maxFileBytes" ? undefined : Reflect.get(platform, name, platform);
				return typeof value === "function" ? value.bind(platform) : value;
			},
		}),
		client,
		async say({ chat, text }: { readonly chat: string; readonly text: string }) {
			await server.addUserMessage(client(chat).makeMessage(text));
			const { updateId, messageId } = server.storage.userMessages.at(-1)!;
			await eventually(() => offset > updateId, "it is told that the update was taken");
			return String(messageId);
		},
		sees: async (chat: string) => sent(chat).map(({ text }) => text ?? ""),
		buttons: async (chat: string) => buttonsIn(chat).map(({ text }) => text),
		async press(chat: string, label: string) {
			const { callback_data: data, messageId } = buttonsIn(chat).find(({ text }) => text === label)!;
			await server.addUserCallback(client(chat).makeCallbackQuery(data, { message: { message_id: messageId } } as object));
		},
		async [Symbol.asyncDispose]() {
			await telegram.stop();
			await telegram.close();
			await server.stop();
		},
	};
}

platformContract({ name: "telegram, with a server of others", chats: ["1", "2"], open });

test("with a server of others: a command comes in, and what it cannot do is a warning at most", async () => {
	await using opened = await open();
	const { server, platform, warnings, client } = opened;
	const door = new RealDoor();
	await platform.start(door);
	await server.addUserCommand(client("1").makeCommand("/status now"));
	await eventually(() => door.messages.length === 1, "it comes in");
	assert.equal(door.messages[0]!.text, "/status now");
	platform.show?.({ chatId: "1" }, { kind: "typing" });
	assert.equal(warnings.length, 1);
	assert.match(warnings[0]!, /^telegram: the menu of commands is not set: setMyCommands: /);
});
