// The body of a chat/completions request: the agent's messages and tools in the shape that OpenAI-compatible servers read.
import type { JsonObject } from "../events/payloads/facts.ts";
import type { Message, ToolCallRequest } from "../events/payloads/model.ts";
import { deepFreeze } from "../system/plain.ts";
import { type ImageContent, imageContents, type ImageSource } from "./images.ts";
import type { ModelRequest, ToolDeclaration } from "./model.ts";

// A session's history is sent again with every call, so a message is translated once and never again. Frozen, because hooks are shown it.
const translated = new WeakMap<Message, JsonObject>();

/** The messages on the wire. The same message object gives the same (frozen) object each time. */
export function chatMessages(messages: readonly Message[], imageOf?: ImageSource): readonly JsonObject[] {
	return messages.map((message) => {
		let known = translated.get(message);
		if (known === undefined) translated.set(message, (known = deepFreeze(translate(message, imageOf))));
		return known;
	});
}

/**
 * A conversation as the bytes of its JSON. It keeps what it gave last, so a conversation that goes on costs what was added to it and not what
 * it consists of: writing 10,000 messages anew takes longer than everything else in a step together, and so does encoding their text.
 */
export class ConversationBytes {
	#messages: readonly Message[] = [];
	/** All messages, a comma behind each, and room for more. */
	#bytes = Buffer.allocUnsafe(4096);
	/** Where each message ends. */
	readonly #ends: number[] = [];

	/** The messages with commas between them, as JSON.stringify writes `chatMessages`, without the brackets. To be copied before the next call. */
	of(messages: readonly Message[], imageOf?: ImageSource): Uint8Array {
		const known = this.#commonWith(messages);
		this.#ends.length = known;
		for (const message of messages.slice(known)) this.#append(`${JSON.stringify(translate(message, imageOf))},`);
		this.#messages = messages;
		return this.#bytes.subarray(0, Math.max(0, this.#end - 1));
	}

	get #end(): number {
		return this.#ends.at(-1) ?? 0;
	}

	#append(text: string): void {
		const began = this.#end;
		const ends = began + Buffer.byteLength(text);
		if (ends > this.#bytes.length) {
			const larger = Buffer.allocUnsafe(Math.max(ends, this.#bytes.length * 2));
			this.#bytes.copy(larger, 0, 0, began);
			this.#bytes = larger;
		}
		this.#bytes.write(text, began);
		this.#ends.push(ends);
	}

	/** How many messages at the beginning are those of last time. The system prompt is a new object each time. */
	#commonWith(messages: readonly Message[]): number {
		const before = this.#messages;
		const most = Math.min(before.length, messages.length);
		let n = 0;
		while (n < most && isSame(before[n]!, messages[n]!)) n++;
		return n;
	}
}

const isSame = (a: Message, b: Message) => a === b || (a.role === "system" && b.role === "system" && a.text === b.text);

/** The whole body, as a model without a wire shows it to the hooks of `model.requesting`. */
export function chatBody(model: string, request: ModelRequest): JsonObject {
	const tools = request.tools.length > 0 ? { tools: request.tools.map(chatTool) } : {};
	return { model, messages: chatMessages(request.messages, request.imageOf), ...tools, stream: true, stream_options: { include_usage: true } };
}

function chatTool({ name, description, parameters }: ToolDeclaration): JsonObject {
	return { type: "function", function: { name, description, parameters } };
}

function translate(message: Message, imageOf: ImageSource | undefined): JsonObject {
	switch (message.role) {
		case "system":
			return { role: "system", content: message.text };
		case "user":
			return { role: "user", content: message.images === undefined ? message.text : [...imageContents(message.images, imageOf).map(imagePart), { type: "text", text: message.text }] };
		case "tool":
			return { role: "tool", tool_call_id: message.callId, content: message.text };
		case "assistant": {
			const { text, reasoning, toolCalls } = message;
			const calls = toolCalls && toolCalls.length > 0 ? toolCalls.map(translateCall) : undefined;
			return {
				role: "assistant",
				content: calls && text === "" ? null : text,
				...(reasoning ? { reasoning_content: reasoning } : {}),
				...(calls ? { tool_calls: calls } : {}),
			};
		}
	}
}

function imagePart(image: ImageContent): JsonObject {
	return "words" in image ? { type: "text", text: image.words } : { type: "image_url", image_url: { url: `data:${image.mediaType};base64,${image.base64}` } };
}

function translateCall(call: ToolCallRequest): JsonObject {
	return { id: call.id, type: "function", function: { name: call.name, arguments: wireArguments(call.arguments) } };
}

/**
 * The arguments of a past call as they are sent again. An object's text goes out exactly as the model wrote it. Anything else would make
 * servers that parse arguments refuse the whole conversation, for ever: no arguments become `{}`, and what is no object is wrapped, as
 * `{"invalid_arguments": "<text>"}`, so that the model still sees what it wrote.
 */
export function wireArguments(text: string): string {
	if (text.trim() === "") return "{}";
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return text;
	} catch {
		// Falls through to the wrapping: it is no JSON.
	}
	return JSON.stringify({ invalid_arguments: text });
}

/** What a body says, read back: the messages and tool names in it, or undefined when it has no list of messages. */
export function readChatBody(body: JsonObject): { readonly messages: readonly ReadMessage[]; readonly toolNames: readonly string[] } | undefined {
	if (!Array.isArray(body["messages"])) return undefined;
	const messages = body["messages"].map((message: unknown): ReadMessage => {
		const { role, content, tool_calls: calls } = objectOf(message);
		const images = imagesOf(content);
		return { role: String(role), text: textOf(content), toolCalls: Array.isArray(calls) ? calls : [], ...(images.length > 0 && { images }) };
	});
	const tools: readonly unknown[] = Array.isArray(body["tools"]) ? body["tools"] : [];
	return { messages, toolNames: tools.map((tool) => String(objectOf(objectOf(tool)["function"])["name"])) };
}

export interface ReadMessage {
	readonly role: string;
	readonly text: string;
	readonly toolCalls: readonly unknown[];
	readonly images?: readonly ReadImage[];
}

export interface ReadImage {
	readonly mediaType: string;
	readonly bytes: number;
}

/** What a `data:` URL holds; undefined for any other text. */
export function imageIn(url: unknown): ReadImage | undefined {
	const found = typeof url === "string" ? /^data:([^;,]+);base64,/.exec(url) : null;
	return found === null ? undefined : { mediaType: found[1]!, bytes: Buffer.byteLength((url as string).slice(found[0].length), "base64") };
}

function imagesOf(content: unknown): readonly ReadImage[] {
	return Array.isArray(content) ? content.flatMap((part: unknown) => imageIn(objectOf(objectOf(part)["image_url"])["url"]) ?? []) : [];
}

const objectOf = (value: unknown): JsonObject => (typeof value === "object" && value !== null ? (value as JsonObject) : {});

/** Content is a text, or a list of parts with texts in them. */
function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.map((part: unknown) => (typeof part === "string" ? part : String(objectOf(part)["text"] ?? ""))).join("\n");
}
