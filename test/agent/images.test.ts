// Images in a conversation: to each provider in its own form, kept once, the same bytes again in every request, and never in the trace.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { GivenImage } from "../../src/agent/images.ts";
import { rewrite } from "../../src/events/decision.ts";
import type { EventName } from "../../src/events/payloads/all.ts";
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import { observe, transform } from "../engine.ts";
import { startAnthropicServer } from "../programs/anthropic-server.ts";
import { startGoogleServer } from "../programs/google-server.ts";
import { type ModelServer, startModelServer } from "../programs/model-server.ts";
import { startOpenAiServer } from "../programs/openai-server.ts";
import { type Opened, open } from "./open.ts";

const pngOf = (bytes: number): Uint8Array => Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(bytes - 8, "pelican")]);
const png: GivenImage = { name: "pelican.png", data: pngOf(68) };
const jpeg: GivenImage = { name: "heron.png", data: Buffer.concat([Buffer.from("ffd8ffe0", "hex"), Buffer.alloc(39, "heron")]) };
const gif: GivenImage = { name: "stork.gif", data: Buffer.from("GIF89a stork") };
const webp: GivenImage = { name: "crane.webp", data: Buffer.from("RIFF\u0000\u0000\u0000\u0000WEBP crane") };
const base64 = (image: GivenImage) => Buffer.from(image.data).toString("base64");
const submit = (agent: Opened, text: string, ...images: readonly GivenImage[]) => agent.conversation.submit(text, "typed", new AbortController().signal, images);

const imagesIn = (agent: Opened) => agent.messages.flatMap((message) => (message.role === "user" ? (message.images ?? []) : []));

const userContent = (body: JsonObject, list: string, content: string): unknown => (body[list] as readonly JsonObject[]).find(({ role }) => role === "user")?.[content];

describe("a provider gets an image in its own form, before the text, and the same bytes in each request after it", { concurrency: 2 }, () => {
	const providers: readonly (readonly [model: string, start: () => Promise<ModelServer>, content: (body: JsonObject) => unknown, sent: JsonObject])[] = [
		["anthropic:claude-opus-4-5", startAnthropicServer, (body) => userContent(body, "messages", "content"), { type: "image", source: { type: "base64", media_type: "image/png", data: base64(png) } }],
		["openai:gpt-5", startOpenAiServer, (body) => userContent(body, "input", "content"), { type: "input_image", image_url: `data:image/png;base64,${base64(png)}` }],
		["google:gemini-2.5-flash", startGoogleServer, (body) => userContent(body, "contents", "parts"), { inlineData: { mimeType: "image/png", data: base64(png) } }],
		["openai-compatible:loopback", startModelServer, (body) => userContent(body, "messages", "content"), { type: "image_url", image_url: { url: `data:image/png;base64,${base64(png)}` } }],
	];
	for (const [model, start, content, sent] of providers) {
		test(model, async () => {
			await using server = await start();
			await using agent = await open({ model, baseUrl: server.baseUrl });
			assert.equal((await submit(agent, "IMAGES", png, jpeg)).text, "image/png 68, image/jpeg 43");
			const [first, , text] = content(server.requests[0]!.body) as readonly JsonObject[];
			assert.deepEqual(first, sent);
			assert.equal(text?.["text"], "IMAGES");
			await submit(agent, "SAY on");
			await agent.conversation.close("finished");
			await agent.runtime[Symbol.asyncDispose]();
			await using resumed = await open({ model, baseUrl: server.baseUrl, home: agent.home, resume: true });
			assert.equal((await submit(resumed, "IMAGES")).text, "image/png 68, image/jpeg 43");
			// But for Anthropic's marks, each conversation begins with the one before, byte for byte.
			const bare = server.requests.map(({ bytes }) => bytes.toString().replaceAll(',"cache_control":{"type":"ephemeral"}', ""));
			const upTo = bare[0]!.indexOf('"IMAGES"');
			assert.ok(upTo > 0 && bare[0]!.slice(0, upTo).includes(base64(jpeg)));
			for (const later of bare) assert.equal(later.slice(0, upTo), bare[0]!.slice(0, upTo));
		});
	}
});

test("the kind is told by the content, not by the name", async () => {
	await using agent = await open();
	assert.equal((await submit(agent, "IMAGES", png, jpeg, gif, webp)).text, "image/png 68, image/jpeg 43, image/gif 12, image/webp 18");
});

test("what is no image, too large or too many is refused in a sentence, and nothing is said to the model", async () => {
	await using agent = await open();
	for (const [images, says] of [
		[[{ name: "notes.png", data: Buffer.from("# Notes") }], "notes.png is no image that can be sent: its content is neither PNG, JPEG, GIF nor WebP."],
		[[{ name: "big.png", data: pngOf(5 * 1024 * 1024 + 1) }], "The image big.png has 5.0 MB; at most 5 can be sent. Make it smaller."],
		[Array.from({ length: 9 }, () => png), "A message takes 8 images, not 9. Send the others with another one."],
		[[{ name: "empty", data: Buffer.alloc(0) }], "empty is no image that can be sent: its content is neither PNG, JPEG, GIF nor WebP."],
	] as const) {
		assert.deepEqual(await submit(agent, "IMAGES", ...images), { text: says, completed: false, interrupted: false, error: says });
	}
	assert.deepEqual(agent.messages, []);
	assert.equal((await submit(agent, "IMAGES", { name: "edge.png", data: pngOf(5 * 1024 * 1024) })).text, "image/png 5242880");
});

