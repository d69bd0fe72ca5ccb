// A gateway as people run it, and a client of its HTTP platform.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatEvent } from "../../src/platforms/http/log.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import type { Place, Running } from "../cli/program.ts";

export interface Replied {
	readonly id: string;
	readonly status: string;
	readonly messages?: readonly string[];
	readonly error?: string;
	readonly into?: string;
}

export interface Words {
	readonly chat?: string;
	readonly thread?: string;
	readonly user?: string;
	readonly id?: string;
}

export class Served {
	readonly running: Running;
	readonly address: string;
	readonly token: string;

	private constructor(running: Running, address: string, token: string) {
		this.running = running;
		this.address = address;
		this.token = token;
	}

	/** Starts one at any free port, unless a configuration says otherwise. */
	static async start(place: Place, config = "gateway: {http: {port: 0}}", env: Readonly<Record<string, string>> = {}, cwd = place.work): Promise<Served> {
		place.config(`agent: {retry_base_ms: 1}\n${config}\n`);
		return Served.in(place, place.home, env, cwd);
	}

	/** Starts one as the config.yaml of this home says. */
	static async in(place: Place, home: string, env: Readonly<Record<string, string>> = {}, cwd = place.work): Promise<Served> {
		return Served.of(place.start(["gateway", "run", "--model", "rehearsal"], { env, cwd }), home);
	}

	/** One that was started, once it is ready. */
	static async of(running: Running, home: string): Promise<Served> {
		const shown = await running.shows(/ready at \S+/);
		return new Served(running, /ready at (\S+)/.exec(shown)![1]!, readFileSync(join(home, "gateway-token"), "utf8").trim());
	}

	fetch(path: string, init: RequestInit = {}): Promise<Response> {
		return fetch(this.address + path, { ...init, headers: { Authorization: `Bearer ${this.token}`, ...init.headers } });
	}

	post(body: unknown, query = ""): Promise<Response> {
		return this.fetch(`/v1/messages${query}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
	}

	/** Says something and waits until it is handled. */
	async ask(text: string, words: Words = {}): Promise<Replied> {
		return (await (await this.post({ chat: "a", ...words, text }, "?wait=1")).json()) as Replied;
	}

	/** Says something and waits until it is on the disk. */
	async say(text: string, words: Words = {}): Promise<Replied> {
		return (await (await this.post({ chat: "a", ...words, text })).json()) as Replied;
	}

	async events(chat = "a", after = 0): Promise<readonly ChatEvent[]> {
		return ((await (await this.fetch(`/v1/chats/${chat}/messages?after=${after}`)).json()) as { readonly events: readonly ChatEvent[] }).events;
	}

	/** Waits until a message is handled; gives everything about it. */
	async handled(id: string, chat = "a"): Promise<readonly ChatEvent[]> {
		let about: readonly ChatEvent[] = [];
		await eventually(async () => {
			about = (await this.events(chat)).filter((event) => (event.type === "handled" ? event.message_id : event.type === "message" ? event.reply_to : undefined) === id);
			return about.some(({ type }) => type === "handled");
		}, `message ${id} is handled`);
		return about;
	}

	/** Follows a chat until a text comes; `then` is called once it does. */
	async follows(chat: string, until: string, headers: Readonly<Record<string, string>> = {}, then?: () => Promise<unknown>): Promise<string> {
		const stop = new AbortController();
		const response = await this.fetch(`/v1/chats/${chat}/events`, { headers, signal: stop.signal });
		let text = "";
		await then?.();
		for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
			text += piece;
			if (text.includes(until)) break;
		}
		stop.abort();
		return text;
	}

	async stop(): Promise<number | string> {
		this.running.signal("SIGTERM");
		return (await this.running.ended).code;
	}

	/** As a crash does. */
	async kill(): Promise<void> {
		this.running.signal("SIGKILL");
		await this.running.ended;
	}
}

export const texts = (events: readonly ChatEvent[]): readonly string[] => events.flatMap((event) => (event.type === "message" ? [event.text] : []));
