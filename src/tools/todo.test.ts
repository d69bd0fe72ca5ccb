import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArguments } from "./schema.ts";
import { testContext } from "./test-context.ts";
import { todo } from "./todo.ts";

test("a list is written, changed item by item, and given whole each time", async () => {
	await using context = await testContext();
	assert.equal((await todo.run({ action: "read" }, context)).text, "The list is empty.");
	const written = await todo.run({ action: "write", items: [{ text: "read\nthe  code", status: "in_progress" }, { text: "mend it" }] }, context);
	assert.equal(written.text, "1. [>] read the code\n2. [ ] mend it\n(0 of 2 done; [>] is in progress)");
	await todo.run({ action: "update", number: 1, status: "done" }, context);
	const changed = await todo.run({ action: "update", number: 2, text: "mend and test it", status: "in_progress" }, context);
	assert.equal(changed.text, "1. [x] read the code\n2. [>] mend and test it\n(1 of 2 done; [>] is in progress)");
	assert.deepEqual(changed.details, { items: 2, done: 1 });
	assert.equal((await todo.run({ action: "read" }, context)).text, changed.text);
	assert.equal((await todo.run({ action: "write", items: [] }, context)).text, "The list is empty.");
});

test("what is missing or not there is said, and changes nothing", async () => {
	await using context = await testContext();
	await todo.run({ action: "write", items: [{ text: "one" }] }, context);
	const mistake = async (args: Parameters<typeof todo.run>[0]) => {
		const { text, isError } = await todo.run(args, context);
		assert.ok(isError);
		return text;
	};
	assert.equal(await mistake({ action: "write" }), "'items' is missing: 'write' needs the whole list. To change one item, use 'update'.");
	assert.equal(await mistake({ action: "update", status: "done" }), "'number' is missing: 'update' needs the number of the item, as the list shows it.");
	assert.equal(await mistake({ action: "update", number: 2, status: "done" }), "There is no item 2; the list has 1 item. 'write' sets a new list.");
	assert.equal(await mistake({ action: "update", number: 1 }), "There is nothing to change: give 'status', 'text' or both.");
	assert.equal(await mistake({ action: "write", items: [{ text: "two" }, { text: " \n" }] }), "An item has no text, so nothing was changed. Say what is to be done.");
	assert.match((await todo.run({ action: "read" }, context)).text, /^1\. \[ \] one\n/);
});

test("the schema bounds the list", () => {
	assert.match(checkArguments(todo, { action: "burn" }) ?? "", /'action'/);
	assert.match(checkArguments(todo, { action: "write", items: [{ text: "x", status: "finished" }] }) ?? "", /status/);
	assert.match(checkArguments(todo, { action: "write", items: Array.from({ length: 101 }, () => ({ text: "x" })) }) ?? "", /items/);
	assert.match(checkArguments(todo, { action: "write", items: [{ text: "x".repeat(501) }] }) ?? "", /text/);
	assert.equal(checkArguments(todo, { action: "update", number: 1, status: "done" }), undefined);
});

test("calls that run together lose no change, and what was kept by something else is no list", async () => {
	await using context = await testContext();
	await todo.run({ action: "write", items: Array.from({ length: 20 }, (_, i) => ({ text: `item ${i}` })) }, context);
	await Promise.all(Array.from({ length: 20 }, (_, i) => todo.run({ action: "update", number: i + 1, status: "done" }, context)));
	assert.match((await todo.run({ action: "read" }, context)).text, /\(20 of 20 done;/);
	for (const odd of ["text", { items: [] }, [null, 5, { text: 7 }, { text: "x", status: "odd" }]]) {
		context.kept.set("todo", odd);
		assert.equal((await todo.run({ action: "read" }, context)).text, "The list is empty.");
	}
});
