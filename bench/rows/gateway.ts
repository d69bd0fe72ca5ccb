// The gateway as people run it, over HTTP with the rehearsal model: how soon it is there, what it holds, how many turns it does.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DiscordFake } from "../../test/gateway/discord-fake.ts";
import { appToken, botToken, FakeSlack } from "../../test/gateway/slack-fake.ts";
import { TelegramFake } from "../../test/gateway/telegram-fake.ts";
import { root, temporaryFolder } from "../child.ts";
import { figureOf, quantile } from "../measure.ts";
import { atMost, mb, type Measurement, ms, row } from "../row.ts";

const hooks = `export default (hooks) => {
	for (let i = 0; i < 5; i++) hooks.observe("turn.ended", () => undefined);
	hooks.transform("turn.starting", () => undefined);
	hooks.transform("model.calling", () => undefined);
	hooks.transform("message.receiving", () => undefined);
	hooks.transform("message.sending", () => undefined);
	hooks.guard("tool.calling", () => undefined);
};
`;

class Gateway implements AsyncDisposable {
	readonly child: ChildProcess;
	readonly startMs: number;
	readonly #address: URL;
	readonly #token: string;
	readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
	#count = 0;

	private constructor(child: ChildProcess, startMs: number, address: string, home: string) {
		this.child = child;
		this.startMs = startMs;
		this.#address = new URL(address);
		this.#token = readFileSync(join(home, "gateway-token"), "utf8").trim();
	}

	/** @param more settings beside those of HTTP, a line each */
	static async start(folder: string, more = "", env: Readonly<Record<string, string>> = {}): Promise<Gateway> {
		const home = join(folder, "home");
		await mkdir(join(home, "extensions"), { recursive: true });
		await writeFile(join(home, "config.yaml"), `gateway:\n  http: {port: 0}\n${more}`);
		await writeFile(join(home, "extensions", "ten.ts"), hooks);
		const began = performance.now();
		const child = spawn(join(root, "bin", "hookline"), ["gateway", "run", "--model", "rehearsal"], { cwd: folder, env: { PATH: process.env["PATH"] ?? "", HOME: folder, HOOKLINE_HOME: home, XDG_CACHE_HOME: folder, ...env }, stdio: ["ignore", "pipe", "inherit"] });
		let shown = "";
		const address = await new Promise<string>((resolve, reject) => {
			child.once("exit", () => reject(new Error(`the gateway did not start: ${shown}`)));
			// Read to its end: a gateway whose output nobody reads stops.
			child.stdout!.on("data", (piece) => {
				shown += String(piece);
				const found = /ready at (\S+)/.exec(shown);
				if (found) resolve(found[1]!);
			});
		});
		return new Gateway(child, performance.now() - began, address, home);
	}

