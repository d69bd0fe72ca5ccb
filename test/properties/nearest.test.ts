import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { eventNames } from "../../src/events/catalog.ts";
import { didYouMean, nearest } from "../../src/system/nearest.ts";

const words = fc.string({ maxLength: 20 });
const runs = { numRuns: 500 };

test("what is suggested is always one of the known words", () =>
	fc.assert(
		fc.property(words, fc.array(words), (word, known) => {
			const found = nearest(word, known);
			assert.ok(found === undefined || known.includes(found));
			assert.equal(didYouMean(word, known), found === undefined ? "" : ` Did you mean '${found}'?`);
		}),
		runs,
	));

test("every event is found again after one slip: a letter more, a letter less, a wrong one, two swapped, another case", () =>
	fc.assert(
		fc.property(fc.constantFrom(...eventNames), fc.nat(), fc.constantFrom("more", "less", "wrong", "swapped", "case"), (name, n, slip) => {
			const at = n % (name.length - 1);
			const slipped = {
				more: `${name.slice(0, at)}x${name.slice(at)}`,
				less: name.slice(0, at) + name.slice(at + 1),
				wrong: `${name.slice(0, at)}x${name.slice(at + 1)}`,
				swapped: name.slice(0, at) + name[at + 1]! + name[at]! + name.slice(at + 2),
				case: name.toUpperCase(),
			}[slip];
			const found = nearest(slipped, eventNames);
			// Two names can be a letter apart, such as message.sent and message.send…; then the other one is as good a guess.
			assert.ok(found !== undefined, slipped);
			if (slip === "case") assert.equal(found, name);
			else assert.ok(Math.abs(found.length - slipped.length) <= 4 || found.startsWith(slipped), `${slipped} → ${found}`);
		}),
		runs,
	));

test("an exact word is its own nearest, unless it is the beginning of one that stands before it", () =>
	fc.assert(
		fc.property(fc.uniqueArray(words.filter((word) => word !== "" && word === word.toLowerCase()), { minLength: 1 }), fc.nat(), (known, n) => {
			const word = known[n % known.length]!;
			const found = nearest(word, known)!;
			assert.ok(found === word || found.startsWith(word), found);
		}),
		runs,
	));
