import assert from "node:assert/strict";
import { test } from "node:test";
import { rendered } from "./markup.ts";

const cases: Readonly<Record<string, readonly [string, string]>> = {
	"bold, italics and both": ["**a** *b* ***c*** __d__ _e_", "*a* _b_ *_c_* *d* _e_"],
	"italics inside of bold": ["**a *b* c**", "*a _b_ c*"],
	"struck out": ["~~a~~", "~a~"],
	"headings, also with bold in them": ["# One\n\n### **Two** ##\ntext", "*One*\n\n*Two*\ntext"],
	"lists": ["* a\n  * **b**\n+ c\n- d\n1. e", "- a\n  - *b*\n- c\n- d\n1. e"],
	"links": ["[docs](https://example.org/a_b) <https://example.org> [https://x.y](https://x.y)", "docs (https://example.org/a_b) <https://example.org> https://x.y"],
	"code stays as it is": ["`**a**` and\n```ts\nconst a = 2 ** 3; // # no *heading*\n```\n**b**", "`**a**` and\n```\nconst a = 2 ** 3; // # no *heading*\n```\n*b*"],
	"a fence that is not closed": ["```\n**a**", "```\n**a**"],
	"what is no markup": ["2 * 3 * 4, a*b*c, snake_case_name, #5, 👋** x **", "2 * 3 * 4, a*b*c, snake_case_name, #5, 👋** x **"],
	"half characters": ["\udfff**a**", "\ufffd*a*"],
};

for (const [name, [markdown, shown]] of Object.entries(cases)) {
	test(`WhatsApp shows ${name}`, () => {
		assert.equal(rendered(markdown), shown);
		assert.ok(rendered(markdown).length <= markdown.length);
	});
}
