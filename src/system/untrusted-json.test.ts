import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { readJsonAt } from "./untrusted-json.ts";

const read = (text: string, offset = 0) => {
	const found = readJsonAt(text, offset);
	assert.ok(typeof found === "object", `broke off at ${String(found)}`);
	return found;
};

test("what JSON.parse reads is read the same", () => {
	fc.assert(
		fc.property(fc.json({ maxDepth: 5 }), (text) => {
			// The only two things that are not the same.
			fc.pre(!text.includes("__proto__"));
			assert.deepEqual(read(text), { value: JSON.parse(text), end: text.length, problem: undefined });
		}),
		{ numRuns: 2000 },
	);
});

test("what JSON.parse refuses is refused, and nothing throws", () => {
	const parts = fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', "1", "-", "0.5", "e3", "true", "nul", '"\\', "\\u12", " ", "\n", "\u0000", '"');
	fc.assert(
		fc.property(fc.array(parts, { maxLength: 12 }), (given) => {
			const text = given.join("");
			const found = readJsonAt(text, 0);
			const whole = typeof found === "object" && text.slice(found.end).trim() === "";
			assert.equal(whole, parses(text));
		}),
		{ numRuns: 20_000 },
	);
});

function parses(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

test("a value may begin anywhere and end before the text does", () => assert.deepEqual(read('log {"a":[1]} more', 4), { value: { a: [1] }, end: 13, problem: undefined }));

test("a key that comes twice is a problem, and the caller chooses what stays", () => {
	assert.deepEqual(read('{"a":1,"a":2}'), { value: { a: 2 }, end: 13, problem: "has the key 'a' twice" });
	assert.deepEqual(readJsonAt('{"a":1,"\\u0061":2}', 0, (_, first) => first), { value: { a: 1 }, end: 18, problem: "has the key 'a' twice" });
});

test("a key __proto__ is a problem and changes no prototype", () => {
	const { value, problem } = read('{"__proto__":{"a":1},"b":2}');
	assert.equal(problem, "has a key '__proto__'");
	assert.deepEqual(value, { b: 2 });
	assert.equal((value as { a?: number }).a, undefined);
	assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test("64 levels are read, one more is a problem and what stands beside it is read all the same", () => {
	assert.equal(read("[".repeat(64) + "]".repeat(64)).problem, undefined);
	assert.deepEqual(read(`{"x":${"[".repeat(64)}"]"${"]".repeat(64)},"decision":"deny"}`), { value: { x: nested(63), decision: "deny" }, end: 155, problem: "is nested more than 64 levels deep" });
	assert.equal(read("[".repeat(100_000) + "]".repeat(100_000)).problem, "is nested more than 64 levels deep");
});

const nested = (levels: number): unknown => (levels === 0 ? null : [nested(levels - 1)]);
