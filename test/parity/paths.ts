// The ways there are today to reach the agent, each driven as people and programs do.
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { addJob } from "../../src/gateway/cron/change.ts";
import { openSqliteCronStore } from "../../src/stores/sqlite/cron.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { onScreen } from "../cli/screen.ts";
import { callTerminal, Place } from "../cli/program.ts";
import { Served, texts } from "../gateway/served.ts";
import { TelegramFake } from "../gateway/telegram-fake.ts";

export const local = ["argument", "piped", "json", "chat", "lines", "screen", "resumed", "subagent", "mcp", "compaction"] as const;
/** What no message began. */
export const jobs = ["cron", "boot", "webhook"] as const;
/** `approved`: from an owner's answer to a question on, until the turn is over that it lets go on. */
export const paths = [...local, "gateway", "approved", "telegram", ...jobs] as const;
export type Path = (typeof paths)[number];

const programs = join(import.meta.dirname, "../programs");
const delegate = (goal: string): string => `CALL delegate_task ${JSON.stringify({ tasks: [{ goal }] })}`;
const prompts = [callTerminal("echo hi"), callTerminal("echo ask"), "fail", "HTTP 400 wrong", "/help", delegate("SAY hi"), "/compact", "/new", "/model openai-compatible:other"];
/** All that one turn can cause, one call after the other: the child's turn fails, and so does a hook of it. */
const inOneTurn = ["SEQ", callTerminal("echo ask"), callTerminal("echo hi"), delegate("HTTP 400 fail"), callTerminal("echo ask again")].join("\n");

const models = { "openai-compatible:other": { base_url: "http://127.0.0.1:1/v1" } };
const basic = { agent: { max_attempts: 1 }, models };
/** JSON is YAML too. */
const settings = (more: object = {}): string => JSON.stringify({ ...basic, ...more });

type Environment = Readonly<Record<string, string>>;

async function served(place: Place, env: Environment, gateway: object = {}, more: object = {}): Promise<Served> {
	place.config(settings({ gateway: { http: { port: 0 }, ...gateway }, ...more }));
	return Served.in(place, place.home, env);
}

/** Waits until every message is handled and every text sent. */
async function quiet(gateway: Served): Promise<void> {
	const waiting = /^hookline_(?:messages_waiting|turns_running|deliveries_waiting) 0$/gm;
	await eventually(async () => (await (await gateway.fetch("/metrics")).text()).match(waiting)?.length === 3, "all is handled and sent");
}

