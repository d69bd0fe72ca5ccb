// Meta, for one number: the Graph API on loopback, which refuses what the real one would, and the requests to a webhook.
import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import type { SentFile } from "../contracts/platform.ts";
import { listen } from "./listen.ts";

type Json = Readonly<Record<string, unknown>>;

interface Shown {
	readonly id: string;
	readonly to: string;
	readonly text: string;
	readonly buttons: readonly { readonly id: string; readonly title: string }[];
	readonly file?: SentFile;
	readonly raw: Json;
}

export const number = { id: "106540352242922", display: "15550783881" };
export const token = "EAAGtokenOfTheTests0123456789";
export const appSecret = "the secret of the app";
export const verifyToken = "the words of the tests";

const takenTypes = /^(?:audio\/(?:aac|mp4|mpeg|amr|ogg)|application\/pdf|text\/plain|image\/(?:jpeg|png)|video\/(?:mp4|3gpp))$/;

/** As the Graph API says it. */
export const graphError = (code: number, status: number, details = "", message = `(#${code}) refused`, headers: Readonly<Record<string, string>> = {}) =>
	Response.json({ error: { message, type: "OAuthException", code, error_data: { messaging_product: "whatsapp", details }, fbtrace_id: "x" } }, { status, headers });

export class FakeMeta {
	address = "";
	/** Where its requests go. */
	webhook = "";
	/** A token that it takes. */
	token = token;
	/** What it answers to the next calls instead, by a part of their path. */
	readonly instead: { readonly path: string; readonly answer: () => Response | Promise<Response> }[] = [];
	readonly shown: Shown[] = [];
	/** Messages marked as read, each with whether typing is shown. */
	readonly read: { readonly id: string; readonly typing: boolean }[] = [];
	calls = 0;
	readonly #media = new Map<string, SentFile & { readonly mediaType: string }>();
	readonly #pressed = new Set<string>();
	#close = async () => {};
	#messages = 0;

	static async start(): Promise<FakeMeta> {
		const fake = new FakeMeta();
		const { address, close } = await listen((request) => fake.#answer(request));
		fake.address = address;
		fake.#close = close;
		return fake;
	}

	close(): Promise<void> {
		return this.#close();
	}

	/** Sends a request as Meta does; gives its status. */
	async post(body: Json | string, sign = (bytes: string) => `sha256=${createHmac("sha256", appSecret).update(bytes).digest("hex")}` as string | undefined): Promise<number> {
		const text = typeof body === "string" ? body : JSON.stringify(body);
		const signature = sign(text);
		const response = await fetch(this.webhook, { method: "POST", headers: { "Content-Type": "application/json", ...(signature !== undefined && { "X-Hub-Signature-256": signature }) }, body: text });
		if (response.status === 401) assert.equal(await response.text(), "");
		return response.status;
	}

	/** The id of a message, and one that carries it. */
	said(message: Json): { readonly id: string; readonly body: Json } {
		const id = `wamid.${++this.#messages}`;
		return { id, body: change({ messages: [{ id, timestamp: "1749416383", ...message }] }) };
	}

	async say({ chat, text, file }: { readonly chat: string; readonly text: string; readonly file?: SentFile }): Promise<string> {
		const content = file === undefined ? { type: "text", text: { body: text } } : { type: "document", document: { id: this.hold(file), filename: file.name, mime_type: "text/plain", caption: text } };
		return this.deliver({ from: chat, ...content });
	}

	/** Resolves with the id once the webhook took it. */
	async deliver(message: Json): Promise<string> {
		const { id, body } = this.said(message);
		const status = await this.post(body);
		if (status !== 200) throw new Error(`not taken: ${status}`);
		return id;
	}

	hold(file: SentFile, mediaType = "text/plain"): string {
		const id = `media-${randomUUID()}`;
		this.#media.set(id, { ...file, mediaType });
		return id;
	}

	async sees(chat: string): Promise<readonly string[]> {
		return this.shown.flatMap(({ to, text }) => (to === chat && text !== "" ? [text] : []));
	}

	async files(chat: string): Promise<readonly SentFile[]> {
		return this.shown.flatMap(({ to, file }) => (to === chat && file !== undefined ? [file] : []));
	}

	/** WhatsApp lets a person press one of them once. */
	async buttons(chat: string): Promise<readonly string[]> {
		const last = this.shown.findLast(({ to }) => to === chat);
		return last === undefined || this.#pressed.has(last.id) ? [] : last.buttons.map(({ title }) => title);
	}

	async press(chat: string, label: string): Promise<void> {
		const { id, buttons, raw } = this.shown.findLast(({ to }) => to === chat)!;
		const button = buttons.find(({ title }) => title === label)!;
		const type = (raw["interactive"] as Json)["type"] === "list" ? "list_reply" : "button_reply";
		await this.deliver({ from: chat, context: { from: number.display, id }, type: "interactive", interactive: { type, [type]: button } });
		this.#pressed.add(id);
	}

	async #answer(request: Request): Promise<Response> {
		this.calls++;
		const { pathname, searchParams } = new URL(request.url);
		const other = this.instead.findIndex(({ path }) => pathname.includes(path));
		if (other >= 0) return this.instead.splice(other, 1)[0]!.answer();
		if (request.headers.get("authorization") !== `Bearer ${this.token}`) return graphError(190, 401, "", `Malformed access token ${request.headers.get("authorization")?.slice(7)}`);
		if (pathname.startsWith("/files/")) {
			const file = this.#media.get(pathname.slice(7));
			return file === undefined ? new Response(null, { status: 404 }) : new Response(file.content, { headers: { "Content-Type": file.mediaType } });
		}
		const [, version, id, rest] = pathname.split("/");
		if (!/^v\d+\.0$/.test(version!)) return graphError(2500, 400, "unknown path");
		if (request.method === "GET") {
			const file = this.#media.get(id!);
			if (file !== undefined) {
				if (searchParams.get("phone_number_id") !== number.id) return graphError(100, 400, "another number's");
				return Response.json({ url: `${this.address}/files/${id}`, mime_type: file.mediaType, file_size: Buffer.byteLength(file.content), id, messaging_product: "whatsapp" });
			}
			return id === number.id ? Response.json({ display_phone_number: number.display, id }) : graphError(100, 400, "", `Unsupported get request. Object with ID '${id}' does not exist`);
		}
		if (id !== number.id) return graphError(100, 400, "no such number");
		return rest === "media" ? this.#upload(await request.formData()) : this.#message((await request.json()) as Json);
	}

