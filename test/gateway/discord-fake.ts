// Discord as far as a bot sees it: REST version 10, strict about what it takes; its gateway stands in discord-fake-gateway.ts.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { DiscordGateway } from "./discord-fake-gateway.ts";

type Json = Readonly<Record<string, unknown>>;

export interface FakeChannel {
	readonly id: string;
	readonly type: number;
	readonly guild_id?: string;
	readonly parent_id?: string;
}

export interface FakeMessage {
	readonly id: string;
	readonly channel: string;
	content: string;
	components: readonly { readonly components: readonly { readonly label: string; readonly custom_id: string }[] }[];
	readonly nonce: string;
	readonly repliesTo?: string;
	readonly files: readonly { readonly name: string; readonly content: string }[];
}

export interface Answer {
	readonly status: number;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

export interface Words {
	readonly text: string;
	readonly file?: { readonly name: string; readonly content: string };
	/** Fields of the message that are not as usual. */
	readonly fields?: Json;
}

export const bot = { id: "900000000000000001", username: "agent", bot: true } as const;
export const person = { id: "100000000000000001", username: "kitchen" } as const;
export const applicationId = "900000000000000002";
export const direct = "200000000000000001";
export const otherDirect = "200000000000000002";
export const server = "300000000000000001";
export const channel = "300000000000000002";
export const thread = "300000000000000003";

const refused = (code: number, message: string, status = 400): Answer => ({ status, body: { code, message } });
const invalid = (why: string): Answer => ({ status: 400, body: { code: 50035, message: "Invalid Form Body", errors: { _errors: [{ code: "INVALID", message: why }] } } });

let snowflake = 400_000_000_000_000_000n;
const newId = () => String(++snowflake);

export class DiscordFake {
	readonly token = "fake.token.of-the-tests";
	readonly channels = new Map<string, FakeChannel>();
	/** What the bot sent. */
	readonly messages: FakeMessage[] = [];
	readonly calls: { readonly method: string; readonly path: string; readonly body: Json | undefined }[] = [];
	/** What was answered to interactions, by their id. */
	readonly responses = new Map<string, Json>();
	readonly gateway: DiscordGateway;
	/** Answers in Discord's place where it answers at all. */
	intercept: (method: string, path: string) => Answer | undefined = () => undefined;
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	readonly #said = new Map<string, Json>();
	readonly #interactions = new Map<string, { readonly token: string; readonly message?: string }>();
	readonly #attachments = new Map<string, string>();

	private constructor() {
		for (const id of [direct, otherDirect]) this.channels.set(id, { id, type: 1 });
		this.channels.set(channel, { id: channel, type: 0, guild_id: server, parent_id: "300000000000000004" });
		this.channels.set(thread, { id: thread, type: 11, guild_id: server, parent_id: channel });
		this.#server = createServer((request, response) => void this.#serve(request, response));
		this.#server.on("connection", (socket) => {
			this.#sockets.add(socket);
			socket.on("close", () => this.#sockets.delete(socket));
		});
		this.gateway = new DiscordGateway(this.#server, this.token, () => `${this.address.replace("http", "ws")}/gateway`);
	}

