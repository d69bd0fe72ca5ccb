// HTTP: the platform that needs no account. JSON in, server-sent events out, and a page to chat on.
import { randomUUID, timingSafeEqual, createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Chat, Door, Handled, Live, OutboundText, Platform, Sent } from "../../gateway/platform.ts";
import { type ChatFile, ChatLog } from "./log.ts";
import { openApi } from "./open-api.ts";
import { bodyOf, inboundOf, inMemory, maxBodyBytes, readMessage } from "./request.ts";
import { follow, newsOf, type Tick } from "./stream.ts";

export interface HttpOptions {
	readonly host: string;
	/** 0 for any that is free. */
	readonly port: number;
	readonly token: string;
	/** The file that chats are kept in, and the folder for files that are sent. */
	readonly log: string;
	readonly files: string;
	readonly version: string;
	/** Who answers requests to a path of `/platforms` or `/hooks`, each with a check of its own; undefined where nobody does. */
	readonly route?: (path: string) => ((request: Request) => Promise<Response>) | undefined;
	/** What `GET /metrics` gives, in the text format of Prometheus. */
	readonly metrics?: () => Promise<string>;
	readonly warn: (message: string) => void;
}

/** How long `?wait=1` waits for an answer, in ms. */
const longestWaitMs = 600_000;
/** A client gets so long to send a request, in ms: 12 MiB at 100 KiB/s. */
const longestRequestMs = 120_000;
const pageTypes = { "chat.html": "text/html; charset=utf-8", "chat.js": "text/javascript; charset=utf-8", "chat.css": "text/css; charset=utf-8", "markdown.js": "text/javascript; charset=utf-8" } as const;
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export class Http implements Platform {
	readonly name = "http";
	readonly maxText = 16_000;
	readonly buttons = true;
	readonly maxFileBytes = 25 * 1024 * 1024;
	readonly #options: HttpOptions;
	readonly #log: ChatLog;
	/** What there is to show, by `newsOf` a chat. */
	readonly #news = new EventEmitter<Record<string, [Tick]>>();
	readonly #closing = new AbortController();
	#server: Server | undefined;
	#door: Door | undefined;

	/** @throws Error when the file of the chats cannot be used. */
	constructor(options: HttpOptions) {
		this.#options = options;
		this.#log = new ChatLog(options.log, options.files);
		// One for each client that follows a chat.
		this.#news.setMaxListeners(0);
	}

	get connected(): boolean {
		return this.#door !== undefined;
	}

	/** Where it answers, once it does. */
	get address(): string {
		const address = this.#server?.address();
		const port = typeof address === "object" ? address?.port : undefined;
		const { host } = this.#options;
		return `http://${host.includes(":") ? `[${host}]` : host}:${port ?? this.#options.port}`;
	}

	async start(door: Door): Promise<void> {
		const { host, port } = this.#options;
		const server = serve({ fetch: this.#app().fetch, hostname: host, port, serverOptions: { requestTimeout: longestRequestMs, headersTimeout: 30_000 } }) as Server;
		this.#server = server;
		try {
			if (!server.listening) await once(server, "listening");
		} catch (error) {
			const code = (error as NodeJS.ErrnoException).code;
			if (code === "EADDRINUSE") throw new Error(`port ${port} of ${host} is taken by another program. End that, or set gateway.http.port in config.yaml.`, { cause: error });
			throw error;
		}
		server.on("error", (error) => this.#options.warn(`http: ${error.message}`));
		this.#door = door;
	}

	async stop(): Promise<void> {
		this.#door = undefined;
	}

	async close(): Promise<void> {
		this.#closing.abort();
		const server = this.#server;
		if (server !== undefined) {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeIdleConnections();
			// Who still reads had a moment to.
			setTimeout(() => server.closeAllConnections(), 500).unref();
			await closed;
		}
		this.#log.close();
	}

	async send(text: OutboundText): Promise<Sent> {
		this.#log.message(text);
		this.#news.emit(newsOf(text.chatId), "kept");
		return {};
	}

	async handled(handled: Handled): Promise<void> {
		this.#log.handled(handled);
		this.#news.emit(newsOf(handled.chatId), "kept");
	}

	show({ chatId }: Chat, live: Live): void {
		this.#news.emit(newsOf(chatId), live);
	}

	#app(): Hono {
		const app = new Hono();
		const { version } = this.#options;
		app.use(async (c, next) => {
			await next();
			c.header("X-Content-Type-Options", "nosniff");
			c.header("Referrer-Policy", "no-referrer");
		});
		app.get("/v1/health", (c) => c.json({ status: "ok", version }));
		app.get("/v1/ready", (c) => (this.#door === undefined ? c.json({ status: "not ready" }, 503) : c.json({ status: "ready" })));
		app.get("/openapi.json", (c) => c.json(openApi(version)));
		app.get("/", (c) => page(c, "chat.html"));
		app.get("/chat.js", (c) => page(c, "chat.js"));
		app.get("/chat.css", (c) => page(c, "chat.css"));
		app.get("/markdown.js", (c) => page(c, "markdown.js"));
		for (const path of ["/platforms/*", "/hooks/*"]) {
			app.all(path, async (c, next) => {
				const answer = this.#options.route?.(c.req.path);
				if (answer === undefined) return next();
				const request = await inMemory(c.req.raw);
				return request === undefined ? c.json({ error: "That is too long." }, 413) : answer(request);
			});
		}
		for (const path of ["/v1/*", "/metrics"]) app.use(path, async (c, next) => {
			if (this.#isKnown(c.req.header("authorization"))) return next();
			c.header("WWW-Authenticate", "Bearer");
			return c.json({ error: "This needs the token of the gateway: send 'Authorization: Bearer TOKEN'." }, 401);
		});
		app.post("/v1/messages", (c) => this.#post(c));
		app.get("/v1/files/:id", (c) => fileOf(this.#log.file(c.req.param("id"))));
		const { metrics } = this.#options;
		if (metrics !== undefined) app.get("/metrics", async (c) => c.text(await metrics(), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" }));
		app.get("/v1/chats/:chat/messages", (c) => {
			const after = numberIn(c.req.query("after"));
			if (after === undefined) return c.json({ error: "'after' is the id of an event, a number." }, 400);
			return c.json({ events: this.#log.after(c.req.param("chat"), after, 1000) });
		});
		app.get("/v1/chats/:chat/events", (c) => {
			const chat = c.req.param("chat");
			const given = c.req.header("last-event-id") ?? c.req.query("after");
			const after = given === undefined ? this.#log.last(chat) : numberIn(given);
			if (after === undefined) return c.json({ error: "Last-Event-ID is the id of an event, a number." }, 400);
			return follow({ log: this.#log, chat, after, news: this.#news, signal: AbortSignal.any([this.#closing.signal, c.req.raw.signal]) });
		});
		app.notFound((c) => c.json({ error: `There is no ${c.req.method} ${c.req.path} here. GET /openapi.json says what there is.` }, 404));
		app.onError((error, c) => {
			this.#options.warn(`http: ${c.req.method} ${c.req.path} failed: ${error.message}`);
			return c.json({ error: "The gateway failed at this; its log says why." }, 500);
		});
		return app;
	}

	async #post(c: Context): Promise<Response> {
		const body = await bodyOf(c.req.raw);
		if (body === undefined) return c.json({ error: `A message has at most ${maxBodyBytes} bytes.` }, 413);
		const read = readMessage(c.req.header("content-type"), body);
		if ("mistake" in read) return c.json({ error: read.mistake }, 400);
		const { chat, thread, user, text, id = randomUUID(), files } = read;
		const door = this.#door;
		if (door === undefined) return c.json({ error: "The gateway is stopping or starting. Send it again in a moment." }, 503, { "Retry-After": "2" });
		// Whoever has the token and names nobody speaks for the owner.
		const who = user === undefined ? ({ userId: "owner", isOwner: true } as const) : { userId: user };
		let accepted;
		try {
			accepted = await door.accept({ chatId: chat, ...(thread !== undefined && { threadId: thread }), chatType: "dm", messageId: id, text, ...(files !== undefined && { files: files.map(inboundOf) }), ...who });
		} catch (error) {
			const why = error instanceof Error ? error.message : String(error);
			this.#options.warn(`http: a message was not taken: ${why}`);
			return c.json({ error: `The message was not taken: ${why}` }, 503, { "Retry-After": "10" });
		}
		if (accepted.kind === "blocked" || accepted.kind === "stranger") return c.json({ id, error: accepted.reason }, 403);
		if (accepted.kind === "too-many") return c.json({ id, error: accepted.reason }, 429, { "Retry-After": String(Math.ceil(accepted.retryAfterMs / 1000)) });
		if (accepted.kind === "answered") return c.json({ id, status: "answered", messages: [accepted.text] });
		// A user who presses is refused, and the buttons stay for the owner.
		if (accepted.kind === "accepted" && user === undefined && this.#log.pressed(chat, text)) this.#news.emit(newsOf(chat), "kept");
		const status = { id, status: accepted.kind };
		if (c.req.query("wait") !== "1") return c.json(status, 202);
		const late = new AbortController();
		// Not AbortSignal.timeout(): one would stay in memory for ten minutes behind each answer.
		const timer = setTimeout(() => late.abort(), longestWaitMs);
		const handled = await this.#whenHandled(chat, id, AbortSignal.any([c.req.raw.signal, this.#closing.signal, late.signal])).finally(() => clearTimeout(timer));
		if (handled === undefined) return c.json(status, 202);
		const messages = this.#log.about(chat, id).flatMap((event) => (event.type === "message" ? [event.text] : []));
		return c.json({ id, status: handled.how, messages, ...(handled.into !== undefined && { into: handled.into }) });
	}

	async #whenHandled(chat: string, id: string, signal: AbortSignal) {
		const find = () => this.#log.about(chat, id).find((event) => event.type === "handled");
		const handled = Promise.withResolvers<ReturnType<typeof find>>();
		const look = () => {
			try {
				const found = find();
				if (found !== undefined || signal.aborted) handled.resolve(found);
			} catch (error) {
				handled.reject(error);
			}
		};
		// Pieces of answers come by the hundred, and are not in the log.
		const heard = (tick: Tick) => {
			if (tick === "kept") look();
		};
		this.#news.on(newsOf(chat), heard);
		signal.addEventListener("abort", look, { once: true });
		try {
			look();
			return await handled.promise;
		} finally {
			this.#news.off(newsOf(chat), heard);
			signal.removeEventListener("abort", look);
		}
	}

	#isKnown(authorization: string | undefined): boolean {
		const given = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1] ?? "";
		const digest = (text: string) => createHash("sha256").update(text).digest();
		return timingSafeEqual(digest(given), digest(this.#options.token));
	}
}

function page(c: Context, name: keyof typeof pageTypes): Response {
	return c.body(readFileSync(new URL(`page/${name}`, import.meta.url), "utf8"), 200, { "Content-Type": pageTypes[name], "Content-Security-Policy": pagePolicy, "Cache-Control": "no-cache" });
}

/** Always as something to be saved: no page of ours shows what others made. */
async function fileOf(file: (ChatFile & { readonly path: string }) | undefined): Promise<Response> {
	const opened = file && (await open(file.path).catch(() => undefined));
	if (file === undefined || opened === undefined) return Response.json({ error: "There is no such file, or not any more." }, { status: 404 });
	const headers = { "Content-Type": file.media_type, "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name.toWellFormed())}`, "Content-Security-Policy": "sandbox" };
	return new Response(Readable.toWeb(opened.createReadStream()) as unknown as ReadableStream<Uint8Array>, { headers });
}

const numberIn = (text = "0") => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);
