// Slack, as its documentation describes it: the Web API over HTTP, and socket mode over a WebSocket. What Slack would refuse is refused.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

export const botToken = "xoxb-1-the-bot-token-of-the-tests";
export const appToken = "xapp-1-the-app-token-of-the-tests";
export const bot = { userId: "U0BOT", botId: "B0BOT", name: "keeper" } as const;

interface Block {
	readonly type: string;
	readonly text?: { readonly type: string; readonly text: string };
	readonly elements?: readonly { readonly type: string; readonly action_id: string; readonly value: string; readonly text: { readonly type: string; readonly text: string } }[];
}

export interface Shown {
	readonly ts: string;
	readonly user: string;
	text: string;
	blocks: readonly Block[];
	readonly thread?: string;
	readonly files: readonly string[];
}

interface Envelope {
	readonly type: string;
	readonly payload: object;
	readonly extra: object;
	readonly told: PromiseWithResolvers<void>;
	attempt: number;
	timer?: NodeJS.Timeout;
}

/** Answers in the place of a method: what is given, or the method's own answer for undefined. */
export type Refusal = (method: string, args: URLSearchParams) => { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string } | undefined;

export class FakeSlack {
	/** Wrong things that were done and have no answer: acknowledgements of nothing, markup that is none. */
	readonly mistakes: string[] = [];
	readonly calls: { readonly method: string; readonly args: URLSearchParams }[] = [];
	readonly chats = new Map<string, Shown[]>();
	readonly files = new Map<string, { readonly name: string; content: Buffer; readonly length: number }>();
	readonly sockets = new Set<WebSocket>();
	/** What it waits for an acknowledgement before it sends an event again, in ms. Slack: 3 s, then a minute, then five. */
	ackMs = 200;
	refuse: Refusal = () => undefined;
	/** false: takes connections and frames, and never answers. */
	speaks = true;
	/** false: a WebSocket is asked for, and never opened. */
	upgrades = true;
	upgradesAsked = 0;
	/** In place of the count of connections that it knows. */
	connections: number | undefined;
	readonly #server: Server;
	readonly #ws = new WebSocketServer({ noServer: true });
	readonly #tickets = new Set<string>();
	readonly #unanswered = new Set<Duplex>();
	/** Sent and not acknowledged, by number of the envelope. */
	readonly #open = new Map<string, { readonly envelope: Envelope; readonly socket: WebSocket }>();
	readonly #waiting: Envelope[] = [];
	readonly #ping: NodeJS.Timeout;
	#ts = 1_700_000_000;

