import assert from "node:assert/strict";
import { test } from "node:test";
import { visible, visibleLine } from "./visible.ts";

test("what would move the cursor or change colours is shown instead of obeyed", () => {
	assert.equal(visible("\u001b[2Jgone\u0007\b\u009b31m\u007f"), "\\u{1b}[2Jgone\\u{7}\\u{8}\\u{9b}31m\\u{7f}");
	assert.equal(visible("a\rb"), "a\\u{d}b");
});

test("what turns the writing direction, or cannot be seen, is shown", () => {
	assert.equal(visible("rm \u202etxt.\u2066x\u2069\u200b\u200f\u061c\ufeff"), "rm \\u{202e}txt.\\u{2066}x\\u{2069}\\u{200b}\\u{200f}\\u{61c}\\u{feff}");
	assert.equal(visible("a\u2028b\u2029c"), "a\\u{2028}b\\u{2029}c");
});

test("ordinary text of any script stays as it is, with its lines and tabs", () => {
	for (const text of ["", "a\tb\nc\n", "héllo wörld", "日本語", "🦩 שלום مرحبا", "‘’ – …"]) assert.equal(visible(text), text);
	assert.equal(visible("a\r\nb\r\n"), "a\nb\n");
});

test("on one line there are neither lines nor tabs", () => {
	assert.equal(visibleLine("a\nb\tc\r\nd\u001b"), "a\\nb\\tc\\nd\\u{1b}");
});
