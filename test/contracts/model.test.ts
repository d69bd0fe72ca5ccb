import { anthropicModel } from "../../src/models/anthropic.ts";
import { googleModel } from "../../src/models/google.ts";
import type { Model } from "../../src/models/model.ts";
import { openAiModel } from "../../src/models/openai.ts";
import { openAiCompatibleModel } from "../../src/models/openai-compatible.ts";
import type { ProviderSettings } from "../../src/models/provider-model.ts";
import { rehearsalModel } from "../../src/models/rehearsal.ts";
import { startAnthropicServer } from "../programs/anthropic-server.ts";
import { startGoogleServer } from "../programs/google-server.ts";
import { type ModelServer, startModelServer } from "../programs/model-server.ts";
import { startOpenAiServer } from "../programs/openai-server.ts";
import { modelContract, system } from "./model.ts";

modelContract("rehearsal, in this process", async () => ({ model: rehearsalModel(), async [Symbol.asyncDispose]() {} }));

const over = (start: () => Promise<ModelServer>, open: (settings: ProviderSettings) => Model) => async () => {
	const server = await start();
	const model = open({ name: "provider:loopback", model: "loopback", baseUrl: server.baseUrl, apiKey: "sk-test" });
	return { model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

modelContract("openai-compatible, over a loopback server", over(startModelServer, openAiCompatibleModel));

const cache_control = { type: "ephemeral" };
modelContract("anthropic, over a loopback server", over(startAnthropicServer, anthropicModel), {
	fields: ["model", "max_tokens", "system", "messages", "tools", "stream"],
	list: "messages",
	conversation: (text) => [{ role: "user", content: [{ type: "text", text, cache_control }] }],
	saying: (text) => [{ role: "user", content: text }],
	url: /\/v1\/messages$/,
	args: "text",
});

modelContract("openai, over a loopback server", over(startOpenAiServer, openAiModel), {
	fields: ["model", "input", "store", "tools", "stream"],
	list: "input",
	conversation: (text) => [
		{ role: "system", content: system.text },
		{ role: "user", content: [{ type: "input_text", text }] },
	],
	saying: (text) => [{ role: "user", content: [{ type: "input_text", text }] }],
	url: /\/v1\/responses$/,
	args: "text",
});

modelContract("google, over a loopback server", over(startGoogleServer, googleModel), {
	fields: ["generationConfig", "contents", "systemInstruction", "tools"],
	list: "contents",
	conversation: (text) => [{ role: "user", parts: [{ text }] }],
	saying: (text) => [{ role: "user", parts: [{ text }] }],
	url: /\/v1beta\/models\/loopback:streamGenerateContent\?alt=sse$/,
	args: "parsed",
});
