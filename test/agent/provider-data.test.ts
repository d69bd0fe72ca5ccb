// What a provider wants back with its answers goes through a session untouched: over steps, over a hook that changes the text, over a resume.
import assert from "node:assert/strict";
import { test } from "node:test";
import { block, ending, opening, startAnthropicServer } from "../programs/anthropic-server.ts";
import { stream } from "../programs/model-server.ts";
import { open } from "./open.ts";

const thinking = (signature: string) => block(0, { type: "thinking", thinking: "", signature: "" }, { type: "thinking_delta", thinking: "Hm." }, { type: "signature_delta", signature });
const model = "anthropic:claude-opus-4-5";

test("signed reasoning is sent back in the next step, and after a resume", async () => {
	await using server = await startAnthropicServer();
	await using agent = await open({ model, baseUrl: server.baseUrl });
	const use = block(1, { type: "tool_use", id: "toolu_a", name: "terminal", input: {} }, { type: "input_json_delta", partial_json: '{"command":"true"}' });
	server.next(
		stream(opening(), thinking("first"), use, ending("tool_use")),
		stream(opening(), thinking("second"), block(1, { type: "text", text: "" }, { type: "text_delta", text: "Done." }), ending("end_turn")),
	);
	assert.equal((await agent.submit("go")).text, "Done.");
	await agent.conversation.close("finished");
	await agent.runtime[Symbol.asyncDispose]();
	await using resumed = await open({ model, baseUrl: server.baseUrl, home: agent.home, resume: true });
	await resumed.submit("SAY again");
	const signatures = server.requests.map(({ body }) => [...JSON.stringify(body).matchAll(/"signature":"(\w+)"/g)].map(([, signature]) => signature));
	assert.deepEqual(signatures, [[], ["first"], ["first", "second"]]);
});

test("the cost of an answer is told when its price is known, and config.yaml can say it", async () => {
	await using server = await startAnthropicServer();
	const costs = async (name: string, config?: string) => {
		await using agent = await open({ model: name, baseUrl: server.baseUrl, ...(config !== undefined && { config }) });
		server.next(stream(opening({ input_tokens: 1000, output_tokens: 1 }), block(0, { type: "text", text: "" }, { type: "text_delta", text: "Hi" }), ending("end_turn", { output_tokens: 100 })));
		await agent.submit("x");
		return (await agent.heard("model.called")).map(({ costUsd }) => costUsd);
	};
	assert.deepEqual(await costs(model), [0.0075]);
	assert.deepEqual(await costs("anthropic:claude-of-tomorrow"), [undefined]);
	assert.deepEqual(await costs("anthropic:claude-of-tomorrow", "models: {anthropic:claude-of-tomorrow: {price: {input: 1000, output: 10000}}}"), [2]);
});
