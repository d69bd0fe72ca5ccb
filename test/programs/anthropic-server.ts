// A loopback server that speaks Anthropic's messages protocol, in the language of the rehearsal model. `await using server = await startAnthropicServer()`.
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import { halves, type ModelServer, type Protocol, spoken, startModelServer, tokensOf } from "./model-server.ts";

export const startAnthropicServer = (): Promise<ModelServer> => startModelServer({ protocol: messages });

/** One event of the stream. */
export const event = (type: string, more: JsonObject = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

/** How every answer begins. */
export const opening = (usage: JsonObject = { input_tokens: 1, output_tokens: 1 }): string =>
	event("message_start", { message: { id: "msg_1", type: "message", role: "assistant", model: "claude", content: [], stop_reason: null, stop_sequence: null, usage } });

/** How every whole answer ends. */
export const ending = (reason: string, usage: JsonObject = { output_tokens: 1 }): string =>
	event("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage }) + event("message_stop");

/** A block of content: its start, pieces of it, its end. */
export const block = (index: number, start: JsonObject, ...deltas: readonly JsonObject[]): string =>
	event("content_block_start", { index, content_block: start }) + deltas.map((delta) => event("content_block_delta", { index, delta })).join("") + event("content_block_stop", { index });

const callStart = (place: number, index: number, name: string): JsonObject => ({ type: "tool_use", id: `toolu_${place}_${index}`, name, input: {} });
const pieces = (args: string): readonly JsonObject[] => halves(args).map((partial_json) => ({ type: "input_json_delta", partial_json }));

const messages: Protocol = {
	base: "/v1",
	path: /\/v1\/messages$/,
	read,
	failure: (status, message) => ({ type: "error", error: { type: status === 429 ? "rate_limit_error" : status === 401 ? "authentication_error" : "api_error", message } }),
	async *events(answer, { place, tokens, gone }) {
		yield opening({ input_tokens: tokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 1 });
		yield event("ping");
		if (answer.kind === "text") {
			yield event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
			for await (const text of spoken(answer, gone)) yield event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
			yield event("content_block_stop", { index: 0 });
		}
		if (answer.kind === "half-call") {
			yield event("content_block_start", { index: 0, content_block: callStart(place, 0, answer.call.name) });
			yield event("content_block_delta", { index: 0, delta: pieces(answer.call.arguments)[0] });
			return;
		}
		if (answer.kind === "calls") for (const [index, call] of answer.calls.entries()) yield block(index, callStart(place, index, call.name), ...pieces(call.arguments));
		yield ending(answer.kind === "calls" ? "tool_use" : "end_turn", { output_tokens: tokensOf(answer) });
	},
};

interface Block {
	readonly type: string;
	readonly text?: string;
	readonly content?: string | readonly Block[];
	readonly source?: { readonly media_type: string; readonly data: string };
}

/** A message of several blocks is as many messages to the script: results and what the user says stand in one here. */
function read(body: JsonObject): ReturnType<Protocol["read"]> {
	if (!Array.isArray(body["messages"])) return undefined;
	const system = ((body["system"] ?? []) as readonly Block[]).map(({ text = "" }) => ({ role: "system", text, toolCalls: [] }));
	const rest = (body["messages"] as readonly { role: string; content: string | readonly Block[] }[]).flatMap(({ role, content }) => {
		const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
		if (role === "assistant") return [{ role, text: textOf(blocks), toolCalls: blocks.filter(({ type }) => type === "tool_use") }];
		return blocks.map((one) => ({ role: one.type === "tool_result" ? "tool" : role, text: textOf([one]), toolCalls: [], images: imageOf(one) }));
	});
	const tools = (body["tools"] ?? []) as readonly { name: string }[];
	return { messages: [...system, ...rest], toolNames: tools.map(({ name }) => name) };
}

const imageOf = ({ type, source }: Block) => (type === "image" && source ? [{ mediaType: source.media_type, bytes: Buffer.byteLength(source.data, "base64") }] : []);

const textOf = (blocks: readonly Block[]): string => blocks.map(({ text, content }) => text ?? (typeof content === "string" ? content : textOf(content ?? []))).join("");