	/** In bytes, its children included: there are none with these hooks. */
	get memory(): number {
		return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, "utf8"))?.[1]) * 1024;
	}

	/** Says something and waits for the answer; how long that took, in ms. */
	async turn(chat: string): Promise<number> {
		const began = performance.now();
		const { status, text } = await this.#send("POST", "/v1/messages?wait=1", JSON.stringify({ chat, text: "SAY ok", id: `m${this.#count++}` }));
		if (status !== 200 || !text.includes('"ok"')) throw new Error(`${status} ${text}`);
		return performance.now() - began;
	}

	async nothing(): Promise<void> {
		await this.#send("GET", "/v1/health");
	}

	#send(method: string, path: string, body = ""): Promise<{ readonly status: number | undefined; readonly text: string }> {
		const headers = { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
		return new Promise((resolve, reject) => {
			const sent = request({ host: this.#address.hostname, port: this.#address.port, method, path, headers, agent: this.#agent }, (response) => {
				let text = "";
				response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
				response.on("end", () => resolve({ status: response.statusCode, text }));
			});
			sent.on("error", reject);
			sent.end(body);
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#agent.destroy();
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		const gone = once(this.child, "exit");
		this.child.kill("SIGTERM");
		await gone;
	}
}

/** So many at once, until all are done. */
async function together(times: number, atOnce: number, work: (i: number) => Promise<unknown>): Promise<number> {
	const began = performance.now();
	let next = 0;
	await Promise.all(
		Array.from({ length: atOnce }, async () => {
			while (next < times) await work(next++);
		}),
	);
	return performance.now() - began;
}

export const measurements: readonly Measurement[] = [
	{
		about: "start of the gateway and its memory",
		async measure() {
			await using folder = await temporaryFolder();
			const starts: number[] = [];
			const memory: number[] = [];
			// The first fills the compile cache.
			for (let round = -1; round < 5; round++) {
				await using gateway = await Gateway.start(folder.path);
				await pause(1000);
				if (round < 0) continue;
				starts.push(gateway.startMs * ms);
				memory.push(gateway.memory);
			}
			return [
				row({ what: "hookline gateway run, to ready: wall", unit: "ns", measured: figureOf(starts), budget: atMost(1000 * ms) }),
				row({ what: "the gateway, idle with HTTP: memory", unit: "bytes", measured: figureOf(memory), budget: atMost(120 * mb) }),
			];
		},
	},
	{
		about: "memory of the gateway with three platforms",
		async measure() {
			await using folder = await temporaryFolder();
			const telegram = await TelegramFake.start();
			const discord = await DiscordFake.start();
			const slack = await FakeSlack.start();
			try {
				const settings = `  telegram: {token_env: A_TELEGRAM, base_url: "${telegram.url}"}\n  discord: {token_env: A_DISCORD, base_url: "${discord.api}"}\n  slack: {bot_token_env: A_BOT, app_token_env: AN_APP, base_url: "${slack.baseUrl}"}\n`;
				const env = { A_TELEGRAM: telegram.token, A_DISCORD: discord.token, A_BOT: botToken, AN_APP: appToken };
				const memory: number[] = [];
				const alone: number[] = [];
				for (let round = -1; round < 5; round++) {
					for (const [into, more] of [[alone, ""], [memory, settings]] as const) {
						await using gateway = await Gateway.start(folder.path, more, env);
						await pause(2000);
						if (round >= 0) into.push(gateway.memory);
					}
				}
				return [row({ what: "the gateway, idle with HTTP, Telegram, Discord and Slack: memory", unit: "bytes", measured: figureOf(memory), floor: { name: "HTTP alone", median: figureOf(alone).median }, ratio: figureOf(memory.map((bytes, i) => bytes / alone[i]!)).median, budget: atMost(120 * mb) })];
			} finally {
				await Promise.all([telegram[Symbol.asyncDispose](), slack[Symbol.asyncDispose](), discord.stop()]);
			}
		},
	},
	{
		about: "turns over HTTP",
		async measure() {
			await using folder = await temporaryFolder();
			await using gateway = await Gateway.start(folder.path);
			await together(200, 16, (i) => gateway.turn(`warm${i % 16}`));
			const turns: number[] = [];
			const floor: number[] = [];
			for (let round = 0; round < 5; round++) {
				turns.push(((await together(400, 32, (i) => gateway.turn(`c${i % 64}`))) / 400) * ms);
				floor.push(((await together(400, 32, () => gateway.nothing())) / 400) * ms);
			}
			const latencies: number[] = [];
			const running: Promise<unknown>[] = [];
			for (let i = 0; i < 500; i++) {
				running.push(gateway.turn(`p${i % 50}`).then((took) => latencies.push(took)));
				await pause(20);
			}
			await Promise.all(running);
			const sorted = latencies.toSorted((a, b) => a - b);
			return [
				row({ what: "a turn over HTTP with 10 hooks, 32 at once: wall", unit: "ns", measured: figureOf(turns), floor: { name: "a request for nothing", median: figureOf(floor).median }, budget: atMost(5 * ms), note: "5 ms are 200 turns a second; the client shares the machine" }),
				row({ what: "p99 of a turn at 50 turns a second: wall", unit: "ns", measured: { median: quantile(sorted, 0.99) * ms, min: sorted[0]! * ms, max: sorted.at(-1)! * ms }, floor: { name: "p50", median: quantile(sorted, 0.5) * ms }, budget: atMost(50 * ms) }),
			];
		},
	},
	{
		about: "10,000 sessions of a gateway",
		async measure() {
			await using folder = await temporaryFolder();
			await using gateway = await Gateway.start(folder.path);
			await together(1000, 32, (i) => gateway.turn(`s${i}`));
			await pause(2000);
			const before = gateway.memory;
			await together(9000, 32, (i) => gateway.turn(`s${1000 + i}`));
			await pause(2000);
			const after = gateway.memory;
			return [row({ what: "10,000 sessions known: memory", unit: "bytes", measured: figureOf([after]), floor: { name: "1,000 known", median: before }, ratio: after / before })];
		},
	},
];
