// A gateway that is killed while questions are asked and answered: what was approved runs at most once, nothing else runs, and each question comes to an end.
// More of it for a long look: HOOKLINE_KILLS=50 HOOKLINE_SEED=7.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { callTerminal, extension, Place } from "../cli/program.ts";
import { Served, texts } from "./served.ts";

const kills = Number(process.env["HOOKLINE_KILLS"] ?? 4);
const seed = Number(process.env["HOOKLINE_SEED"] ?? Date.now() % 1_000_000);
const chats = ["a", "b", "c", "d"];
const dangerous = (name: string) => callTerminal(`rm -rf ${name}; echo ${name} >> effects; sleep 0.2`);
const effects = (place: Place) => (place.made("effects") ? place.read("effects").trim().split("\n") : []);

/** Talks to a gateway that may be away at any moment, as any client does: again, until it is taken and handled. */
class Client {
	gateway: Served;
	readonly chat: string;
	#count = 0;

	constructor(gateway: Served, chat: string) {
		this.gateway = gateway;
		this.chat = chat;
	}

	/** How a message was handled, and the texts about it. */
	async say(text: string): Promise<{ readonly how: string; readonly said: readonly string[] }> {
		const id = `${this.chat}${this.#count++}`;
		for (;;) {
			const taken = await this.gateway.say(text, { chat: this.chat, id }).catch(() => undefined);
			const about = taken && (await this.gateway.handled(id, this.chat).catch(() => undefined));
			const handled = about?.find(({ type }) => type === "handled");
			if (about && handled?.type === "handled") return { how: handled.how, said: texts(about) };
			await pause(20);
		}
	}
}

const idIn = (said: readonly string[]) => said.flatMap((text) => /\bQuestion (\w{6})(?::| is open)/.exec(text)?.[1] ?? [])[0];

test(`questions in ${chats.length} chats, killed ${kills} times (seed ${seed})`, { timeout: 60_000 + kills * 10_000 }, async () => {
	await using place = new Place();
	let state = seed;
	const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
	const clients: Client[] = [];
	const first = await Served.start(place);
	for (const chat of chats) clients.push(new Client(first, chat));
	let isOver = false;
	const talks = clients.map(async (client) => {
		const done: string[] = [];
		for (let i = 0; !isOver || i < 3; i++) {
			const name = `${client.chat}-${i}`;
			let { how, said } = await client.say(dangerous(name));
			let approved = false;
			for (let id = idIn(said); id !== undefined; id = idIn(said)) {
				approved = true;
				({ how, said } = await client.say(`/approve ${id}`));
				assert.doesNotMatch(said.join("\n"), /There is no question/, "a question that was asked is there until it was answered");
			}
			assert.ok(["answered", "interrupted"].includes(how), `${name}: ${how} ${said.join(" | ")}`);
			if (how === "answered") {
				assert.deepEqual([approved, said], [true, ["DONE"]]);
				done.push(name);
			}
			assert.match((await client.say("/status")).said.join(), /Nothing runs\.|ended while it worked/);
		}
		return done;
	});
	for (let i = 0; i < kills; i++) {
		await pause(random() * 600);
		await clients[0]!.gateway.kill();
		const next = await Served.start(place);
		for (const client of clients) client.gateway = next;
	}
	isOver = true;
	const done = (await Promise.all(talks)).flat();
	const ran = effects(place);
	assert.equal(new Set(ran).size, ran.length, `nothing runs twice: ${ran.join(" ")}`);
	for (const name of done) assert.ok(ran.includes(name), `${name} was approved, answered, and has run`);
	assert.equal(await clients[0]!.gateway.stop(), 0);
});

test("killed a moment after a turn began to wait, or went on to its end: both are there afterwards, once", { timeout: 120_000 }, async () => {
	await using place = new Place();
	const deadly = join(place.work, "deadly");
	place.extension("deadly.ts", `import { existsSync, readFileSync } from "node:fs";\n${extension(`	hooks.observe("turn.ended", () => existsSync(${JSON.stringify(deadly)}) && void setTimeout(() => process.kill(process.pid, "SIGKILL"), Number(readFileSync(${JSON.stringify(deadly)}, "utf8"))));`)}`);
	for (const [i, ms] of [0, 1, 3, 6].entries()) {
		writeFileSync(deadly, String(ms));
		const client = new Client(await Served.start(place), `chat${i}`);
		const asking = client.say(dangerous(`effect${i}`));
		await client.gateway.running.ended;
		rmSync(deadly);
		client.gateway = await Served.start(place);
		const asked = await asking;
		const id = idIn(asked.said);
		if (id === undefined) {
			assert.equal(asked.how, "interrupted");
			await client.gateway.kill();
			continue;
		}
		writeFileSync(deadly, String(ms));
		const answering = client.say(`/approve ${id}`);
		await client.gateway.running.ended;
		rmSync(deadly);
		client.gateway = await Served.start(place);
		const { how, said } = await answering;
		assert.ok(how === "interrupted" || said.join() === "DONE", `${how} ${said.join(" | ")}`);
		await client.gateway.kill();
	}
	const ran = effects(place);
	assert.equal(new Set(ran).size, ran.length);
});
