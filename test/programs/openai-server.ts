// A loopback server that speaks OpenAI's responses protocol, in the language of the rehearsal model. `await using server = await startOpenAiServer()`.
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import { imageIn, type ReadImage } from "../../src/models/chat-body.ts";
import { halves, type ModelServer, type Protocol, spoken, startModelServer, tokensOf } from "./model-server.ts";

export const startOpenAiServer = (): Promise<ModelServer> => startModelServer({ protocol: responses });

/** One event of the stream. */
export const event = (type: string, more: JsonObject = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...more })}\n\n`;

const response = { id: "resp_1", object: "response", created_at: 1, model: "gpt", service_tier: null };

/** How every answer begins. */
export const opening = (): string => event("response.created", { response: { ...response, status: "in_progress" } });

/** How every whole answer ends. */
export const ending = (usage: JsonObject = { input_tokens: 1, output_tokens: 1 }): string => event("response.completed", { response: { ...response, status: "completed", usage } });

export const added = (output_index: number, item: JsonObject): string => event("response.output_item.added", { output_index, item });
export const done = (output_index: number, item: JsonObject): string => event("response.output_item.done", { output_index, item });

const message = (content: readonly JsonObject[], status: string): JsonObject => ({ id: "msg_1", type: "message", role: "assistant", status, content });

/** A message that says this. */
export const said = (output_index: number, ...deltas: readonly string[]): string =>
	added(output_index, message([], "in_progress")) +
	deltas.map((delta) => event("response.output_text.delta", { item_id: "msg_1", output_index, content_index: 0, delta })).join("") +
	done(output_index, message([{ type: "output_text", text: deltas.join(""), annotations: [] }], "completed"));

/** A whole call. */
export function called(output_index: number, call_id: string, name: string, args: string): readonly string[] {
	const item = { id: `fc_${call_id}`, type: "function_call", call_id, name };
	const deltas = halves(args).map((delta) => event("response.function_call_arguments.delta", { item_id: item.id, output_index, delta }));
	return [added(output_index, { ...item, arguments: "", status: "in_progress" }), ...deltas, done(output_index, { ...item, arguments: args, status: "completed" })];
}

const responses: Protocol = {
	base: "/v1",
	path: /\/v1\/responses$/,
	read,
	failure: (status, text) => ({ error: { message: text, type: status >= 500 ? "server_error" : "invalid_request_error", code: null, param: null } }),
	async *events(answer, { place, tokens, gone }) {
		yield opening();
		if (answer.kind === "text") {
			yield added(0, message([], "in_progress"));
			for await (const delta of spoken(answer, gone)) yield event("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta });
			yield done(0, message([{ type: "output_text", text: answer.text, annotations: [] }], "completed"));
		}
		if (answer.kind === "half-call") return void (yield* called(0, `call_${place}_0`, answer.call.name, answer.call.arguments).slice(0, 2));
		if (answer.kind === "calls") for (const [index, call] of answer.calls.entries()) yield called(index, `call_${place}_${index}`, call.name, call.arguments).join("");
		yield ending({ input_tokens: tokens, input_tokens_details: { cached_tokens: 0 }, output_tokens: tokensOf(answer), output_tokens_details: { reasoning_tokens: 0 } });
	},
};

interface Item {
	readonly type?: string;
	readonly role?: string;
	readonly content?: string | readonly { readonly text?: string; readonly image_url?: string }[];
	readonly output?: unknown;
}

/** Calls are items of their own here: those in a row are the calls of one answer. */
function read(body: JsonObject): ReturnType<Protocol["read"]> {
	if (!Array.isArray(body["input"])) return undefined;
	const messages: { role: string; text: string; toolCalls: unknown[]; images?: readonly ReadImage[] }[] = [];
	let before: Item = {};
	for (const item of body["input"] as readonly Item[]) {
		if (item.type === "function_call") {
			const last = messages.at(-1);
			if (last?.role === "assistant" && (before.type === "function_call" || before.role === "assistant")) last.toolCalls.push(item);
			else messages.push({ role: "assistant", text: "", toolCalls: [item] });
		} else if (item.type === "function_call_output") messages.push({ role: "tool", text: String(item.output), toolCalls: [] });
		else if (item.role !== undefined) messages.push({ role: item.role, text: textOf(item.content ?? ""), toolCalls: [], images: imagesOf(item.content) });
		before = item;
	}
	const tools = (body["tools"] ?? []) as readonly { name: string }[];
	return { messages, toolNames: tools.map(({ name }) => name) };
}

const imagesOf = (content: Item["content"]): readonly ReadImage[] => (typeof content === "object" ? content.flatMap(({ image_url }) => imageIn(image_url) ?? []) : []);

const textOf = (content: Exclude<Item["content"], undefined>): string => (typeof content === "string" ? content : content.map(({ text = "" }) => text).join(""));
