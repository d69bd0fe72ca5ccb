import assert from "node:assert/strict";
import { test } from "node:test";
import { NextCalls } from "./next-calls.ts";

const noSignal = new AbortController().signal;

test("the operation of a call is run for the plugin it belongs to, while the call is under way", async () => {
	const nextCalls = new NextCalls();
	const next = (unit: string, call: string) => nextCalls.services["next"]!(unit, { call }, noSignal);
	const ran: string[] = [];
	let last = "";
	const result = await nextCalls.during("one", async () => (ran.push("outer"), "outer"), async (outer) => {
		last = outer;
		await assert.rejects(next("two", outer), /after the call it belongs to was over/);
		return nextCalls.during("one", async () => (ran.push("inner"), "inner"), async (inner) => [await next("one", inner), await next("one", outer)]);
	});
	assert.deepEqual([result, ran], [["inner", "outer"], ["inner", "outer"]]);
	await assert.rejects(next("one", last), /after the call it belongs to was over/);
});
