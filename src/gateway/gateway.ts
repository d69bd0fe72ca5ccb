// The gateway: messages in, through hooks and the access check, onto the disk, to the agent, and answers out.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Command, Conversation } from "../agent/conversation.ts";
import type { AgentParts } from "../agent/parts.ts";
import type { SessionPlace } from "../agent/session.ts";
import type { GatewayConfig } from "../config/gateway.ts";
import type { Engine } from "../engine/engine.ts";
import type { MessagePurpose } from "../events/payloads/conversation.ts";
import type { Sender } from "../events/payloads/facts.ts";
import type { ToolCalled } from "../events/payloads/tool.ts";
import type { SessionEngine, Serving, Turn } from "../stores/session-engine.ts";
import { orAborted } from "../system/abort.ts";
import type { Home } from "../system/home.ts";
import { Access } from "./access.ts";
import { Chats } from "./chats.ts";
import type { JobStarter } from "./cron/cron.ts";
import type { Deliverer } from "./deliverer.ts";
import { Drafts } from "./drafts.ts";
import { Files } from "./files.ts";
import { Inbox } from "./inbox.ts";
import type { Job, JobRun } from "./job.ts";
import { Jobs } from "./jobs.ts";
import { chatOf, deliverySession, factsOf, kinds, type Letter, type Reply, senderOf } from "./letters.ts";
import { Outbox } from "./outbox.ts";
import type { Inbound, Live, OutboundFile, Platform, Reaction } from "./platform.ts";
import { type PlatformStatus, ServedPlatforms } from "./served-platforms.ts";
import type { Said } from "./speaking.ts";
import { type Target, targetIn } from "./target.ts";
import { attempts, Turns } from "./turns.ts";

/** What can be another one while the gateway runs. */
export interface GatewayParts {
	readonly settings: GatewayConfig;
	readonly agent: AgentParts;
	readonly place: SessionPlace;
}

export interface GatewayOptions extends GatewayParts {
	readonly home: Home;
	/** Stay the caller's to close. */
	readonly sessions: SessionEngine;
	/** The gateway closes them. */
	readonly platforms: readonly Platform[];
	/** Slash commands beside its own; for owners. */
	readonly commands?: readonly Command[];
	readonly warn: (message: string) => void;
}

export interface GatewayStatus {
	readonly platforms: readonly PlatformStatus[];
	/** Turns under way. */
	readonly running: number;
	/** Texts on their way. */
	readonly delivering: number;
}

export interface DeliverOptions {
	/** What is delivered twice under one key arrives once. */
	readonly key: string;
	readonly purpose?: MessagePurpose;
	readonly files?: readonly OutboundFile[];
}

/** Chats whose turns run at the same time. */
const mostTurns = 16;
/** What is ready to be sent when the turns are over gets this long, in ms. */
const lastWordsMs = 1_500;
const tidyEveryMs = 24 * 3600_000;
/** Between two tries to serve, in ms. */
const againMs = 1_000;

export class Gateway implements Deliverer, JobStarter {
	readonly #options: GatewayOptions;
	#now: GatewayParts;
	#access: Access;
	#serving: Serving | undefined;
	readonly #platforms: ServedPlatforms;
	/** Work that no agent may be taken away from. */
	readonly #underWay = new Set<Promise<unknown>>();
	readonly #stopping = new AbortController();
	#renewing: Promise<unknown> | undefined;
	#tidying: NodeJS.Timeout | undefined;
	readonly #files: Files;
	readonly #outbox: Outbox;
	readonly #chats: Chats;
	readonly #turns: Turns;
	readonly #jobs: Jobs;
	readonly #inbox: Inbox;

