import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newSessionId, titleOf } from "./sessions.ts";

describe("session ids", () => {
	it("an id says when the session began, in UTC, and ends in four letters that are hard to misread", () => {
		const at = Date.UTC(2026, 10, 21, 15, 30, 12, 999);
		assert.equal(newSessionId(at, () => 0), "20261121-153012-0000");
		assert.equal(newSessionId(at, () => 0.999_999_999), "20261121-153012-zzzz");
		assert.match(newSessionId(at), /^20261121-153012-[0-9a-hjkmnp-tv-z]{4}$/);
	});

	it("ids sort by time and differ within a second", () => {
		const later = [0, 1_000, 60_000, 3_600_000, 40 * 86_400_000].map((ms) => newSessionId(Date.UTC(2026, 9, 31, 23, 59, 58) + ms));
		assert.deepEqual(later.toSorted(), later);
		assert.equal(new Set(Array.from({ length: 20_000 }, () => newSessionId(0))).size, 20_000);
	});
});

describe("titles", () => {
	it("a short text stays as it is", () => assert.equal(titleOf("fix the build"), "fix the build"));

	it("control and direction characters cannot reach a terminal through a title", () => {
		assert.equal(titleOf("a\r\n\x1b[31mred\u202e\x07 b\0"), "a [31mred b");
	});

	it("a whole file as a prompt costs no more than its start", () => {
		const title = titleOf(`${"word ".repeat(2_000_000)}`);
		assert.equal([...title].length, 120);
		assert.ok(title.endsWith("…"));
	});

	it("half a character does no harm", () => assert.equal(titleOf("a \ud83d"), "a \ufffd"));
});
