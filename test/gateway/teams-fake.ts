// Microsoft's side of a Teams bot on loopback: the login service, the keys, the connector that takes texts, and people who write. Strict: what the real ones refuse is refused.
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { Platform } from "../../src/gateway/platform.ts";

export const clientId = "2f1c0a9e-0000-4000-8000-000000000001";
export const tenantId = "7d3b5c11-0000-4000-8000-000000000002";
export const secret = "s3cr~et.of-the-tests";
export const bot = `28:${clientId}`;
const issuer = "https://api.botframework.com";

type Fields = Record<string, unknown>;

export interface Shown {
	readonly id: string;
	/** As it was sent. */
	readonly body: Fields;
	/** As a person sees it. */
	readonly text: string;
	/** The conversation it went to, with its thread. */
	readonly conversation: string;
}

export interface Answer {
	readonly status: number;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

const pair = () => createPrivateKey(generateKeyPairSync("rsa", { modulusLength: 2048, privateKeyEncoding: { type: "pkcs8", format: "pem" }, publicKeyEncoding: { type: "spki", format: "pem" } }).privateKey);
/** Made once: that takes a while. */
export const keys = { teams: pair(), webchat: pair(), stranger: pair() } as const;
export const pemOf = (key: KeyObject) => createPublicKey(key).export({ type: "spki", format: "pem" });

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JSON Web Token, made by hand so that it can be wrong in any way. */
export function tokenOf(claims: Fields, { kid = "teams", alg = "RS256", key = keys.teams as KeyObject | string } = {}): string {
	const text = `${part({ alg, kid, typ: "JWT" })}.${part(claims)}`;
	const signature = typeof key === "string" ? createHmac("sha256", key).update(text).digest("base64url") : sign("RSA-SHA256", Buffer.from(text), key).toString("base64url");
	return `${text}.${signature}`;
}

export class TeamsFake {
	readonly #server: Server;
	#hook: Server | undefined;
	#hookAddress = "";
	/** What is in each chat, by its id without the thread. */
	readonly #chats = new Map<string, Shown[]>();
	readonly #types = new Map<string, string>();
	readonly #tokens = new Set<string>();
	readonly #files = new Map<string, { readonly content: string; readonly isOpen: boolean }>();
	readonly #held = new Set<ServerResponse>();
	#next = 1_700_000_000_000;
	/** How the next requests whose `METHOD path` matches are answered in the place of the usual; `hold` is not at all. */
	readonly faults: { readonly of: RegExp; readonly answer: Answer | "hold"; times: number }[] = [];
	/** `METHOD path` of all that came. */
	readonly requests: string[] = [];
	typing = 0;
	secret = secret;
	published: { readonly kid: string; readonly key: KeyObject; readonly endorsements?: readonly string[] }[] = [
		{ kid: "teams", key: keys.teams, endorsements: ["msteams", "skype"] },
		{ kid: "webchat", key: keys.webchat, endorsements: ["webchat"] },
	];

	private constructor(server: Server) {
		this.#server = server;
	}

