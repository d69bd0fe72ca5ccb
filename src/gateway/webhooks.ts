// `POST /hooks/NAME`: a signed request of another program becomes a turn.
import { createHash } from "node:crypto";
import type { WebhookConfig } from "../config/gateway.ts";
import type { Job } from "./job.ts";
import { Rates } from "./rates.ts";
import { isHubSigned, isStandardSigned, standardKey } from "./signature.ts";
import { targetIn } from "./target.ts";
import { type Asked, keyFor, mistakeIn, promptFor } from "./webhook-text.ts";

export interface WebhooksOptions {
	/** `gateway.webhooks`. */
	readonly hooks: Readonly<Record<string, WebhookConfig>>;
	/** By the name of the hook. */
	readonly secrets: ReadonlyMap<string, string>;
	/** Where answers go for which a hook names no chat: `gateway.home_chat`. */
	readonly homeChat?: string;
	/** Resolves when it is on the disk. @throws Error when it cannot be kept */
	readonly begin: (job: Job) => Promise<"accepted" | "duplicate">;
	readonly warn: (message: string) => void;
}

type Handler = (request: Request) => Promise<Response>;

const maxBodyBytes = 1 << 20;
const mostPerMinute = 60;
/** Without a dot: the signature of Standard Webhooks covers `ID.TIME.BODY`, and nobody may move a border. */
const goodId = /^[\x21-\x2d\x2f-\x7e]{1,200}$/;
const longestKey = 300;

/**
 * Who answers requests to `/hooks/NAME`; undefined where there is no such hook.
 * @throws Error when a hook cannot be served as it is set up; a line for each.
 */
export function webhooksHandler(options: WebhooksOptions): (path: string) => Handler | undefined {
	const mistakes = Object.entries(options.hooks).flatMap(([name, hook]) => mistakesIn(hook, options.secrets.get(name)).map((mistake) => `gateway.webhooks.${name}: ${mistake}`));
	if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
	const handlers = new Map(Object.entries(options.hooks).map(([name, hook]) => [name, handlerOf(name, hook, options)]));
	return (path) => (path.startsWith("/hooks/") ? handlers.get(path.slice("/hooks/".length)) : undefined);
}

function mistakesIn({ signed, prompt = "", session = "", chat }: WebhookConfig, secret: string | undefined): readonly string[] {
	const mistakes: string[] = [];
	if (secret === undefined) mistakes.push("it needs secret_env or secret_file. Without a signature anybody could give the agent work.");
	else if (signed !== "github" && standardKey(secret) === undefined) mistakes.push("its secret is none of Standard Webhooks: those are base64, with or without 'whsec_' before it.");
	for (const mistake of [mistakeIn(prompt), mistakeIn(session)]) if (mistake !== undefined) mistakes.push(mistake);
	if (chat !== undefined && targetIn(chat) === undefined) mistakes.push(`'${chat}' is no chat. Write PLATFORM:CHAT, or PLATFORM:CHAT#THREAD.`);
	return mistakes;
}

function handlerOf(name: string, hook: WebhookConfig, { secrets, homeChat, begin, warn }: WebhooksOptions): Handler {
	const idOf = hook.signed === "github" ? gitHubId(secrets.get(name)!) : standardId(secrets.get(name)!);
	const to = targetIn(hook.chat ?? homeChat ?? "");
	const rates = new Rates();
	let isFailing = false;
	return async (request) => {
		if (request.method !== "POST") return failure(405, "A webhook takes POST.", { Allow: "POST" });
		const bytes = Buffer.from(await request.arrayBuffer());
		if (bytes.length > maxBodyBytes) return failure(413, `A request has at most ${maxBodyBytes} bytes.`);
		const id = idOf(bytes, request.headers);
		if (id === undefined) return failure(401, "This is not signed, or not as it should be.");
		const tooMany = rates.count(name, mostPerMinute);
		if (tooMany !== undefined) return failure(429, `There are at most ${mostPerMinute} requests a minute.`, { "Retry-After": String(Math.ceil(tooMany.waitMs / 1000)) });
		const body = bodyIn(bytes, request.headers.get("content-type") ?? "");
		if ("mistake" in body) return failure(400, body.mistake);
		try {
			const job = jobFor(name, hook, id, { body: body.value, headers: request.headers });
			const status = await begin({ ...job, ...(to !== undefined && { to }) });
			isFailing = false;
			return Response.json({ id, status }, { status: 202 });
		} catch (error) {
			if (!isFailing) warn(`The webhook ${name} cannot take a request, and says so to who sends it: ${error instanceof Error ? error.message : String(error)}`);
			isFailing = true;
			return failure(503, "It cannot be kept now. Send it again later.", { "Retry-After": "10" });
		}
	};
}

/** Requests of one hook are worked on one after the other; those with a key of their own share a conversation, and do not wait for others. */
function jobFor(name: string, { prompt, session }: WebhookConfig, id: string, asked: Asked): Job {
	const key = session === undefined ? "" : keyFor(session, asked);
	const text = promptFor(name, prompt, asked);
	if (key === "") return { session: `hook/${name}`, id, text, surface: "gateway" };
	const escaped = encodeURIComponent(key);
	return { session: `hook/${name}/${escaped.length <= longestKey ? escaped : createHash("sha256").update(escaped).digest("hex")}`, id, text, surface: "gateway", continues: true };
}

/** The id of a request that is signed; undefined for any other. */
type IdOf = (body: Uint8Array, headers: Headers) => string | undefined;

function standardId(secret: string): IdOf {
	const key = standardKey(secret)!;
	return (body, headers) => {
		const id = headers.get("webhook-id") ?? "";
		return goodId.test(id) && isStandardSigned(body, headers, key) ? id : undefined;
	};
}

/** GitHub signs the body alone: neither a time nor its id. */
function gitHubId(secret: string): IdOf {
	return (body, headers) => {
		const id = headers.get("x-github-delivery") ?? "";
		return goodId.test(id) && isHubSigned(body, headers.get("x-hub-signature-256"), secret) ? id : undefined;
	};
}

function bodyIn(bytes: Buffer, contentType: string): { readonly value: unknown } | { readonly mistake: string } {
	const text = bytes.toString("utf8");
	if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return { value: Object.fromEntries(new URLSearchParams(text)) };
	if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) return { value: text };
	try {
		return { value: JSON.parse(text) as unknown };
	} catch {
		return { mistake: "The body says that it is JSON, and is none." };
	}
}

const failure = (status: number, error: string, headers: Readonly<Record<string, string>> = {}) => Response.json({ error }, { status, headers });
