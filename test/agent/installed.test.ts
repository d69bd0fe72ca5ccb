// Extensions that were installed, in an agent that runs.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { guardPackage, writeFiles, type Files } from "../cli/package-source.ts";
import { callTerminal, extension, Place } from "../cli/program.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { open } from "./open.ts";

/** A home with a package installed, and all granted that it asks for. */
async function installed(files: Files): Promise<Place> {
	const place = new Place();
	writeFiles(join(place.folder, "package"), files);
	const { code, stderr } = await place.run(["extensions", "install", join(place.folder, "package"), "--yes"]);
	assert.equal(code, 0, stderr);
	return place;
}

test("one that is edited while the agent runs is neither taken up nor lost: the version that was agreed to goes on", { timeout: 60_000 }, async () => {
	await using place = await installed(guardPackage("1.0.0"));
	const mine = (text: string) => extension(`	// ${text}\n	hooks.observe("turn.ended", () => {});`);
	await using agent = await open({ home: place.home, extensions: { "mine.ts": mine("as it was") } });
	await agent.runtime.extensions.watch();
	agent.extension("calm/index.ts", guardPackage("6.6.6")["index.ts"]!);
	agent.extension("mine.ts", mine("saved after that"));
	await eventually(() => agent.logged.some((line) => line.includes("reloaded the extension 'mine'")), "the change was seen");
	await agent.submit(callTerminal("touch made"));
	const reloaded = await agent.runtime.extensions.reload();
	const [calm] = reloaded.filter(({ name }) => name === "calm");
	assert.equal(calm?.did, "failed");
	assert.match(calm.about, /^it was edited since it was installed \(index\.ts\)/);
	await eventually(() => agent.warnings.some((text) => text.startsWith("The extension 'calm' was not reloaded, and the version before goes on: it was edited")), "it is said");
	await agent.submit(callTerminal("touch made"));
	assert.deepEqual(agent.results, Array(2).fill("[Blocked by calm/no-touch] Says 1.0.0."));
});

test("of the tools it brings the model gets those that were granted", { timeout: 60_000 }, async () => {
	const tool = (name: string, more = "") => `hookline.registerTool({ name: "${name}", description: "x", parameters: { type: "object" }, run: () => "from ${name}"${more} });`;
	await using place = await installed({
		"EXTENSION.yaml": "name: tooly\nversion: 1.0.0\npermissions:\n  tools: { register: ['deploy_*', patch], override: [read_file] }\n",
		"index.ts": `import { defineExtension } from "hookline";\nexport default defineExtension((_, hookline) => {\n${tool("deploy_now")}\n${tool("sneaky")}\n${tool("read_file", ", overrides: true")}\n${tool("write_file", ", overrides: true")}\n${tool("patch", ", overrides: true")}\n});\n`,
	});
	await using agent = await open({ home: place.home });
	const left = agent.warnings.find((text) => text.includes("left out"));
	assert.equal(left, "The extension 'tooly' brings tools that you have not granted it, and they are left out: sneaky, write_file. 'hookline extensions info tooly' shows what you have.");
	await agent.submit("CALL deploy_now {}");
	await agent.submit("CALL read_file {\"path\":\"x\"}");
	await agent.submit("CALL tooly__patch {}");
	await agent.submit("CALL sneaky {}");
	assert.deepEqual(agent.results.slice(0, 3), ["from deploy_now", "from read_file", "from patch"]);
	assert.doesNotMatch(agent.results[3]!, /from sneaky/);
	assert.ok(agent.warnings.includes("The extension 'tooly' may not take the place of the tool 'patch': you have not granted it that."));
});

test("granted to, it runs in our own process", { timeout: 60_000 }, async () => {
	const code = `import { defineExtension } from "hookline";\nexport default defineExtension((hooks) => hooks.observe("turn.ended", () => void (globalThis.inside = process.pid)));\n`;
	await using place = await installed({ "EXTENSION.yaml": "name: close\nversion: 1.0.0\nevents: [turn.ended]\npermissions: { inline: true }\n", "index.ts": code });
	writeFileSync(join(place.home, "config.yaml"), "");
	await using agent = await open({ home: place.home });
	assert.deepEqual(agent.runtime.extensions.loaded.map(({ name, host }) => [name, host]), [["close", "inline"]]);
});
