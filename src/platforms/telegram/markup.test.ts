import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "./markup.ts";

/** The text with what looks different in it: `bold(x)`. */
function seen(markdown: string): string {
	const { text, entities } = render(markdown);
	const marks = entities.flatMap(({ type, offset, length, ...more }, i) => {
		const about = Object.values(more)[0];
		return [
			{ at: offset, order: i, mark: `${type}${about === undefined ? "" : `=${String(about)}`}(` },
			{ at: offset + length, order: -i - 1, mark: ")" },
		];
	});
	const sorted = marks.toSorted((a, b) => a.at - b.at || a.order - b.order);
	return sorted.reduceRight((shown, { at, mark }) => shown.slice(0, at) + mark + shown.slice(at), text);
}

const cases: readonly (readonly [what: string, markdown: string, shown: string])[] = [
	["emphasis", "**b** __b__ *i* _i_ ~~s~~ `c`", "bold(b) bold(b) italic(i) italic(i) strikethrough(s) code(c)"],
	["emphasis in emphasis", "*a **b** c* ***both***", "italic(a bold(b) c) bold(italic(both))"],
	["no markup in code", "`a*b*c` ``x`y``", "code(a*b*c) code(x`y)"],
	["what only looks like emphasis", "2 * 3 * 4, snake_case_name, a*b*c, ** x **, *", "2 * 3 * 4, snake_case_name, a*b*c, ** x **, *"],
	["escapes", String.raw`\*no\* \_ \a`, String.raw`*no* _ \a`],
	["bold inside of words without spaces", "这是**粗体**字", "这是bold(粗体)字"],
	["links", "[a **b**](https://example.com/c_(d)) ![p](http://example.com/)", "text_link=https://example.com/c_(d)(a bold(b)) text_link=http://example.com/(p)"],
	["links that lead nowhere from here", "[it](src/a.ts) [x](javascript:alert)", "it (src/a.ts) x (javascript:alert)"],
	["headings and rules", "# One\n### Two ##\n---\n#no", "bold(One)\nbold(Two)\n———\n#no"],
	["lists", "- a\n  * **b**\n1. c\n+ d", "• a\n  • bold(b)\n1. c\n• d"],
	["fences", "x\n```ts\nlet a = `*b*`;\n```\ny", "x\npre=ts(let a = `*b*`;)\ny"],
	["a fence of tildes with a fence in it", "~~~~\n```\n~~~\n~~~~", "pre(```\n~~~)"],
	["a fence that is not closed", "```\na\n\nb", "pre(a\n\nb)"],
	["quotes", "> a *b*\n> c\nd", "blockquote(a italic(b)\nc)\nd"],
	["tables, as they stand", "| a | b |\n|---|:-:|\n| 1 | 2 |\nend", "pre(| a | b |\n|---|:-:|\n| 1 | 2 |)\nend"],
	["nothing of HTML", "<b>x</b> & &amp;", "<b>x</b> & &amp;"],
	["offsets behind characters of two units", "👋 **b**", "👋 bold(b)"],
];

for (const [what, markdown, shown] of cases) test(`Markdown for Telegram: ${what}`, () => assert.equal(seen(markdown), shown));

test("whatever a model writes, the text never gets longer, the ranges lie within it, and it takes no time", () => {
	const pieces = ["*a ", "**a", "_a", "`", "``a", "[", "[a](", "![a](x", "\\", "~~", "> ", "# ", "|-|", "\n", "```\n", "- ", "(", " ", "x", "🙂"];
	let seed = 7;
	const random = (most: number) => (seed = (seed * 48_271) % 2_147_483_647) % most;
	const texts = [...pieces.map((piece) => piece.repeat(4096 / piece.length)), ...Array.from({ length: 300 }, () => Array.from({ length: 60 }, () => pieces[random(pieces.length)]).join(""))];
	for (const markdown of texts) {
		const { text, entities } = render(markdown);
		assert.ok(text.length <= markdown.length, markdown);
		for (const { offset, length } of entities) assert.ok(length > 0 && offset + length <= text.length, markdown);
	}
});
