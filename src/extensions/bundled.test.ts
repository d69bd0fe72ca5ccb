// Which of the extensions that come with Hookline are loaded, and with which settings.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionSet } from "./load.ts";
import { bundledExtensions, bundledNames } from "./bundled.ts";

async function bundled(settings: ExtensionSet["settings"], taken: readonly string[] = []): Promise<{ readonly set: ExtensionSet; readonly warnings: readonly string[] }> {
	const warnings: string[] = [];
	const set = await bundledExtensions(settings, "config.yaml", { home: "/projects/home", taken, warn: (message) => warnings.push(message) });
	return { set, warnings };
}

test("none is loaded that nobody enabled, and settings alone enable none", async () => {
	const { set, warnings } = await bundled({ "audit-log": { config: {} }, "safety-gate": { enabled: false }, other: { enabled: true } });
	assert.deepEqual([set.found, set.problems, set.settings], [[], [], {}]);
	assert.deepEqual(warnings, ["config.yaml has settings for the extension 'audit-log', which comes with Hookline and is not loaded unless they say 'enabled: true'."]);
});

test("all of them can be enabled, each with what its manifest asks for and says by itself", async () => {
	const { set, warnings } = await bundled(Object.fromEntries(bundledNames().map((name) => [name, { enabled: true }])));
	assert.deepEqual(set.found.map(({ name }) => name), ["audit-log", "boot-md", "git-checkpoint", "safety-gate", "workflow-guard"]);
	assert.deepEqual([set.problems, warnings, set.trust, set.host], [[], [], "bundled", "inline"]);
	for (const { name, granted } of set.found) assert.ok(granted !== undefined && granted !== "everything" && granted.events.length > 0, name);
	assert.deepEqual(set.settings["audit-log"], { required: true, enabled: true, config: { folder: "/projects/home/audit" } });
});

test("one of the user's own takes its place, which is said", async () => {
	const { set, warnings } = await bundled({ "audit-log": { enabled: true } }, ["audit-log"]);
	assert.deepEqual([set.found, set.settings], [[], {}]);
	assert.deepEqual(warnings, ["The extension 'audit-log' is your own; the one of that name that comes with Hookline is not loaded."]);
});

test("who enables one does not go on without it, unless they say so", async () => {
	const { set } = await bundled({ "audit-log": { enabled: true, config: { foldr: "x" } }, "workflow-guard": { enabled: true, required: false, host: "node" } });
	assert.deepEqual(set.problems.map(({ name }) => name), ["audit-log"]);
	assert.match(set.problems[0]!.message, /^its settings \(extensions\.audit-log\.config in config\.yaml\) are not as it wants them: .*foldr/);
	assert.equal(set.settings["audit-log"]?.required, true);
	assert.deepEqual([set.settings["workflow-guard"]?.required, set.settings["workflow-guard"]?.host], [false, "node"]);
});
