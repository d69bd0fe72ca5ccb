// Telegram's Bot API on loopback, as its documentation describes what the gateway uses of it. A request that Telegram would not take is refused.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Message, MessageEntity, Update } from "grammy/types";
import type { SentFile } from "../contracts/platform.ts";

type Payload = Readonly<Record<string, unknown>>;
type Answer = { readonly status: number; readonly body: unknown };

/** A message of the bot, as a person sees it. */
export interface Shown {
	readonly id: number;
	readonly chat: number;
	readonly thread: number | undefined;
	readonly replyTo: number | undefined;
	text: string;
	entities: readonly MessageEntity[];
	buttons: readonly { readonly text: string; readonly callback_data: string }[];
	readonly file: SentFile | undefined;
	readonly as: string;
}

/** Method → the parameters that are needed, and those that are known besides. */
const methods: Readonly<Record<string, readonly [needed: readonly string[], known: readonly string[]]>> = {
	getMe: [[], []],
	getUpdates: [[], ["offset", "limit", "timeout", "allowed_updates"]],
	setWebhook: [["url"], ["secret_token", "allowed_updates", "max_connections"]],
	deleteWebhook: [[], ["drop_pending_updates"]],
	setMyCommands: [["commands"], []],
	sendMessage: [["chat_id", "text"], ["message_thread_id", "entities", "link_preview_options", "reply_parameters", "reply_markup"]],
	sendPhoto: [["chat_id", "photo"], ["message_thread_id", "caption", "caption_entities", "reply_parameters", "reply_markup"]],
	sendDocument: [["chat_id", "document"], ["message_thread_id", "caption", "caption_entities", "reply_parameters", "reply_markup"]],
	editMessageText: [["chat_id", "message_id", "text"], ["entities", "link_preview_options", "reply_markup"]],
	editMessageReplyMarkup: [["chat_id", "message_id"], ["reply_markup"]],
	answerCallbackQuery: [["callback_query_id"], ["text"]],
	sendChatAction: [["chat_id", "action"], ["message_thread_id"]],
	getFile: [["file_id"], []],
};
const kinds = ["message", "callback_query", "message_reaction"];

class Refusal extends Error {
	readonly code: number;
	readonly parameters: object | undefined;

	constructor(code: number, description: string, parameters?: object) {
		super(description);
		this.code = code;
		this.parameters = parameters;
	}
}

const answerOf = ({ code, message, parameters }: Refusal): Answer => ({ status: code, body: { ok: false, error_code: code, description: message, ...(parameters !== undefined && { parameters }) } });

export class TelegramFake {
	readonly token = "4200000001:AAfake-token-of-the-tests_0123456789abc";
	readonly me = { id: 4_200_000_001, is_bot: true, first_name: "Kitchen", username: "KitchenBot" };
	/** Those that are known; a group has an id below 0. */
	readonly chats = new Set([11, 12, -1001, -1002]);
	readonly threads = new Set([7]);
	readonly shown: Shown[] = [];
	readonly calls: { readonly method: string; readonly payload: Payload }[] = [];
	/** What the next calls of a method get, whatever they ask. */
	readonly failing = new Map<string, Answer[]>();
	/** From an old group to the supergroup that it is now. */
	readonly moved = new Map<number, number>();
	readonly files = new Map<string, string>();
	/** Takes requests and answers none. */
	silent = false;
	/** The secret and the address that updates are sent to. */
	webhook: { readonly url: string; readonly secret: string } | undefined;
	readonly #server = createServer((request, response) => void this.#serve(request, response));
	readonly #sockets = new Set<Socket>();
	readonly #waiting: { readonly update: Update; readonly told: () => void }[] = [];
	#port = 0;
	#lastUpdate = 700_000_000;
	#lastMessage = 100;
	#poll: { readonly end: (reason: "conflict" | "update") => void } | undefined;
	#closed = false;

