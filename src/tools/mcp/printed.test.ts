import assert from "node:assert/strict";
import { test } from "node:test";
import { Printed } from "./printed.ts";

function printed(): { readonly lines: string[]; readonly printed: Printed } {
	const lines: string[] = [];
	return { lines, printed: new Printed((line) => lines.push(line)) };
}

test("what comes in pieces is put together into lines, and characters too; empty ones are none", () => {
	const { lines, printed: out } = printed();
	const bytes = Buffer.from("one\n\n  \nzwei ü\nthree");
	for (const byte of bytes) out.push(Buffer.of(byte));
	assert.deepEqual(lines, ["one", "zwei ü"]);
	assert.equal(out.last, "three");
	out.flush();
	assert.deepEqual(lines, ["one", "zwei ü", "three"]);
});

test("of a flood within a second a hundred lines are told, and how many were dropped", () => {
	const { lines, printed: out } = printed();
	out.push(Buffer.from(Array.from({ length: 250 }, (_, i) => `${i}\n`).join("")));
	out.flush();
	assert.ok(lines.length <= 102, String(lines.length));
	assert.match(lines.at(-1) ?? "", /^printed 1?\d\d more lines within a second; they were dropped$/);
	assert.equal(out.last, "249");
});

test("a line without an end is kept to its beginning", () => {
	const { lines, printed: out } = printed();
	for (let i = 0; i < 100; i++) out.push(Buffer.alloc(100_000, "x"));
	out.push(Buffer.from("\nnext\n"));
	assert.deepEqual(lines.map((line) => line.length), [1_001, 4]);
});
