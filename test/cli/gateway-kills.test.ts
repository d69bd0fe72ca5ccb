// A gateway that is killed at random while messages come in: none is lost, none is answered twice, and what may have been cut off is said.
// More of both for a long look: HOOKLINE_KILLS=50 HOOKLINE_SEED=7.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Served, texts } from "../gateway/served.ts";
import { callTerminal, Place } from "./program.ts";

const kills = Number(process.env["HOOKLINE_KILLS"] ?? 4);
const seed = Number(process.env["HOOKLINE_SEED"] ?? Date.now() % 1_000_000);
const chats = ["a", "b", "c", "d", "e"];
const perChat = 6;

function randomFrom(start: number): () => number {
	let state = start;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

test(`30 messages over 5 chats, killed ${kills} times (seed ${seed}): each is answered once, or told of as interrupted`, { timeout: 60_000 + kills * 10_000 }, async () => {
	await using place = new Place();
	const random = randomFrom(seed);
	let gateway = await Served.start(place);
	// As any client does: with a number of its own, again until it is taken.
	const send = async (chat: string, id: string) => {
		const text = random() < 0.5 ? `SAY answer to ${id}` : callTerminal(`echo ${id} >> effects; sleep 0.3`);
		for (;;) {
			const taken = await gateway.say(text, { chat, id }).catch(() => undefined);
			if (taken?.status === "accepted" || taken?.status === "duplicate") return;
			await pause(20);
		}
	};
	const sending = Promise.all(
		chats.map(async (chat) => {
			for (let i = 0; i < perChat; i++) {
				await send(chat, `${chat}${i}`);
				// Spread over the kills, so that each finds something under way.
				await pause((random() * 600 * kills) / perChat);
			}
		}),
	);
	for (let i = 0; i < kills; i++) {
		await pause(random() * 300);
		await gateway.kill();
		gateway = await Served.start(place);
	}
	await sending;
	for (const chat of chats) {
		const ids = Array.from({ length: perChat }, (_, i) => `${chat}${i}`);
		for (const id of ids) {
			const about = await gateway.handled(id, chat);
			const handled = about.filter(({ type }) => type === "handled");
			assert.equal(handled.length, 1, `${id} is handled once`);
			const [{ how } = { how: "" }] = handled as readonly { readonly how: string }[];
			const said = texts(about);
			if (how === "answered") assert.equal(said.length, 1, `${id} is answered once: ${said.join(" | ")}`);
			if (how === "interrupted") assert.match(said.join("\n"), /^(?:Hookline was ended while it worked|You also said, while that turn ran)/);
		}
		const order = (await gateway.events(chat)).flatMap((event) => (event.type === "handled" ? [event.message_id] : []));
		assert.deepEqual(order, ids, "in the order in which they were sent");
	}
	const effects = place.made("effects") ? place.read("effects").trim().split("\n") : [];
	assert.equal(new Set(effects).size, effects.length, `no effect is repeated: ${effects.join(" ")}`);
	assert.equal(await gateway.stop(), 0);
});
