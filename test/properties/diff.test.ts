import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { changeForTrace, diff, forTrace } from "../../src/engine/diff.ts";

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const word = (minLength: number, maxLength: number) => fc.string({ unit: fc.constantFrom(...letters), minLength, maxLength });
/** Where a text cannot be told by its shape, its field has to say that it is secret. */
const secretNames = fc.constantFrom("password", "token", "apiKey", "api_key", "x-api-key", "accessToken", "client_secret", "Authorization", "COOKIE", "GITHUB_TOKEN", "private-key", "secretAccessKey");
const shaped = fc.oneof(
	word(20, 60).map((key) => ({ secret: `sk-${key}`, text: `sk-${key}` })),
	word(30, 40).map((key) => ({ secret: `ghp_${key}`, text: `ghp_${key}` })),
	word(16, 60).map((key) => ({ secret: key, text: `Authorization: Bearer ${key}` })),
	word(8, 40).map((key) => ({ secret: key, text: `https://someone:${key}@example.org/path` })),
	fc.tuple(word(12, 20), word(12, 40), word(8, 40)).map(([a, b, c]) => ({ secret: `eyJ${a}.${b}.${c}`, text: `eyJ${a}.${b}.${c}` })),
	word(30, 500).map((key) => ({ secret: key, text: `-----BEGIN RSA PRIVATE KEY-----\n${key}\n-----END RSA PRIVATE KEY-----` })),
);
const runs = { numRuns: 300 };

/** A value somewhere inside of others. */
function buried(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
	const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
		tree: fc.oneof({ maxDepth: 4, withCrossShrink: true }, value, fc.tuple(word(1, 6), tie("tree"), fc.jsonValue({ maxDepth: 1 })).map(([key, inner, other]) => ({ other, [key]: inner })), tie("tree").map((inner) => [1, inner])),
	}));
	return tree;
}

test("a secret known by its shape never survives, wherever it stands and whatever is around it", () =>
	fc.assert(
		fc.property(
			shaped.chain(({ secret, text }) =>
				fc.tuple(fc.constant(secret), buried(fc.tuple(fc.nat({ max: 4200 }), fc.nat({ max: 9000 })).map(([before, after]) => `${". ".repeat(before / 2)} ${text} ${"x ".repeat(after / 2)}`))),
			),
			([secret, value]) => assert.ok(!JSON.stringify(forTrace(value)).includes(secret)),
		),
		runs,
	));

test("a secret known by its field never survives, in a payload or in a change", () =>
	fc.assert(
		fc.property(
			word(6, 30).chain((secret) => fc.tuple(fc.constant(secret), buried(fc.tuple(secretNames, buried(fc.constant(secret))).map(([name, value]) => ({ [name]: value }))))),
			([secret, value]) => {
				// What stands beside the secret may hold it by chance, in a key.
				fc.pre(!JSON.stringify(value, (key, item: unknown) => (key === "" || typeof item === "object" ? item : "")).includes(secret));
				assert.ok(!JSON.stringify(forTrace(value)).includes(secret));
				for (const change of diff({ args: {} }, { args: value })) assert.ok(!JSON.stringify(changeForTrace(change)).includes(secret));
				for (const change of diff({ args: value }, { args: { other: 1 } })) assert.ok(!JSON.stringify(changeForTrace(change)).includes(secret));
			},
		),
		runs,
	));

test("what is kept is plain data within its budget, and never more than what came", () =>
	fc.assert(
		fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: "grapheme-ascii" }), fc.integer({ min: 100, max: 4000 }), (value, budget) => {
			const kept = JSON.stringify(forTrace(value, budget));
			assert.ok(kept.length <= 20 * budget, `${kept.length} of ${budget}`);
			const small = JSON.stringify(value);
			if (small.length < budget / 8) assert.deepEqual(JSON.parse(kept), JSON.parse(small));
		}),
		runs,
	));

test("a diff is empty exactly when nothing differs, and its paths lead to what does", () =>
	fc.assert(
		fc.property(fc.dictionary(word(1, 4), fc.jsonValue({ maxDepth: 3 })), fc.dictionary(word(1, 4), fc.jsonValue({ maxDepth: 3 })), (before, after) => {
			const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
			assert.deepEqual(diff(before, structuredClone(before)), []);
			for (const change of diff(before, after)) {
				assert.ok(!same(change.before, change.after) || Object.is(change.before, -0) !== Object.is(change.after, -0), JSON.stringify(change));
				if (!change.path.includes(".")) assert.deepEqual([change.before, change.after], [before[change.path], after[change.path]]);
			}
		}),
		runs,
	));