	async #upload(form: FormData): Promise<Response> {
		const file = form.get("file");
		if (form.get("messaging_product") !== "whatsapp" || !(file instanceof File)) return graphError(100, 400, "messaging_product and file are required");
		if (!takenTypes.test(file.type) || form.get("type") !== file.type) return graphError(100, 400, `Param file must be a file with one of the following types: … Received file of type '${file.type}'`);
		if (file.type.startsWith("image/") && file.size > 5 * 1024 * 1024) return graphError(131053, 400, "the image is larger than 5 MB");
		return Response.json({ id: this.hold({ name: file.name, content: await file.text() }, file.type) });
	}

	#message(body: Json): Response {
		const refuse = (details: string) => graphError(131009, 400, details);
		if (body["messaging_product"] !== "whatsapp") return refuse("messaging_product");
		if (body["status"] === "read") {
			if (!String(body["message_id"]).startsWith("wamid.")) return refuse("message_id");
			this.read.push({ id: String(body["message_id"]), typing: (body["typing_indicator"] as Json | undefined)?.["type"] === "text" });
			return Response.json({ success: true });
		}
		const to = String(body["to"] ?? body["recipient"] ?? "");
		const kind = body["recipient_type"] === "group" ? "group" : "individual";
		if (to === "" || (kind === "individual" && body["to"] !== undefined && !/^\d+$/.test(to)) || (body["recipient"] !== undefined && !/^[A-Z]{2}\./.test(to))) return refuse("to");
		const type = String(body["type"]);
		const content = body[type] as Json;
		let text = "";
		let buttons: Shown["buttons"] = [];
		let file: SentFile | undefined;
		if (type === "text") {
			text = String(content["body"]);
			if (text === "" || [...text].length > 4096) return graphError(100, 400, "Param text['body'] must be at most 4096 characters long.");
		} else if (type === "interactive") {
			if (kind === "group") return graphError(131051, 400, "interactive messages are not for groups");
			const found = interactive(content);
			if (typeof found === "string") return refuse(found);
			({ text, buttons } = found);
		} else {
			file = this.#media.get(String(content["id"]));
			if (file === undefined || !["image", "document", "audio", "video"].includes(type)) return refuse("media");
			file = { name: type === "document" ? String(content["filename"]) : type, content: file.content };
		}
		const id = `wamid.out${this.shown.length + 1}`;
		this.shown.push({ id, to, text, buttons, raw: body, ...(file !== undefined && { file }) });
		return Response.json({ messaging_product: "whatsapp", contacts: [{ input: to, wa_id: to }], messages: [{ id }] });
	}
}

/** What Meta finds wrong with it, or what a person sees. */
function interactive(content: Json): string | Pick<Shown, "text" | "buttons"> {
	const text = String((content["body"] as Json | undefined)?.["text"] ?? "");
	const action = content["action"] as Json;
	const isList = content["type"] === "list";
	if (text === "" || text.length > (isList ? 4096 : 1024)) return "body.text";
	const given = isList
		? (action["sections"] as readonly { readonly rows: Shown["buttons"] }[]).flatMap(({ rows }) => rows)
		: (action["buttons"] as readonly { readonly type: string; readonly reply: Shown["buttons"][number] }[]).map(({ reply }) => reply);
	const [most, longest, longestId] = isList ? [10, 24, 200] : [3, 20, 256];
	if (given.length === 0 || given.length > most) return `1 to ${most} of them`;
	if (isList && (String(action["button"]).length > 20 || action["button"] === undefined)) return "action.button";
	if (given.some(({ id, title }) => id.length > longestId || id.trim() !== id || title === "" || title.length > longest)) return "id or title";
	return new Set(given.map(({ title }) => title)).size < given.length ? "titles are unique" : { text, buttons: given };
}

/** A request with this inside. */
export function change(value: Json, phoneNumberId = number.id): Json {
	return {
		object: "whatsapp_business_account",
		entry: [{ id: "102290129340398", changes: [{ field: "messages", value: { messaging_product: "whatsapp", metadata: { display_phone_number: number.display, phone_number_id: phoneNumberId }, ...value } }] }],
	};
}
