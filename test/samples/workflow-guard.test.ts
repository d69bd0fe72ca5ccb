// examples/workflow-guard, copied into a home as its README says, and real turns of the agent.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { loadExtensions } from "../../src/extensions/load.ts";
import { userPackages } from "../../src/extensions/python.ts";
import { pythonHost } from "../../src/hosts/python/host.ts";
import { open, type Opened } from "../agent/open.ts";
import { facts } from "../engine.ts";

const example = join(import.meta.dirname, "../../examples/workflow-guard");

interface Guarded extends AsyncDisposable {
	readonly opened: Opened;
	write(path: string): Promise<string>;
	has(path: string): boolean;
}

async function guarded(config: Readonly<Record<string, unknown>> = {}): Promise<Guarded> {
	const opened = await open();
	cpSync(example, join(opened.home, "extensions/workflow-guard"), { recursive: true });
	const warnings: string[] = [];
	const python = pythonHost({ name: "user", services: {}, log: () => {}, onStray: ({ message }) => warnings.push(message) });
	const set = userPackages(join(opened.home, "extensions"), { "workflow-guard": { config } }, "config.yaml", async () => python);
	await loadExtensions(set, { engine: opened.runtime.engine, host: () => Promise.reject(new Error("it has a host of its own")), facts, warn: (message) => warnings.push(message) });
	assert.deepEqual(warnings, []);
	return {
		opened,
		async write(path) {
			await opened.submit(`CALL write_file ${JSON.stringify({ path, content: "- [ ] one\n" })}`);
			return opened.results.at(-1)!;
		},
		has: (path) => existsSync(join(opened.work, path)),
		async [Symbol.asyncDispose]() {
			await opened[Symbol.asyncDispose]();
			await python[Symbol.asyncDispose]();
		},
	};
}

function plan({ opened }: Guarded, path = "plans/active/plan.md"): void {
	mkdirSync(dirname(join(opened.work, path)), { recursive: true });
	writeFileSync(join(opened.work, path), "# Plan\n\n- [ ] Fix it.\n");
}

const refused = /There is no plan yet that the user has agreed to\. Write one to plans\/active\/plan\.md and show it; files outside of plans\/, handoff\/ come after that\./;

test("without a plan nothing is written outside of plans/ and handoff/, by whatever way round", async () => {
	await using guard = await guarded();
	for (const path of ["src/a.ts", "plans/../b.ts", join(guard.opened.work, "c.ts"), "plans"]) assert.match(await guard.write(path), refused, path);
	for (const path of ["src/a.ts", "b.ts", "c.ts"]) assert.ok(!guard.has(path), path);
	await guard.write("handoff/notes.md");
	assert.ok(guard.has("handoff/notes.md"));
});

test("with a plan files are written", async () => {
	await using guard = await guarded();
	plan(guard);
	await guard.write("a.ts");
	assert.equal(readFileSync(join(guard.opened.work, "a.ts"), "utf8"), "- [ ] one\n");
});

test("a request to change something becomes one to plan it, until there is a plan", async () => {
	await using guard = await guarded();
	await guard.opened.submit("Fix the login form");
	assert.match(guard.opened.messages[0]!.text, /^Write a plan to plans\/active\/plan\.md, .* What is to be planned: Fix the login form$/);
	plan(guard);
	await guard.opened.submit("Fix the login form");
	assert.ok(guard.opened.messages.some(({ role, text }) => role === "user" && text === "Fix the login form"));
});

test("a question is a question", async () => {
	await using guard = await guarded();
	await guard.opened.submit("What does it do?");
	assert.equal(guard.opened.messages[0]!.text, "What does it do?");
});

test("a plan that was written in a turn counts from the next one on", async () => {
	await using guard = await guarded();
	const call = (path: string) => `CALL write_file ${JSON.stringify({ path, content: "- [ ] one\n" })}`;
	await guard.opened.submit(`Fix the login form\nSEQ\n${call("plans/active/plan.md")}\n${call("a.ts")}`);
	assert.ok(guard.has("plans/active/plan.md"));
	assert.match(guard.opened.results.at(-1)!, refused);
	await guard.write("a.ts");
	assert.ok(guard.has("a.ts"));
});

test("what it looks at can be set", async () => {
	await using guard = await guarded({ plan_path: "PLAN.md", blocked_tools: ["terminal"], allowed_paths: [] });
	await guard.write("a.ts");
	assert.ok(guard.has("a.ts"));
	await guard.opened.submit(`CALL terminal ${JSON.stringify({ command: "ls" })}`);
	assert.match(guard.opened.results.at(-1)!, /Write one to PLAN\.md and show it/);
});
