// A day of a gateway in ten minutes: does it stay as small as it was? Each hour is 25 s, with restarts and a kill in its first third, reloads and a Telegram that goes away all day.
//
//   node --disable-warning=ExperimentalWarning bench/day.ts                        with Node 24; 10,000 messages in 10 minutes
//   HOOKLINE_DAY_MINUTES=2 HOOKLINE_MESSAGES=2000 node … bench/day.ts              shorter
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Served } from "../test/gateway/served.ts";
import { httpTalk, type Now, randomFrom, type Talk, telegramTalk } from "../test/gateway/talks.ts";
import { TelegramFake } from "../test/gateway/telegram-fake.ts";
import { callTerminal, Place } from "../test/cli/program.ts";

const hours = 24;
const minutes = Number(process.env["HOOKLINE_DAY_MINUTES"] ?? 10);
const messages = Number(process.env["HOOKLINE_MESSAGES"] ?? 10_000);
const hourMs = (minutes * 60_000) / hours;
const chats = 100;

interface Sample {
	readonly rssMB: number;
	/** Descriptors: those of connections come and go with the messages under way. */
	readonly sockets: number;
	readonly otherFds: number;
	readonly threads: number;
	readonly children: number;
	readonly databasesMB: number;
	/** Messages so far. */
	readonly said: number;
}

const columns = ["rssMB", "sockets", "otherFds", "threads", "children", "databasesMB", "said"] as const satisfies readonly (keyof Sample)[];

function sampleOf(pid: number, home: string, said: number): Sample {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
	const tasks = readdirSync(`/proc/${pid}/task`);
	const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean)).length;
	const bytes = readdirSync(home).filter((name) => /\.db(?:-wal)?$/.test(name)).reduce((sum, name) => sum + statSync(join(home, name)).size, 0);
	const fds = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
	const sockets = fds.filter((link) => link.startsWith("socket:")).length;
	return { rssMB: number("VmRSS") / 1024, sockets, otherFds: fds.length - sockets, threads: number("Threads"), children, databasesMB: bytes / 2 ** 20, said };
}

/** Empty when it was closed meanwhile. */
function linkOf(path: string): string {
	try {
		return readlinkSync(path);
	} catch {
		return "";
	}
}

await using fake = await TelegramFake.start();
await using place = new Place();
const config = (perMinute: number) => `agent: {retry_base_ms: 1}\ngateway: {http: {port: 0}, groups: all, messages_per_minute: ${perMinute}, telegram: {token_env: BOT_WORD, base_url: "${fake.url}"}, access: {owners: ["telegram:*"]}}\n`;
const start = () => {
	place.config(config(30));
	return Served.of(place.start(["gateway", "run", "--model", "rehearsal"], { env: { BOT_WORD: fake.token }, limitMs: 2 * minutes * 60_000 + 600_000 }), place.home);
};
const now: Now = { gateway: await start() };
const random = randomFrom(7);
const talks = Array.from({ length: chats }, (_, i) => (i % 2 === 0 ? httpTalk(now, `h${i}`) : telegramTalk(fake, -2000 - i)));
let said = 0;
const began = performance.now();

function textNow(): string {
	const kind = random();
	return kind < 0.7 ? `SAY ${"answer ".repeat(1 + random() * 40)}${said}` : kind < 0.9 ? callTerminal("true") : kind < 0.95 ? "/status" : kind < 0.97 ? "/new" : "/whoami";
}

async function talk(one: Talk): Promise<void> {
	while (said < messages) {
		// As many as the time of day asks for, however slow the machine is.
		const due = (messages * (performance.now() - began)) / (minutes * 60_000);
		if (said > due) await pause(50 + random() * 100);
		else {
			said++;
			await one.say(textNow());
		}
	}
}

async function happens(hour: number): Promise<string> {
	const done: string[] = [];
	if (hour === 2 || hour === 4) {
		await now.gateway.stop();
		now.gateway = await start();
		done.push("restart");
	}
	if (hour === 3 || hour === 6) {
		await now.gateway.kill();
		now.gateway = await start();
		done.push("kill -9");
	}
	if (hour > 6 && hour % 2 === 0) {
		await place.run(["gateway", "reload"]);
		done.push("reload");
	}
	if (hour > 6 && hour % 3 === 0) {
		place.config(config(30 + hour));
		done.push("settings");
	}
	if (hour % 2 === 1) {
		await fake.down();
		await pause(hourMs / 10);
		await fake.up();
		done.push("reconnect");
	}
	return done.join(", ");
}

const samples: Sample[] = [];
console.log(["hour", ...columns, "what happened"].join("\t"));
const talking = Promise.all(talks.map(talk));
for (let hour = 1; hour <= hours; hour++) {
	const happened = await happens(hour);
	await pause(Math.max(0, began + hour * hourMs - performance.now()));
	const sample = sampleOf(now.gateway.running.pid, place.home, said);
	samples.push(sample);
	console.log([hour, ...columns.map((name) => Math.round(sample[name] * 10) / 10), happened].join("\t"));
}
await talking;
const third = (from: number) => samples.slice(from, from + hours / 3);
const middle = (values: readonly number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
console.log("\nmedian\tsecond third\tlast third");
for (const name of columns.slice(0, 5)) console.log([name, ...[hours / 3, (2 * hours) / 3].map((from) => Math.round(middle(third(from).map((sample) => sample[name])) * 10) / 10)].join("\t"));
const waitingNow = async () => Number(/hookline_messages_waiting (\d+)/.exec(await (await now.gateway.fetch("/metrics")).text())?.[1]);
let waiting = await waitingNow();
for (let tries = 0; waiting > 0 && tries < 600; tries++) {
	await pause(100);
	waiting = await waitingNow();
}
const { stdout } = await place.run(["gateway", "undelivered", "list"]);
console.log(`\n${said} messages in ${Math.round((performance.now() - began) / 1000)} s; ${waiting} still wait; ${stdout.split("\n").filter(Boolean).length} could not be done; it ended with ${await now.gateway.stop()}`);
