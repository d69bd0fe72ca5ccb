// A message as clients send it.
import type { InboundFile } from "../../gateway/platform.ts";

export interface SentMessage {
	readonly chat: string;
	readonly thread?: string;
	readonly user?: string;
	readonly text: string;
	readonly id?: string;
	readonly files?: readonly SentFile[];
}

export interface SentFile {
	readonly name: string;
	/** Base64. */
	readonly data: string;
	readonly media_type?: string;
}

/** With its files, which take a third more as text. */
export const maxBodyBytes = 12 << 20;
/** Of the text alone. */
const maxTextBytes = 1 << 20;
/** Of a request that another program sends, whoever it is. */
const maxForeignBytes = 4 << 20;
/** What is too long is still read up to here, so that its sender gets to read why, in bytes. */
const readBytes = 32 << 20;
const longestName = 100;
const names = ["chat", "thread", "user", "id"] as const;
const mostFiles = 10;

/** Undefined when it is too long. */
export async function bodyOf(request: Request): Promise<string | undefined> {
	return (await bytesOf(request, maxBodyBytes))?.toString("utf8");
}

/** The same request with its body in memory; undefined when that is too long. */
export async function inMemory(request: Request): Promise<Request | undefined> {
	const { url, method, headers, body, signal } = request;
	if (body === null) return request;
	const bytes = await bytesOf(request, maxForeignBytes);
	return bytes && new Request(url, { method, headers, signal, body: new Uint8Array(bytes) });
}

async function bytesOf({ body }: Request, most: number): Promise<Buffer | undefined> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of body ?? []) {
		bytes += chunk.length;
		if (bytes > readBytes) break;
		if (bytes <= most) chunks.push(chunk);
	}
	return bytes > most ? undefined : Buffer.concat(chunks);
}

export function readMessage(contentType: string | undefined, body: string): SentMessage | { readonly mistake: string } {
	// A page elsewhere can post a form without being asked, but no JSON.
	if (!/^application\/json\b/i.test(contentType ?? "")) return { mistake: "Send JSON, with the header 'Content-Type: application/json'." };
	let value: unknown;
	try {
		value = JSON.parse(body);
	} catch (error) {
		return { mistake: `The body is no JSON: ${error instanceof Error ? error.message : String(error)}` };
	}
	if (typeof value !== "object" || value === null || Array.isArray(value)) return { mistake: `The body is an object, such as {"chat": "kitchen", "text": "hello"}.` };
	const given = value as Readonly<Record<string, unknown>>;
	const unknown = Object.keys(given).find((key) => key !== "text" && key !== "files" && !names.some((name) => name === key));
	if (unknown !== undefined) return { mistake: `A message has no '${unknown}'. It has chat, text, and if you like thread, user, id and files.` };
	for (const name of names) {
		const one = given[name];
		if (one === undefined && name !== "chat") continue;
		if (typeof one !== "string" || one === "" || one.length > longestName || !one.isWellFormed() || one.includes("\0")) return { mistake: `'${name}' is a text of 1 to ${longestName} characters.` };
	}
	const { text = "", files } = given;
	const mistake = files === undefined ? undefined : mistakeInFiles(files);
	if (mistake !== undefined) return { mistake };
	if (typeof text !== "string" || (text.trim() === "" && files === undefined)) return { mistake: "'text' is what you want to say, and there is none." };
	if (Buffer.byteLength(text) > maxTextBytes) return { mistake: `A text has at most ${maxTextBytes} bytes. Send more as a file.` };
	return { ...(given as unknown as SentMessage), text: text.toWellFormed() };
}

function mistakeInFiles(files: unknown): string | undefined {
	if (!Array.isArray(files) || files.length === 0 || files.length > mostFiles) return `'files' is a list of 1 to ${mostFiles} files, each with name and data.`;
	for (const file of files as readonly Readonly<Record<string, unknown>>[]) {
		const { name, data, media_type: mediaType, ...others } = file ?? {};
		if (typeof name !== "string" || name === "" || name.length > longestName) return `A file has a 'name' of 1 to ${longestName} characters.`;
		if (typeof data !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(data) || data.length % 4 !== 0) return "A file has 'data', its bytes as base64.";
		if (mediaType !== undefined && typeof mediaType !== "string") return "The 'media_type' of a file is a text, such as image/png.";
		const unknown = Object.keys(others)[0];
		if (unknown !== undefined) return `A file has no '${unknown}'. It has name, data, and if you like media_type.`;
	}
	return undefined;
}

export function inboundOf({ name, data, media_type: mediaType }: SentFile): InboundFile {
	const bytes = Buffer.from(data, "base64");
	return {
		name,
		bytes: bytes.length,
		...(mediaType !== undefined && { mediaType }),
		async read() {
			return (async function* () {
				yield bytes;
			})();
		},
	};
}
