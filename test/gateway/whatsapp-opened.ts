// WhatsApp on a fake of Meta's, with the webhook served over HTTP.
import type { OutboundText } from "../../src/gateway/platform.ts";
import { WhatsApp, type WhatsAppOptions } from "../../src/platforms/whatsapp/whatsapp.ts";
import { RealDoor } from "../contracts/platform.ts";
import { listen } from "./listen.ts";
import { appSecret, FakeMeta, number, token, verifyToken } from "./whatsapp-fake.ts";

export const person = "491700000001";
export const other = "491700000002";
export const signal = new AbortController().signal;

export async function openWhatsApp(options: Partial<WhatsAppOptions> = {}) {
	const meta = await FakeMeta.start();
	const warnings: string[] = [];
	const platform = new WhatsApp({ phoneNumberId: number.id, token, appSecret, verifyToken, baseUrl: meta.address, warn: (message) => warnings.push(message), pauseMs: () => 5, ...options });
	const front = await listen((request) => platform.webhook(request));
	meta.webhook = `${front.address}/platforms/whatsapp`;
	return {
		platform,
		meta,
		warnings,
		say: meta.say.bind(meta),
		sees: meta.sees.bind(meta),
		files: meta.files.bind(meta),
		buttons: meta.buttons.bind(meta),
		press: meta.press.bind(meta),
		send: (text: string, more: Partial<OutboundText> = {}) => platform.send({ key: "k", chatId: person, text, purpose: "answer", ...more }, signal),
		async [Symbol.asyncDispose]() {
			await platform.stop();
			await platform.close();
			await front.close();
			await meta.close();
		},
	};
}

export async function startWhatsApp(options: Partial<WhatsAppOptions> = {}) {
	const opened = await openWhatsApp(options);
	const door = new RealDoor();
	await opened.platform.start(door);
	return { ...opened, door };
}
