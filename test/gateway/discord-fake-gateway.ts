// Discord's gateway, version 10: hello, heartbeats, identify, resume with what was missed, and every way in which it ends a connection.
import type { Server } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";

type Json = Readonly<Record<string, unknown>>;

interface Session {
	readonly id: string;
	readonly intents: number;
	readonly sent: { readonly s: number; readonly t: string; readonly d: unknown }[];
}

const intentOf: Readonly<Record<string, { readonly server: number; readonly direct: number }>> = {
	MESSAGE_CREATE: { server: 1 << 9, direct: 1 << 12 },
	MESSAGE_UPDATE: { server: 1 << 9, direct: 1 << 12 },
	MESSAGE_REACTION_ADD: { server: 1 << 10, direct: 1 << 13 },
	MESSAGE_REACTION_REMOVE: { server: 1 << 10, direct: 1 << 13 },
};
const messageContent = 1 << 15;

export class DiscordGateway {
	heartbeatMs = 45_000;
	/** Heartbeats get no answer: the connection is half-open. */
	deaf = false;
	/** Who connects is never greeted. */
	mute = false;
	/** The Message Content Intent is on in the developer portal. */
	mayReadAll = true;
	/** The token was taken back. */
	revoked = false;
	identified = 0;
	resumed = 0;
	/** Connections that were begun. */
	connected = 0;
	/** The number with the last heartbeat. */
	taken = 0;
	readonly #sockets: WebSocketServer;
	readonly #token: string;
	readonly #url: () => string;
	readonly #asking: NodeJS.Timeout;
	#session: Session | undefined;
	#socket: WebSocket | undefined;
	readonly #waiting = new Set<() => void>();

	constructor(server: Server, token: string, url: () => string) {
		this.#token = token;
		this.#url = url;
		this.#sockets = new WebSocketServer({ server, path: "/gateway" });
		this.#sockets.on("connection", (socket, request) => this.#greet(socket, new URL(request.url!, "http://127.0.0.1").searchParams));
		// Discord may ask for a heartbeat at any time: whoever waits for one need not wait long.
		this.#asking = setInterval(() => {
			if (this.#waiting.size > 0 && !this.deaf && this.#socket !== undefined) this.#send(this.#socket, { op: 1, d: null });
		}, 10).unref();
	}

	get isConnected(): boolean {
		return this.#socket !== undefined;
	}

	stop(): void {
		clearInterval(this.#asking);
		this.drop();
		this.#sockets.close();
	}

	/** A connection that breaks. */
	drop(): void {
		for (const client of this.#sockets.clients) client.terminate();
		this.#socket = undefined;
	}

	close(code: number): void {
		this.#socket?.close(code);
		this.#socket = undefined;
	}

	/** Something that is no event. */
	send(payload: Json | string): void {
		this.#socket?.send(typeof payload === "string" ? payload : JSON.stringify(payload));
	}

	/** Discord forgets what it knew. */
	forget(): void {
		this.#session = undefined;
	}

	/** Without its text where the bot may not read it. */
	message(message: Json): number {
		const readable = message["guild_id"] === undefined || (message["mentions"] as readonly unknown[]).length > 0 || (message["author"] as Json)["bot"] === true || ((this.#session?.intents ?? 0) & messageContent) !== 0;
		return this.dispatch("MESSAGE_CREATE", readable ? message : { ...message, content: "", attachments: [] });
	}

	/** Kept for who resumes. Gives its number. */
	dispatch(t: string, d: unknown): number {
		const session = this.#session;
		if (session === undefined) return 0;
		const needed = intentOf[t]?.[(d as Json | null)?.["guild_id"] === undefined ? "direct" : "server"];
		if (needed !== undefined && (session.intents & needed) === 0) return session.sent.length;
		const event = { s: session.sent.length + 1, t, d };
		session.sent.push(event);
		if (this.#socket !== undefined) this.#send(this.#socket, { op: 0, ...event });
		return event.s;
	}

	/** Resolves when a heartbeat has this number, or a later one. */
	async whenTaken(sequence: number): Promise<void> {
		while (sequence === 0 || this.taken < sequence) await new Promise<void>((resolve) => this.#waiting.add(resolve));
	}

	#greet(socket: WebSocket, query: URLSearchParams): void {
		this.connected++;
		socket.on("error", () => {});
		if (query.get("v") !== "10" || query.get("encoding") !== "json") return socket.close(4012);
		if (this.mute) return;
		this.#send(socket, { op: 10, d: { heartbeat_interval: this.heartbeatMs } });
		let greeted = false;
		socket.on("close", (code) => {
			if (this.#socket !== socket) return;
			this.#socket = undefined;
			// Who leaves like this does not want to come back.
			if (code === 1000 || code === 1001) this.forget();
		});
		socket.on("message", (data) => {
			const { op, d } = JSON.parse(String(data)) as { readonly op: number; readonly d: Json };
			if (op === 1) return this.#beat(socket, d as unknown as number | null);
			if (greeted) return socket.close(4005);
			greeted = true;
			if (op === 2) this.#identify(socket, d);
			else if (op === 6) this.#resume(socket, d);
			else socket.close(4003);
		});
	}

	#beat(socket: WebSocket, sequence: number | null): void {
		if (sequence !== null && sequence > (this.#session?.sent.length ?? 0)) return socket.close(4007);
		if (this.deaf) return;
		this.taken = Math.max(this.taken, sequence ?? 0);
		this.#send(socket, { op: 11 });
		for (const resolve of this.#waiting) resolve();
		this.#waiting.clear();
	}

	#identify(socket: WebSocket, { token, intents, properties, shard }: Json): void {
		this.identified++;
		if (this.revoked || token !== this.#token) return socket.close(4004);
		if (typeof intents !== "number" || typeof properties !== "object" || JSON.stringify(shard) !== "[0,1]") return socket.close(4013);
		if (!this.mayReadAll && (intents & messageContent) !== 0) return socket.close(4014);
		this.#session = { id: `session-${this.identified}`, intents, sent: [] };
		this.#socket = socket;
		this.taken = 0;
		this.dispatch("READY", { v: 10, user: { id: "900000000000000001", username: "agent", bot: true }, guilds: [{ id: "300000000000000001", unavailable: true }], session_id: this.#session.id, resume_gateway_url: this.#url(), application: { id: "900000000000000002", flags: 0 } });
	}

	#resume(socket: WebSocket, { token, session_id: id, seq }: Json): void {
		if (this.revoked || token !== this.#token) return socket.close(4004);
		if (this.#session === undefined || id !== this.#session.id || typeof seq !== "number") return this.#send(socket, { op: 9, d: false });
		this.resumed++;
		this.#socket = socket;
		for (const event of this.#session.sent.slice(seq)) this.#send(socket, { op: 0, ...event });
		this.#send(socket, { op: 0, s: this.#session.sent.length, t: "RESUMED", d: {} });
	}

	#send(socket: WebSocket, payload: Json): void {
		socket.send(JSON.stringify(payload));
	}
}
