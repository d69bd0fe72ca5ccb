// The files of a new extension.
import { fileURLToPath } from "node:url";
import { ownVersion } from "../../../extensions/manifest/read.ts";

export const languages = ["ts", "js"] as const;
export type Language = (typeof languages)[number];

export interface NewFile {
	/** Below the extension's folder, with slashes. */
	readonly path: string;
	readonly text: string;
}

export function filesOf(name: string, lang: Language): readonly NewFile[] {
	const type = (written: string) => (lang === "ts" ? written : "");
	return [
		{
			path: "EXTENSION.yaml",
			text: `name: ${JSON.stringify(name)}
version: 0.1.0
description: Stops a git push that rewrites what others have.
license: MIT
hookline: ">=${ownVersion()}"
main: index.${lang}
# What it hooks, and what else it may do. Whoever installs it is asked.
events: [tool.calling]
permissions: {}
# What can be set for it in config.yaml, as extensions.NAME.config.
config:
  type: object
  additionalProperties: false
  properties: {}
`,
		},
		{
			path: `index.${lang}`,
			text: `import { block, defineExtension } from "hookline";

/** Why a command must not run; undefined when it may. */
export function whyNot(command${type(": string")})${type(": string | undefined")} {
	return /\\bgit\\s+push\\b.*\\s(?:--force|-f)(?:\\s|$)/.test(command) ? "That rewrites what others have." : undefined;
}

export default defineExtension((hooks) => {
	hooks.guard("tool.calling", { name: "commands", tool: "terminal" }, (call) => {
		const why = whyNot(String(call.args["command"] ?? ""));
		return why === undefined ? undefined : block(why);
	});
});
`,
		},
		{
			path: `index.test.${lang}`,
			text: `// Run it in this folder: npm test
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestAgent } from "hookline/testing";
import { whyNot } from "./index.${lang}";

test("a push that rewrites is told from one that does not", () => {
	assert.equal(whyNot("git push --force origin main"), "That rewrites what others have.");
	assert.equal(whyNot("git push origin main"), undefined);
});

test("the agent is stopped before it runs such a command", async () => {
	await using agent = await openTestAgent({ extensions: [new URL("./index.${lang}", import.meta.url)] });
	assert.deepEqual(agent.warnings, []);
	// Nothing runs: only the hooks are asked.
	const calling = async (command${type(": string")}) => (await agent.fire("tool.calling", { toolName: "terminal", args: { command } })).inWords;
	assert.equal(await calling("git push -f"), ${JSON.stringify(`blocked by ${name}/commands: That rewrites what others have.`)});
	assert.equal(await calling("ls"), "goes on");
});
`,
		},
		{ path: "package.json", text: `${JSON.stringify({ name, version: "0.1.0", type: "module", license: "MIT", scripts: { test: "node --test" } }, undefined, "\t")}\n` },
		{ path: ".gitignore", text: "node_modules/\n*.tgz\n" },
		...doorFiles(),
	];
}

/** What `import "hookline"` means in a test and an editor: this Hookline. In the agent it means the one that loads the extension. */
function doorFiles(): readonly NewFile[] {
	const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
	const doors = ["index", "testing"].map((name) => ({ name, url: new URL(`../../../${name}.${ending}`, import.meta.url) }));
	const exports = Object.fromEntries(doors.map(({ name }) => [name === "index" ? "." : `./${name}`, { types: `./${name}.d.ts`, default: `./${name}.js` }]));
	return [
		{ path: "node_modules/hookline/package.json", text: `${JSON.stringify({ name: "hookline", version: ownVersion(), type: "module", exports }, undefined, "\t")}\n` },
		...doors.flatMap(({ name, url }) => [
			{ path: `node_modules/hookline/${name}.js`, text: `export * from ${JSON.stringify(url.href)};\n` },
			{ path: `node_modules/hookline/${name}.d.ts`, text: `export * from ${JSON.stringify(fileURLToPath(url))};\n` },
		]),
	];
}
