// People who talk over HTTP and Telegram to a gateway that may be away at any moment, and what they get to see.
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../../src/system/test-waiting.ts";
import type { Served } from "./served.ts";
import type { TelegramFake } from "./telegram-fake.ts";

/** Pseudo-random numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
	let state = seed;
	return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** The gateway that runs just now. */
export interface Now {
	gateway: Served;
}

/** A text in a chat, and the message it is about. */
export interface Heard {
	readonly about: string | undefined;
	readonly text: string;
}

/** One chat. What is said in it is said one after the other, each until it is taken. */
export interface Talk {
	readonly name: string;
	/** The id under which it was taken. */
	say(text: string): Promise<string>;
	heard(): Promise<readonly Heard[]>;
}

export function httpTalk(now: Now, name: string): Talk {
	let count = 0;
	return {
		name,
		async say(text) {
			const id = `${name}.${count++}`;
			for (;; await pause(20)) {
				const taken = await now.gateway.say(text, { chat: name, id }).catch(() => undefined);
				if (taken?.status === "accepted" || taken?.status === "duplicate") return id;
			}
		},
		async heard() {
			return (await now.gateway.events(name)).flatMap((event) => (event.type === "message" ? [{ about: event.reply_to, text: event.text }] : []));
		},
	};
}

/** @param chat of a group, below 0: only there Telegram shows what is answered */
export function telegramTalk(fake: TelegramFake, chat: number): Talk {
	fake.chats.add(chat);
	return {
		name: `t${-chat}`,
		say: (text) => fake.say(chat, text),
		heard: async () => fake.shown.filter((one) => one.chat === chat).map(({ replyTo, text }) => ({ about: replyTo === undefined ? undefined : String(replyTo), text })),
	};
}

/** Says something and waits for the first text about it. */
export async function ask(talk: Talk, text: string): Promise<string> {
	const id = await talk.say(text);
	let answer: Heard | undefined;
	await eventually(async () => (answer = (await talk.heard()).find(({ about }) => about === id)) !== undefined, `${talk.name}: ${text} is answered`);
	return answer!.text;
}

/** Approves the questions that were put and not answered yet. */
export async function approve(talk: Talk, approved: Set<string>): Promise<void> {
	for (const { text } of await talk.heard().catch(() => [])) {
		const [, id] = /^Question (\w{6}):/.exec(text) ?? [];
		if (id === undefined || approved.has(id)) continue;
		approved.add(id);
		await talk.say(`/approve ${id}`);
	}
}

/** Waits until nothing runs in a chat and no question is open there, approving those that are. */
export async function settle(talk: Talk): Promise<void> {
	await eventually(async () => {
		const status = await ask(talk, "/status");
		for (const [, id] of status.matchAll(/^Question (\w{6}) is open/gm)) await talk.say(`/approve ${id!}`);
		return status.includes("Nothing runs.");
	}, `nothing runs in ${talk.name}`);
}