	private constructor() {
		this.#server = createServer((request, response) => void this.#answer(request, response));
		this.#server.on("upgrade", (request, socket, head) => {
			this.upgradesAsked++;
			if (!this.speaks || !this.upgrades) return void this.#unanswered.add(socket);
			const ticket = new URL(request.url ?? "", "http://x").searchParams.get("ticket") ?? "";
			if (!this.#tickets.delete(ticket)) return socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
			this.#ws.handleUpgrade(request, socket, head, (opened) => this.#opened(opened));
		});
		this.#ping = setInterval(() => {
			if (this.speaks) for (const socket of this.sockets) socket.ping();
		}, 100);
	}

	static async start(port = 0): Promise<FakeSlack> {
		const fake = new FakeSlack();
		fake.#server.listen(port, "127.0.0.1");
		await once(fake.#server, "listening");
		return fake;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	get baseUrl(): string {
		return `http://127.0.0.1:${this.port}/api/`;
	}

	nextTs(): string {
		return `${++this.#ts}.000100`;
	}

	chat(id: string): Shown[] {
		if (!this.chats.has(id)) this.chats.set(id, []);
		return this.chats.get(id)!;
	}

	/** Hands an event in; resolves when one of its tellings was acknowledged, rejects when Slack gives up. */
	event(event: object, extra: object = {}): Promise<void> {
		return this.envelope("events_api", { type: "event_callback", team_id: "T1", event_id: `Ev${randomUUID()}`, event }, { accepts_response_payload: false, ...extra });
	}

	envelope(type: string, payload: object, extra: object = {}): Promise<void> {
		const envelope: Envelope = { type, payload, extra, told: Promise.withResolvers<void>(), attempt: 0 };
		envelope.told.promise.catch(() => {});
		this.#send(envelope);
		return envelope.told.promise;
	}

	/** Sends words as they are, in a frame. */
	raw(text: string): void {
		for (const socket of this.sockets) socket.send(text);
	}

	disconnect(reason: string, closeAfterMs = 0): void {
		for (const socket of this.sockets) {
			socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "fake" } }));
			setTimeout(() => socket.close(), closeAfterMs).unref();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#ping);
		for (const envelope of [...this.#waiting, ...[...this.#open.values()].map(({ envelope: one }) => one)]) {
			clearTimeout(envelope.timer);
			envelope.told.reject(new Error("it was never acknowledged"));
		}
		for (const socket of this.sockets) socket.terminate();
		for (const socket of this.#unanswered) socket.destroy();
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	#opened(socket: WebSocket): void {
		this.sockets.add(socket);
		socket.on("close", () => {
			this.sockets.delete(socket);
			for (const [id, { envelope, socket: its }] of this.#open) {
				if (its !== socket || envelope.type !== "events_api") continue;
				this.#open.delete(id);
				clearTimeout(envelope.timer);
				this.#send(envelope);
			}
		});
		socket.on("message", (data) => this.#acknowledged(socket, String(data)));
		socket.send(JSON.stringify({ type: "hello", num_connections: this.connections ?? this.sockets.size, debug_info: { host: "fake", approximate_connection_time: 18_060 }, connection_info: { app_id: "A1" } }));
		for (const envelope of this.#waiting.splice(0)) this.#send(envelope);
	}

	#send(envelope: Envelope): void {
		const socket = [...this.sockets].at(-1);
		if (socket === undefined) return void this.#waiting.push(envelope);
		const id = randomUUID();
		const { type, payload, extra, attempt } = envelope;
		this.#open.set(id, { envelope, socket });
		if (type === "events_api") {
			envelope.timer = setTimeout(() => {
				if (++envelope.attempt <= 3) this.#send(envelope);
				else envelope.told.reject(new Error("it was not acknowledged three times"));
			}, this.ackMs);
		}
		socket.send(JSON.stringify({ envelope_id: id, type, payload, ...extra, ...(type === "events_api" && { retry_attempt: attempt, retry_reason: attempt === 0 ? "" : "timeout" }) }));
	}

	#acknowledged(socket: WebSocket, text: string): void {
		const { envelope_id: id, ...rest } = JSON.parse(text) as { readonly envelope_id?: string; readonly payload?: object };
		const open = this.#open.get(id ?? "");
		if (open === undefined || open.socket !== socket) return void this.mistakes.push(`an acknowledgement of nothing: ${text}`);
		if (Object.keys(rest).some((key) => key !== "payload")) this.mistakes.push(`an acknowledgement with ${text}`);
		this.#open.delete(id!);
		clearTimeout(open.envelope.timer);
		open.envelope.told.resolve();
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { pathname } = new URL(request.url ?? "", "http://x");
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const body = Buffer.concat(chunks);
		if (!this.speaks) return;
		if (pathname.startsWith("/upload/")) return this.#uploaded(pathname.slice(8), body, request, response);
		if (pathname.startsWith("/files/")) return this.#download(pathname.slice(7), request, response);
		const method = pathname.replace("/api/", "");
		const args = new URLSearchParams(body.toString("utf8"));
		this.calls.push({ method, args });
		const refused = this.refuse(method, args);
		if (refused !== undefined) return void response.writeHead(refused.status ?? 200, { "Content-Type": "application/json", ...refused.headers }).end(refused.body ?? "");
		const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
		const wanted = method === "apps.connections.open" ? appToken : botToken;
		const answer = token === undefined ? { error: "not_authed" } : token === wanted ? this.#do(method, args) : { error: token === botToken || token === appToken ? "not_allowed_token_type" : "invalid_auth" };
		response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ ok: !("error" in answer), ...answer }));
	}

	#do(method: string, args: URLSearchParams): object {
		switch (method) {
			case "auth.test":
				return { user_id: bot.userId, user: bot.name, bot_id: bot.botId, team_id: "T1", team: "team" };
			case "apps.connections.open": {
				const ticket = randomUUID();
				this.#tickets.add(ticket);
				return { url: `ws://127.0.0.1:${this.port}/link/?ticket=${ticket}&app_id=A1` };
			}
			case "chat.postMessage":
				return this.#post(args);
			case "chat.update":
				return this.#update(args);
			case "files.getUploadURLExternal": {
				const id = `F${randomUUID()}`;
				this.files.set(id, { name: args.get("filename") ?? "", content: Buffer.alloc(0), length: Number(args.get("length")) });
				return { file_id: id, upload_url: `http://127.0.0.1:${this.port}/upload/${id}` };
			}
			case "files.completeUploadExternal":
				return this.#complete(args);
			case "assistant.threads.setStatus":
				return args.get("thread_ts") ? {} : { error: "invalid_thread_ts" };
			default:
				return { error: "unknown_method" };
		}
	}

	#post(args: URLSearchParams): object {
		const channel = args.get("channel") ?? "";
		const read = this.#content(args);
		if ("error" in read) return read;
		if (!this.chats.has(channel)) return { error: "channel_not_found" };
		const thread = args.get("thread_ts") ?? undefined;
		if (thread !== undefined && !this.chat(channel).some(({ ts }) => ts === thread)) return { error: "thread_not_found" };
		const ts = this.nextTs();
		this.chat(channel).push({ ts, user: bot.userId, ...read, ...(thread !== undefined && { thread }), files: [] });
		return { channel, ts, message: { text: read.text } };
	}

	#update(args: URLSearchParams): object {
		const shown = this.chats.get(args.get("channel") ?? "")?.find(({ ts }) => ts === args.get("ts"));
		if (shown === undefined) return { error: "message_not_found" };
		if (shown.user !== bot.userId) return { error: "cant_update_message" };
		const read = this.#content(args);
		if ("error" in read) return read;
		shown.text = read.text;
		// Those that are not named stay.
		if (args.has("blocks")) shown.blocks = read.blocks;
		return { ts: shown.ts, text: shown.text };
	}

	#complete(args: URLSearchParams): object {
		const channel = args.get("channel_id") ?? "";
		if (!this.chats.has(channel)) return { error: "channel_not_found" };
		const named = JSON.parse(args.get("files") ?? "[]") as readonly { readonly id: string }[];
		if (named.length === 0 || named.some(({ id }) => this.files.get(id) === undefined || this.files.get(id)!.content.length !== this.files.get(id)!.length)) return { error: "file_not_found" };
		const text = args.get("initial_comment") ?? "";
		const read = this.#content(new URLSearchParams([["text", text || "-"], ["blocks", args.get("blocks") ?? "[]"]]));
		if ("error" in read) return read;
		this.chat(channel).push({ ts: this.nextTs(), user: bot.userId, text, blocks: read.blocks, ...(args.get("thread_ts") !== null && { thread: args.get("thread_ts")! }), files: named.map(({ id }) => id) });
		return { files: named };
	}

	#content(args: URLSearchParams): { readonly error: string } | { readonly text: string; readonly blocks: readonly Block[] } {
		const text = args.get("text") ?? "";
		const blocks = JSON.parse(args.get("blocks") ?? "[]") as readonly Block[];
		if (text === "" && blocks.length === 0) return { error: "no_text" };
		if (blocks.length === 0 && text.length > 4_000) return { error: "msg_too_long" };
		if (blocks.length > 50 || !blocks.every(isBlock)) return { error: "invalid_blocks" };
		if (JSON.stringify(blocks).length > 30_000) return { error: "msg_blocks_too_long" };
		for (const words of [text, ...blocks.map((block) => block.text?.text ?? "")]) {
			const strange = /<(?!(?:https?:\/\/|mailto:)[^<>\s]+>|(?:https?:\/\/|mailto:)[^<>\s|]+\|[^<>]+>)|&(?!amp;|lt;|gt;)/.exec(words);
			if (strange !== null) this.mistakes.push(`markup that is none: ${words.slice(strange.index, strange.index + 40)}`);
		}
		return { text, blocks };
	}

	#uploaded(id: string, body: Buffer, request: IncomingMessage, response: ServerResponse): void {
		const file = this.files.get(id);
		if (request.headers.authorization !== undefined) this.mistakes.push("a token was sent with an upload");
		if (file === undefined || body.length !== file.length) return void response.writeHead(400).end();
		file.content = body;
		response.end(`OK - ${body.length}`);
	}

	#download(id: string, request: IncomingMessage, response: ServerResponse): void {
		const file = this.files.get(id);
		// As Slack does: a page to log in on, with status 200.
		if (request.headers.authorization !== `Bearer ${botToken}`) return void response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end("<html>Sign in</html>");
		if (file === undefined) return void response.writeHead(404).end();
		response.writeHead(200, { "Content-Type": "text/plain" }).end(file.content);
	}
}

function isBlock(block: Block): boolean {
	if (block.type === "section") return block.text?.type === "mrkdwn" && block.text.text.length > 0 && block.text.text.length <= 3_000;
	if (block.type !== "actions" || block.elements === undefined || block.elements.length === 0 || block.elements.length > 25) return false;
	const ids = new Set(block.elements.map(({ action_id: id }) => id));
	return ids.size === block.elements.length && block.elements.every(({ type, text, value }) => type === "button" && text.type === "plain_text" && text.text.length > 0 && text.text.length <= 75 && value.length <= 2_000);
}

/** As a person sees a text: without the escapes. */
export function visible({ text, blocks }: Shown): string {
	const words = blocks.some(({ type }) => type === "section") ? blocks.flatMap((block) => (block.type === "section" ? [block.text!.text] : [])).join("") : text;
	return words.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
