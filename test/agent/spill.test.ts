// Text that hooks add to the context, when there is a lot of it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inject } from "../../src/events/decision.ts";
import { transform } from "../engine.ts";
import { open, type Opened } from "./open.ts";

const long = Array.from({ length: 3000 }, (_, i) => `fact ${i}`).join("\n");
const keptIn = ({ home }: Opened) => readdirSync(join(home, "context"));

test("a long text of a hook reaches the model as its beginning, with the file that holds all of it, readable for its owner alone", async () => {
	await using agent = await open({ hooks: [transform("turn.starting", () => inject(long))] });
	await agent.submit("SAY hi");
	const [user] = agent.messages;
	assert.match(user!.text, /^SAY hi\n\n<context source="[^"]+">\nfact 0\nfact 1\n/);
	const file = /\[cut: (\d+) more characters\. All of it is in (\S+\.txt), for read_file and search_files\.\]\n<\/context>$/.exec(user!.text);
	assert.equal(Number(file?.[1]), long.length - 2000);
	assert.equal(readFileSync(file![2]!, "utf8"), long);
	assert.equal(statSync(file![2]!).mode & 0o777, 0o600);
	assert.equal(statSync(join(agent.home, "context")).mode & 0o777, 0o700);
});

test("the same text is the same file and the same bytes in every request, whatever way it goes", async () => {
	await using agent = await open({ hooks: [transform("model.calling", () => inject(long)), transform("turn.starting", () => inject(long, "system")), transform("tool.returning", () => inject(long))] });
	await agent.submit(`CALL terminal {"command":"echo hi"}`);
	await agent.submit("SAY hi");
	assert.equal(keptIn(agent).length, 1);
	const result = agent.messages.find(({ role }) => role === "tool");
	assert.match(result!.text, /^hi\n\n<context source="[^"]+">\nfact 0\n[\s\S]*\[cut: /);
});

test("a text that fits is sent whole, and no file is made", async () => {
	const text = "x".repeat(16_000);
	await using agent = await open({ hooks: [transform("turn.starting", () => inject(text))] });
	await agent.submit("SAY hi");
	assert.ok(agent.messages[0]!.text.includes(text));
	assert.throws(() => keptIn(agent), /ENOENT/);
});

test("a file where the folder should be is told as a warning, and the turn goes on", async () => {
	await using agent = await open({ hooks: [transform("turn.starting", () => inject(long))] });
	writeFileSync(join(agent.home, "context"), "");
	assert.equal((await agent.submit("SAY hi")).completed, true);
	assert.match(agent.messages[0]!.text, /fact 0\n[\s\S]*\[cut: \d+ more characters, which could not be kept\.\]/);
	assert.ok(agent.warnings.some((warning) => /^A long text of \S+ could not be kept \(.*\); the model gets only its first 2000 characters\.$/.test(warning)), agent.warnings.join("\n"));
});

test("what no hook has added for a month is forgotten when something new is kept", async () => {
	await using agent = await open({ hooks: [transform("turn.starting", ({ text }) => inject(`${text}\n${long}`))] });
	await agent.submit("SAY one");
	const [old] = keptIn(agent);
	const before = Date.now() / 1000 - 31 * 24 * 3600;
	utimesSync(join(agent.home, "context", old!), before, before);
	await agent.submit("SAY two");
	assert.equal(keptIn(agent).length, 1);
	assert.ok(!keptIn(agent).includes(old!));
});
