import assert from "node:assert/strict";
import { test } from "node:test";
import { markupOf } from "./markup.ts";

const cases: readonly (readonly [string, string, string])[] = [
	["what is no markup", `<b> & "ü" 2 * 3 * 4 snake_case_name 👋`, "<p>&lt;b&gt; &amp; &quot;ü&quot; 2 * 3 * 4 snake_case_name 👋</p>"],
	["emphasis", "**bold** and *it* and __both__ _too_ ~~gone~~ `a < b`", "<p><b>bold</b> and <i>it</i> and <b>both</b> <i>too</i> <s>gone</s> <code>a &lt; b</code></p>"],
	["one in another", "**a *b* `*c*`**", "<p><b>a <i>b</i> <code>*c*</code></b></p>"],
	["marks without a partner", "**a * b __ ~~ ` [x](", "<p>**a * b __ ~~ ` [x](</p>"],
	["escapes", String.raw`\*not\* C:\temp`, String.raw`<p>*not* C:\temp</p>`],
	["links", `[a "b"](https://x.example/?a=1&b=(2)) ![pic](https://x.example/p.png) [no](javascript:x)`, `<p><a href="https://x.example/?a=1&amp;b=(2)">a &quot;b&quot;</a> <a href="https://x.example/p.png">pic</a> [no](javascript:x)</p>`],
	["headings, lists and rules", "## Plan ##\n- one\n  * two\n1. three\n- [x] four\n***", "<p><b>Plan</b><br/>• one<br/>\u00a0\u00a0• two<br/>1. three<br/>☑ four<br/>———</p>"],
	["paragraphs and lines", "a\nb\n\n\nc\r\nd", "<p>a<br/>b</p><p>c<br/>d</p>"],
	["code", "see\n```ts\nif (a < b) {\n\n  *x*\n```\nand", "<p>see</p><pre>if (a &lt; b) {\n\n  *x*</pre><p>and</p>"],
	["code that is not closed", "```\na\n", "<pre>a\n</pre>"],
	["fences of tildes around fences", "~~~\n```\n~~~", "<pre>```</pre>"],
	["a quote", "> a\n> - b\n>> c\nd", "<blockquote><p>a<br/>• b</p><blockquote><p>c</p></blockquote></blockquote><p>d</p>"],
	["a table", "x\n| a | b |\n|---|:-:|\n| 1 | <2> |\ny", "<p>x</p><pre>| a | b |\n|---|:-:|\n| 1 | &lt;2&gt; |</pre><p>y</p>"],
	["nothing", "", ""],
	["what XML cannot hold", "a\u0000b\ud800", "<p>ab\ufffd</p>"],
];

for (const [name, markdown, markup] of cases) {
	test(`Markdown for Teams: ${name}`, () => {
		assert.equal(markupOf(markdown), markup);
	});
}

test("text that is all marks costs no more than its length", () => {
	const started = performance.now();
	for (const mark of ["*", "**", "_", "__ ", "~~", "`", "``` ", "[", "[x](", ">", "|", "\\", "> ", "- ", "# ", "*a"]) markupOf(mark.repeat(12_000 / mark.length));
	// A hundred times what it takes; one that is quadratic takes minutes.
	assert.ok(performance.now() - started < 30_000);
});
