// examples/workflow-guard, copied into a home as its README says, and the same that comes with Hookline in TypeScript: the same cases for both, in real
// turns of the agent.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { bundledExtensions } from "../../src/extensions/bundled.ts";
import { type ExtensionSet, loadExtensions } from "../../src/extensions/load.ts";
import { userPackages } from "../../src/extensions/python.ts";
import type { Host } from "../../src/hosts/host.ts";
import { inlineHost } from "../../src/hosts/inline.ts";
import { pythonHost } from "../../src/hosts/python/host.ts";
import { open, type Opened } from "../agent/open.ts";
import { facts } from "../engine.ts";

const example = join(import.meta.dirname, "../../examples/workflow-guard");

interface Guarded extends AsyncDisposable {
	readonly opened: Opened;
	write(path: string): Promise<string>;
	has(path: string): boolean;
}

type Kind = "Python" | "TypeScript";

async function guarded(kind: Kind, config: Readonly<Record<string, unknown>> = {}): Promise<Guarded> {
	const opened = await open();
	const warnings: string[] = [];
	const warn = (message: string) => warnings.push(message);
	const onStray = ({ message }: { readonly message: string }) => warn(message);
	const settings = { "workflow-guard": { enabled: true, config } };
	const load = (set: ExtensionSet, host: () => Promise<Host>) => loadExtensions(set, { engine: opened.runtime.engine, host, facts, warn });
	let host: AsyncDisposable;
	if (kind === "Python") {
		cpSync(example, join(opened.home, "extensions/workflow-guard"), { recursive: true });
		const python = pythonHost({ name: "user", services: {}, log: () => {}, onStray });
		host = python;
		await load(userPackages(join(opened.home, "extensions"), settings, "config.yaml", async () => python), () => Promise.reject(new Error("it has a host of its own")));
	} else {
		const set = await bundledExtensions(settings, "config.yaml", { home: opened.home, taken: [], warn });
		const inline = inlineHost({ onStray, configOf: (name) => set.settings[name]?.config ?? {} });
		host = inline;
		await load(set, async () => inline);
	}
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
			await host[Symbol.asyncDispose]();
		},
	};
}

function plan({ opened }: Guarded, path = "plans/active/plan.md"): void {
	mkdirSync(dirname(join(opened.work, path)), { recursive: true });
	writeFileSync(join(opened.work, path), "# Plan\n\n- [ ] Fix it.\n");
}

const refused = /There is no plan yet that the user has agreed to\. Write one to plans\/active\/plan\.md and show it; files outside of plans\/, handoff\/ come after that\./;

for (const kind of ["Python", "TypeScript"] as const) {
	describe(`the workflow guard in ${kind}`, () => {
		test("without a plan nothing is written outside of plans/ and handoff/, by whatever way round", async () => {
			await using guard = await guarded(kind);
			mkdirSync(join(guard.opened.work, "plans"));
			symlinkSync("../d.ts", join(guard.opened.work, "plans/out.ts"));
			for (const path of ["src/a.ts", "plans/../b.ts", join(guard.opened.work, "c.ts"), "plans", "plans/out.ts"]) assert.match(await guard.write(path), refused, path);
			for (const path of ["src/a.ts", "b.ts", "c.ts", "d.ts"]) assert.ok(!guard.has(path), path);
			await guard.write("handoff/notes.md");
			assert.ok(guard.has("handoff/notes.md"));
		});

		test("with a plan files are written", async () => {
			await using guard = await guarded(kind);
			plan(guard);
			await guard.write("a.ts");
			assert.equal(readFileSync(join(guard.opened.work, "a.ts"), "utf8"), "- [ ] one\n");
		});

		test("a request to change something becomes one to plan it, until there is a plan", async () => {
			await using guard = await guarded(kind);
			await guard.opened.submit("Fix the login form");
			assert.match(guard.opened.messages[0]!.text, /^Write a plan to plans\/active\/plan\.md, .* What is to be planned: Fix the login form$/);
			plan(guard);
			await guard.opened.submit("Fix the login form");
			assert.ok(guard.opened.messages.some(({ role, text }) => role === "user" && text === "Fix the login form"));
		});

		test("a question is a question", async () => {
			await using guard = await guarded(kind);
			await guard.opened.submit("What does it do?");
			assert.equal(guard.opened.messages[0]!.text, "What does it do?");
		});

		test("the model is told what holds", async () => {
			await using guard = await guarded(kind);
			const told = async (words: string) => (await guard.opened.submit(`SYSTEM ${words}`)).text;
			assert.equal(await told("There is no plan in plans/active/plan.md."), "YES");
			plan(guard);
			assert.equal(await told("Follow plans/active/plan.md step by step."), "YES");
			assert.equal(await told("There is no plan"), "NO");
		});

		test("a plan that was written in a turn counts from the next one on", async () => {
			await using guard = await guarded(kind);
			const call = (path: string) => `CALL write_file ${JSON.stringify({ path, content: "- [ ] one\n" })}`;
			await guard.opened.submit(`Fix the login form\nSEQ\n${call("plans/active/plan.md")}\n${call("a.ts")}`);
			assert.ok(guard.has("plans/active/plan.md"));
			assert.match(guard.opened.results.at(-1)!, refused);
			await guard.write("a.ts");
			assert.ok(guard.has("a.ts"));
		});

		test("what it looks at can be set", async () => {
			await using guard = await guarded(kind, { plan_path: "PLAN.md", blocked_tools: ["terminal"], allowed_paths: [] });
			await guard.write("a.ts");
			assert.ok(guard.has("a.ts"));
			await guard.opened.submit(`CALL terminal ${JSON.stringify({ command: "ls" })}`);
			assert.match(guard.opened.results.at(-1)!, /Write one to PLAN\.md and show it/);
		});
	});
}
