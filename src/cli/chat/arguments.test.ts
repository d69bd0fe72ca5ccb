import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, Conversation } from "../../agent/conversation.ts";
import { completionsOf } from "./arguments.ts";

const conversation = {} as Conversation;
const command = (complete: Command["complete"]): Command => ({ name: "paint", summary: "", run: () => undefined, ...(complete && { complete }) });
const typed = (complete: Command["complete"], signal = new AbortController().signal) => completionsOf(conversation, command(complete), "h", signal);

test("what an extension offers is passed on, but for what could not be typed", async () => {
	assert.deepEqual(await typed(async (_conversation, args) => [`${args}eron`, "two\nlines", "\u001b[2J", "\u202e", "", 7 as never]), ["heron"]);
});

test("a completion that fails, is no list or is not there offers nothing", async () => {
	const failing = () => {
		throw new Error("no");
	};
	assert.deepEqual(await typed(failing), []);
	assert.deepEqual(await typed(async () => failing()), []);
	assert.deepEqual(await typed(async () => "heron" as never), []);
	assert.deepEqual(await typed(undefined), []);
});

test("one that takes too long is told to stop and offers nothing, and so does one that is not wanted any more", async () => {
	let told: AbortSignal | undefined;
	assert.deepEqual(await typed((_conversation, _args, stop) => ((told = stop), new Promise(() => {}))), []);
	assert.ok(told?.aborted);
	const typing = new AbortController();
	const found = typed(() => new Promise(() => {}), typing.signal);
	typing.abort();
	assert.deepEqual(await found, []);
});
