// Messages as OpenAI's chat completions write them, which is how Hermes keeps a conversation.
import type { JsonObject } from "../events/payloads/facts.ts";
import type { Message, ToolCallRequest } from "../events/payloads/model.ts";

export function asChatMessage(message: Message): JsonObject {
	const { role, text } = message;
	if (role === "tool") return { role, tool_call_id: message.callId, name: message.name, content: text };
	if (role !== "assistant") return { role, content: text };
	const calls = message.toolCalls?.map(({ id, name, arguments: given }) => ({ id, type: "function", function: { name, arguments: given } }));
	return { role, content: text, ...(calls !== undefined && calls.length > 0 && { tool_calls: calls }) };
}

/**
 * Our messages of a list of theirs. `where` is what the list is called, for the message.
 * @throws Error in words for who wrote the list.
 */
export function messagesFrom(list: unknown, where: string): readonly Message[] {
	if (!Array.isArray(list)) throw new Error(`'${where}' must be a list of messages, each {"role": …, "content": …}.`);
	const names = new Map<string, string>();
	return list.map((one: unknown, i) => {
		const message = read(one, `${where}[${i}]`, names);
		if (message.role === "assistant") for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
		return message;
	});
}

/** `names` are those of the tools that were called so far, by the id of the call: a result need not repeat its tool's. */
function read(one: unknown, where: string, names: ReadonlyMap<string, string>): Message {
	if (!isObject(one)) throw new Error(`${where} must be a message: {"role": …, "content": …}.`);
	const { role } = one;
	const text = textOf(one["content"], where);
	switch (role) {
		case "system":
		case "user":
			return { role, text };
		case "developer":
			return { role: "system", text };
		case "assistant": {
			const calls = one["tool_calls"] ?? [];
			if (!Array.isArray(calls)) throw new Error(`${where}: 'tool_calls' must be a list.`);
			return { role, text, ...(calls.length > 0 && { toolCalls: calls.map((call: unknown, i) => toolCall(call, `${where}.tool_calls[${i}]`)) }) };
		}
		case "tool": {
			const callId = one["tool_call_id"];
			if (typeof callId !== "string") throw new Error(`${where}: a message of a tool has the id of its call as 'tool_call_id'.`);
			return { role, callId, name: typeof one["name"] === "string" ? one["name"] : (names.get(callId) ?? "tool"), text };
		}
		default:
			throw new Error(`${where}: 'role' must be system, user, assistant or tool, not ${JSON.stringify(role)}.`);
	}
}

function toolCall(call: unknown, where: string): ToolCallRequest {
	const { id, function: called } = isObject(call) ? call : {};
	if (typeof id === "string" && isObject(called) && typeof called["name"] === "string" && typeof called["arguments"] === "string") return { id, name: called["name"], arguments: called["arguments"] };
	throw new Error(`${where} must be {"id": …, "type": "function", "function": {"name": …, "arguments": "JSON as text"}}.`);
}

/** A text, or the texts among its parts. */
function textOf(content: unknown, where: string): string {
	if (typeof content === "string") return content;
	if (content === null || content === undefined) return "";
	if (!Array.isArray(content)) throw new Error(`${where}: 'content' must be a text or a list of parts.`);
	return content.flatMap((part: unknown) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : [])).join("\n");
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
