import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { split } from "./split.ts";

test("a text that fits stays whole, an empty one too", () => {
	assert.deepEqual(split("hello", 64), ["hello"]);
	assert.deepEqual(split("", 64), [""]);
});

test("it is cut between paragraphs, else lines, else words, else anywhere", () => {
	assert.deepEqual(split(`${"a".repeat(40)}\n\n${"b".repeat(40)}`, 64), ["a".repeat(40), "b".repeat(40)]);
	assert.deepEqual(split(`${"a".repeat(40)}\n${"b".repeat(40)}`, 64), ["a".repeat(40), "b".repeat(40)]);
	assert.deepEqual(split(`${"a".repeat(40)} ${"b".repeat(40)}`, 64), ["a".repeat(40), "b".repeat(40)]);
	assert.deepEqual(split("a".repeat(100), 64), ["a".repeat(60), "a".repeat(40)]);
});

test("a code block that is cut is closed, and opened again in its language with its indentation", () => {
	const pieces = split(`\`\`\`ts\n${"    indented();\n".repeat(8)}\`\`\``, 80);
	for (const piece of pieces) assert.match(piece, /^```ts\n(?: {4}indented\(\);\n)+```$/);
	assert.equal(pieces.join("").match(/indented/g)?.length, 8);
});

test("whatever the text, no piece is too long, no character is torn, and nothing is lost but white space between pieces and fences", () => {
	const part = fc.oneof(fc.constantFrom("```", "```ts\n", "\n```\n", "\n", "\n\n", " ", "😀"), fc.string());
	fc.assert(
		fc.property(fc.array(part, { maxLength: 60 }), fc.integer({ min: 64, max: 200 }), (parts, max) => {
			const text = parts.join("");
			const pieces = split(text, max);
			for (const piece of pieces) assert.ok(piece.length <= max, `${piece.length} > ${max}`);
			const bare = (given: string) => given.replace(/^```.*$/gm, "").replace(/\s/g, "");
			if (!text.includes("```")) assert.equal(bare(pieces.join("\n")), bare(text));
			assert.ok(!text.isWellFormed() || pieces.every((piece) => piece.isWellFormed()));
		}),
	);
});
