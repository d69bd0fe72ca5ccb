import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../events/payloads/model.ts";
import { rehearsalModel } from "./rehearsal.ts";

const live = () => ({ signal: new AbortController().signal });

/** Milliseconds of the fastest of several answers. */
async function fastest(messages: readonly Message[]): Promise<number> {
	let best = Number.POSITIVE_INFINITY;
	for (let i = 0; i < 30; i++) {
		const started = performance.now();
		for await (const piece of rehearsalModel().stream({ messages, tools: [] }, live())) void piece;
		best = Math.min(best, performance.now() - started);
	}
	return best;
}

test("an answer after 10,000 messages costs about what it costs after ten", async () => {
	const history = (n: number): Message[] => Array.from({ length: n }, (_, i) => ({ role: i % 2 ? "assistant" : "user", text: `message ${i}` }));
	const last: Message = { role: "user", text: 'CALL terminal {"command":"true"}' };
	const short = await fastest([...history(10), last]);
	const long = await fastest([...history(10_000), last]);
	assert.ok(long < short * 20 + 2, `${long} ms against ${short} ms`);
});

test("the delay before an answer can be interrupted, with the signal's reason", async () => {
	const stop = new AbortController();
	const pieces = rehearsalModel({ delayMs: 600_000 }).stream({ messages: [], tools: [] }, { signal: stop.signal });
	const first = pieces[Symbol.asyncIterator]().next();
	stop.abort("enough");
	await assert.rejects(first, (reason) => reason === "enough");
});

test("other work goes on while a long answer streams", async () => {
	let turns = 0;
	const count = () => void (turns++, (timer = setImmediate(count)));
	let timer = setImmediate(count);
	for await (const piece of rehearsalModel().stream({ messages: [{ role: "user", text: `SAY ${"word ".repeat(6400)}` }], tools: [] }, live())) void piece;
	clearImmediate(timer);
	assert.ok(turns >= 50, `${turns} turns of the event loop`);
});
