import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { askPython } from "../../../test/python.ts";
import { matches, matchesNothing, readMatcher } from "./matcher.ts";

const tools = ["terminal", "read_file", "write_file", "patch", "mcp__github__create_issue"];
const names = [...tools, "", "term", "terminal_x", "xterminal", "Terminal", "a", "aa", "ab", "ba", "a1", "a-b", "write_file\n", "x".repeat(64)];

test("what is taken fits the same names as in Python", (t) => {
	const atoms = fc.constantFrom("terminal", "_file", "a", "b", ".", "\\w", "\\d", "[a-z_]", "[^a]", "[]a]", "\\Aa", "e\\Z", "^", "$", "(?=t)", "(?!t)", "(?<=a)b", "\\b", "x{2", "\\-", "\\x61", "1", "-", "{", "\\.", "(?P<g>a)", "é");
	const pattern = fc.letrec<{ node: string }>((tie) => ({
		node: fc.oneof(
			{ maxDepth: 4, depthSize: "small" },
			atoms,
			fc.tuple(tie("node"), tie("node")).map(([a, b]) => a + b),
			fc.tuple(tie("node"), tie("node")).map(([a, b]) => `${a}|${b}`),
			fc.tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{,2}", "{1,}", "*?", "??")).map(([a, times]) => `(?:${a})${times}`),
			tie("node").map((a) => `(${a})`),
			tie("node").map((a) => `${a}(?#note)`),
		),
	})).node;
	const patterns = fc.sample(fc.oneof(pattern, pattern.map((one) => `(?i)${one}`), fc.stringMatching(/^[a-z_()[\]{}|*+?.\\]{1,8}$/)), { numRuns: 4000, seed: 5 });
	const program = "import sys, json, re, warnings\nwarnings.simplefilter('ignore')\npatterns, names = json.load(sys.stdin)\ndef fit(p):\n  try: r = re.compile(p)\n  except (re.error, OverflowError): return None\n  return [r.fullmatch(n) is not None for n in names]\nprint(json.dumps([fit(p) for p in patterns]))";
	// Python is asked about these alone: over the others it can take for ever.
	const taken = patterns.flatMap((text) => {
		const read = readMatcher(text);
		return "tool" in read ? [{ text, tool: read.tool }] : [];
	});
	const expected = askPython(t, program, [taken.map(({ text }) => text), names]) as (boolean[] | null)[] | undefined;
	if (expected === undefined) return;
	for (const [i, { text, tool }] of taken.entries()) {
		assert.notEqual(expected[i], null, `${JSON.stringify(text)} is no regular expression in Python, but was taken as ${String(tool)}`);
		for (const [n, name] of names.entries()) assert.equal(matches(tool, name), expected[i]![n], `${JSON.stringify(text)} and '${name}', as ${String(tool)}`);
	}
	assert.ok(taken.length > 2000, `only ${taken.length} were taken`);
});

const refused: readonly (readonly [matcher: string, why: RegExp])[] = [
	["*", /^has a \* with nothing before it to repeat\. A name that may go on with anything is written name\.\*$/],
	["(?>a)b", /cannot be translated/],
	["(?(1)a|b)", /cannot be translated/],
	["a*+", /which JavaScript does not have/],
	["(?x) a", /the flag x/],
	["(?i:a|b)", /flags for a part of it: write them first/],
	["a(?i)", /flags that are not at its beginning/],
	["(?P<x>a)?(?P=x)", /refers back to one of its groups/],
	["(a)\\1", /refers back to one of its groups/],
	["[z-a]", /range that has no order/],
	["\\y", /has \\y, which means nothing here/],
	["a{3,2}", /the wrong way round/],
	["(?P<a>x)(?P<a>y)", /two groups of the name 'a'/],
	["(?#", /comment that is never closed/],
];
for (const [matcher, why] of refused) {
	test(`the matcher ${matcher} is refused with its reason`, () => {
		const read = readMatcher(matcher);
		assert.ok("mistake" in read);
		assert.match(read.mistake, why);
	});
}

test("no matcher that is taken takes long over a name, however it is made", () => {
	const evil = ["(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*a){12}b", "(?:a?){40}a{40}", ".*.*.*.*.*b", "(a*)*b", "(?=(a+)+b)a", "((a|b)+c?)+d"];
	assert.deepEqual(evil.filter((matcher) => !("mistake" in readMatcher(matcher))), []);
	const fine = [".*a.*b", "(?:read|write)_.*", "mcp__[a-z]+__.*", "[a-z_]+", "(a|b)*c", ".*_(file|files)?.*"];
	for (const matcher of fine) {
		const read = readMatcher(matcher);
		assert.ok("tool" in read, matcher);
		// Far longer than names are: the tests of this file would never end.
		matches(read.tool, "a".repeat(1_000_000));
		matches(read.tool, "a".repeat(64));
	}
});

test("a name longer than any tool's fits nothing", () => {
	const read = readMatcher(".*");
	assert.ok("tool" in read);
	assert.ok(matches(read.tool, "x".repeat(64)));
	assert.ok(!matches(read.tool, "x".repeat(65)));
});

test("a matcher that fits no tool is found, one for tools that may still come is not", () => {
	const found = (matcher: string) => {
		const read = readMatcher(matcher);
		assert.ok("tool" in read, matcher);
		return matchesNothing(matcher, read.tool, ["terminal", "patch"]);
	};
	for (const fine of ["terminal", ".*", "mcp__.*", "mcp__github__create_issue", "m.*", "(?i)MCP__X__Y", "(?:mcp_)_[a-z]+__.*", "[a-z]{3}__.*"]) assert.equal(found(fine), undefined, fine);
	assert.deepEqual(found("terminl"), { message: "fits no tool there is (terminal, patch): did you mean 'terminal'", near: true });
	assert.deepEqual(found("Shell"), { message: "fits no tool there is: what others call Shell is 'terminal' here", near: true });
	assert.equal(found("browser_.*")?.near, false);
	assert.equal(found("mcp")?.near, false);
});
