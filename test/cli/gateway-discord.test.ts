// A gateway on Discord as people run it: the real program against the fake of Discord's protocol.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { channel, direct, DiscordFake, person, thread } from "../gateway/discord-fake.ts";
import { Served } from "../gateway/served.ts";
import { Place } from "./program.ts";

const limit = { timeout: 60_000 };
const config = (fake: DiscordFake) => `gateway: {http: {port: 0}, access: {owners: ["discord:${person.id}"]}, discord: {token_env: A_DISCORD_TOKEN, base_url: "${fake.api}"}}`;

async function withFake(run: (fake: DiscordFake) => Promise<void>): Promise<void> {
	const fake = await DiscordFake.start();
	try {
		await run(fake);
	} finally {
		await fake.stop();
	}
}

test("people are answered where they wrote, and what they say while the gateway is dead is answered by the next one, once", limit, () =>
	withFake(async (fake) => {
		await using place = new Place();
		const env = { A_DISCORD_TOKEN: fake.token };
		const shown = (chat: string) => fake.messages.filter((one) => one.channel === chat).map(({ content }) => content);
		const first = await Served.start(place, config(fake), env);
		await eventually(() => fake.gateway.isConnected, "it is connected");
		await fake.say(direct, { text: "hello" });
		await eventually(() => shown(direct).includes("ECHO: hello"), "the first answer");
		await fake.say(thread, { text: "<@900000000000000001> in a thread" });
		await eventually(() => shown(thread).includes("ECHO: in a thread"), "an answer in the thread");
		assert.deepEqual(shown(channel), []);
		await first.kill();
		fake.tell(direct, { text: "anybody there?" });
		const second = await Served.start(place, config(fake), env);
		await eventually(() => shown(direct).includes("ECHO: anybody there?"), "the next one answers");
		assert.equal(await second.stop(), 0);
		assert.deepEqual(shown(direct), ["ECHO: hello", "ECHO: anybody there?"]);
		for (const { running } of [first, second]) assert.ok(!(running.stdout + running.stderr).includes(fake.token));
	}),
);

test("with a wrong token one line says what to do, and the other platforms run", limit, () =>
	withFake(async (fake) => {
		await using place = new Place();
		const gateway = await Served.start(place, config(fake), { A_DISCORD_TOKEN: "wrong.token.of-nobody" });
		assert.deepEqual((await gateway.ask("hello")).messages, ["ECHO: hello"]);
		assert.equal(await gateway.stop(), 0);
		const { stdout, stderr } = gateway.running;
		assert.match(stdout + stderr, /discord was not started: Discord refuses the bot's token\./);
		assert.ok(!(stdout + stderr).includes("wrong.token"));
	}),
);

test("every slash command of the gateway can be typed on Discord, which lets nobody type one that it does not know", limit, () =>
	withFake(async (fake) => {
		await using place = new Place();
		const gateway = await Served.start(place, config(fake), { A_DISCORD_TOKEN: fake.token });
		const registered = () => fake.calls.find(({ method }) => method === "PUT")?.body as unknown as readonly { readonly name: string }[] | undefined;
		await eventually(() => registered() !== undefined, "they are registered");
		const known = [...((await gateway.ask("/help")).messages ?? []).join().matchAll(/^\/(\S+)/gm)].map(([, name]) => name);
		assert.deepEqual(registered()!.map(({ name }) => name).toSorted(), known.toSorted());
		for (const name of ["approve", "deny", "cron", "extensions"]) assert.ok(known.includes(name), name);
		assert.equal(await gateway.stop(), 0);
	}),
);
