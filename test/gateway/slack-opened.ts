// The Slack platform, opened against a Slack on this machine, with a person at its other end.
import assert from "node:assert/strict";
import { Slack, type SlackOptions } from "../../src/platforms/slack/slack.ts";
import { type Opened, RealDoor } from "../contracts/platform.ts";
import { appToken, bot, botToken, FakeSlack, visible } from "./slack-fake.ts";

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
export const outbound = (chatId: string, text: string) => ({ key: text, chatId, text, purpose: "answer" as const });

export async function openSlack(options: Partial<SlackOptions> = {}) {
	const fake = await FakeSlack.start();
	for (const chat of ["D1", "D2", "C1"]) fake.chat(chat);
	const warnings: string[] = [];
	const platform = new Slack({ botToken, appToken, baseUrl: fake.baseUrl, warn: (message) => warnings.push(message), pauseMs: () => 20, silenceMs: 600, ...options });
	const message = (chat: string, text: string, more: object = {}) => {
		const ts = fake.nextTs();
		const { thread_ts: thread } = more as { readonly thread_ts?: string };
		fake.chat(chat).push({ ts, user: "U1", text: escaped(text), blocks: [], files: [], ...(thread !== undefined && { thread }) });
		return { type: "message", channel: chat, user: "U1", text, ts, event_ts: ts, channel_type: chat.startsWith("D") ? "im" : "channel", team: "T1", client_msg_id: ts, ...more };
	};
	const shownWithButtons = (chat: string) => fake.chat(chat).findLast(({ blocks }) => blocks.some(({ type }) => type === "actions"));
	return {
		fake,
		platform,
		warnings,
		message,
		async say({ chat, text, file }) {
			const named = file === undefined ? {} : { subtype: "file_share", files: [incoming(fake, file)] };
			const event = message(chat, escaped(text), named);
			await fake.event(event);
			return event.ts;
		},
		sees: async (chat) => fake.chat(chat).filter(({ user }) => user === bot.userId).map(visible),
		buttons: async (chat) => shownWithButtons(chat)?.blocks.flatMap(({ elements = [] }) => elements.map(({ text }) => text.text)) ?? [],
		async press(chat, label) {
			const shown = shownWithButtons(chat)!;
			const action = shown.blocks.flatMap(({ elements = [] }) => elements).find(({ text }) => text.text === label)!;
			await fake.envelope("interactive", {
				type: "block_actions",
				user: { id: "U1", username: "one", team_id: "T1" },
				channel: { id: chat, name: "directmessage" },
				message: { type: "message", ts: shown.ts, text: shown.text, blocks: shown.blocks, ...(shown.thread !== undefined && { thread_ts: shown.thread }) },
				container: { type: "message", message_ts: shown.ts, channel_id: chat },
				actions: [{ ...action, block_id: "b", action_ts: fake.nextTs() }],
				trigger_id: "1.2.3",
				response_url: "http://127.0.0.1/none",
			});
		},
		files: async (chat) => fake.chat(chat).flatMap(({ files }) => files.map((id) => ({ name: fake.files.get(id)!.name, content: fake.files.get(id)!.content.toString("utf8") }))),
		async [Symbol.asyncDispose]() {
			await platform.stop();
			await platform.close();
			await fake[Symbol.asyncDispose]();
			assert.deepEqual(fake.mistakes, []);
		},
	} satisfies Opened & Record<string, unknown>;
}

/** A file that somebody sent. */
export function incoming(fake: FakeSlack, { name, content }: { readonly name: string; readonly content: string }) {
	const id = `F${fake.files.size}in`;
	fake.files.set(id, { name, content: Buffer.from(content), length: 0 });
	return { id, name, title: name, mimetype: "text/plain", filetype: "text", size: Buffer.byteLength(content), mode: "hosted", is_external: false, url_private: `http://127.0.0.1:${fake.port}/files/${id}`, url_private_download: `http://127.0.0.1:${fake.port}/files/${id}` };
}

/** One that takes messages, and its door. */
export async function started(options: Partial<SlackOptions> = {}) {
	const opened = await openSlack(options);
	const door = new RealDoor();
	await opened.platform.start(door);
	return Object.assign(opened, { door });
}
