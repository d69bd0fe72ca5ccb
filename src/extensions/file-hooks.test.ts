// `file_hooks:` of config.yaml: what is wrong with an entry, and what runs.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { openHost } from "../../test/contracts/host.ts";
import { engineWith, inWords, toolCall } from "../../test/engine.ts";
import { readConfig } from "../config/read.ts";
import { homeOf } from "../system/home.ts";
import { fileHooks } from "./file-hooks.ts";
import { loadExtensions } from "./load.ts";
import { LiveExtensions } from "./live.ts";

let folder: string;
beforeEach(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-files-")));
	mkdirSync(join(folder, "own/hooks"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const home = () => homeOf({ HOOKLINE_HOME: join(folder, "own") });
const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const configured = async (text: string) => {
	write("own/config.yaml", text);
	return (await readConfig(home().config)).file_hooks ?? [];
};
const noHost = () => Promise.reject(new Error("no host is needed"));

test("an event that there is not is refused with its line, its column, and what was meant", async () => {
	const place = `${join(folder, "own/config.yaml")}:2:6: `;
	await assert.rejects(configured("file_hooks:\n  - {event: before-tool-cal, handler: a.ts}"), { message: `${place}'file_hooks[0].event' is 'before-tool-cal', which is no event: did you mean 'before-tool-call'.` });
	await assert.rejects(configured("file_hooks:\n  - {event: tool.caling, handler: a.ts}"), /'tool\.caling', which is no event: did you mean 'tool\.calling'/);
	await assert.rejects(configured("file_hooks:\n  - {event: nonsense, handler: a.ts}"), /'nonsense', which is no event: there are gateway-start, .*, and those of 'hookline hooks events'\./);
	await assert.rejects(configured("file_hooks:\n  - {event: session-end, handlr: a.ts}"), /'file_hooks\[0\]\.handler' is missing/);
	await assert.rejects(configured("file_hooks: {event: session-end, handler: a.ts}"), /'file_hooks' must be array/);
});

test("a file that is not there, no file, no script, or a link out is told with its line, and the others run", async () => {
	write("outside.ts", "export default () => {};");
	write("own/hooks/good.ts", "export default () => {};");
	mkdirSync(join(folder, "own/hooks/folder.ts"));
	symlinkSync(join(folder, "outside.ts"), join(folder, "own/hooks/link.ts"));
	const files = ["hooks/gone.ts", "hooks/folder.ts", "hooks/note.txt", "hooks/link.ts", "../outside.ts", join(folder, "own/hooks/link.ts"), "hooks/good.ts", join(folder, "outside.ts")];
	const { set } = await fileHooks(home(), await configured(`file_hooks:\n${files.map((file) => `  - event: session-end\n    handler: ${file}\n`).join("")}`), noHost);
	assert.deepEqual(set.found.map(({ name, file }) => [name, file.replace(folder, "")]), [["file/good", "/own/hooks/good.ts"], ["file/outside-2", "/outside.ts"]]);
	const told = set.problems.map(({ message }) => message.replaceAll(folder, ""));
	const expected = [
		/^\/own\/config\.yaml:3:5: 'file_hooks\[0\]\.handler' is not there \(\/own\/hooks\/gone\.ts\)\.$/,
		/^\/own\/config\.yaml:5:5: .* is no file \(\/own\/hooks\/folder\.ts\)\.$/,
		/^\/own\/config\.yaml:7:5: .* is no TypeScript or JavaScript file\./,
		/^\/own\/config\.yaml:9:5: .* leads out of \/own, to \/outside\.ts\. Write its absolute path, if that file is meant\.$/,
		/^\/own\/config\.yaml:11:5: .* leads out of \/own, to \/outside\.ts\./,
		/^\/own\/config\.yaml:13:5: .* is a link to \/outside\.ts\. Write that path, if that file is meant\.$/,
	];
	assert.equal(told.length, expected.length, told.join("\n"));
	for (const [i, message] of told.entries()) assert.match(message, expected[i]!);
});

test("a file handles its events in the node host, by both kinds of names, in the order of priorities", async () => {
	write("own/hooks/guard.ts", 'import { block } from "hookline";\nexport default async ({ toolName, args }: { toolName: string; args: { command?: string } }) => (args.command === "rm" ? block(`no ${toolName}`) : undefined);\n');
	write("own/hooks/first.cjs", "module.exports = { handler: ({ args }) => ({ kind: 'rewrite', value: { ...args, command: 'rm' } }) };\n");
	const { set, host } = await fileHooks(
		home(),
		await configured("file_hooks:\n  - {event: before-tool-call, handler: ./hooks/guard.ts}\n  - {event: tool.calling, handler: hooks/first.cjs, priority: 10}\n  - {event: session-end, handler: hooks/guard.ts}\n"),
		async () => node,
	);
	await using node = openHost("node", {});
	const engine = engineWith([]);
	const live = new LiveExtensions({ engine, facts: () => ({ eventId: "e", at: 0, surface: "test", cwd: "/projects/a", profile: "default" }), warn: (message) => assert.fail(message) });
	const { loaded } = await loadExtensions(set, { engine, facts: () => assert.fail(), warn: (message) => assert.fail(message), host, live });
	assert.deepEqual(loaded.map(({ name, host: where, hooks }) => [name, where, hooks]), [["file/guard", "node", ["file/guard#1", "file/guard#2"]], ["file/first", "node", ["file/first#1"]]]);
	assert.deepEqual(engine.hooks().map(({ id, event, priority }) => [id, event, priority]).filter(([, event]) => event !== "session.ended"), [["file/first#1", "tool.calling", 10], ["file/guard#1", "tool.calling", 100]]);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall({ command: "ls" }))), "blocked by file/guard#1 (decision): no terminal");
});

test("a file without a function is told what to export", async () => {
	write("own/hooks/empty.ts", "export const x = 1;\n");
	const { set, host } = await fileHooks(home(), await configured("file_hooks:\n  - {event: session-end, handler: hooks/empty.ts}"), async () => node);
	await using node = openHost("node", {});
	const warnings: string[] = [];
	const engine = engineWith([]);
	const { failed } = await loadExtensions(set, { engine, facts: () => assert.fail(), warn: (message) => void warnings.push(message), host });
	assert.equal(failed.length, 1);
	assert.match(warnings.join("\n"), /The extension 'file\/empty' is not loaded, and none of its hooks run: .*empty\.ts: it exports no function\. A file of file_hooks exports the function/);
});