	/** @param port any that is free when left out */
	static async open(port = 0): Promise<TeamsFake> {
		const server = createServer((request, response) => void fake.#answer(request, response));
		const fake = new TeamsFake(server);
		server.listen(port, "127.0.0.1");
		await once(server, "listening");
		return fake;
	}

	get address(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	/** As Teams names it to the bot: one of its regions. */
	get serviceUrl(): string {
		return `${this.address}/emea/`;
	}

	/** Puts a platform behind a server of its own, as the gateway does. */
	async serve(platform: Pick<Platform, "webhook">): Promise<void> {
		this.#hook = serve({ fetch: (request) => platform.webhook!(request), port: 0, hostname: "127.0.0.1" }) as Server;
		if (!this.#hook.listening) await once(this.#hook, "listening");
		this.#hookAddress = `http://127.0.0.1:${(this.#hook.address() as AddressInfo).port}/platforms/teams`;
	}

	/** The gateway is served by somebody else. */
	reaches(address: string): void {
		this.#hookAddress = address;
	}

	async close(): Promise<void> {
		for (const response of this.#held) response.destroy();
		for (const server of [this.#server, this.#hook]) {
			server?.closeAllConnections();
			await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
		}
	}

	fail(of: RegExp, answer: Answer | "hold", times = 1): void {
		this.faults.push({ of, answer, times });
	}

	count(of: RegExp): number {
		return this.requests.filter((request) => of.test(request)).length;
	}

	/** The bot is in this chat. */
	has(chat: string, type = "personal"): void {
		this.#types.set(chat, type);
	}

	/** All tokens that were given out end. */
	endTokens(): void {
		this.#tokens.clear();
	}

	// What people do.

	claims(more: Fields = {}): Fields {
		const now = Math.floor(Date.now() / 1000);
		return { iss: issuer, aud: clientId, nbf: now - 300, exp: now + 3300, serviceurl: this.serviceUrl, ...more };
	}

	/** A message as a person writes it in a chat of two. */
	activity(chat: string, more: Fields = {}): Fields {
		const type = String((more["conversation"] as Fields | undefined)?.["conversationType"] ?? "personal");
		const id = String((more["conversation"] as Fields | undefined)?.["id"] ?? chat).replace(/;messageid=.*/, "");
		this.#types.set(id, type);
		return {
			type: "message",
			id: String(this.#next++),
			timestamp: new Date().toISOString(),
			channelId: "msteams",
			serviceUrl: this.serviceUrl,
			from: { id: "29:1aa", name: "kitchen", aadObjectId: "00000000-0000-4000-8000-00000000000a" },
			conversation: { id: chat, conversationType: type, tenantId },
			recipient: { id: bot, name: "Hookline" },
			textFormat: "plain",
			channelData: { tenant: { id: tenantId } },
			...more,
		};
	}

	/** Hands it to the bot, as Teams does. */
	deliver(activity: Fields | string, token: string | undefined = tokenOf(this.claims())): Promise<Response> {
		const body = typeof activity === "string" ? activity : JSON.stringify(activity);
		return fetch(this.#hookAddress, { method: "POST", headers: { "Content-Type": "application/json; charset=utf-8", ...(token !== undefined && { Authorization: `Bearer ${token}` }) }, body });
	}

	async say({ chat, text, more = {} }: { readonly chat: string; readonly text: string; readonly more?: Fields }): Promise<string> {
		const activity = this.activity(chat, { text, ...more });
		const response = await this.deliver(activity);
		if (!response.ok) throw new Error(`the bot answers ${response.status}`);
		return String(activity["id"]);
	}

	/** What the client of a person sends when they press a button. */
	async press(chat: string, label: string): Promise<Response> {
		const card = this.#cards(chat).at(-1)!;
		const action = card.actions.find(({ title }) => title === label)!;
		return this.deliver(this.activity(chat, { replyToId: card.id, value: action["data"] }));
	}

	/** Where a file is: in SharePoint, whose address is a permission of its own, or in the store of Teams. */
	store(content: string, { isOpen }: { readonly isOpen: boolean }): string {
		const id = randomUUID();
		this.#files.set(id, { content, isOpen });
		return isOpen ? `${this.address}/sharepoint/${id}?tempauth=1` : `${this.serviceUrl}v3/attachments/${id}/views/original`;
	}

	sees(chat: string): readonly string[] {
		return this.shown(chat).map(({ text }) => text);
	}

	shown(chat: string): readonly Shown[] {
		return this.#chats.get(chat) ?? [];
	}

	buttons(chat: string): readonly string[] {
		return this.#cards(chat).flatMap(({ actions }) => actions.map(({ title }) => String(title)));
	}

	#cards(chat: string) {
		return this.shown(chat).flatMap(({ id, body }) => ((body["attachments"] ?? []) as Fields[]).map(({ content }) => ({ id, actions: (content as { readonly actions: readonly Fields[] }).actions })));
	}

	// What Microsoft answers.

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const url = new URL(request.url!, this.address);
		const name = `${request.method} ${url.pathname}`;
		this.requests.push(name);
		const fault = this.faults.find(({ of, times }) => times > 0 && of.test(name));
		if (fault !== undefined) fault.times--;
		if (fault?.answer === "hold") return void this.#held.add(response);
		const { status, body, headers } = fault?.answer ?? this.#usual(name, request, Buffer.concat(chunks).toString("utf8"));
		response.writeHead(status, { "Content-Type": "application/json", ...headers });
		response.end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
	}

	#usual(name: string, request: IncomingMessage, text: string): Answer {
		if (name === `POST /${tenantId}/oauth2/v2.0/token`) return this.#token(text);
		if (name === "GET /v1/.well-known/openidconfiguration") return { status: 200, body: { issuer, jwks_uri: `${this.address}/v1/.well-known/keys`, id_token_signing_alg_values_supported: ["RS256"] } };
		if (name === "GET /v1/.well-known/keys") return { status: 200, body: { keys: [{ kty: "EC", kid: "of another kind" }, ...this.published.map(({ kid, key, endorsements }) => ({ ...createPublicKey(key).export({ format: "jwk" }), kid, use: "sig", ...(endorsements && { endorsements }) }))] } };
		const [, open] = /^GET \/sharepoint\/(.+)$/.exec(name) ?? [];
		if (open !== undefined) return this.#file(open, true);
		if (!this.#tokens.has(/^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "")) return problem(401, "Unauthorized", "Authorization has been denied for this request.");
		const [, stored] = /^GET \/emea\/v3\/attachments\/([^/]+)\/views\/original$/.exec(name) ?? [];
		if (stored !== undefined) return this.#file(stored, false);
		const [, method, conversation, id] = /^(POST|PUT|DELETE) (?:\/emea)?\/v3\/conversations\/([^/]+)\/activities(?:\/([^/]+))?$/.exec(name) ?? [];
		if (method === undefined) return problem(404, "NotFound", name);
		if (request.headers["content-type"]?.startsWith("application/json") !== true) return problem(415, "UnsupportedMediaType", "JSON is needed.");
		return this.#activity(method, decodeURIComponent(conversation!), id && decodeURIComponent(id), text);
	}

	#token(text: string): Answer {
		const form = new URLSearchParams(text);
		const isRight = form.get("grant_type") === "client_credentials" && form.get("client_id") === clientId && form.get("scope") === "https://api.botframework.com/.default";
		if (!isRight) return { status: 400, body: { error: "invalid_request", error_description: "AADSTS900144: The request body is wrong." } };
		if (form.get("client_secret") !== this.secret) return { status: 401, body: { error: "invalid_client", error_description: "AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1\r\nTimestamp: 2" } };
		const token = `bot-token-${randomUUID()}`;
		this.#tokens.add(token);
		return { status: 200, body: { token_type: "Bearer", expires_in: 3599, access_token: token } };
	}

	#file(id: string, isOpen: boolean): Answer {
		const file = this.#files.get(id);
		return file?.isOpen === isOpen ? { status: 200, body: file.content, headers: { "Content-Type": "application/octet-stream" } } : problem(404, "NotFound", "There is no such file.");
	}

	#activity(method: string, conversation: string, id: string | undefined, text: string): Answer {
		const chat = conversation.replace(/;messageid=.*/, "");
		const type = this.#types.get(chat);
		if (type === undefined || (chat !== conversation && type !== "channel")) return problem(404, "ConversationNotFound", "The conversation is not there.");
		const shown = this.#chats.get(chat) ?? [];
		this.#chats.set(chat, shown);
		const at = shown.findIndex((one) => one.id === id);
		if (id !== undefined && at < 0) return problem(404, "ActivityNotFoundInConversation", "The activity is not there.");
		if (method === "DELETE") {
			shown.splice(at, 1);
			return { status: 200 };
		}
		const body = JSON.parse(text) as Fields;
		const sender = (body["from"] as Fields | undefined)?.["id"];
		if (sender !== bot || (body["conversation"] as Fields | undefined)?.["id"] !== conversation) return problem(400, "BadSyntax", "From or conversation is wrong.");
		if (body["type"] === "typing") {
			this.typing++;
			return { status: 201, body: { id: String(this.#next++) } };
		}
		if (body["type"] !== "message" || typeof body["text"] !== "string") return problem(400, "BadSyntax", "The activity is wrong.");
		if (text.length * 2 > 40 * 1024) return problem(413, "MessageSizeTooBig", "Message size too large.");
		const read = body["textFormat"] === "xml" ? readXml(body["text"]) : body["textFormat"] === "plain" ? body["text"] : undefined;
		if (read === undefined) return problem(400, "BadSyntax", "The text is no XML that Teams knows.");
		if (!((body["attachments"] ?? []) as Fields[]).every(isCard)) return problem(400, "BadSyntax", "An attachment is wrong.");
		const message = { id: id ?? String(this.#next++), body, text: read, conversation };
		if (id === undefined) shown.push(message);
		else shown[at] = message;
		return { status: method === "POST" ? 201 : 200, body: { id: message.id } };
	}
}

const problem = (status: number, code: string, message: string): Answer => ({ status, body: { error: { code, message } } });

function isCard({ contentType, content }: Fields): boolean {
	const { type, version, actions } = (content ?? {}) as Fields;
	return contentType === "application/vnd.microsoft.card.adaptive" && type === "AdaptiveCard" && typeof version === "string" && Array.isArray(actions) && (actions as Fields[]).every((action) => action["type"] === "Action.Submit" && typeof action["title"] === "string");
}

const tags = new Set(["p", "b", "i", "s", "a", "code", "pre", "blockquote", "br"]);
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** What a person reads, or undefined when it is not well-formed, or has a tag that Teams does not show. */
export function readXml(xml: string): string | undefined {
	const open: string[] = [];
	let text = "";
	for (const [whole, isEnd, name, isEmpty, entity] of xml.matchAll(/<(\/)?([a-z]+)(?: href="[^"<]*")?(\/)?>|&(amp|lt|gt|quot);|[^<&]+|[<&]/g)) {
		if (whole === "<" || whole === "&") return undefined;
		if (entity !== undefined) text += entities[entity]!;
		else if (name === undefined) text += whole;
		else if (!tags.has(name)) return undefined;
		else if (isEmpty !== undefined) text += "\n";
		else if (isEnd === undefined) open.push(name);
		else if (open.pop() !== name) return undefined;
		else if (name === "p" || name === "pre") text += "\n";
	}
	return open.length === 0 ? text.trimEnd() : undefined;
}
