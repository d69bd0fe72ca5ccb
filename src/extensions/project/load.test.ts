// A project's extensions in Python, and its plugins: read from the private copy, with settings of their own, and told of under their places in the project.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { facts, inWords, input, toolCall } from "../../../test/engine.ts";
import { NextCalls } from "../../dialects/hermes-plugin/next-calls.ts";
import { createEngine } from "../../engine/engine.ts";
import { pythonHost } from "../../hosts/python/host.ts";
import { loadExtensions } from "../load.ts";
import { packagesIn } from "../python.ts";
import { projectPackages } from "./load.ts";
import { projectPlugins } from "./plugins.ts";
import type { Project } from "./project.ts";

let top = "";
beforeEach(() => {
	top = mkdtempSync(join(tmpdir(), "hookline-project-"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

test("a project's package runs from the copy and fails under its own name", async () => {
	const folder = join(top, "one");
	const copy = join(top, "copy");
	const file = join(folder, ".hookline/extensions/guard/__init__.py");
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `from agent.extension_hooks import HookResult, get_config, register_hook\nfrom .why import why\n\n\n@register_hook("intercept_tool_call")\ndef guard(tool_name):\n    return HookResult("block", why(get_config("more")))\n\n\n@register_hook("transform_user_input")\ndef breaks(user_message):\n    raise ValueError(__file__)\n`);
	writeFileSync(join(dirname(file), "why.py"), "def why(more):\n    return 'Not here.' + more\n");
	cpSync(folder, copy, { recursive: true });
	// What was trusted runs, not what came after it.
	writeFileSync(join(dirname(file), "why.py"), "raise ValueError('swapped')\n");
	const warnings: string[] = [];
	const log: string[] = [];
	const engine = createEngine({ log: (hook, line) => log.push(`${hook} ${line}`) });
	await using python = pythonHost({ name: "project", services: {}, log: () => {}, onStray: ({ message }) => void warnings.push(message) });
	const copied = { project: { folder, config: { extensions: { guard: { config: { more: " Really." } } } } } as unknown as Project, copy };
	const { loaded } = await loadExtensions(projectPackages(copied, async (settings) => packagesIn(async () => python, settings)), { engine, host: () => Promise.reject(new Error("it has a host of its own")), facts, warn: (message) => warnings.push(message) });
	assert.deepEqual(loaded, [{ name: "project:guard", file, host: "python", hooks: ["project:guard/guard", "project:guard/breaks", "project:guard/turn-state"] }]);
	assert.deepEqual(warnings, []);
	assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "blocked by project:guard/guard (decision): Not here. Really.");
	assert.equal(inWords(await engine.dispatch("input.receiving", input())), "go");
	assert.deepEqual(log, [`project:guard/breaks failed at input.receiving (threw): ValueError: ${file} (${file}:12); it is open, so things go on without it`]);
	assert.ok(engine.hooks("tool.calling").every(({ source }) => source.trust === "project" && source.file === file));
});

test("a project's plugins run from the copy without being enabled, without the user's settings and secrets, unless the user turned them off", async () => {
	const folder = join(top, "one");
	const copy = join(top, "copy");
	for (const name of ["guard", "off"]) {
		const file = join(folder, ".hookline/plugins", name, "__init__.py");
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(join(dirname(file), "plugin.yaml"), "requires_env: [TOKEN]\n");
		writeFileSync(file, `import os\n\ndef check(**kwargs):\n    raise ValueError(__file__)\n\ndef register(ctx):\n    print(ctx.get_config("color"), os.environ.get("TOKEN"))\n    ctx.register_hook("pre_tool_call", check)\n    ctx.register_hook("pre_tool_cal", check)\n`);
	}
	cpSync(folder, copy, { recursive: true });
	const file = join(folder, ".hookline/plugins/guard/__init__.py");
	writeFileSync(file, "raise ValueError('swapped')\n");
	const warnings: string[] = [];
	const said: string[] = [];
	const engine = createEngine();
	const nextCalls = new NextCalls();
	await using python = pythonHost({ name: "project", services: nextCalls.services, log: (unit, line) => said.push(`${unit}: ${line}`), onStray: ({ message }) => void warnings.push(message) });
	const copied = { project: { folder, config: {} } as unknown as Project, copy };
	const options = { settings: { disabled: ["off"], entries: { guard: { settings: { color: "red" } } } }, environment: { TOKEN: "secret" }, sessions: { messages: () => [], get: () => undefined }, python: async () => python, nextCalls, warn: (message: string) => void warnings.push(message) };
	const { loaded } = await loadExtensions(await projectPlugins(copied, options), { engine, host: () => Promise.reject(new Error("it has a host of its own")), facts, warn: options.warn });
	assert.deepEqual(loaded, [{ name: "project:plugins/guard", file, host: "python", hooks: ["project:plugins/guard/pre_tool_call.check", "project:plugins/guard/pre_tool_call-modify"] }]);
	assert.deepEqual(warnings, ["The plugin 'guard': register_hook('pre_tool_cal'): there is no such hook, so check is never called. Did you mean 'pre_tool_call'?"]);
	const outcome = inWords(await engine.dispatch("tool.calling", toolCall()));
	assert.ok(outcome.startsWith(`blocked by project:plugins/guard/pre_tool_call.check (failure): Hook project:plugins/guard/pre_tool_call.check failed (threw): ValueError: ${file} (${file}:4)`), outcome);
	assert.ok(engine.hooks("tool.calling").every(({ source }) => source.trust === "project" && source.file === file));
	await python[Symbol.asyncDispose]();
	assert.deepEqual(said.slice(0, 1), ["project:plugins/guard: None None"]);
});
