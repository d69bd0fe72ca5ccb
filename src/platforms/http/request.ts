// A message as clients send it.

export interface SentMessage {
	readonly chat: string;
	readonly thread?: string;
	readonly user?: string;
	readonly text: string;
	readonly id?: string;
}

export const maxBodyBytes = 1 << 20;
/** What is too long is still read up to here, so that its sender gets to read why, in bytes. */
const readBytes = 32 << 20;
const longestName = 100;
const names = ["chat", "thread", "user", "id"] as const;

/** Undefined when it is too long. */
export async function bodyOf({ body }: Request): Promise<string | undefined> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of body ?? []) {
		bytes += chunk.length;
		if (bytes > readBytes) break;
		if (bytes <= maxBodyBytes) chunks.push(chunk);
	}
	return bytes > maxBodyBytes ? undefined : Buffer.concat(chunks).toString("utf8");
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
	const unknown = Object.keys(given).find((key) => key !== "text" && !names.some((name) => name === key));
	if (unknown !== undefined) return { mistake: `A message has no '${unknown}'. It has chat, text, and if you like thread, user and id.` };
	for (const name of names) {
		const one = given[name];
		if (one === undefined && name !== "chat") continue;
		if (typeof one !== "string" || one === "" || one.length > longestName || !one.isWellFormed() || one.includes("\0")) return { mistake: `'${name}' is a text of 1 to ${longestName} characters.` };
	}
	const { text } = given;
	if (typeof text !== "string" || text.trim() === "") return { mistake: "'text' is what you want to say, and there is none." };
	return { ...(given as unknown as SentMessage), text: text.toWellFormed() };
}
