import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "./digest.ts";

test("the digest of a value does not depend on the order of its keys, at any depth", () => {
	assert.equal(digestOf({ a: 1, b: { c: [1, { x: 1, y: 2 }], d: null } }), digestOf({ b: { d: null, c: [1, { y: 2, x: 1 }] }, a: 1 }));
});

test("values that differ have digests that differ", () => {
	const values = [{}, [], null, "", "{}", 0, "0", { a: 1 }, { a: "1" }, { a: [1] }, { a: { 0: 1 } }, [1, 2], [2, 1], [[1], 2], { a: 1, b: 2 }, { "a:1,b": 2 }, { 'a":1,"b': 2 }, true, "true"];
	assert.equal(new Set(values.map(digestOf)).size, values.length);
});

test("it is the SHA-256 of the canonical JSON, so others can check it", () => {
	assert.equal(digestOf({}), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
});
