import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { findGatewayHooks } from "./settings.ts";

let folder = "";
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "hookline-gateway-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
}
const inWords = async () => {
	const { found, problems, warnings } = await findGatewayHooks(folder);
	const said = (all: typeof problems) => all.map(({ name, message }) => `${name}: ${message}`);
	return [found.map(({ name, file }) => `${name} ${file.slice(folder.length + 1)}`), said(problems), said(warnings)];
};
const manifest = "events: [agent:start]";

test("hooks are found in the order of their folders; the handler is Python before TypeScript before JavaScript", async () => {
	put({ "b/HOOK.yaml": manifest, "b/handler.js": "", "a/HOOK.yaml": `name: other\ndescription: x\n${manifest}`, "a/handler.py": "", "C/HOOK.yaml": manifest, "C/handler.ts": "" });
	assert.deepEqual(await inWords(), [["hooks/C C/handler.ts", "hooks/a a/handler.py", "hooks/b b/handler.js"], [], []]);
});

test("of two handlers the first is used, and that is said", async () => {
	put({ "a/HOOK.yaml": manifest, "a/handler.ts": "", "a/handler.py": "" });
	assert.deepEqual(await inWords(), [["hooks/a a/handler.py"], [], ["hooks/a: there are handler.py and handler.ts; only handler.py is used. Remove the other."]]);
});

test("a folder that lacks one of the two files is a problem, not silence; one that has neither is something else", async () => {
	put({ "a/HOOK.yaml": manifest, "b/handler.py": "", "c/README.md": "", ".d/HOOK.yaml": manifest, "file": "" });
	assert.deepEqual(await inWords(), [
		[],
		["hooks/a: there is no handler.py, handler.ts, handler.js beside HOOK.yaml. Write one with a function 'handle', or remove the folder.", "hooks/b: there is no HOOK.yaml beside handler.py. Write one with the 'events' it is for, or remove the folder."],
		[],
	]);
});

for (const [what, text] of [
	["is empty", ""],
	["has no events", "name: x"],
	["has an empty list of events", "events: []"],
	["has events that are no list", "events: agent:start"],
	["is a list", "- a"],
] as const) {
	test(`a manifest that ${what} is a problem that says how to write it`, async () => {
		put({ "a/HOOK.yaml": text, "a/handler.py": "" });
		assert.deepEqual(await inWords(), [[], ["hooks/a: HOOK.yaml has no list 'events', so it would never be called. Write it as\n  name: my-hook\n  events:\n    - agent:start"], []]);
	});
}

test("a manifest that is no YAML is a problem with its line", async () => {
	put({ "a/HOOK.yaml": "events: [", "a/handler.py": "" });
	const [, problems] = await inWords();
	assert.match(problems![0]!, /^hooks\/a: HOOK\.yaml cannot be read: .* at line 1, column 10/);
});

test("an event that cannot happen is left out with a warning, the others are not; a hook with none left is a problem", async () => {
	put({ "a/HOOK.yaml": "events: [agent:strat, agent:end, agent:end]", "a/handler.py": "", "b/HOOK.yaml": "events: [agent]", "b/handler.py": "" });
	const { found, problems, warnings } = await findGatewayHooks(folder);
	assert.deepEqual(found.map(({ subscriptions }) => subscriptions.map(({ theirs }) => theirs)), [["agent:end"]]);
	assert.deepEqual(warnings.map(({ name, message }) => `${name}: ${message}`), ["hooks/a: there is no event 'agent:strat', so nothing is ever called for it. Did you mean 'agent:start'?", "hooks/b: there is no event 'agent', so nothing is ever called for it. Did you mean 'agent:start'?"]);
	assert.deepEqual(problems.map(({ message }) => message), ["none of its 'events' can ever happen here."]);
});

test("a folder that is not there has none; a file in its place is a problem", async () => {
	assert.deepEqual(await findGatewayHooks(join(folder, "none")), { found: [], problems: [], warnings: [] });
	put({ file: "" });
	const { problems } = await findGatewayHooks(join(folder, "file"));
	assert.match(problems[0]!.message, /^the folder of gateway hooks cannot be read: ENOTDIR/);
});
