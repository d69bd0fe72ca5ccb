import assert from "node:assert/strict";
import { test } from "node:test";
import { catalog, eventNames, isEventName, specOf } from "./catalog.ts";
import { maxTimeoutMs } from "./registration.ts";

test("a name ends in -ing exactly when the agent waits for the answers", () => {
	for (const name of eventNames) assert.equal(specOf(name).kind, name.endsWith("ing") ? "intercept" : "observe", name);
});

test("every twin is an event that has happened, and nobody has two", () => {
	const twins = eventNames.flatMap((name) => {
		const spec = specOf(name);
		return spec.kind === "intercept" && spec.twin !== undefined ? [spec.twin] : [];
	});
	assert.equal(new Set(twins).size, twins.length);
	for (const twin of twins) assert.equal(specOf(twin).kind, "observe", twin);
});

test("an event names what a rewrite replaces exactly when it takes rewrites, and where text goes when it takes injections", () => {
	for (const name of eventNames) {
		const spec = specOf(name);
		if (spec.kind === "observe") continue;
		assert.equal(Object.keys(spec.rewrites).length > 0, spec.decisions.includes("rewrite"), name);
		assert.equal((spec.injects ?? []).length > 0, spec.decisions.includes("inject"), name);
	}
});

test("every row says what it is in a sentence, and its time-out is one an author could set", () => {
	for (const name of eventNames) {
		const spec = specOf(name);
		assert.match(spec.summary, /^[A-Z].*\.$/, name);
		assert.ok(spec.timeoutMs >= 1 && spec.timeoutMs <= maxTimeoutMs, name);
	}
});

test("guards close and transforms open at every event unless somebody says otherwise", () => {
	for (const name of eventNames) {
		const spec = specOf(name);
		if (spec.kind === "intercept") assert.deepEqual(spec.onError, { transform: "open", guard: "closed", wrap: "open" }, name);
	}
});

test("names every object has are no events", () => {
	for (const name of ["__proto__", "constructor", "toString", "", "tool"]) assert.equal(isEventName(name), false);
	assert.equal(Object.keys(catalog).length, eventNames.length);
});