	private constructor(options: GatewayOptions) {
		const { home, sessions, warn, commands = [] } = options;
		this.#options = options;
		this.#now = options;
		this.#access = new Access(home, options.settings.access);
		const doorOf = ({ name }: Platform) => ({ accept: (message: Inbound) => this.#during(this.#inbox.accept(name, message)), reacted: (reaction: Reaction) => this.#tellReaction(name, reaction) });
		this.#platforms = new ServedPlatforms(options.platforms, doorOf, warn);
		this.#files = new Files(join(home.path, "gateway", "files"));
		// Each part sees what is there now: the agent and the settings can be others after `renew`.
		const now = () => this.#now;
		const access = () => this.#access;
		const parts = {
			sessions,
			warn,
			platforms: this.#platforms.byName,
			drafts: new Drafts(),
			files: this.#files,
			get agent() {
				return now().agent;
			},
			get engine() {
				return now().agent.engine;
			},
			get place() {
				return now().place;
			},
			get settings() {
				return now().settings;
			},
			get access() {
				return access();
			},
		};
		const show = (sender: Sender, live: Live) => this.#show(sender, live);
		const ownWords = (text: string, sender: Sender) => this.#ownWords(text, sender);
		this.#outbox = new Outbox(withParts(parts, { undelivered: join(home.path, "undelivered.jsonl") }));
		this.#chats = new Chats(withParts(parts, { outbox: this.#outbox, commands, stop: (conversation: Conversation) => this.#turns.stop(conversation) }));
		this.#turns = new Turns(withParts(parts, { chats: this.#chats, show, ownWords: (text: string, { sender }: Letter) => ownWords(text, sender) }));
		this.#jobs = new Jobs(withParts(parts, { ownWords }));
		this.#inbox = new Inbox(withParts(parts, { turns: this.#turns, ownWords, say: (reply: Reply) => this.#outbox.sayNow(reply) }));
	}

	/**
	 * Serves until it is stopped. What an earlier process left is taken up first.
	 * @throws Error when no platform can be started: their reasons.
	 */
	static async open(options: GatewayOptions): Promise<Gateway> {
		const gateway = new Gateway(options);
		await gateway.#start();
		return gateway;
	}

	async #start(): Promise<void> {
		const { warn } = this.#options;
		showTools(this.#now.agent.engine, (sender, live) => this.#show(sender, live));
		await this.#serve();
		this.#outbox.start();
		const tidy = () => void this.#files.tidy().catch((error: unknown) => warn(`Old files of messages were not removed: ${wordsOf(error)}`));
		tidy();
		this.#tidying = setInterval(tidy, tidyEveryMs).unref();
		const failures = await this.#platforms.start();
		const { started } = this.#platforms;
		if (started.length === 0) {
			await this.stop(0, "no platform");
			throw new Error(failures.join("\n"));
		}
		for (const failure of failures) warn(failure);
		const { agent, place } = this.#now;
		if (agent.engine.has("gateway.started")) agent.engine.tell("gateway.started", { ...factsOf(place), platforms: started });
	}

	async #serve(): Promise<void> {
		const { sessions, warn } = this.#options;
		this.#serving = await sessions.serve((turn) => this.#handle(turn), { concurrency: this.#now.settings.max_turns ?? mostTurns, attempts, onProblem: warn });
	}

	async #handle(turn: Turn): Promise<void> {
		const { kind } = turn.message;
		if (kind === kinds.text) turn.emit("text", turn.message.body);
		else if (kind === kinds.job) await this.#jobs.handle(turn);
		else await this.#turns.handle(turn);
	}

	/**
	 * Goes on with another agent and other settings, once the turns that run have ended; messages are taken all the while. Platforms that are
	 * not the same are stopped and started. When it resolves, nothing uses the agent that was there before. One at a time.
	 * @param open is called when no turn runs any more, and before one begins; when it throws, all stays as it is
	 * @returns what did not work, a sentence each
	 * @throws Error when the gateway is stopped meanwhile
	 */
	renew(open: () => Promise<GatewayParts & { readonly platforms: readonly Platform[] }>): Promise<readonly string[]> {
		const renewing = this.#renew(open);
		this.#renewing = renewing.catch(() => {});
		return renewing;
	}

	async #renew(open: () => Promise<GatewayParts & { readonly platforms: readonly Platform[] }>): Promise<readonly string[]> {
		const { signal } = this.#stopping;
		let failures: readonly string[];
		try {
			await this.#serving?.stop();
			signal.throwIfAborted();
			await this.#chats.close();
			const { platforms, ...next } = await open();
			this.#now = next;
			this.#access = new Access(this.#options.home, next.settings.access);
			showTools(next.agent.engine, (sender, live) => this.#show(sender, live));
			failures = await this.#platforms.exchange(platforms);
		} finally {
			await this.#serveAgain();
		}
		await orAborted(Promise.allSettled(this.#underWay), signal).catch(() => {});
		return failures;
	}

	/** Until it is done, or the gateway stops: messages are taken all the while. */
	async #serveAgain(): Promise<void> {
		const { signal } = this.#stopping;
		for (let failures = 0; !signal.aborted; failures++) {
			try {
				return await this.#serve();
			} catch (error) {
				if (failures === 0) this.#options.warn(`No message can be worked on now, which is tried again: ${wordsOf(error)}`);
				await pause(againMs, undefined, { signal }).catch(() => {});
			}
		}
	}

	#during<Result>(work: Promise<Result>): Promise<Result> {
		const settled = () => void this.#underWay.delete(work);
		this.#underWay.add(work);
		work.then(settled, settled);
		return work;
	}

	/**
	 * Says something in a chat, where nobody there asked for it. Resolves when it is on the disk; `withheld` says why a hook did not let it pass.
	 * @throws Error when there is no such platform, or it cannot take these files
	 */
	deliver(to: Target, text: string, how: DeliverOptions): Promise<{ readonly text: string } | { readonly withheld: string }> {
		return this.#during(this.#deliver(to, text, how));
	}

