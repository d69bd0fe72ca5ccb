import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedOutput } from "./bounded-output.ts";

function filled(head: number, tail: number, ...pieces: (string | Buffer)[]): BoundedOutput {
	const output = new BoundedOutput(head, tail);
	for (const piece of pieces) output.push(Buffer.from(piece));
	return output;
}

const dropped = (bytes: string) => `\n[... ${bytes} bytes of output dropped here ...]\n`;

test("what fits is kept as it is", () => {
	assert.equal(filled(4, 4, "ab", "cdef", "gh").text(), "abcdefgh");
	assert.equal(filled(4, 4).text(), "");
});

test("of more, the beginning and the end are kept and the rest is counted", () => {
	assert.equal(filled(4, 4, "abcdefghi").text(), `abcd${dropped("1")}fghi`);
	assert.equal(filled(4, 4, ..."abcdefghijklmnopqrstuvwxyz").text(), `abcd${dropped("18")}wxyz`);
	assert.equal(filled(0, 3, "x".repeat(2_000_000)).text(), `${dropped("1,999,997")}xxx`);
});

test("a character is not cut in two", () => {
	assert.equal(filled(4, 4, "abc\u00e9fgh\u00e9x").text(), `abc${dropped("4")}h\u00e9x`);
	assert.equal(filled(1, 3, "ab\u{1f600}").text(), `a${dropped("5")}`);
});

test("each read takes what came since the last one", () => {
	const output = filled(0, 8, "one");
	assert.equal(output.take(), "one");
	assert.equal(output.take(), "");
	output.push(Buffer.from("0123456789"));
	assert.equal(output.take(), `${dropped("2")}23456789`);
	assert.equal(output.totalBytes, 0);
});

test("a character that has come by half waits for its other half, unless that never comes", () => {
	const bytes = Buffer.from("a\u{1f600}");
	const output = filled(0, 8, bytes.subarray(0, 3));
	assert.equal(output.take(), "a");
	output.push(bytes.subarray(3));
	assert.equal(output.take(), "\u{1f600}");
	output.push(bytes.subarray(1, 3));
	assert.equal(output.take(), "\uFFFD");
});