	static async start(): Promise<TelegramFake> {
		const fake = new TelegramFake();
		fake.#server.on("connection", (socket) => {
			fake.#sockets.add(socket);
			socket.on("close", () => fake.#sockets.delete(socket));
		});
		await fake.up();
		return fake;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	async up(): Promise<void> {
		this.#server.listen(this.#port, "127.0.0.1");
		await once(this.#server, "listening");
		this.#port = (this.#server.address() as AddressInfo).port;
	}

	async down(): Promise<void> {
		const closed = once(this.#server, "close");
		this.#server.close();
		for (const socket of this.#sockets) socket.destroy();
		await closed;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		if (this.#server.listening) await this.down();
	}

	fail(method: string, ...answers: readonly Answer[]): void {
		this.failing.set(method, [...(this.failing.get(method) ?? []), ...answers]);
	}

	called(method: string): readonly Payload[] {
		return this.calls.filter((call) => call.method === method).map(({ payload }) => payload);
	}

	/** An update for the bot; resolves when it was told that it is taken. */
	async give(content: Partial<Update>): Promise<number> {
		const update = { update_id: ++this.#lastUpdate, ...content } as Update;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#waiting.push({ update, told: resolve });
		this.#poll?.end("update");
		if (this.webhook !== undefined) void this.deliver(update, resolve);
		await promise;
		return update.update_id;
	}

	/** A message of a person, as they wrote it. */
	async say(chat: number, text: string, more: object = {}): Promise<string> {
		const id = ++this.#lastMessage;
		const message = { message_id: id, date: 1, from: { id: Math.abs(chat), is_bot: false, first_name: "x" }, chat: { id: chat, type: chat > 0 ? "private" : "supergroup", ...(chat < 0 && { title: "x" }) }, text, ...more };
		await this.give({ message: message as unknown as Message & Update["message"] & {} });
		return String(id);
	}

	async press(chat: number, label: string): Promise<void> {
		const shown = this.shown.findLast((one) => one.chat === chat && one.buttons.length > 0);
		const button = shown?.buttons.find(({ text }) => text === label);
		if (shown === undefined || button === undefined) throw new Error(`there is no button '${label}'`);
		const message = { message_id: shown.id, date: 1, from: this.me, chat: { id: chat, type: chat > 0 ? "private" : "supergroup" }, text: shown.text };
		await this.give({ callback_query: { id: String(900_000 + ++this.#lastMessage), from: { id: Math.abs(chat), is_bot: false, first_name: "x" }, message, chat_instance: "1", data: button.callback_data } as unknown as NonNullable<Update["callback_query"]> });
	}

	/** Posts an update to the webhook until that takes it. */
	async deliver(update: Update, told: () => void): Promise<void> {
		while (this.webhook !== undefined && !this.#closed) {
			const { url, secret } = this.webhook;
			const response = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": secret }, body: JSON.stringify(update) }).catch(() => undefined);
			if (response?.ok) return told();
			await pause(20);
		}
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		if (this.silent) return;
		const [, whose, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
		const [, fileOf, path = ""] = /^\/file\/bot([^/]+)\/(.+)$/.exec(request.url ?? "") ?? [];
		if (fileOf !== undefined) {
			const content = fileOf === this.token ? this.files.get(decodeURIComponent(path)) : undefined;
			response.writeHead(content === undefined ? 404 : 200).end(content);
			return;
		}
		let answer: Answer;
		try {
			if (whose !== this.token) throw new Refusal(401, "Unauthorized");
			const payload = payloadOf(request, Buffer.concat(chunks));
			this.calls.push({ method, payload });
			answer = this.failing.get(method)?.shift() ?? { status: 200, body: { ok: true, result: await this.#answer(method, payload, request) } };
		} catch (error) {
			answer = answerOf(error instanceof Refusal ? error : new Refusal(500, `the fake failed: ${String(error)}`));
		}
		response.writeHead(answer.status, { "Content-Type": "application/json" }).end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
	}

	#answer(method: string, payload: Payload, request: IncomingMessage): unknown {
		const parameters = methods[method];
		if (parameters === undefined) throw new Refusal(404, "Not Found");
		const [needed, known] = parameters;
		for (const name of needed) if (payload[name] === undefined || payload[name] === "") throw new Refusal(400, `Bad Request: ${name} is empty`);
		for (const name of Object.keys(payload)) if (!needed.includes(name) && !known.includes(name)) throw new Refusal(400, `Bad Request: there is no parameter ${name}`);
		if (payload["chat_id"] !== undefined) this.#checkPlace(payload);
		switch (method) {
			case "getMe":
				return this.me;
			case "getUpdates":
				return this.#updates(payload, request);
			case "setWebhook":
				checkKinds(payload);
				if (!/^https:\/\/|^http:\/\/127\.0\.0\.1[:/]/.test(String(payload["url"]))) throw new Refusal(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook");
				if (!/^[\w-]{1,256}$/.test(String(payload["secret_token"]))) throw new Refusal(400, "Bad Request: secret token contains unallowed characters");
				this.webhook = { url: String(payload["url"]), secret: String(payload["secret_token"]) };
				return true;
			case "deleteWebhook":
				this.webhook = undefined;
				return true;
			case "setMyCommands":
				for (const { command, description } of payload["commands"] as readonly Record<string, string>[]) if (!/^[a-z0-9_]{1,32}$/.test(command ?? "") || !description || description.length > 256) throw new Refusal(400, "Bad Request: BOT_COMMAND_INVALID");
				return true;
			case "answerCallbackQuery":
			case "sendChatAction":
				return true;
			case "getFile": {
				const id = String(payload["file_id"]);
				if (!this.files.has(`documents/${id}`)) throw new Refusal(400, "Bad Request: file is too big");
				return { file_id: id, file_unique_id: id, file_path: `documents/${id}` };
			}
			case "editMessageText":
			case "editMessageReplyMarkup":
				return this.#edit(payload);
			default:
				return this.#show(method, payload);
		}
	}

	#checkPlace({ chat_id: chat, message_thread_id: thread }: Payload): void {
		const id = Number(chat);
		if (this.moved.has(id)) throw new Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", { migrate_to_chat_id: this.moved.get(id) });
		if (!this.chats.has(id)) throw new Refusal(400, "Bad Request: chat not found");
		if (thread !== undefined && !this.threads.has(Number(thread))) throw new Refusal(400, "Bad Request: message thread not found");
	}

	async #updates(payload: Payload, request: IncomingMessage): Promise<readonly unknown[]> {
		checkKinds(payload);
		if (this.webhook !== undefined) throw new Refusal(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first");
		this.#poll?.end("conflict");
		const { offset = 0, limit = 100, timeout = 0 } = payload as { readonly offset?: number; readonly limit?: number; readonly timeout?: number };
		while (this.#waiting.length > 0 && this.#waiting[0]!.update.update_id < offset) this.#waiting.shift()!.told();
		if (this.#waiting.length === 0 && timeout > 0) {
			const { promise, resolve } = Promise.withResolvers<"conflict" | "update" | "late">();
			const poll = { end: resolve };
			this.#poll = poll;
			const timer = setTimeout(() => resolve("late"), timeout * 1000);
			const gone = () => resolve("late");
			request.socket.once("close", gone);
			const why = await promise;
			request.socket.off("close", gone);
			clearTimeout(timer);
			if (this.#poll === poll) this.#poll = undefined;
			if (why === "conflict") throw new Refusal(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running");
		}
		return this.#waiting.slice(0, limit).map(({ update }) => update);
	}

	#edit(payload: Payload): unknown {
		const shown = this.shown.find(({ id, chat }) => id === payload["message_id"] && chat === Number(payload["chat_id"]));
		if (shown === undefined) throw new Refusal(400, "Bad Request: message to edit not found");
		const buttons = buttonsOf(payload);
		const text = payload["text"] === undefined ? shown.text : textOf(payload["text"], 4096, "message");
		if (text === shown.text && buttons.length === shown.buttons.length) throw new Refusal(400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same");
		Object.assign(shown, { text, buttons, ...(payload["entities"] !== undefined && { entities: entitiesOf(payload["entities"], text) }) });
		return { message_id: shown.id };
	}

	#show(method: string, payload: Payload): unknown {
		const { chat_id: chat, message_thread_id: thread, reply_parameters: reply } = payload as { readonly chat_id: number; readonly message_thread_id?: number; readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply?: boolean } };
		const file = payload[method === "sendPhoto" ? "photo" : "document"] as SentFile | undefined;
		if (method !== "sendMessage" && typeof file !== "object") throw new Refusal(400, "Bad Request: there is no file in the request");
		const text = method === "sendMessage" ? textOf(payload["text"], 4096, "message") : payload["caption"] === undefined ? "" : textOf(payload["caption"], 1024, "message caption");
		if (method === "sendMessage" && text === "") throw new Refusal(400, "Bad Request: message text is empty");
		if (reply !== undefined && reply.message_id > this.#lastMessage && reply.allow_sending_without_reply !== true) throw new Refusal(400, "Bad Request: message to be replied not found");
		const entities = entitiesOf(payload["entities"] ?? payload["caption_entities"] ?? [], text);
		const id = ++this.#lastMessage;
		this.shown.push({ id, chat: Number(chat), thread: thread === undefined ? undefined : Number(thread), replyTo: reply?.message_id, text, entities, buttons: buttonsOf(payload), file, as: method });
		return { message_id: id, date: 1, chat: { id: Number(chat) }, text };
	}
}

function checkKinds({ allowed_updates: asked }: Payload): void {
	for (const kind of (asked ?? []) as readonly string[]) if (!kinds.includes(kind)) throw new Refusal(400, `Bad Request: there are no updates '${kind}'`);
}

function textOf(given: unknown, most: number, what: string): string {
	const text = String(given).trim();
	if (text.length > most) throw new Refusal(400, `Bad Request: ${what} is too long`);
	return text;
}

function entitiesOf(given: unknown, text: string): readonly MessageEntity[] {
	const entities = given as readonly MessageEntity[];
	for (const { type, offset, length } of entities) {
		if (!["bold", "italic", "strikethrough", "code", "pre", "blockquote", "text_link"].includes(type) || !(offset >= 0) || !(length > 0) || offset + length > text.length) throw new Refusal(400, "Bad Request: ENTITY_BOUNDS_INVALID");
	}
	return entities;
}

function buttonsOf({ reply_markup: markup }: Payload): Shown["buttons"] {
	const rows = (markup as { readonly inline_keyboard?: readonly Shown["buttons"][] } | undefined)?.inline_keyboard ?? [];
	const buttons = rows.flat();
	for (const { text, callback_data: data } of buttons) if (!text || !data || Buffer.byteLength(data) > 64) throw new Refusal(400, "Bad Request: BUTTON_DATA_INVALID");
	return buttons;
}

/** JSON, or a form with files in it. */
function payloadOf(request: IncomingMessage, body: Buffer): Payload {
	const type = request.headers["content-type"] ?? "";
	if (type === "application/json") return JSON.parse(body.toString("utf8")) as Payload;
	const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(type) ?? [];
	if (boundary === undefined) throw new Refusal(400, `Bad Request: a body of ${type}`);
	const parts = body.toString("latin1").split(`--${boundary}`).slice(1, -1).map((part) => part.slice(2, -2));
	const fields: Record<string, unknown> = {};
	const attached = new Map<string, SentFile>();
	const utf8 = (latin: string) => Buffer.from(latin, "latin1").toString("utf8");
	for (const part of parts) {
		const at = part.indexOf("\r\n\r\n");
		const [, name = "", file] = /^content-disposition:\s*form-data;\s*name="([^"]+)"(?:;\s*filename=([^;\r\n]+))?/i.exec(part) ?? [];
		const content = utf8(part.slice(at + 4));
		if (file !== undefined) attached.set(`attach://${name}`, { name: utf8(file).trim(), content });
		else fields[name] = /^[[{]/.test(content) && name !== "caption" ? JSON.parse(content) : content;
	}
	return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, attached.get(String(value)) ?? value]));
}