	async #deliver(to: Target, text: string, { key, purpose = "notice", files = [] }: DeliverOptions): Promise<{ readonly text: string } | { readonly withheld: string }> {
		const { platform: name, ...chat } = to;
		const platform = this.#platforms.byName.get(name);
		if (platform === undefined) throw new Error(`There is no platform '${name}' here. There ${this.#platforms.byName.size === 1 ? "is" : "are"} ${this.platforms().join(", ")}.`);
		if (files.length > 0 && platform.maxFileBytes === undefined) throw new Error(`${name} takes no files.`);
		const said = await this.#passed(text, purpose, to);
		if ("withheld" in said) return said;
		const copies = await this.#files.copies(files);
		let kept;
		try {
			kept = await this.#options.sessions.append(deliverySession(to), { id: key, kind: kinds.text, body: { platform: name, chat, ...said, ...(copies.length > 0 && { files: copies }) } satisfies Reply });
		} finally {
			if (kept !== "accepted") await this.#files.remove(copies);
		}
		return { text: said.text };
	}

	/** Begins a turn that no message began. Resolves when it is on the disk. @throws StoreError when it cannot be kept */
	begin(job: Job): Promise<"accepted" | "duplicate"> {
		return this.#jobs.begin(job);
	}

	/** How the last jobs of a session came out, oldest first. */
	runs(session: string): Promise<readonly JobRun[]> {
		return this.#jobs.runs(session);
	}

	/** The names of those that are served. */
	platforms(): readonly string[] {
		return [...this.#platforms.byName.keys()];
	}

	/** Bytes of one file at most; undefined where a platform takes none. */
	maxFileBytes(platform: string): number | undefined {
		return this.#platforms.byName.get(platform)?.maxFileBytes;
	}

	/** Where the agent says what nobody asked for. */
	get home(): Target | undefined {
		return targetIn(this.#now.settings.home_chat ?? "");
	}

	get status(): GatewayStatus {
		return { platforms: this.#platforms.status, running: this.#turns.running, delivering: this.#outbox.underWay };
	}

	/** Takes no more messages, lets turns end for this long in ms and gives the others back, delivers what is ready, closes the platforms. */
	async stop(graceMs: number, reason: string): Promise<void> {
		const served = this.#platforms.started.length > 0;
		this.#stopping.abort(new Error("The gateway is stopping."));
		clearInterval(this.#tidying);
		await this.#platforms.stop();
		await this.#serving?.stop(graceMs);
		// It waits for those turns too, and may have started platforms.
		await this.#renewing;
		await this.#serving?.stop(graceMs);
		await this.#platforms.stop();
		await this.#outbox.stop(lastWordsMs);
		await this.#chats.close();
		const { agent, place } = this.#now;
		if (served && agent.engine.has("gateway.stopped")) agent.engine.tell("gateway.stopped", { ...factsOf(place), reason });
		await this.#platforms.close();
	}

	#show(sender: Sender, live: Live): void {
		this.#platforms.byName.get(sender.platform ?? "")?.show?.(chatOf(sender), live);
	}

	/** A text of the gateway's own, after the hooks that every text to a person passes. */
	async #ownWords(text: string, sender: Sender): Promise<Said> {
		const said = await this.#passed(text, "notice", sender);
		return "withheld" in said ? { text: `[This message was withheld: ${said.withheld}]`, purpose: "notice", facts: factsOf(this.#now.place, sender) } : said;
	}

	async #passed(text: string, purpose: MessagePurpose, sender: Sender): Promise<Said | { readonly withheld: string }> {
		const { agent, place } = this.#now;
		const { engine } = agent;
		const facts = factsOf(place, sender);
		if (!engine.has("message.sending")) return { text, purpose, facts };
		const outcome = await engine.dispatch("message.sending", { ...facts, text, purpose });
		if (outcome.kind === "go") return { text: outcome.payload.text, purpose, facts };
		return { withheld: outcome.kind === "blocked" ? outcome.reason : outcome.text };
	}

	#tellReaction(platform: string, given: Reaction): void {
		const { agent, place } = this.#now;
		const event = given.kind === "added" ? "reaction.added" : "reaction.removed";
		const { reaction, messageId } = given;
		if (agent.engine.has(event)) agent.engine.tell(event, { ...factsOf(place, senderOf(platform, given)), reaction, messageId });
	}
}

/** Both, with what the parts have read from them each time. */
function withParts<Parts extends object, More extends object>(parts: Parts, more: More): Parts & More {
	return Object.create(parts, Object.getOwnPropertyDescriptors(more)) as Parts & More;
}

/** Shows each tool call in the chat it is made for. */
function showTools(engine: Engine, show: (sender: Letter["sender"], live: Live) => void): void {
	engine.register([
		{
			event: "tool.called",
			stage: "observe",
			options: { name: "gateway-tools" },
			queue: Infinity,
			host: "inline",
			source: { extension: "hookline", trust: "bundled", dialect: "native", rank: 0 },
			handler: ((call: ToolCalled) => {
				const { toolName, callId, args, status } = call;
				show(call, { kind: "tool", toolName, callId, args, status });
			}) as (payload: unknown) => void,
		},
	]);
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
