import assert from "node:assert/strict";
import { test } from "node:test";
import { discordMarkdown } from "./markup.ts";

const cases: readonly (readonly [what: string, written: string, shown: string])[] = [
	["what Discord shows stays as it stands", "# A\n## B\n### C\n**b** *i* ~~s~~ `c` [l](https://x.y) > no\n> quote\n- one\n  1. two", "# A\n## B\n### C\n**b** *i* ~~s~~ `c` [l](https://x.y) > no\n> quote\n- one\n  1. two"],
	["small headings are bold", "#### Deep **down** ####\n###### x", "**Deep down**\n**x**"],
	["an image is its link", "![a cat](https://x.y/c.png) and ![](https://x.y/d.png)", "[a cat](https://x.y/c.png) and https://x.y/d.png"],
	["a rule is a line", "a\n\n---\n\n* * *\nb", "a\n\n⎯⎯⎯\n\n⎯⎯⎯\nb"],
	["bars hide nothing", "a || b || c, `x || y`", "a \\|\\| b \\|\\| c, `x || y`"],
	["a table stands in columns", "t:\n| Name | **Size** |\n|:--|--:|\n| a\\|b | `10` |\n| long name |\nend", "t:\n```\nName       Size\n---------  ----\na|b        10\nlong name\n```\nend"],
	["code stays as it is", "```ts title=x\n#### no\n| a | b |\n|---|---|\n```\n#### yes", "```ts\n#### no\n| a | b |\n|---|---|\n```\n**yes**"],
	["every kind of fence is one that Discord knows", "~~~~py\n```\n~~~~", "```py\n```\n```"],
	["a block that is open stays open", "```js\n#### no", "```js\n#### no"],
	["what only looks like a table is none", "a | b\nc | d", "a | b\nc | d"],
];

for (const [what, written, shown] of cases) test(what, () => assert.equal(discordMarkdown(written), shown));
