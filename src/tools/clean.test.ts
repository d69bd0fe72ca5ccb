import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanOutput, cutMiddle } from "./clean.ts";

test("escape sequences and control characters go, the text stays", () => {
	const cases: readonly (readonly [raw: string, clean: string])[] = [
		["\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[K", "red rgb"],
		["\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "xlink"],
		["\x1bPq#0;1\x1b\\y\x1b(Bz\x1b=\x1bc", "yz"],
		["bell\x07 back\x08 nul\0 \x9b31m tab\t", "bell back nul 31m tab\t"],
		["a\r\nb\r\r\nc", "a\nb\nc"],
		["10%\r50%\r\x1b[K100%\nnext\r", "100%\nnext"],
		["\x1b]never ends\nbut the next line is there", "\nbut the next line is there"],
		["\x1bPnever ends either", "never ends either"],
		["\u00e9\u{1f600}", "\u00e9\u{1f600}"],
	];
	for (const [raw, clean] of cases) assert.equal(cleanOutput(raw), clean);
});

test("cleaning takes time in proportion to the length, whatever the output is", () => {
	const timed = (text: string) => {
		const started = performance.now();
		cleanOutput(text);
		return performance.now() - started;
	};
	timed("warm ".repeat(100_000));
	for (const piece of ["x", "\x1b[", "\x1b]", "\x1bP", "\r", "x\r", "\x1b[1;"]) assert.ok(timed(piece.repeat(1_000_000 / piece.length) + "\r.") < 3_000, JSON.stringify(piece));
});

test("a long text keeps its beginning and its end and says what is missing", () => {
	assert.equal(cutMiddle("abc", 3), "abc");
	const cut = cutMiddle(`${"a".repeat(50_000)}${"b".repeat(50_000)}`, 30_000);
	assert.equal(cut, `${"a".repeat(10_000)}\n[... 70,000 characters left out here; write the output to a file to read all of it ...]\n${"b".repeat(20_000)}`);
	assert.ok(cutMiddle("\u{1f600}".repeat(50), 31).isWellFormed());
});