	static async start(port = 0): Promise<DiscordFake> {
		const fake = new DiscordFake();
		fake.#server.listen(port, "127.0.0.1");
		await once(fake.#server, "listening");
		return fake;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	get address(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	get api(): string {
		return `${this.address}/api`;
	}

	async stop(): Promise<void> {
		this.gateway.stop();
		this.#server.close();
		for (const socket of this.#sockets) socket.destroy();
	}

	/** A person says something. Resolves with its id when the bot has said that it has it: with the number of a heartbeat. */
	async say(chat: string, { text, file, fields = {} }: Words): Promise<string> {
		const { id, sequence } = this.tell(chat, { text, ...(file && { file }), fields });
		await this.gateway.whenTaken(sequence);
		return id;
	}

	/** As `say`, where nobody waits. */
	tell(chat: string, { text, file, fields = {} }: Words): { readonly id: string; readonly sequence: number } {
		const place = this.channels.get(chat)!;
		const id = newId();
		const attachments = file === undefined ? [] : [{ id: newId(), filename: file.name, size: Buffer.byteLength(file.content), content_type: "text/plain", url: `${this.address}/cdn/${id}` }];
		if (file !== undefined) this.#attachments.set(`/cdn/${id}`, file.content);
		const mentions = text.includes(`<@${bot.id}>`) || text.includes(`<@!${bot.id}>`) ? [bot] : [];
		const message = { id, channel_id: chat, author: person, content: text, timestamp: new Date().toISOString(), tts: false, type: 0, attachments, embeds: [], mentions, mention_roles: [], ...(place.guild_id !== undefined && { guild_id: place.guild_id }), ...fields };
		this.#said.set(id, message);
		return { id, sequence: this.gateway.message(message) };
	}

	/** Somebody presses the button with this label under the last text of a chat. Gives the interaction's id. */
	press(chat: string, label: string): string {
		const message = this.messages.findLast((one) => one.channel === chat)!;
		const button = message.components.flatMap(({ components }) => components).find((one) => one.label === label);
		assert.ok(button !== undefined, `there is no button '${label}'`);
		return this.#interact(chat, { type: 3, data: { component_type: 2, custom_id: button.custom_id }, message: { id: message.id, channel_id: chat } }, message.id);
	}

	/** Somebody runs a slash command. Gives the interaction's id. */
	run(chat: string, name: string, text?: string): string {
		return this.#interact(chat, { type: 2, data: { id: newId(), name, type: 1, ...(text !== undefined && { options: [{ name: "text", type: 3, value: text }] }) } });
	}

	#interact(chat: string, given: Json, message?: string): string {
		const place = this.channels.get(chat)!;
		const [id, token] = [newId(), `interaction-${newId()}`];
		this.#interactions.set(id, { token, ...(message !== undefined && { message }) });
		const who = place.guild_id === undefined ? { user: person, context: 1 } : { member: { user: person }, guild_id: place.guild_id, context: 0 };
		this.gateway.dispatch("INTERACTION_CREATE", { id, token, application_id: applicationId, version: 1, channel_id: chat, channel: place, ...who, ...given });
		return id;
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const pieces: Buffer[] = [];
		for await (const piece of request) pieces.push(piece as Buffer);
		const { method = "", url: path = "", headers } = request;
		const file = this.#attachments.get(path);
		// Files need no token, and must not get it.
		if (file !== undefined) return void response.writeHead(headers.authorization === undefined ? 200 : 400).end(file);
		const { status, body, headers: more } = await this.#answer(method, path.replace(/^\/api\/v10/, ""), path.startsWith("/api/v10/"), headers as Record<string, string>, Buffer.concat(pieces)).catch((error: unknown): Answer => ({ status: 500, body: String(error) }));
		response.writeHead(status, { ...(typeof body === "object" && { "Content-Type": "application/json" }), ...more }).end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
	}

	async #answer(method: string, path: string, versioned: boolean, headers: Readonly<Record<string, string>>, raw: Buffer): Promise<Answer> {
		if (!versioned) return { status: 404, body: "no such version" };
		if (headers["authorization"] !== `Bot ${this.token}`) return { status: 401, body: { code: 0, message: "401: Unauthorized" } };
		if (!/^DiscordBot \(.+, .+\)/.test(headers["user-agent"] ?? "")) return { status: 403, body: "error code: 1010" };
		const type = headers["content-type"] ?? "";
		let body: Json | undefined;
		let files: { readonly name: string; readonly content: string }[] = [];
		if (type.startsWith("multipart/form-data")) {
			const form = await new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData();
			body = JSON.parse(String(form.get("payload_json"))) as Json;
			const parts = [...form.entries()].filter(([name]) => name !== "payload_json");
			if (!parts.every(([name], i) => name === `files[${i}]`)) return invalid("files");
			files = await Promise.all(parts.map(async ([, part]) => ({ name: (part as File).name, content: await (part as File).text() })));
		} else if (raw.length > 0) {
			if (type !== "application/json") return { status: 400, body: { code: 50109, message: "The request body contains invalid JSON." } };
			body = JSON.parse(raw.toString()) as Json;
		}
		this.calls.push({ method, path, body });
		return this.intercept(method, path) ?? this.#route(method, path, body ?? {}, files);
	}

	#route(method: string, path: string, body: Json, files: FakeMessage["files"]): Answer {
		const [, , id = "", token = "", of = ""] = path.split("/");
		// The numbers are not part of the route.
		switch (`${method} ${path.replace(/\d{17,20}/g, "ID").replace(/interaction-ID/, "TOKEN")}`) {
			case "GET /gateway/bot":
				return { status: 200, body: { url: `${this.address.replace("http", "ws")}/gateway`, shards: 1, session_start_limit: { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: 1 } } };
			case "GET /channels/ID":
				return this.channels.has(id) ? { status: 200, body: this.channels.get(id) } : refused(10003, "Unknown Channel", 404);
			case "POST /channels/ID/messages":
				return this.channels.has(id) ? this.#post(id, body, files) : refused(10003, "Unknown Channel", 404);
			case "PATCH /channels/ID/messages/ID":
				return this.#change(of, body);
			case "POST /channels/ID/typing":
				return { status: 204 };
			case "PUT /applications/ID/commands":
				return id === applicationId && Array.isArray(body) && body.every(isCommand) ? { status: 200, body } : invalid("commands");
			case "POST /interactions/ID/TOKEN/callback":
				return this.#respond(id, token, body);
			default:
				return { status: 404, body: { code: 0, message: "404: Not Found" } };
		}
	}

	#post(chat: string, body: Json, files: FakeMessage["files"]): Answer {
		const why = mistakeIn(body, ["content", "nonce", "enforce_nonce", "allowed_mentions", "message_reference", "components"]);
		if (why !== undefined) return invalid(why);
		const { content = "", nonce, enforce_nonce: enforced, components = [], message_reference: reference } = body as { content?: string; nonce?: string; enforce_nonce?: boolean; components?: FakeMessage["components"]; message_reference?: { message_id: string; fail_if_not_exists?: boolean } };
		if (content === "" && files.length === 0) return refused(50006, "Cannot send an empty message");
		if (typeof nonce !== "string" || nonce.length > 25) return invalid("nonce");
		const before = enforced === true ? this.messages.find((one) => one.nonce === nonce) : undefined;
		if (before !== undefined) return { status: 200, body: { id: before.id, content: before.content, nonce } };
		const exists = reference !== undefined && (this.#said.get(reference.message_id)?.["channel_id"] === chat || this.messages.some((one) => one.id === reference.message_id && one.channel === chat));
		if (reference !== undefined && !exists && reference.fail_if_not_exists !== false) return invalid("message_reference");
		const message: FakeMessage = { id: newId(), channel: chat, content, components, nonce, files, ...(exists && { repliesTo: reference!.message_id }) };
		this.messages.push(message);
		// The bot hears itself.
		this.gateway.message({ id: message.id, channel_id: chat, author: bot, content, type: 0, mentions: [], attachments: [], ...(this.channels.get(chat)!.guild_id !== undefined && { guild_id: server }) });
		return { status: 200, body: { id: message.id, channel_id: chat, content, nonce } };
	}

	#change(id: string, body: Json): Answer {
		const message = this.messages.find((one) => one.id === id);
		if (message === undefined) return refused(10008, "Unknown Message", 404);
		const why = mistakeIn(body, ["content", "components", "allowed_mentions"]);
		if (why !== undefined) return invalid(why);
		Object.assign(message, body);
		this.gateway.dispatch("MESSAGE_UPDATE", { id, channel_id: message.channel, author: bot, content: message.content, type: 0, mentions: [], attachments: [] });
		return { status: 200, body: { id } };
	}

