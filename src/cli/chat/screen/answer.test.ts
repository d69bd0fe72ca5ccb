// An answer drawn while it arrives: however it is cut into pieces, what stands there at the end is the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as forAll, constantFrom, integer, nat, property, string } from "fast-check";
import { Answer } from "./answer.ts";
import type { Item } from "./flat-screen.ts";
import { Highlighter } from "./highlight.ts";
import { themeFor } from "./theme.ts";

const look = { theme: themeFor("dark", { NO_COLOR: "1" }), unfolded: false };
const plain = (line: string) => line.replace(/\u001b\[[\d;]*m/g, "").trimEnd();

function drawn(pieces: readonly string[], width = 60): { readonly lines: readonly string[]; readonly items: readonly Item[] } {
	const items: Item[] = [];
	const answer = new Answer(look, new Highlighter(() => {}), (item) => items.push(item));
	for (const piece of pieces) {
		answer.write(piece);
		// As a frame does.
		items.at(-1)?.lines(width);
	}
	answer.end();
	return { lines: items.flatMap((item) => item.lines(width).map(plain)), items };
}

test("blocks stand apart by one line, lists and their paragraphs stay together, code is kept as it is", () => {
	const text = "# Title\nA paragraph\nof two lines.\n\n\n- one\n\n  more of one\n- two\n\nAfter.\n```sh\necho **not bold**\n\n  indented\n```\n~~~\n```\n~~~\nThe end.";
	assert.deepEqual(drawn([text]).lines, ["Title", "", "A paragraph", "of two lines.", "", "- one", "", "  more of one", "", "- two", "", "After.", "", "▏ echo **not bold**", "▏", "▏   indented", "", "▏ ```", "", "The end."]);
});

test("what stands there does not depend on the pieces it came in", () => {
	const words = constantFrom("word", "**bold**", "`code`", "\n", "\n\n", "- point", "\n- point", "\n1. one", "\n```ts\n", "\n```\n", "\n~~~\n", "# head\n", "| a | b |\n", "  indented", " ", "\t", "\r\n", "a long enough line to be wrapped at sixty cells, and then some more words", "`", "~", "日本語", "👩‍👩‍👧");
	forAll(
		property(array(words, { maxLength: 40 }), array(nat(12), { maxLength: 60 }), (parts, cuts) => {
			const text = parts.join("");
			const pieces: string[] = [];
			let from = 0;
			for (const cut of cuts) pieces.push(text.slice(from, (from += cut + 1)));
			pieces.push(text.slice(from));
			assert.deepEqual(drawn(pieces).lines, drawn([text]).lines);
		}),
		{ numRuns: 300 },
	);
});

test("no line is wider than it may be", () => {
	const text = string({ unit: "grapheme", maxLength: 200 });
	forAll(property(text, integer({ min: 12, max: 80 }), (given, width) => {
		for (const line of drawn([`a ${given}\n\n\`\`\`\n${given}\n\`\`\`\n`], width).lines) assert.ok(line.length <= width * 4, line);
	}));
});

test("what never ends is cut into blocks, so that a frame reads only the last of them again", () => {
	const { items, lines } = drawn(Array.from({ length: 1000 }, (_, i) => `line ${i}\n`));
	assert.ok(items.length >= 1000 / 60);
	assert.deepEqual(lines, Array.from({ length: 1000 }, (_, i) => `line ${i}`));
	const code = drawn(["```\n", ...Array.from({ length: 1000 }, (_, i) => `line ${i}\n`), "```\n"]);
	assert.ok(code.items.length >= 10);
	assert.deepEqual(code.lines, Array.from({ length: 1000 }, (_, i) => `▏ line ${i}`));
	assert.ok(drawn(Array.from({ length: 2000 }, (_, i) => `word${i} `)).items.length > 5, "also without a line break");
});

test("control characters of a model are shown, not obeyed", () => {
	assert.deepEqual(drawn(["red \u001b[31m text \u0007\n\n```\n\u001b]0;title\u0007\n```\n"]).lines, ["red \\u{1b}[31m text \\u{7}", "", "▏ \\u{1b}]0;title\\u{7}"]);
});
