import assert from "node:assert/strict";
import { test } from "node:test";
import { copyPlain, deepFreeze, seal } from "./plain.ts";

test("a copy holds what JSON would hold, frozen to the bottom", () => {
	const given = { a: [1, { b: "c" }], gone: undefined, none: null, no: false };
	const copy = copyPlain(given) as typeof given;
	assert.deepEqual(copy, { a: [1, { b: "c" }], none: null, no: false });
	assert.ok(Object.isFrozen(copy) && Object.isFrozen(copy.a) && Object.isFrozen(copy.a[1]));
	assert.ok(!Object.isFrozen(given));
});

test("what was sealed before is taken as it is, and nothing else is", () => {
	const message = seal({ role: "user", text: "hi", list: [{ deep: 1 }] });
	const frozenByHand = Object.freeze({ list: [1] });
	const copy = copyPlain({ message, frozenByHand }) as { message: object; frozenByHand: { list: number[] } };
	assert.equal(copy.message, message);
	assert.notEqual(copy.frozenByHand, frozenByHand);
	assert.ok(Object.isFrozen(copy.frozenByHand.list));
	assert.ok(Object.isFrozen(message.list[0]));
});

test("objects without a prototype and from other realms are plain data", () => {
	assert.deepEqual(copyPlain(Object.assign(Object.create(null), { a: 1 })), { a: 1 });
});

test("a payload of our own may hold bytes, and one that contains itself is refused", () => {
	const payload = deepFreeze({ bytes: new Uint8Array(3), list: [{ a: 1 }] });
	assert.ok(Object.isFrozen(payload.list[0]));
	const cyclic: Record<string, unknown> = {};
	cyclic["self"] = cyclic;
	assert.throws(() => deepFreeze(cyclic), { name: "RangeError", message: "a payload contains itself" });
});
