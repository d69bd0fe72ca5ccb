// The bot's connection to Discord, for as long as the gateway runs: lost ones are taken up again, with growing pauses.
import { setTimeout as pause } from "node:timers/promises";
import type { APIGatewayBotInfo, GatewayDispatchPayload } from "discord-api-types/v10";
import { RetryLaterError } from "../../gateway/platform.ts";
import type { BotSession, Progress } from "./progress.ts";
import { type Rest, TokenRefusedError } from "./rest.ts";
import { type Ending, Shard } from "./shard.ts";

export interface ConnectionOptions {
	readonly rest: Rest;
	readonly token: string;
	readonly progress: Progress;
	/** Resolves with true once it is taken; never rejects. */
	readonly onDispatch: (payload: GatewayDispatchPayload, bot: BotSession) => Promise<boolean>;
	/** A new session has begun, not one that was taken up again. */
	readonly onSession: (applicationId: string) => void;
	readonly warn: (message: string) => void;
	/** The pause after the first, second, … failure, in ms. */
	readonly pauseMs: (failures: number) => number;
}

/** A connection that lasted so long, in ms, was no failure: the next pause is a short one again. Discord takes a bot's token away that begins 1,000 sessions in a day. */
const steadyMs = 60_000;
/** `start` waits for the first try, but not longer than this, in ms. */
const firstTryMs = 5_000;
const noSessionsMs = 3600_000;
const messageContentText = "discord: the Message Content Intent is off, so in servers the agent only reads what mentions it. Turn it on in the developer portal (your application, Bot, Privileged Gateway Intents), then start the gateway again.";

/** So many connections that did not last are news as well. */
const restless = 5;
/** The library's words. */
const invalidSession = "Invalid session";
const disallowedIntents = 4014;
const authenticationFailed = 4004;
/** Discord has forgotten the session: InvalidSeq, SessionTimedOut. */
const forgotten: ReadonlySet<number | undefined> = new Set([4007, 4009]);

/** Another try cannot help. */
class FinalError extends Error {}

export class Connection {
	readonly #options: ConnectionOptions;
	readonly #stop = new AbortController();
	readonly #firstTry = Promise.withResolvers<void>();
	#shard: Shard | undefined;
	#running: Promise<void> | undefined;
	#readyAt: number | undefined;
	#messageContent = true;
	/** Nobody waits for the first try any more. */
	#started = false;
	/** The warning that it is lost stands, and the one that it is back is due. */
	#told = false;
	#unreadable = false;

	constructor(options: ConnectionOptions) {
		this.#options = options;
	}

	get connected(): boolean {
		return this.#readyAt !== undefined;
	}

	/** @throws Error when the first try shows that no other can help */
	async start(): Promise<void> {
		this.#running = this.#run();
		const late = new AbortController();
		try {
			await Promise.race([this.#firstTry.promise, pause(firstTryMs, undefined, { signal: late.signal })]);
		} finally {
			late.abort();
			this.#started = true;
		}
	}

	/** Discord keeps the session for a while, to be taken up again. */
	async stop(): Promise<void> {
		this.#stop.abort();
		this.#firstTry.resolve();
		await this.#shard?.destroy({ code: 4200 });
		await this.#running;
	}

	async #run(): Promise<void> {
		const { warn, pauseMs } = this.#options;
		const { signal } = this.#stop;
		let wasReady = true;
		for (let failures = 0; !signal.aborted; ) {
			let why: string;
			let atLeastMs = 0;
			let lastedMs: number | undefined;
			try {
				const ending = await this.#connect(wasReady);
				lastedMs = this.#readyAt === undefined ? undefined : performance.now() - this.#readyAt;
				this.#readyAt = undefined;
				if (signal.aborted) return;
				if (this.#withoutMessageContent(ending)) continue;
				if (ending.code === authenticationFailed) throw new TokenRefusedError();
				if (ending.final) throw new FinalError(`Discord does not let the bot connect: ${ending.reason}.`);
				why = ending.reason;
			} catch (error) {
				if (signal.aborted) return;
				if (error instanceof TokenRefusedError || error instanceof FinalError) return this.#giveUp(error);
				why = error instanceof Error ? error.message : String(error);
				if (error instanceof RetryLaterError) atLeastMs = error.afterMs;
			}
			wasReady = lastedMs !== undefined;
			failures = lastedMs !== undefined && lastedMs >= steadyMs ? 1 : failures + 1;
			// Discord ends each connection now and then, and forgets a session; that the next one cannot be had is news.
			if (!this.#told && ((!wasReady && why !== invalidSession) || failures === restless)) {
				warn(`discord: ${why}. It is tried again until it is back.`);
				this.#told = true;
			}
			this.#firstTry.resolve();
			await pause(Math.max(pauseMs(failures), atLeastMs), undefined, { signal }).catch(() => {});
		}
	}

	async #connect(lastWasReady: boolean): Promise<Ending> {
		const { token, progress, onDispatch, onSession, warn } = this.#options;
		const { session: known } = progress;
		// The place to take a session up again may be what is down.
		const url = webSocketUrl(known !== undefined && lastWasReady ? known.resumeURL : await this.#place(known === undefined));
		if (this.#stop.signal.aborted) throw new Error("stopped");
		this.#shard = new Shard({
			token,
			url,
			messageContent: this.#messageContent,
			session: () => progress.session && { ...progress.session, sequence: progress.sequence },
			onDispatch: (payload) => {
				if (payload.t === "READY") {
					const { session_id: sessionId, resume_gateway_url: resumeURL, user, application } = payload.d;
					progress.begin({ sessionId, resumeURL, userId: user.id });
					onSession(application.id);
				}
				const bot = progress.session;
				if (bot === undefined || !progress.came(payload.s)) return;
				void onDispatch(payload, bot).then((taken) => {
					if (taken) progress.taken(payload.s, bot);
				});
			},
			onReady: () => {
				this.#readyAt = performance.now();
				if (this.#told) warn("discord: connected again.");
				this.#told = false;
				this.#firstTry.resolve();
			},
			onUnreadable: (error) => {
				if (!this.#unreadable) warn(`discord: something came that cannot be read, and is left out: ${error instanceof Error ? error.message : String(error)}`);
				this.#unreadable = true;
			},
		});
		const ending = await this.#shard.run();
		if (forgotten.has(ending.code) || ending.reason === invalidSession) progress.forget();
		return ending;
	}

	/** Where Discord wants bots to connect. */
	async #place(begins: boolean): Promise<string> {
		const { url, session_start_limit: limit } = await this.#options.rest.call<APIGatewayBotInfo>("GET", "/gateway/bot", { signal: this.#stop.signal });
		if (begins && limit?.remaining === 0) throw new RetryLaterError("Discord lets this bot begin no more sessions today", limit.reset_after || noSessionsMs);
		return url;
	}

	/** Whether the connection ended because the intent is off, and can be had without. */
	#withoutMessageContent({ code }: Ending): boolean {
		if (code !== disallowedIntents || !this.#messageContent) return false;
		this.#messageContent = false;
		this.#options.warn(messageContentText);
		return true;
	}

	#giveUp(error: Error): void {
		if (this.#started) this.#options.warn(`discord: ${error.message} It is not tried again.`);
		else this.#firstTry.reject(error);
	}
}

function webSocketUrl(url: unknown): string {
	if (typeof url === "string" && /^wss?:$/.test(URL.parse(url)?.protocol ?? "")) return url;
	throw new Error(`Discord names no place to connect to, but ${JSON.stringify(url)}`);
}
