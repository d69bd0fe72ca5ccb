import assert from "node:assert/strict";
import { test } from "node:test";
import { HookFailure, toFailure } from "./failure.ts";

test("whatever was thrown becomes a failure with a text", () => {
	const unprintable = {
		toString() {
			throw new Error("not even that");
		},
	};
	const cases: readonly [unknown, string][] = [
		[new Error("no disk"), "no disk"],
		[new TypeError("x is no function"), "TypeError: x is no function"],
		["plain words", 'threw "plain words"'],
		[null, "threw null"],
		[undefined, "threw undefined"],
		[{}, "threw [object Object]"],
		[unprintable, "threw an object that cannot be printed"],
		[Object.create(null), "threw an object that cannot be printed"],
		[Symbol("s"), "threw Symbol(s)"],
		[5n, "threw 5"],
	];
	for (const [thrown, message] of cases) {
		const failure = toFailure(thrown);
		assert.equal(failure.kind, "threw");
		assert.equal(failure.message, message);
		assert.equal(failure.counts, true);
	}
});

test("an error that cannot even be read is a failure all the same", () => {
	const hostile = new Error("hidden");
	Object.defineProperty(hostile, "message", {
		get() {
			throw new Error("trap");
		},
	});
	assert.equal(toFailure(hostile).message, "threw an object that cannot be printed");
	const misshapen = new Error("hidden");
	Object.defineProperty(misshapen, "message", { value: { not: "a text" } });
	assert.equal(typeof toFailure(misshapen).message, "string");
});

test("a failure stays the failure it is", () => {
	const failure = new HookFailure("host-ended", "the host is gone", { counts: false });
	assert.equal(toFailure(failure), failure);
});

test("an endless message is cut, and says how long it was", () => {
	const failure = toFailure(new Error("x".repeat(2_000_000)));
	assert.ok(failure.message.length < 10_000, String(failure.message.length));
	assert.match(failure.message, /… \[2000000 characters\]$/);
});
