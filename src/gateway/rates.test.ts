import assert from "node:assert/strict";
import { test } from "node:test";
import { Rates } from "./rates.ts";

test("so many in a minute and no more, told once, and again after a while", () => {
	let now = 0;
	const rates = new Rates(() => now);
	assert.equal(rates.count("a", 2), undefined);
	now = 10_000;
	assert.equal(rates.count("a", 2), undefined);
	assert.deepEqual(rates.count("a", 2), { waitMs: 50_000, first: true });
	assert.deepEqual(rates.count("a", 2), { waitMs: 50_000, first: false });
	assert.equal(rates.count("b", 2), undefined);
	now = 60_000;
	assert.equal(rates.count("a", 2), undefined);
	assert.deepEqual(rates.count("a", 2), { waitMs: 10_000, first: true });
});

test("who has not spoken for long is forgotten first", () => {
	const rates = new Rates(() => 0);
	assert.equal(rates.count("first", 1), undefined);
	for (let i = 0; i < 10_000; i++) rates.count(`p${i}`, 1);
	assert.equal(rates.count("first", 1), undefined);
	assert.ok(rates.count("p9999", 1) !== undefined);
});

test("a message that comes again is the same one", () => {
	const rates = new Rates(() => 0);
	for (let i = 0; i < 5; i++) assert.equal(rates.count("a", 1, "m1"), undefined);
	assert.ok(rates.count("a", 1, "m2") !== undefined);
});