	#respond(id: string, token: string, body: Json): Answer {
		const open = this.#interactions.get(id);
		if (open?.token !== token) return refused(10062, "Unknown interaction", 404);
		if (this.responses.has(id)) return refused(40060, "Interaction has already been acknowledged.");
		if (body["type"] === 7 && open.message !== undefined) Object.assign(this.messages.find((one) => one.id === open.message)!, body["data"]);
		this.responses.set(id, body);
		return { status: 204 };
	}
}

function isCommand(command: Json): boolean {
	const { name, description, type } = command;
	return /^[-_\p{Ll}\p{N}]{1,32}$/u.test(String(name)) && typeof description === "string" && description.length >= 1 && description.length <= 100 && type === 1;
}

function mistakeIn(body: Json, known: readonly string[]): string | undefined {
	const strange = Object.keys(body).find((key) => !known.includes(key));
	if (strange !== undefined) return strange;
	const { content = "", components = [] } = body as { content?: string; components?: { type?: number; components?: { type?: number; label?: string; custom_id?: string }[] }[] };
	if ([...content].length > 2000) return "content: Must be 2000 or fewer in length.";
	const ids = components.flatMap((row) => row.components ?? []).map((button) => button.custom_id);
	const fine = components.length <= 5 && components.every((row) => row.type === 1 && (row.components?.length ?? 0) >= 1 && row.components!.length <= 5 && row.components!.every((button) => button.type === 2 && (button.label?.length ?? 0) >= 1 && button.label!.length <= 80 && (button.custom_id?.length ?? 0) >= 1 && button.custom_id!.length <= 100));
	return fine && new Set(ids).size === ids.length ? undefined : "components";
}
