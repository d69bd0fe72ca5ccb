// A gateway that is killed at random while messages come in over two platforms: none is lost, none is answered twice, and what may have been cut off is said.
// More of everything for a long look: HOOKLINE_KILLS=50 HOOKLINE_MESSAGES=1000 HOOKLINE_SESSIONS=100 HOOKLINE_SEED=7.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Served } from "../gateway/served.ts";
import { approve, ask, httpTalk, type Heard, type Now, randomFrom, settle, type Talk, telegramTalk } from "../gateway/talks.ts";
import { TelegramFake } from "../gateway/telegram-fake.ts";
import { callTerminal, Place } from "./program.ts";

const given = (name: string, usual: number) => Number(process.env[`HOOKLINE_${name}`] ?? usual);
const kills = given("KILLS", 4);
const messages = given("MESSAGES", 60);
const sessions = given("SESSIONS", 10);
const seed = given("SEED", Date.now() % 1_000_000);
const perSession = Math.ceil(messages / sessions);

type Kind = "say" | "effect" | "ask" | "slow" | "command";
interface Sent {
	readonly id: string;
	readonly kind: Kind;
	/** Found in no other message. */
	readonly mark: string;
}

const kindAt = (random: number): Kind => (random < 0.4 ? "say" : random < 0.7 ? "effect" : random < 0.85 ? "ask" : random < 0.92 ? "slow" : "command");

function textOf(kind: Kind, mark: string): string {
	if (kind === "say") return `SAY answer to ${mark}`;
	if (kind === "slow") return `SLOW 20 one two three four five six seven ${mark}`;
	if (kind === "command") return "/whoami";
	const command = `echo ${mark} >> effects; sleep 0.1`;
	return callTerminal(kind === "ask" ? `rm -rf ${mark}; ${command}` : command);
}

const cutOff = /^(?:Hookline was ended while it worked|You also said, while that turn ran|While a question was open this was said)/;

test(`${messages} messages in ${sessions} chats on two platforms, killed ${kills} times (seed ${seed}): each is answered once, or told of as interrupted`, { timeout: 90_000 + kills * 20_000 }, async (t) => {
	await using fake = await TelegramFake.start();
	await using place = new Place();
	const random = randomFrom(seed);
	place.config(`agent: {retry_base_ms: 1}\ngateway: {http: {port: 0}, groups: all, telegram: {token_env: BOT_WORD, base_url: "${fake.url}"}, access: {owners: ["telegram:*"]}}\n`);
	const start = () => Served.of(place.start(["gateway", "run", "--model", "rehearsal"], { env: { BOT_WORD: fake.token }, limitMs: 60_000 + messages * 100 }), place.home);
	const now: Now = { gateway: await start() };
	const talks = Array.from({ length: sessions }, (_, i) => (i % 2 === 0 ? httpTalk(now, `h${i}`) : telegramTalk(fake, -2000 - i)));
	const sent = new Map<Talk, Sent[]>();
	const spread = (700 * kills) / perSession;
	const sending = Promise.all(
		talks.map(async (talk) => {
			const approved = new Set<string>();
			const all: Sent[] = [];
			sent.set(talk, all);
			for (let i = 0; i < perSession; i++) {
				const kind = kindAt(random());
				const mark = `${talk.name}-${i}.`;
				all.push({ id: await talk.say(textOf(kind, mark)), kind, mark });
				await pause(random() * 2 * spread);
				await approve(talk, approved);
			}
		}),
	);
	for (let i = 0; i < kills; i++) {
		await pause(random() * 600);
		await now.gateway.kill();
		now.gateway = await start();
	}
	await sending;
	for (const talk of talks) await settle(talk);
	const effects = place.made("effects") ? place.read("effects").trim().split("\n") : [];
	assert.equal(new Set(effects).size, effects.length, `no effect is repeated: ${effects.join(" ")}`);
	const seen = { answered: 0, joined: 0, waits: 0, interrupted: 0, twice: 0 };
	for (const talk of talks) {
		if (talk.name.startsWith("h")) await checkHttp(now.gateway, talk, sent.get(talk)!, effects, seen);
		else await checkTelegram(talk, sent.get(talk)!, seen);
	}
	assert.match((await place.run(["gateway", "undelivered", "list"])).stdout, /^$/);
	assert.equal(await now.gateway.stop(), 0);
	told(t, seen, effects.length);
});

type Seen = Record<"answered" | "joined" | "waits" | "interrupted" | "twice", number>;

const told = (t: TestContext, seen: Seen, effects: number) => t.diagnostic(`seed ${seed}: ${JSON.stringify({ ...seen, effects })}`);

/** There each message is said to be handled, and how. */
async function checkHttp(gateway: Served, talk: Talk, sent: readonly Sent[], effects: readonly string[], seen: Seen): Promise<void> {
	const events = await gateway.events(talk.name);
	const handled = events.filter((event) => event.type === "handled");
	const order = handled.map(({ message_id: id }) => id);
	assert.deepEqual(order, [...order].sort((one, other) => numberOf(one) - numberOf(other)), "in the order in which they were sent");
	for (const { id, kind, mark } of sent) {
		const [done, ...others] = handled.filter((event) => event.message_id === id);
		assert.ok(done !== undefined && others.length === 0, `${id} is handled once`);
		seen[done.how]++;
		const said = events.flatMap((event) => (event.type === "message" && event.reply_to === id ? [event.text] : []));
		const wasJoined = handled.some(({ into }) => into === id);
		if (done.how === "answered" && !wasJoined) {
			assert.equal(said.length, 1, `${id} is answered once: ${said.join(" | ")}`);
			if (kind === "say") assert.equal(said[0], `answer to ${mark}`);
			if (kind === "effect") assert.ok(effects.includes(mark), `what ${id} asked for was done`);
		}
		if (done.how === "interrupted") assert.ok(said.some((text) => cutOff.test(text)), `${id} is told that it was cut off: ${said.join(" | ")}`);
	}
}

/** There only texts are seen. What was said into the turn of another message is known to the model. */
async function checkTelegram(talk: Talk, sent: readonly Sent[], seen: Seen): Promise<void> {
	const heard = await talk.heard();
	for (const { id, kind, mark } of sent) {
		if (kind === "command") continue;
		const about = heard.filter((one) => one.about === id);
		const texts = new Set(about.map(({ text }) => text));
		// Telegram takes no key: a text it has taken is said again when the gateway died before it could note that down.
		seen.twice += about.length - texts.size;
		// What was said while a question was open is told of with the turn that was cut off.
		if (heard.some(({ about: other, text }) => cutOff.test(text) && (other === id || text.includes(mark)))) seen.interrupted++;
		else if (texts.size === 0) {
			assert.notEqual(await ask(talk, `SEEN ${mark}`), "0", `${mark} (${id}) was neither answered nor heard:\n${shown(heard)}`);
			seen.joined++;
		} else seen[[...texts].some((text) => text.startsWith("Question ")) ? "waits" : "answered"]++;
	}
	const order = heard.filter(({ text, about }) => about !== undefined && !/^(?:session |telegram:)/.test(text)).map(({ about }) => Number(about));
	assert.deepEqual(order, [...order].sort((one, other) => one - other), `in the order in which they were sent: ${shown(heard)}`);
}

const numberOf = (id: string) => Number(id.split(".")[1]);
const shown = (heard: readonly Heard[]) => heard.map(({ about, text }) => `${about ?? ""} ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`).join("\n");
