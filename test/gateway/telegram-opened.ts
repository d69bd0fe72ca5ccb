// The Telegram platform with the fake at its other end.
import type { OutboundText } from "../../src/gateway/platform.ts";
import { Telegram, type TelegramOptions } from "../../src/platforms/telegram/telegram.ts";
import { RealDoor, type SentFile } from "../contracts/platform.ts";
import { TelegramFake } from "./telegram-fake.ts";

const quick = { pollSeconds: 30, patienceMs: 5_000, pauseMs: () => 10 };

export async function openTelegram(options: Partial<TelegramOptions> = {}) {
	const fake = await TelegramFake.start();
	const warnings: string[] = [];
	const platform = new Telegram({ token: fake.token, baseUrl: fake.url, commands: [], times: quick, warn: (message) => warnings.push(message), ...options });
	return {
		fake,
		platform,
		warnings,
		async say({ chat, text, file }: { readonly chat: string; readonly text: string; readonly file?: SentFile }) {
			if (file === undefined) return fake.say(Number(chat), text);
			fake.files.set("documents/f1", file.content);
			return fake.say(Number(chat), "", { text: undefined, caption: text, document: { file_id: "f1", file_unique_id: "f1", file_name: file.name, mime_type: "text/plain", file_size: 5 } });
		},
		sees: async (chat: string) => fake.shown.filter((one) => one.chat === Number(chat) && one.text !== "").map(({ text }) => text),
		files: async (chat: string) => fake.shown.flatMap((one) => (one.chat === Number(chat) && one.file !== undefined ? [one.file] : [])),
		press: (chat: string, label: string) => fake.press(Number(chat), label),
		buttons: async (chat: string) => fake.shown.filter((one) => one.chat === Number(chat)).flatMap(({ buttons }) => buttons.map(({ text }) => text)),
		async [Symbol.asyncDispose]() {
			await platform.stop();
			await platform.close();
			await fake[Symbol.asyncDispose]();
		},
	};
}

export async function startTelegram(options: Partial<TelegramOptions> = {}) {
	const opened = await openTelegram(options);
	const door = new RealDoor();
	await opened.platform.start(door);
	return { ...opened, door };
}

export const outbound = (text: string, more: Partial<OutboundText> = {}): OutboundText => ({ key: "k", chatId: "11", text, purpose: "answer", ...more });
