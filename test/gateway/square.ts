// A gateway in this process with the real engine, agent and disk, and a platform that can do what HTTP cannot: groups, threads, texts that are changed.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GatewayConfig } from "../../src/config/gateway.ts";
import type { HookDefinition } from "../../src/events/registration.ts";
import { Gateway, type GatewayParts } from "../../src/gateway/gateway.ts";
import type { Accepted, Door, Handled, Inbound, OutboundText, Platform, Sent } from "../../src/gateway/platform.ts";
import { openRuntime, type Runtime } from "../../src/runtime.ts";
import { openSqliteSessionEngine } from "../../src/stores/sqlite/session-engine.ts";
import { eventually } from "../../src/system/test-waiting.ts";

export interface SquareOptions {
	readonly name?: string;
	readonly editEveryMs?: number;
	readonly maxText?: number;
	readonly maxFileBytes?: number;
	readonly buttons?: true;
}

/** A text as people see it. */
export interface Seen extends OutboundText {
	text: string;
	/** How often it was changed. */
	edits: number;
}

export class Square implements Platform {
	readonly name: string;
	readonly maxText: number;
	readonly maxFileBytes?: number;
	readonly buttons?: true;
	readonly editEveryMs?: number;
	connected = false;
	readonly seen: Seen[] = [];
	readonly done: Handled[] = [];
	/** All that happened to it, in order. */
	readonly events: string[] = [];
	/** Throws what a platform throws, or does nothing. */
	before: (how: "send" | "edit", text: OutboundText) => void | Promise<void> = () => {};
	refusesToStart: string | undefined;
	#door: Door | undefined;
	#count = 0;

	constructor({ name = "square", maxText = 4_000, maxFileBytes, buttons, editEveryMs }: SquareOptions = {}) {
		this.name = name;
		this.maxText = maxText;
		if (maxFileBytes !== undefined) this.maxFileBytes = maxFileBytes;
		if (buttons !== undefined) this.buttons = buttons;
		if (editEveryMs !== undefined) this.editEveryMs = editEveryMs;
	}

	async start(door: Door): Promise<void> {
		this.events.push("start");
		if (this.refusesToStart !== undefined) throw new Error(this.refusesToStart);
		this.#door = door;
		this.connected = true;
	}

	async stop(): Promise<void> {
		this.events.push("stop");
		this.#door = undefined;
	}

	async close(): Promise<void> {
		this.events.push("close");
		this.connected = false;
	}

	async send(text: OutboundText): Promise<Sent> {
		await this.before("send", text);
		this.seen.push({ ...text, edits: 0 });
		return { id: String(this.seen.length - 1) };
	}

	async edit(id: string, text: OutboundText): Promise<void> {
		await this.before("edit", text);
		const seen = this.seen[Number(id)]!;
		seen.text = text.text;
		seen.edits++;
	}

	async handled(handled: Handled): Promise<void> {
		this.done.push(handled);
	}

	/** As a person does, by default in a conversation with the agent alone. */
	say(text: string, more: Partial<Inbound> = {}): Promise<Accepted> {
		return this.#door!.accept({ messageId: `m${this.#count++}`, userId: "7", chatId: "a", chatType: "dm", text, ...more });
	}

	/** Says it and waits until it is done with; gives the texts about it. */
	async ask(text: string, more: Partial<Inbound> = {}): Promise<readonly string[]> {
		const messageId = more.messageId ?? `asked ${this.#count++}`;
		await this.say(text, { ...more, messageId });
		await eventually(() => this.done.some((one) => one.messageId === messageId), `${text} is handled`);
		return this.seen.filter(({ replyTo }) => replyTo === messageId).map((seen) => seen.text);
	}

	texts(chatId = "a"): readonly string[] {
		return this.seen.filter((seen) => seen.chatId === chatId).map(({ text }) => text);
	}
}

export const everybody: GatewayConfig = { access: { users: ["square:*"] } };

export class OpenedGateway implements AsyncDisposable {
	readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-gateway-")));
	readonly home = join(this.folder, "home");
	readonly warnings: string[] = [];
	gateway!: Gateway;
	runtime!: Runtime;
	readonly #runtimes: Runtime[] = [];
	#platforms: readonly Platform[] = [];
	#settings: GatewayConfig = everybody;
	#sessions: ReturnType<typeof openSqliteSessionEngine> | undefined;

	static async open(platforms: readonly Platform[], settings: GatewayConfig = everybody, hooks: readonly HookDefinition[] = []): Promise<OpenedGateway> {
		const opened = new OpenedGateway();
		for (const path of [opened.home, join(opened.folder, "work")]) mkdirSync(path);
		opened.#platforms = platforms;
		opened.#settings = settings;
		await opened.#start(hooks);
		return opened;
	}

	async #start(hooks: readonly HookDefinition[] = []): Promise<void> {
		const parts = await this.parts(this.#settings, hooks);
		this.runtime = this.#runtimes.at(-1)!;
		this.#sessions = openSqliteSessionEngine(this.runtime.home.database);
		this.gateway = await Gateway.open({ ...parts, home: this.runtime.home, platforms: this.#platforms, sessions: this.#sessions, warn: (message) => this.warnings.push(message) });
	}

	/** Ends it, with this long in ms for the turns that run, and starts another one in the same home. */
	async reopen(graceMs: number): Promise<void> {
		await this.gateway.stop(graceMs, "a restart");
		await this.#sessions?.close();
		await this.#start();
	}

	/** An agent of its own with these hooks, as a gateway takes it. */
	async parts(settings: GatewayConfig, hooks: readonly HookDefinition[] = []): Promise<GatewayParts> {
		const runtime = await openRuntime({
			environment: { HOOKLINE_HOME: this.home },
			cwd: join(this.folder, "work"),
			surface: "gateway",
			model: "rehearsal",
			hooks: true,
			output: { delta: () => {}, discard: () => {}, message: () => {} },
			warn: (message) => this.warnings.push(message),
			log: () => {},
			prepare: (engine) => void engine.register(hooks),
		});
		this.#runtimes.push(runtime);
		return { settings, agent: await runtime.agent(), place: runtime.place };
	}

	/** The last turn of a session is over, and all that was said is delivered. */
	async quiet(): Promise<void> {
		await eventually(async () => {
			const { waiting, running, outgoing } = await this.#sessions!.counts();
			return waiting + running + outgoing === 0;
		}, "nothing is left to do");
		await this.runtime.engine.idle();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.gateway?.stop(0, "the test is over");
		await this.#sessions?.close();
		for (const runtime of this.#runtimes) await runtime[Symbol.asyncDispose]();
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
	}
}
