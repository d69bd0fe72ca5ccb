// One connection to Discord's gateway: hello, heartbeats, identify or resume are the library's work.
import { type SessionInfo, WebSocketShard, type WebSocketShardDestroyOptions, WebSocketShardDestroyRecovery, WebSocketShardEvents } from "@discordjs/ws";
import { type APIGatewayBotInfo, type GatewayDispatchPayload, GatewayIntentBits } from "discord-api-types/v10";

export interface ShardOptions {
	readonly token: string;
	/** Where to connect: `wss://…`. */
	readonly url: string;
	readonly messageContent: boolean;
	/** What to take up again, and how far it was taken; heartbeats tell Discord so too. Nothing: a new session is begun. */
	readonly session: () => Omit<SessionInfo, "shardCount" | "shardId"> | undefined;
	readonly onDispatch: (payload: GatewayDispatchPayload) => void;
	/** It gets what happens from now on. */
	readonly onReady: () => void;
	/** Something came that cannot be read. */
	readonly onUnreadable: (error: unknown) => void;
}

/** Why a connection ended. */
export interface Ending {
	/** The code it was closed with. */
	readonly code?: number;
	readonly reason: string;
	/** The library would not try again: Discord says that nothing would change. */
	readonly final: boolean;
}

const handshakeTimeoutMs = 10_000;
const helloTimeoutMs = 15_000;
const readyTimeoutMs = 15_000;
/** The other end gets this long to close; a connection that is dead never does. */
const closingMs = 250;

const onlyShard = { id: 0, count: 1 } as const;

export class Shard extends WebSocketShard {
	readonly #ended = Promise.withResolvers<Ending>();
	#failure: string | undefined;
	#over = false;

	constructor({ token, url, messageContent, session, onDispatch, onReady, onUnreadable }: ShardOptions) {
		const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.GuildMessageReactions | GatewayIntentBits.DirectMessages | GatewayIntentBits.DirectMessageReactions;
		const information: APIGatewayBotInfo = { url, shards: onlyShard.count, session_start_limit: { total: 1, remaining: 1, reset_after: 0, max_concurrency: 1 } };
		super(
			{
				options: {
					token,
					intents: messageContent ? intents | GatewayIntentBits.MessageContent : intents,
					gatewayInformation: information,
					shardCount: onlyShard.count,
					version: "10",
					encoding: "json" as never,
					compression: null,
					identifyProperties: { browser: "hookline", device: "hookline", os: process.platform },
					initialPresence: null,
					largeThreshold: 50,
					handshakeTimeout: handshakeTimeoutMs,
					helloTimeout: helloTimeoutMs,
					readyTimeout: readyTimeoutMs,
				},
				retrieveSessionInfo() {
					const known = session();
					return known === undefined ? null : { ...known, resumeURL: url, shardId: onlyShard.id, shardCount: onlyShard.count };
				},
				updateSessionInfo() {},
				async waitForIdentify() {},
			},
			onlyShard.id,
		);
		this.on(WebSocketShardEvents.Dispatch, ({ data }) => {
			if (!this.#over) onDispatch(data);
		});
		const ready = () => {
			if (!this.#over) onReady();
		};
		this.on(WebSocketShardEvents.Ready, ready);
		this.on(WebSocketShardEvents.Resumed, ready);
		this.on(WebSocketShardEvents.Error, ({ error }) => {
			this.#failure = error.message;
		});
		// What the library cannot read would else be a rejection that nobody handles, and end the process.
		const read = this["onMessage"].bind(this);
		this["onMessage"] = (data: never, binary: never) => read(data, binary).catch(onUnreadable);
	}

	/** Connects, and resolves when that connection has ended. */
	async run(): Promise<Ending> {
		void this.connect().catch(() => {});
		return this.#ended.promise;
	}

	/** Also called by the library whenever a connection is over. It would then connect again every 500 ms without end; here that is left to the caller. */
	override async destroy({ recover, ...options }: WebSocketShardDestroyOptions = {}): Promise<void> {
		// It may have begun to beat while it was ended.
		if (this.#over) return clearInterval(this["heartbeatInterval"] as NodeJS.Timeout);
		this.#over = true;
		// With 1000 or 1001 Discord would forget the session.
		const code = options.code ?? (recover === WebSocketShardDestroyRecovery.Resume ? 4200 : 1000);
		const connection = this["connection"] as { addEventListener(type: "error", listener: () => void): void; terminate(): void } | null;
		// The library stops listening, and an error without a listener would end the process.
		connection?.addEventListener("error", () => {});
		const killing = setTimeout(() => connection?.terminate(), closingMs);
		this.#ended.resolve({ ...(options.code !== undefined && { code: options.code }), reason: this.#failure ?? options.reason ?? `the connection was closed (${code})`, final: recover === undefined });
		await super.destroy({ ...options, code });
		// Still connecting: the library leaves it to itself.
		clearTimeout(killing);
		connection?.terminate();
	}
}
