// `file_hooks:` of config.yaml, through the program.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../agent/open.ts";
import { Place } from "./program.ts";

const guard = (reason: string) => `import { block } from "hookline";\nexport default async () => block(${JSON.stringify(reason)});\n`;

test("a file that config.yaml names guards tool calls, and is listed", async () => {
	await using place = new Place();
	mkdirSync(join(place.home, "hooks-of-mine"));
	writeFileSync(join(place.home, "hooks-of-mine/guard.ts"), guard("not here"));
	place.config("file_hooks:\n  - {event: before-tool-call, handler: ./hooks-of-mine/guard.ts, priority: 10}\n");
	const listed = await place.run(["hooks", "list"]);
	assert.deepEqual([listed.code, listed.stderr], [0, ""]);
	assert.match(listed.stdout, /^file\/guard#1\ttransform\ttool\.calling\tall\t10\tnode\t/m);
	await place.run(["run", 'CALL terminal {"command": "touch made"}']);
	assert.equal(place.made("made"), false);
	const [record] = await place.trace("--event", "tool.calling");
	assert.deepEqual([record?.outcome, record?.by], ["blocked", "file/guard#1"]);
});

test("a file that is not there is a problem of the list, with its line; an event that is not there stops the start", async () => {
	await using place = new Place();
	const file = place.config("file_hooks:\n  - event: before-tool-call\n    handler: gone.ts\n");
	const listed = await place.run(["hooks", "list"]);
	assert.equal(listed.code, 1);
	assert.match(listed.stderr, new RegExp(`The extension 'file/gone' is not loaded, and none of its hooks run: ${RegExp.escape(file)}:3:5: 'file_hooks\\[0\\]\\.handler' is not there`));
	place.config("file_hooks:\n  - event: before-tool-calls\n    handler: gone.ts\n");
	const { code, stderr } = await place.run(["run", "SAY hello"]);
	assert.deepEqual([code, stderr], [1, `hookline: ${file}:2:5: 'file_hooks[0].event' is 'before-tool-calls', which is no event: did you mean 'before-tool-call'.\n`]);
});

test("a reload takes up another file and another event, and lets go of what is no longer named", async () => {
	await using opened = await open({ config: "file_hooks: [{event: message-received, handler: a.ts}]", extensions: { "../a.ts": guard("first") } });
	const hooks = () => opened.runtime.engine.hooks().filter(({ id }) => id.startsWith("file/")).map(({ id, event }) => `${id} ${event}`);
	assert.deepEqual(hooks(), ["file/a#1 input.receiving"]);
	writeFileSync(join(opened.home, "b.ts"), guard("second"));
	writeFileSync(join(opened.home, "config.yaml"), "file_hooks: [{event: before-tool-call, handler: a.ts}, {event: session-end, handler: b.ts}]");
	const done = await opened.runtime.extensions.reload();
	assert.deepEqual(done.map(({ name, did }) => [name, did]).filter(([name]) => name?.startsWith("file/")), [["file/a", "reloaded"], ["file/b", "loaded"]]);
	assert.deepEqual(hooks().toSorted(), ["file/a#1 tool.calling", "file/b#1 session.ended"]);
	writeFileSync(join(opened.home, "config.yaml"), "");
	await opened.runtime.extensions.reload();
	assert.deepEqual(hooks(), []);
});
