import assert from "node:assert/strict";
import { test } from "node:test";
import { mrkdwn, readText } from "./markup.ts";

const gap = "\u200b";

for (const [what, markdown, slack] of [
	["what Slack takes for control characters is escaped", "a < b && c > d <!channel> <@U1> &amp;", "a &lt; b &amp;&amp; c &gt; d &lt;!channel&gt; &lt;@U1&gt; &amp;amp;"],
	["bold, italics, both, and struck", "**bold** __bold__ *it* _it_ ***both*** ~~gone~~", "*bold* *bold* _it_ _it_ *_both_* ~gone~"],
	["emphasis inside of emphasis", "**bold *and* more**", "*bold _and_ more*"],
	["emphasis inside of a word", "un**believ**able 这是**重点**吗", `un${gap}*believ*${gap}able 这是${gap}*重点*${gap}吗`],
	["stars and lines that mean nothing stay", "2 * 3 * 4, a_b_c, __init__.py, ** x **, 5*4*3", "2 * 3 * 4, a_b_c, __init__.py, ** x **, 5*4*3"],
	["what a backslash protects", "\\*not\\* \\_this\\_ \\<b\\>", "*not* _this_ &lt;b&gt;"],
	["code keeps its stars, and is escaped", "run `rm **x** <y> & z` now", "run `rm **x** &lt;y&gt; &amp; z` now"],
	["links", '[the *docs*](https://a.example/x_y_z?a=1&b=2 "t") <https://b.example> ![pic](https://c.example/p(1).png) https://d.example/__a__', "<https://a.example/x_y_z?a=1&amp;b=2|the *docs*> <https://b.example> <https://c.example/p(1).png|pic> https://d.example/__a__"],
	["a bold link", "**[x](https://a.example)**", "*<https://a.example|x>*"],
	["links elsewhere than to the web stay text", "[x](javascript:alert(1)) [y](file.md)", "[x](javascript:alert(1)) [y](file.md)"],
	["headings", "# One\n### **Two** `b` #\n#no", "*One*\n*Two `b`*\n#no"],
	["lists", "- a\n  * **b**\n+ c\n1. d\n- [ ] e\n- [x] f", "• a\n  • *b*\n• c\n1. d\n☐ e\n☑ f"],
	["quotes, and lines between", "> **a** < b\n>c\n\n---\nx", "> *a* &lt; b\n>c\n\n──────────\nx"],
	["a block of code, without its language", "x\n```ts\nif (a < b) **c**\n```\n**y**", "x\n```\nif (a &lt; b) **c**\n```\n*y*"],
	["a block that ends with the text, and other fences", "~~~\na\n~~~\n````md\n```\nb\n```\n````\n```\nc", `\`\`\`\na\n\`\`\`\n\`\`\`\n\`${gap}\`${gap}\`\nb\n\`${gap}\`${gap}\`\n\`\`\`\n\`\`\`\nc\n\`\`\``],
	["a table keeps its columns", "| a | b |\n|---|---|\n| **1** | 2 |\nend", "```\n| a | b |\n|---|---|\n| **1** | 2 |\n```\nend"],
] as const) {
	test(`${what} (mrkdwn)`, () => assert.equal(mrkdwn(markdown), slack));
}

test("hostile texts take no time to speak of", () => {
	const began = performance.now();
	for (const piece of ["*", "**", "`", "` `` ", "[", "](", "_", "~~", "> ", "\\", "<", "[a](https://", "***a", "\0\x01\x02"]) mrkdwn(piece.repeat(4_000));
	// A hundred times of what it takes.
	assert.ok(performance.now() - began < 20_000);
});

for (const [what, slack, text, mentions] of [
	["the mention at the beginning goes, others stay", "<@U0BOT>: ask <@U2> and <@U0BOT|keeper>", "ask @U2 and @keeper", true],
	["what Slack escaped", "a &lt; b &amp;&amp; c &amp;lt;", "a < b && c &lt;", false],
	["links, channels, groups and dates", "<https://a.example/x|a.example/x> <https://b.example|b> <mailto:a@b.example|a@b.example> <#C1|general> <#C2> <!here> <!subteam^S1|@team> <!date^1^{date}|today> <https://c.example?a=1&amp;b>", "https://a.example/x b (https://b.example) a@b.example #general #C2 @here @team today https://c.example?a=1&b", false],
	["a command behind a space, as Slack lets it be written", " /stop", "/stop", false],
] as const) {
	test(`${what} (read)`, () => assert.deepEqual(readText(slack, "U0BOT"), { text, mentions }));
}
