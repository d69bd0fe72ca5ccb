// A loopback server that speaks Google's generateContent protocol, in the language of the rehearsal model. `await using server = await startGoogleServer()`.
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import { type ModelServer, type Protocol, spoken, startModelServer, tokensOf } from "./model-server.ts";

export const startGoogleServer = (): Promise<ModelServer> => startModelServer({ protocol: generateContent });

/** One event of the stream. */
export const chunk = (value: JsonObject): string => `data: ${JSON.stringify(value)}\r\n\r\n`;

/** One event with parts of the answer; `finishReason` only with the last. */
export const parts = (content: readonly JsonObject[], finishReason?: string, usageMetadata?: JsonObject): string =>
	chunk({ candidates: [{ content: { role: "model", parts: content }, index: 0, ...(finishReason && { finishReason }) }], ...(usageMetadata && { usageMetadata }), modelVersion: "gemini" });

const generateContent: Protocol = {
	base: "/v1beta",
	path: /\/v1beta\/models\/[^/]+:streamGenerateContent\?alt=sse$/,
	read,
	failure: (code, message) => ({ error: { code, message, status: "UNAVAILABLE" } }),
	async *events(answer, { place, tokens, gone }) {
		if (answer.kind === "text") for await (const text of spoken(answer, gone)) yield parts([{ text }]);
		// A call comes whole here; what breaks off is the answer.
		if (answer.kind === "half-call") return void (yield parts([{ text: "I am going to" }]));
		const calls = answer.kind === "calls" ? answer.calls : [];
		for (const [index, { name, arguments: args }] of calls.entries()) yield parts([{ functionCall: { id: `call_${place}_${index}`, name, args: JSON.parse(args) as unknown } }]);
		yield parts([], "STOP", { promptTokenCount: tokens, candidatesTokenCount: tokensOf(answer), cachedContentTokenCount: 0, totalTokenCount: tokens + tokensOf(answer) });
	},
};

interface Part {
	readonly text?: string;
	readonly inlineData?: { readonly mimeType: string; readonly data: string };
	readonly functionCall?: JsonObject;
	readonly functionResponse?: { readonly response: JsonObject };
}

function read(body: JsonObject): ReturnType<Protocol["read"]> {
	if (!Array.isArray(body["contents"])) return undefined;
	const system = ((body["systemInstruction"] as { parts?: readonly Part[] } | undefined)?.parts ?? []).map(({ text = "" }) => ({ role: "system", text, toolCalls: [] }));
	const rest = (body["contents"] as readonly { role: string; parts: readonly Part[] }[]).flatMap(({ role, parts: all }) => {
		if (role === "model") return [{ role: "assistant", text: all.map(({ text = "" }) => text).join(""), toolCalls: all.filter(({ functionCall }) => functionCall) }];
		return all.map(({ text, inlineData, functionResponse }) => ({
			role: functionResponse ? "tool" : "user",
			text: text ?? (functionResponse ? JSON.stringify(functionResponse.response) : ""),
			toolCalls: [],
			images: inlineData ? [{ mediaType: inlineData.mimeType, bytes: Buffer.byteLength(inlineData.data, "base64") }] : [],
		}));
	});
	const tools = (body["tools"] ?? []) as readonly { functionDeclarations?: readonly { name: string }[] }[];
	return { messages: [...system, ...rest], toolNames: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)) };
}
