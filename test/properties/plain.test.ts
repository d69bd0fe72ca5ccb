import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { digestOf } from "../../src/engine/digest.ts";
import { copyPlain } from "../../src/system/plain.ts";

const runs = { numRuns: 500 };
/** As a parser gives it: fast-check also makes -0, which JSON cannot tell from 0. */
const json = fc.jsonValue({ maxDepth: 5 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
/** JSON, and what JSON leaves out: fields that are undefined, objects without a prototype. */
const loose: fc.Arbitrary<unknown> = fc.letrec<{ tree: unknown }>((tie) => ({
	tree: fc.oneof({ maxDepth: 4 }, json, fc.constant(undefined), fc.dictionary(fc.string({ maxLength: 3 }), tie("tree"), { noNullPrototype: false }), fc.array(tie("tree").filter((item) => item !== undefined))),
})).tree;

function* objectsIn(value: unknown): Generator<object> {
	if (typeof value !== "object" || value === null) return;
	yield value;
	for (const item of Object.values(value)) yield* objectsIn(item);
}

/** A key `__proto__` is refused as such; whether a value has one is asked of its text. */
const isRefused = (value: unknown) => [...objectsIn(value)].some((object) => Object.hasOwn(object, "__proto__"));

test("a copy equals a round trip through JSON", () =>
	fc.assert(
		fc.property(
			loose.filter((value) => value !== undefined && !isRefused(value)),
			(value) => assert.equal(JSON.stringify(copyPlain(value)), JSON.stringify(value)),
		),
		runs,
	));

test("a copy of JSON is that JSON, with the same types", () =>
	fc.assert(
		fc.property(
			json.filter((value) => !isRefused(value)),
			(value) => assert.deepStrictEqual(copyPlain(value), JSON.parse(JSON.stringify(value))),
		),
		runs,
	));

test("a copy shares nothing with what it was made from, and is frozen to the bottom", () =>
	fc.assert(
		fc.property(
			json.filter((value) => !isRefused(value)),
			(value) => {
				const own = new Set(objectsIn(value));
				for (const object of objectsIn(copyPlain(value))) assert.ok(!own.has(object) && Object.isFrozen(object));
				for (const object of own) assert.ok(!Object.isFrozen(object));
			},
		),
		runs,
	));

test("a key __proto__ is refused at any depth", () =>
	fc.assert(
		fc.property(json, fc.nat({ max: 5 }), (value, depth) => {
			let text = `{"__proto__": ${JSON.stringify(value)}}`;
			for (let i = 0; i < depth; i++) text = i % 2 === 0 ? `[${text}]` : `{"a": ${text}}`;
			assert.throws(() => copyPlain(JSON.parse(text)), { name: "TypeError", message: /has a key '__proto__'$/ });
		}),
		runs,
	));

test("the digest of a value is that of its copy, whatever the order of its keys", () => {
	const turned = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(turned);
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(
			Object.entries(value)
				.reverse()
				.map(([key, item]) => [key, turned(item)]),
		);
	};
	fc.assert(
		fc.property(
			json.filter((value) => !isRefused(value)),
			(value) => {
				assert.equal(digestOf(copyPlain(value)), digestOf(value));
				assert.equal(digestOf(turned(value)), digestOf(value));
			},
		),
		runs,
	);
});

test("two values with one digest are one value", () =>
	fc.assert(
		fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
			const sameText = (x: unknown) => JSON.stringify(JSON.parse(JSON.stringify(x)));
			if (digestOf(a) === digestOf(b) && sameText(a) !== sameText(b)) assert.deepEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
		}),
		runs,
	));