const drive: Readonly<Record<Path, (place: Place, env: Environment) => Promise<unknown>>> = {
	argument: (place, env) => each((prompt) => place.run(["run", prompt], { env })),
	piped: (place, env) => each((prompt) => place.run(["run"], { env, stdin: prompt })),
	json: (place, env) => each((prompt) => place.run(["run", "--json", prompt], { env })),
	chat: (place, env) => place.run([], { env, stdin: `${prompts.join("\n")}\n` }),
	async lines(place, env) {
		const person = place.onTerminal([], { env });
		for (const prompt of prompts) {
			// It does not wait for what was typed before it.
			if (prompt.startsWith("/model")) await person.shows("New session");
			person.write(`${prompt}\n`);
			if (!prompt.includes("echo ask")) continue;
			await person.shows("Allow this?");
			person.write("y\n");
		}
		person.write("!echo hi\n/quit\n");
		await person.ended;
	},
	async screen(place, env) {
		const person = onScreen(place, [], { env, rows: 60 });
		await person.shows(/─\nrehearsal · /);
		for (const prompt of [...prompts, "!echo hi"]) {
			person.type(`${prompt}\r`);
			if (prompt.includes("echo ask")) {
				await person.shows(/Allow this\?[\s\S]*❯ *\n/);
				person.type("y\r");
			}
			// Sent sooner, it would join the turn that runs.
			await person.shows(prompt.startsWith("!") ? "$ echo hi" : `❯ ${prompt.slice(0, 60)}`);
			await person.hides("Working");
		}
		person.type("/quit\r");
		await person.ended;
	},
	async resumed(place, env) {
		await place.run(["run", "SAY first"], { env: { ...env, RECORD: "/dev/null" } });
		await each((prompt) => place.run(["run", "--continue", prompt], { env }));
		await place.run(["run", "--continue", "--model", "openai-compatible:other", "hello"], { env });
	},
	async subagent(place, env) {
		const goals = [...prompts.filter((prompt) => !prompt.startsWith("/")), delegate("SAY deeper")];
		await place.run([], { env: { ...env, CHILDREN: "1" }, stdin: `${goals.map(delegate).join("\n")}\n` });
	},
	/** As in the chat, with the tool of a server in the place of the terminal. */
	async mcp(place, env) {
		const server = { command: process.execPath, args: [join(programs, "mcp-server.ts")] };
		place.config(settings({ mcp: { own: server } }));
		const calls = prompts.map((prompt) => prompt.replace("CALL terminal", "CALL mcp__own__echo"));
		await place.run([], { env, stdin: `${calls.join("\n")}\n` });
	},
	/** As in the chat, where the window is so small that room is made before anybody asks for it. */
	async compaction(place, env) {
		place.config(settings({ models: { ...models, rehearsal: { context_tokens: 1000 } } }));
		const long = `SAY ${"word ".repeat(1000)}`;
		await place.run([], { env, stdin: `${[long, long, ...prompts.filter((prompt) => prompt !== "/compact")].join("\n")}\n` });
	},
	async gateway(place, env) {
		const gateway = await served(place, env);
		for (const prompt of prompts) if ((await gateway.ask(prompt)).status === "waits") await gateway.ask("/deny");
		place.config(settings({ gateway: { http: { port: 0 }, max_turns: 4 } }));
		await gateway.running.shows("The changed configuration counts now.");
		await gateway.stop();
	},
	async approved(place, env) {
		const gateway = await served(place, env);
		await gateway.ask(inOneTurn);
		await quiet(gateway);
		writeFileSync(env["RECORD"]!, "");
		while ((await gateway.ask("/approve")).status === "waits");
		await quiet(gateway);
		const recorded = readFileSync(env["RECORD"]!);
		await gateway.stop();
		writeFileSync(env["RECORD"]!, recorded);
	},
	async telegram(place, env) {
		await using fake = await TelegramFake.start();
		const gateway = await served(place, { ...env, BOT_WORD: fake.token }, { telegram: { token_env: "BOT_WORD", base_url: fake.url }, access: { owners: ["telegram:11"] } });
		for (const prompt of prompts) {
			await fake.say(11, prompt);
			await quiet(gateway);
			if (!prompt.includes("echo ask")) continue;
			await fake.press(11, "Once");
			await quiet(gateway);
		}
		const from = { chat: { id: 11, type: "private" }, message_id: 5, user: { id: 11, is_bot: false, first_name: "x" }, date: 1 };
		const emoji = (text: string) => ({ type: "emoji", emoji: text });
		await fake.give({ message_reaction: { ...from, old_reaction: [emoji("👍")], new_reaction: [emoji("🎉")] } } as object);
		await gateway.stop();
	},
	async cron(place, env) {
		using store = openSqliteCronStore(join(place.home, "hookline.db"));
		for (const [i, prompt] of prompts.entries()) addJob(store, { name: `job${i}`, schedule: "in 1s", prompt, catchUp: true }, Date.now());
		const gateway = await served(place, env, { home_chat: "http:home" });
		await eventually(async () => texts(await gateway.events("home")).length >= prompts.length, "every job has said something");
		await quiet(gateway);
		await gateway.stop();
	},
	async boot(place, env) {
		writeFileSync(join(place.home, "BOOT.md"), inOneTurn);
		const gateway = await served(place, env, { home_chat: "http:home" }, { extensions: { "boot-md": { enabled: true } } });
		await eventually(async () => (await gateway.events("home")).length > 0, "the checklist is worked through");
		await quiet(gateway);
		await gateway.stop();
	},
	async webhook(place, env) {
		const secret = `whsec_${Buffer.from("a secret of the tests, long enough").toString("base64")}`;
		const webhooks = Object.fromEntries(prompts.map((prompt, i) => [`hook${i}`, { secret_env: "HOOK_SECRET", prompt }]));
		const gateway = await served(place, { ...env, HOOK_SECRET: secret }, { home_chat: "http:home", webhooks });
		for (const name of Object.keys(webhooks)) {
			const at = new Date();
			const signature = new Webhook(secret).sign(name, at, "{}");
			await fetch(`${gateway.address}/hooks/${name}`, { method: "POST", body: "{}", headers: { "content-type": "application/json", "webhook-id": name, "webhook-timestamp": String(Math.floor(at.getTime() / 1000)), "webhook-signature": signature } });
		}
		await quiet(gateway);
		await gateway.stop();
	},
};

async function each(run: (prompt: string) => Promise<unknown>): Promise<void> {
	for (const prompt of prompts) await run(prompt);
}

/** The names of the events that reach a hook on a path. */
export async function recordedOn(path: Path, env: Environment = {}): Promise<ReadonlySet<string>> {
	await using place = new Place();
	copyFileSync(join(programs, "recorder.ts"), join(place.home, "extensions", "recorder.ts"));
	place.extension("z-broken.ts", "throw new Error('as it should');\n");
	place.config(settings());
	const file = join(place.folder, "record");
	rmSync(file, { force: true });
	await drive[path](place, { ...env, RECORD: file });
	return new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
}
