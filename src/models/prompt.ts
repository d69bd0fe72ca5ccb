// The agent's conversation as provider packages take it.
import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { Message, ToolCallRequest } from "../events/payloads/model.ts";
import { type AnswerPart, keptParts, lengthOf } from "./answer.ts";
import { wireArguments } from "./chat-body.ts";
import { type ImageContent, imageContents, type ImageSource } from "./images.ts";

export interface PromptShape {
	/** The model, `PROVIDER:NAME`. What another one kept for itself is not sent to this one. */
	readonly name: string;
	/** The name the provider's own fields stand under. */
	readonly namespace: string;
	/** How past arguments are handed over: as text where the wire holds text (then it goes out as the model wrote it), else parsed. */
	readonly args: "text" | "parsed";
}

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];
type AssistantPart = AssistantContent[number];
type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number];

/** Translates conversations. Each message is translated once: a session's history is sent again with every call. */
export function promptWriter(shape: PromptShape): (messages: readonly Message[], imageOf?: ImageSource) => LanguageModelV4Prompt {
	const translated = new WeakMap<Message, LanguageModelV4Message>();
	const translateOnce = (message: Message, imageOf: ImageSource | undefined): LanguageModelV4Message => {
		let known = translated.get(message);
		if (known === undefined) translated.set(message, (known = translate(message, shape, imageOf)));
		return known;
	};
	return (messages, imageOf) => {
		const prompt: LanguageModelV4Prompt = [];
		let results: LanguageModelV4ToolResultPart[] | undefined;
		for (const message of messages) {
			const next = translateOnce(message, imageOf);
			if (next.role === "tool") {
				// Results of one answer go together: some providers count them against its calls.
				if (results === undefined) prompt.push({ role: "tool", content: (results = []) });
				results.push(...(next.content as LanguageModelV4ToolResultPart[]));
				continue;
			}
			results = undefined;
			if (next.content.length > 0) prompt.push(next);
		}
		return prompt;
	};
}

function translate(message: Message, shape: PromptShape, imageOf: ImageSource | undefined): LanguageModelV4Message {
	switch (message.role) {
		case "system":
			return { role: "system", content: message.text };
		case "user":
			return { role: "user", content: [...imageContents(message.images, imageOf).map(imagePart), { type: "text", text: message.text }] };
		case "tool": {
			const output = { type: message.isError ? ("error-text" as const) : ("text" as const), value: message.text };
			return { role: "tool", content: [{ type: "tool-result", toolCallId: message.callId, toolName: message.name, output }] };
		}
		case "assistant":
			return { role: "assistant", content: assistantContent(message, shape) };
	}
}

function imagePart(image: ImageContent): UserPart {
	return "words" in image ? { type: "text", text: image.words } : { type: "file", mediaType: image.mediaType, data: { type: "data", data: image.base64 } };
}

function assistantContent(message: Extract<Message, { role: "assistant" }>, shape: PromptShape): AssistantContent {
	const { text, reasoning = "", toolCalls = [] } = message;
	// Reasoning that carries no signature is not sent: no provider takes it as its own.
	const parts: readonly AnswerPart[] = keptParts(message, shape.name) ?? [{ kind: "text", length: text.length }, ...toolCalls.map(({ id }) => ({ kind: "call", id }) as const)];
	// A hook may have changed the text. Then it stands where the first piece of it stood.
	const isChanged = lengthOf("text", parts) !== text.length;
	let changed = isChanged ? text : "";
	const rest = { text, reasoning };
	const content: AssistantPart[] = [];
	for (const part of parts) {
		if (part.kind === "call") {
			content.push(toolCall(toolCalls.find(({ id }) => id === part.id)!, part.data, shape));
			continue;
		}
		const own = rest[part.kind].slice(0, part.length);
		rest[part.kind] = rest[part.kind].slice(part.length);
		if (part.kind === "reasoning") {
			if (part.data) content.push({ type: "reasoning", text: own, ...options(part.data, shape) });
		} else if (!isChanged) {
			if (part.data || own.trim() !== "") content.push({ type: "text", text: own, ...options(part.data, shape) });
		} else if (changed.trim() !== "") {
			content.push({ type: "text", text: changed });
			changed = "";
		}
	}
	if (changed.trim() !== "") content.push({ type: "text", text: changed });
	return content;
}

function toolCall(call: ToolCallRequest, data: JsonObject | undefined, shape: PromptShape): AssistantPart {
	const text = wireArguments(call.arguments);
	return { type: "tool-call", toolCallId: call.id, toolName: call.name, input: shape.args === "text" ? text : (JSON.parse(text) as unknown), ...options(data, shape) };
}

function options(data: JsonObject | undefined, { namespace }: PromptShape): { readonly providerOptions?: SharedV4ProviderOptions } {
	return data === undefined ? {} : { providerOptions: { [namespace]: data } as SharedV4ProviderOptions };
}
