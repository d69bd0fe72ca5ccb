import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { compileMatcher, fieldTest, matcherFields, matcherText, payloadFieldOf, textMatches } from "../../src/engine/matcher.ts";
import type { Matcher, Pattern } from "../../src/events/registration.ts";

// A small alphabet, so that patterns and values meet; with all the signs that mean something in patterns.
const letters = fc.constantFrom("a", "b", "ab", "/", ".", "*", "_", "\n", "(", "\\", "i", "é");
const values = fc.array(letters, { maxLength: 5 }).map((parts) => parts.join(""));
const names = values.filter((name) => name !== "");
const sources = fc.array(fc.constantFrom("a", "b", ".", "a|b", "[ab]", "(a)", "a*", "\\/", "\\n", "^", "$", "(?:b|$)", "\\b"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
const expressions = fc.tuple(sources, fc.subarray(["g", "i", "m", "s", "y", "u"])).map(([source, flags]) => new RegExp(source, flags.join("")));
const patterns: fc.Arbitrary<Pattern> = fc.oneof(names, expressions);
const oneOrMore = fc.oneof(patterns, fc.array(patterns, { minLength: 1, maxLength: 3 }));
const runs = { numRuns: 500 };

test("a matcher as text matches what the compiled matcher matches", () =>
	fc.assert(
		fc.property(oneOrMore, fc.option(values, { nil: undefined }), (given, value) => {
			const { tool } = matcherText({ tool: given });
			assert.equal(textMatches(tool!, value), fieldTest(given)!(value), JSON.stringify(tool));
		}),
		runs,
	));

test("a name as text still matches the name, with anything in place of its stars", () =>
	fc.assert(
		fc.property(names, values, (name, anything) => assert.equal(textMatches(matcherText({ tool: name })["tool"]!, name.replaceAll("*", () => anything)), true)),
		runs,
	));

test("a pattern without a star matches itself and nothing else", () =>
	fc.assert(
		fc.property(
			names.filter((name) => !name.includes("*")),
			values,
			(name, value) => assert.equal(fieldTest(name)!(value), name === value),
		),
		runs,
	));

test("a star matches like a walk over the parts around it", () => {
	// Written another way on purpose: no regular expression.
	const walks = (parts: readonly string[], value: string): boolean => {
		const [first, ...rest] = parts;
		if (rest.length === 0) return value === first;
		if (!value.startsWith(first!)) return false;
		const tail = value.slice(first!.length);
		return Array.from({ length: tail.length + 1 }, (_, i) => tail.slice(i)).some((from) => walks(rest, from));
	};
	fc.assert(
		fc.property(names, values, (name, value) => assert.equal(fieldTest(name)!(value), walks(name.split("*"), value))),
		runs,
	);
});

test("a regular expression matches when it takes a value as a whole, whatever its flags, every time it is asked", () =>
	fc.assert(
		fc.property(expressions, values, (expression, value) => {
			const found = fieldTest(expression)!;
			const first = found(value);
			assert.equal(found(value), first);
			if (first) assert.ok(expression.flags.includes("y") || new RegExp(expression.source, expression.flags.replace("g", "")).test(value));
		}),
		runs,
	));

test("a matcher takes part exactly when each of its fields does", () =>
	fc.assert(
		fc.property(
			fc.record({ tool: oneOrMore, platform: oneOrMore, surface: oneOrMore, session: oneOrMore }, { requiredKeys: [] }),
			fc.record({ toolName: values, platform: values, surface: values, sessionId: values }, { requiredKeys: [] }),
			(matcher: Matcher, payload) => {
				const each = matcherFields.every((field) => fieldTest(matcher[field])?.((payload as Record<string, string>)[payloadFieldOf(field)]) ?? true);
				assert.equal(compileMatcher(matcher)?.(payload) ?? true, each);
			},
		),
		runs,
	));
