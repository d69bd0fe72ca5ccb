import assert from "node:assert/strict";
import { test } from "node:test";
import { engineWith, guard, type More, toolCall } from "../../test/engine.ts";
import { block } from "../events/decision.ts";
import type { ToolCalling } from "../events/payloads/tool.ts";
import { matcherText, textMatches } from "./matcher.ts";

async function takes(matcher: More, call: Partial<ToolCalling>): Promise<boolean> {
	const engine = engineWith([guard("tool.calling", () => block("matched"), matcher)]);
	return (await engine.dispatch("tool.calling", toolCall({}, call))).kind === "blocked";
}
const tools = async (tool: NonNullable<More["tool"]>, names: readonly string[]) => {
	const taken: string[] = [];
	for (const toolName of names) if (await takes({ tool }, { toolName })) taken.push(toolName);
	return taken;
};

test("without a matcher a hook takes everything", async () => {
	assert.equal(await takes({}, { toolName: "anything" }), true);
});

test("a name is exact: neither a part nor another case will do", async () => {
	assert.deepEqual(await tools("write", ["write", "write_file", "rewrite", "Write", ""]), ["write"]);
});

test("a list matches when one of its entries does", async () => {
	assert.deepEqual(await tools(["patch", "write_*", /^read/], ["patch", "write_file", "read", "terminal"]), ["patch", "write_file", "read"]);
});

test("a star stands for anything, also nothing, and every other sign for itself", async () => {
	assert.deepEqual(await tools("mcp.*.read", ["mcp.files.read", "mcp..read", "mcpxfiles.read", "mcp.files.readme"]), ["mcp.files.read", "mcp..read"]);
	assert.deepEqual(await tools("*", ["a", "", "a\nb"]), ["a", "", "a\nb"]);
	assert.deepEqual(await tools("a+(b)*", ["a+(b)", "a+(b)c", "aab"]), ["a+(b)", "a+(b)c"]);
});

test("a regular expression must match the whole name", async () => {
	assert.deepEqual(await tools(/write|patch/, ["write", "patch", "write_file", "dispatch"]), ["write", "patch"]);
	assert.deepEqual(await tools(/write.*/i, ["WRITE_FILE", "rewrite"]), ["WRITE_FILE"]);
	assert.deepEqual(await tools(/write/m, ["write", "write\nand more", "more\nwrite"]), ["write"]);
	assert.deepEqual(await tools(/a|ab/, ["a", "ab", "abc"]), ["a", "ab"]);
	assert.deepEqual(await tools(/[\p{L}--[a-z]]+/v, ["ÄÖ", "abc"]), ["ÄÖ"]);
});

test("a regular expression with the flag g or y gives the same answer every time", async () => {
	for (const session of [/s\d*/g, /s\d*/y]) {
		const engine = engineWith([guard("tool.calling", () => block("matched"), { session })]);
		for (let i = 0; i < 4; i++) assert.equal((await engine.dispatch("tool.calling", toolCall())).kind, "blocked");
		session.lastIndex = 1;
		assert.equal((await engine.dispatch("tool.calling", toolCall())).kind, "blocked");
	}
});

test("platform, surface and session are matched alike", async () => {
	assert.equal(await takes({ platform: "tele*" }, { platform: "telegram" }), true);
	assert.equal(await takes({ platform: "telegram" }, { platform: "discord" }), false);
	assert.equal(await takes({ surface: ["run", "test"] }, {}), true);
	assert.equal(await takes({ surface: "gateway" }, {}), false);
	assert.equal(await takes({ session: /s\d/ }, {}), true);
	assert.equal(await takes({ session: "s2" }, {}), false);
});

test("what is not there matches nothing, not even a star", async () => {
	assert.equal(await takes({ platform: "*" }, {}), false);
	assert.equal(await takes({ platform: /.*/ }, {}), false);
	assert.equal(await takes({ platform: "undefined" }, {}), false);
	assert.equal(await takes({ platform: ["undefined", "telegram"] }, {}), false);
});

test("all fields that are given must match", async () => {
	const matcher = { tool: "terminal", surface: "test", session: "s1" };
	assert.equal(await takes(matcher, {}), true);
	assert.equal(await takes(matcher, { toolName: "patch" }), false);
	assert.equal(await takes(matcher, { surface: "run" }), false);
	assert.equal(await takes(matcher, { sessionId: "s2" }), false);
});

test("a hook for one tool does not slow down or disturb those for others, whatever names a model makes up", async () => {
	const engine = engineWith([guard("tool.calling", () => block("matched"), { tool: "terminal" })]);
	for (let i = 0; i < 600; i++) assert.equal((await engine.dispatch("tool.calling", toolCall({}, { toolName: `made-up-${i}` }))).kind, "go");
	for (const toolName of ["__proto__", "constructor"]) assert.equal((await engine.dispatch("tool.calling", toolCall({}, { toolName }))).kind, "go");
	assert.equal((await engine.dispatch("tool.calling", toolCall())).kind, "blocked");
});

test("a matcher as text means what it meant, also when a name looks like a regular expression", () => {
	const text = matcherText({ tool: ["write_*", /patch/gi, "/tmp/x"], surface: "run" });
	assert.deepEqual(Object.keys(text), ["tool", "surface"]);
	assert.deepEqual(text["tool"]!.slice(0, 2), ["write_*", "/patch/gi"]);
	for (const [name, fits] of [["write_file", true], ["PATCH", true], ["/tmp/x", true], ["tmp", false], ["TMP", false], ["patches", false]] as const) {
		assert.equal(textMatches(text["tool"]!, name), fits, name);
	}
	assert.deepEqual([textMatches(matcherText({ tool: "/a/" })["tool"]!, "/a/"), textMatches(matcherText({ tool: "/a/" })["tool"]!, "a")], [true, false]);
});
