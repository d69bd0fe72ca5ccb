// Discord: a bot's connection for what comes in, its REST API for what goes out.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type APIMessage, ApplicationCommandOptionType, ApplicationCommandType, ApplicationIntegrationType, InteractionContextType } from "discord-api-types/v10";
import { type Chat, type Door, type Live, type OutboundText, type Platform, RetryLaterError, type Sent, UndeliverableError } from "../../gateway/platform.ts";
import { Connection } from "./connection.ts";
import { Incoming } from "./incoming.ts";
import { Lines } from "./lines.ts";
import { Places } from "./places.ts";
import { Progress } from "./progress.ts";
import { RefusedError, Rest } from "./rest.ts";
import { bodyOf, changedBodyOf, maxFileBytes, maxText, mostFiles, plainBodyOf, readFiles } from "./sending.ts";

export interface DiscordOptions {
	readonly token: string;
	/** Where the REST API answers, without its version; Discord's own place when not given. */
	readonly api?: string;
	/** Where `discord.json` is kept: how far what Discord sent has been taken. */
	readonly folder: string;
	/** What people are shown when they type a `/`. */
	readonly commands: readonly { readonly name: string; readonly summary: string }[];
	readonly warn: (message: string) => void;
	/** The pause after the first, second, … failure, in ms. */
	readonly pauseMs?: (failures: number) => number;
}

/** "Is typing" stands for ten seconds. */
const typingEveryMs = 8_000;
const mostTyping = 2_000;
/** What is being taken when the platform is stopped gets this long, in ms. */
const stoppingMs = 500;
const longestDescription = 100;

/** At most a minute, and not the same for all. */
const growing = (failures: number) => Math.min(1_000 * 2 ** (failures - 1), 60_000) * (0.5 + Math.random() / 2);

export class Discord implements Platform {
	readonly name = "discord";
	readonly maxText = maxText;
	readonly buttons = true;
	readonly maxFileBytes = maxFileBytes;
	readonly editEveryMs = 1_500;
	readonly #options: DiscordOptions;
	readonly #rest: Rest;
	readonly #places: Places;
	readonly #stopping = new AbortController();
	/** By channel, when "is typing" may be shown again. */
	readonly #typing = new Map<string, number>();
	#lines: Lines | undefined;
	#progress: Progress | undefined;
	#connection: Connection | undefined;
	#registered = false;

	constructor(options: DiscordOptions) {
		this.#options = options;
		this.#rest = new Rest(options.api ?? "https://discord.com/api", options.token);
		this.#places = new Places(this.#rest);
	}

	get connected(): boolean {
		return this.#connection?.connected === true;
	}

	async start(door: Door): Promise<void> {
		const { token, folder, warn, pauseMs = growing } = this.#options;
		const { signal } = this.#stopping;
		const rest = this.#rest;
		const lines = new Lines({ signal, onFailure: (error) => warn(`discord: a message was not taken, and is tried again: ${wordsOf(error)}`), pauseMs });
		const incoming = new Incoming({ rest, door, lines, places: this.#places, signal, warn });
		const progress = await Progress.open(join(folder, "discord.json"), warn);
		this.#lines = lines;
		this.#progress = progress;
		this.#connection = new Connection({ rest, token, progress, onDispatch: (payload, bot) => incoming.take(payload, bot), onSession: (application) => void this.#register(application), warn, pauseMs });
		await this.#connection.start();
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#connection?.stop();
		await Promise.race([this.#lines?.idle(), pause(stoppingMs, undefined, { ref: false })]);
		await this.#progress?.save();
	}

	async close(): Promise<void> {
		this.#rest.close();
	}

	async send(text: OutboundText, signal: AbortSignal): Promise<Sent> {
		const channel = channelOf(text);
		const { key, replyTo, files = [] } = text;
		const post = async (body: object, from: number) => this.#rest.call<APIMessage>("POST", `/channels/${channel}/messages`, { body, files: await readFiles(files.slice(from, from + mostFiles)), signal });
		// What was pressed or run as a slash command has no message.
		const isReply = replyTo !== undefined && /^\d+$/.test(replyTo) && (await this.#places.byId(channel, signal)).chatType !== "dm";
		const body = bodyOf(text, isReply ? replyTo : undefined);
		const plain = plainBodyOf(key, text.text);
		const { id } = await post(body, 0).catch((error: unknown) => {
			// A text is not lost to its markup, its buttons or what it replies to.
			if (error instanceof RefusedError && error.status === 400 && JSON.stringify(body) !== JSON.stringify(plain)) return post(plain, 0);
			throw error;
		});
		for (let from = mostFiles; from < files.length; from += mostFiles) await post(plainBodyOf(`${key}+${from}`, ""), from);
		return { id };
	}

	async edit(sentId: string, text: OutboundText, signal: AbortSignal): Promise<void> {
		await this.#rest.call("PATCH", `/channels/${channelOf(text)}/messages/${sentId}`, { body: changedBodyOf(text.text), signal });
	}

	show({ chatId, threadId }: Chat, live: Live): void {
		if (live.kind !== "typing") return;
		const channel = threadId ?? chatId;
		const now = performance.now();
		if (now < (this.#typing.get(channel) ?? 0)) return;
		if (this.#typing.size >= mostTyping) this.#typing.clear();
		this.#typing.set(channel, now + typingEveryMs);
		this.#rest.call("POST", `/channels/${channel}/typing`).catch((error: unknown) => {
			if (error instanceof RetryLaterError) this.#typing.set(channel, now + Math.max(typingEveryMs, error.afterMs));
		});
	}

	async #register(application: string): Promise<void> {
		if (this.#registered) return;
		this.#registered = true;
		const { commands, warn } = this.#options;
		const body = commands.map(({ name, summary }) => ({
			name,
			description: summary.slice(0, longestDescription),
			type: ApplicationCommandType.ChatInput,
			contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
			integration_types: [ApplicationIntegrationType.GuildInstall],
			options: [{ type: ApplicationCommandOptionType.String, name: "text", description: "What belongs to it" }],
		}));
		await this.#rest.call("PUT", `/applications/${application}/commands`, { body, signal: this.#stopping.signal }).catch((error: unknown) => {
			if (!this.#stopping.signal.aborted) warn(`discord: people are not shown the slash commands, which work all the same when they are sent as a message: ${wordsOf(error)}`);
		});
	}
}

function channelOf({ chatId, threadId }: Chat): string {
	const channel = threadId ?? chatId;
	if (/^\d{1,20}$/.test(channel)) return channel;
	throw new UndeliverableError(`'${channel}' is no channel of Discord: those are numbers (in Discord's developer mode: Copy Channel ID)`);
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
