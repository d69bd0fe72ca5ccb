// The documents say what is so: pages that derive from code are fresh, and what a document shows runs.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pages } from "../scripts/docs.ts";
import { eventNames, specOf } from "../src/events/catalog.ts";
import { samplePayload } from "../src/events/samples.ts";
import { Place } from "./cli/program.ts";

const repository = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(repository, file), "utf8");

for (const [page, text] of Object.entries(pages)) {
	test(`${page} is what scripts/docs.ts writes`, () => {
		assert.equal(read(page), text(), "run: npm run docs");
	});
}

test("the first hook of the README works as the README says", { timeout: 60_000 }, async () => {
	const readme = read("README.md");
	const [, hook] = /```ts\n([\s\S]*?)```/.exec(readme)!;
	const [, prompt] = /bin\/hookline run '(CALL[^']*)'/.exec(readme)!;
	await using place = new Place();
	place.extension("no-sudo.ts", hook!);
	const run = await place.run(["run", prompt!]);
	assert.equal(run.code, 0);
	const [record] = await place.trace("--event", "tool.calling");
	assert.equal(record?.outcome, "blocked");
	assert.equal(record?.by, "no-sudo#1");
	const explained = await place.run(["hooks", "explain", "no-sudo"]);
	assert.match(explained.stdout, /It ran\. It ran and answered block/);
});

test("the engine can be mounted as docs/engine.md shows", { timeout: 60_000 }, async () => {
	const [, snippet] = /```ts\n([\s\S]*?)```/.exec(read("docs/engine.md"))!;
	await using place = new Place();
	const dispatch = `const outcome = await engine.dispatch("tool.calling", { eventId: "e", at: 0, surface: "test", cwd: "/", profile: "default", toolName: "deploy", callId: "c", args: {} });`;
	place.extension("mounted.ts", `${snippet}\n${dispatch}\nconsole.log(JSON.stringify(outcome));\nexport { defineExtension };\nimport { defineExtension } from "hookline";\nexport default defineExtension(() => {});\n`);
	const { stderr } = await place.run(["hooks", "list"]);
	assert.match(stderr, /\{"kind":"blocked","reason":"not now","by":"mine#1","cause":"decision"\}/);
});

test("every link between the documents leads somewhere", () => {
	const documents = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
	for (const file of ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...documents.map((name) => `docs/${name}`)]) {
		for (const [, target] of read(file).matchAll(/\]\((?!http)([^)#]+)\)/g)) assert.doesNotThrow(() => read(join(file, "..", target!)), `${file} links to ${target}`);
	}
});

test("every event has a sample whose fields a rewrite could replace", () => {
	for (const name of eventNames) {
		const sample: object = samplePayload(name, { cwd: "/", at: 0, eventId: "e" });
		const spec = specOf(name);
		if (spec.kind === "observe") continue;
		for (const field of Object.keys(spec.rewrites)) assert.ok(field in sample || field === "summary", `${name} has no ${field}`);
	}
});

test("the tests that docs/extension-questions.md names are there", () => {
	const page = read("docs/extension-questions.md");
	let named = 0;
	for (const [, words] of page.matchAll(/^Held by ([\s\S]*?)\n(?:\n|$(?![\s\S]))/gm)) {
		let file = "";
		for (const [, path, name] of words!.matchAll(/`([\w/.-]+\.test\.ts)`|"([^"]+)"/g)) {
			if (path !== undefined) file = read(path);
			else assert.ok(file.includes(`test("${name}"`), `no test is called "${name}"`);
			named++;
		}
	}
	assert.ok(named >= 8);
});
