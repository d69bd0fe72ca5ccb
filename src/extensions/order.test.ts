import assert from "node:assert/strict";
import { test } from "node:test";
import { satisfies } from "semver";
import { inOrder, type Ordered } from "./order.ts";

/** `b` alone, or with what it needs: `["b", { a: "^1.0.0" }]`. */
function order(...given: readonly (string | readonly [name: string, dependencies: Readonly<Record<string, string>>, more?: Partial<Ordered>])[]) {
	const all = given.map((one) => {
		const [name, dependencies, more] = typeof one === "string" ? [one, {}] : one;
		return { name, version: "1.2.0", dependencies, conflicts: [], out: undefined, round: 0, ...more };
	});
	const { names, problems } = inOrder(all, satisfies);
	return { names: names.join(" "), problems: Object.fromEntries(problems) };
}

test("what others need comes before them, and the rest is in the order of names", () => {
	assert.deepEqual(order("c", ["a", { z: "^1.0.0", c: "1.x" }], "b", "z"), { names: "c z a b", problems: {} });
});

test("a dependency that is missing, of another version, without one, or not loaded keeps an extension out, and those that need it", () => {
	const { problems } = order(
		["a", { nowhere: "^1.0.0" }],
		["b", { c: "^2.0.0" }],
		"c",
		["d", { e: "*" }],
		["e", {}, { version: undefined }],
		["f", { g: "^1.0.0" }],
		["g", {}, { out: "config.yaml says 'enabled: false'." }],
		["h", { a: "^1.0.0" }],
		["i", { j: "^1.0.0" }],
		["j", {}, { round: 1 }],
	);
	assert.deepEqual(problems, {
		a: "it needs the extension 'nowhere' ^1.0.0, and there is none. Install that.",
		b: "it needs the extension 'c' ^2.0.0, and what is there is 1.2.0.",
		d: "it needs the extension 'e' *, and 'e' has no EXTENSION.yaml that says its version.",
		f: "it needs the extension 'g' ^1.0.0, and that is not loaded: config.yaml says 'enabled: false'.",
		h: "it needs the extension 'a' ^1.0.0, and that cannot be loaded.",
		i: "it needs the extension 'j' ^1.0.0, which is written in Python, and those are loaded after it.",
	});
});

test("a circle is named, keeps all of its members out and nobody else", () => {
	const { names, problems } = order(["a", { b: "*" }], ["b", { c: "*" }], ["c", { a: "*" }], "d", ["self", { self: "*" }]);
	assert.equal(names.split(" ").toSorted().join(" "), "a b c d self");
	assert.deepEqual(Object.keys(problems).toSorted(), ["a", "b", "c", "self"]);
	assert.equal(problems["b"], "it is one of a circle in which each needs the next, so none can be loaded first: a → b → c → a.");
	assert.match(problems["self"]!, /self → self/);
});

test("two that exclude each other are not both loaded", () => {
	const { problems } = order(["a", {}, { conflicts: ["b"] }], "b");
	assert.deepEqual(problems, { a: "it cannot be loaded beside 'b', its EXTENSION.yaml says. Disable one of them." });
});