test("hooks see which images there are, not their bytes, and the trace has none of them", async () => {
	const seen: [EventName, unknown][] = [];
	const hooks = [
		transform("input.receiving", ({ images }) => void seen.push(["input.receiving", images])),
		transform("turn.starting", ({ images }) => void seen.push(["turn.starting", images])),
		transform("model.calling", ({ messages }) => void seen.push(["model.calling", messages.flatMap((message) => (message.role === "user" ? (message.images ?? []) : []))])),
		transform("model.requesting", ({ body }) => rewrite({ body: { ...body, temperature: 0 } })),
		observe("model.called", () => {}),
	];
	for (const [model, start] of [["openai-compatible:loopback", startModelServer], ["anthropic:claude-opus-4-5", startAnthropicServer], ["google:gemini-2.5-flash", startGoogleServer]] as const) {
		await using server = await start();
		await using agent = await open({ model, baseUrl: server.baseUrl, hooks });
		assert.equal((await submit(agent, "IMAGES", png)).text, "image/png 68");
		assert.equal(server.requests[0]?.body["temperature"], 0);
		const image = { mediaType: "image/png", bytes: 68, sha256: imagesIn(agent)[0]?.sha256, name: "pelican.png" };
		assert.match(String(image.sha256), /^[0-9a-f]{64}$/);
		assert.deepEqual(seen.splice(0), [["input.receiving", [image]], ["turn.starting", [image]], ["model.calling", [image]]]);
		await agent.runtime.engine.idle();
		const trace = JSON.stringify(agent.runtime.engine.recent());
		assert.match(trace, /model\.requesting/);
		assert.match(trace, /\[image\/png, \d+ characters\]/);
		assert.ok(!trace.includes(base64(png).slice(0, 24)));
	}
});

test("a model known not to read images is told in words that there were some, and so is the person, once", async () => {
	await using server = await startModelServer();
	const model = "openai-compatible:blind";
	await using agent = await open({ model, baseUrl: server.baseUrl, config: `models: {"${model}": {images: false}}` });
	assert.equal((await submit(agent, "IMAGES", png)).text, "NONE");
	await submit(agent, "SAY on");
	assert.deepEqual(agent.warnings, ["openai-compatible:blind cannot read pelican.png (image/png); it is only told that the user sent it."]);
	const note = "[The user sent with this message what you cannot read: pelican.png (image/png).]";
	for (const { body } of server.requests) assert.equal(userContent(body, "messages", "content"), `IMAGES\n\n${note}`);
	await using google = await startGoogleServer();
	await using other = await open({ model: "google:gemini-2.5-flash", baseUrl: google.baseUrl });
	assert.equal((await submit(other, "IMAGES", gif, png)).text, "image/png 68");
	assert.equal(other.warnings.length, 1);
});

test("the bytes are kept once, go with the last session that refers to them, and a fork has them too", async () => {
	await using server = await startModelServer();
	await using agent = await open({ model: "openai-compatible:loopback", baseUrl: server.baseUrl });
	const { sessions } = agent.runtime.store;
	await submit(agent, "IMAGES", png);
	await submit(agent, "IMAGES", png, jpeg);
	const [, pelican, heron] = imagesIn(agent).map(({ sha256 }) => sha256) as [string, string, string];
	const first = agent.conversation.session.id;
	await submit(agent, "/fork 2");
	assert.equal((await submit(agent, "IMAGES")).text, "image/png 68");
	const fork = agent.conversation.session.id;
	const held = () => [first, fork].map((id) => [pelican, heron].map((sha256) => sessions.image(id, sha256)?.data.byteLength));
	assert.deepEqual(held(), [[68, 43], [68, undefined]]);
	await submit(agent, "/new");
	sessions.delete(first);
	assert.deepEqual(held(), [[undefined, undefined], [68, undefined]]);
	await submit(agent, `/resume ${fork}`);
	assert.equal((await submit(agent, "IMAGES")).text, "image/png 68");
	await submit(agent, "/undo-last");
	await submit(agent, "/undo-last");
	assert.deepEqual(held()[1], [68, undefined]);
	await submit(agent, "/undo-last");
	assert.deepEqual(held()[1], [undefined, undefined]);
});

test("an image that a hook makes up, or that is another session's, is not sent", async () => {
	await using server = await startModelServer();
	let sha256 = "";
	const stolen = transform("model.calling", ({ messages }) => rewrite(messages.map((message) => (message.role === "user" ? { ...message, images: [{ mediaType: "image/png", bytes: 1, sha256, name: "x.png" }] } : message))));
	await using agent = await open({ model: "openai-compatible:loopback", baseUrl: server.baseUrl });
	await submit(agent, "IMAGES", png);
	sha256 = imagesIn(agent)[0]!.sha256;
	await submit(agent, "/new");
	agent.runtime.engine.register([stolen]);
	assert.equal((await submit(agent, "IMAGES")).text, "NONE");
	assert.deepEqual(userContent(server.requests.at(-1)!.body, "messages", "content"), [{ type: "text", text: "[The image x.png is not kept any more.]" }, { type: "text", text: "IMAGES" }]);
});

test("an image and a command do not go together, and that is said", async () => {
	await using agent = await open();
	await submit(agent, "/help", png);
	assert.deepEqual(agent.warnings, ["/help takes no images; send them with a message."]);
});
