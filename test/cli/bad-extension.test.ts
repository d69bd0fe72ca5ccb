// Extensions that cannot be loaded, or that answer nonsense: said with file and line, and everything else still runs.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { callTerminal, extension, Place } from "./program.ts";

const guard = extension(`hooks.guard("tool.calling", { name: "calm" }, () => block("Nothing is made here."));`);

// Begun first and looked at last: it takes ten seconds in which nothing else has to wait.
const hanging = new Place();
after(() => hanging[Symbol.asyncDispose]());
hanging.extension("hang.ts", `import { defineExtension } from "hookline";\nexport default defineExtension(async () => { await new Promise(() => {}); });\n`);
hanging.extension("z-guard.ts", guard);
const hung = hanging.run(["run", callTerminal("touch made")]);

/** Name, content, and what is said about it; FILE stands for its path. */
const broken: readonly (readonly [what: string, name: string, text: string, says: string])[] = [
	["a syntax error", "a.ts", `import { defineExtension } from "hookline";\nexport default defineExtension((hooks) => {\n\thooks.guard("tool.calling", () => {{ return undefined; });\n});\n`, "FILE:3: it cannot be read: "],
	["a throw while it is read", "b.ts", `import "hookline";\nthrow new Error("no luck");\n`, "FILE:2: it threw no luck while it was read."],
	["a factory that throws a string", "c.ts", extension(`\n\tthrow "luck";`), "FILE: its factory threw \"luck\"."],
	["no default export", "d.ts", `export const hooks = 1;\n`, "FILE: it has no default export. It must export an extension:"],
	["a package that is not installed", "e.ts", `import "left-pad";\n${extension("")}`, "FILE:1: it imports the package 'left-pad', which is not installed."],
	["a file that is not there", "f.ts", `\nimport "./nowhere.ts";\n${extension("")}`, "FILE:2: it imports '"],
	["a misspelt event", "g.ts", extension(`\n\thooks.guard("tool.caling", () => undefined);`), "FILE:4: g: guard('tool.caling'): there is no such event. Did you mean 'tool.calling'?"],
	["a misspelt option", "h.mjs", extension(`\n\n\thooks.guard("tool.calling", { priorty: 1 }, () => undefined);`), "FILE:5: h: guard('tool.calling'): there is no option 'priorty'. Did you mean 'priority'?"],
	["a handler that is no function", "i.js", extension(`\thooks.guard("tool.calling", {}, "no");`), "FILE:3: i: guard('tool.calling'): the handler must be a function, not a string."],
	["a stage the event cannot have", "j.ts", extension(`\thooks.guard("tool.called", () => undefined);`), "FILE:3: j: guard('tool.called'): tool.called has happened: nothing can be decided about it any more. Did you mean 'tool.calling'?"],
	["a folder without an index", "k/readme.txt", "nothing", "the folder has no index.ts, index.mts, index.js, index.mjs, so there is nothing to load. If it is not meant to be an extension, begin its name with '_'."],
	["a name with a space", "l m.ts", extension(""), "the name of an extension is letters, digits, '.', '_' and '-' only. Rename the file."],
];

test("what cannot be loaded is reported with file, line and cause, each of them, and the others still run", async () => {
	await using place = new Place();
	const files = broken.map(([, name, text]) => place.extension(name, text));
	place.extension("z-guard.ts", guard);
	const { code, stdout, stderr } = await place.run(["run", callTerminal("touch made")]);
	for (const [i, [what, , , says]] of broken.entries()) assert.ok(stderr.includes(says.replace("FILE", files[i]!)), `${what}: ${says}\n${stderr}`);
	assert.equal(stderr.match(/ is not loaded, and none of its hooks run: /g)?.length, broken.length);
	assert.doesNotMatch(stderr, /\n\s+at /);
	assert.equal(stdout, "DONE\n");
	assert.equal(code, 0);
	assert.ok(!place.made("made"), "the guard that did load has run");
	const list = await place.run(["hooks", "list"]);
	assert.equal(list.code, 1, "a guard that is missing is a problem");
	assert.match(list.stdout, /^z-guard\/calm\t/m);
});

test("a required extension that is broken, or not there at all, stops the start: exit code 1, nothing runs", async () => {
	await using place = new Place();
	const file = place.extension("gate.ts", "export default 1;\n");
	const config = place.config("extensions:\n  gate:\n    required: true\n");
	const failed = await place.run(["run", callTerminal("touch made")]);
	assert.ok(failed.stderr.includes(`hookline: The extension 'gate' is required (${config}) and did not load: ${file}: its default export is 1`), failed.stderr);
	assert.deepEqual([failed.code, failed.stdout], [1, ""]);

	place.config("extensions:\n  gaet:\n    required: true\n");
	const missing = await place.run(["run", callTerminal("touch made")]);
	assert.match(missing.stderr, /hookline: The extension 'gaet' is required .* has settings for an extension 'gaet', and there is none in .*extensions\. Did you mean 'gate'\?/);
	assert.deepEqual([missing.code, missing.stdout], [1, ""]);

	place.config("extensions:\n  gate:\n    required: true\n    enabled: false\n");
	const contradiction = await place.run(["run", callTerminal("touch made")]);
	assert.match(contradiction.stderr, /'gate' is required .* says 'required: true' and 'enabled: false' of it\. Remove one of them\./);
	assert.deepEqual([contradiction.code, contradiction.stdout], [1, ""]);
	assert.ok(!place.made("made"));
	assert.deepEqual(await place.sessions(), []);
});

test("settings of an extension that is not there are a warning, and things go on", async () => {
	await using place = new Place();
	place.config("extensions:\n  gaet:\n    enabled: true\n");
	const { code, stderr, stdout } = await place.run(["run", "SAY hi"]);
	assert.match(stderr, /^hookline: .*config\.yaml has settings for an extension 'gaet', and there is none in .*extensions\.\n$/);
	assert.deepEqual([code, stdout], [0, "hi\n"]);
});

/** Each a guard's or transform's answer that is none; what the model is told and what the trace says. */
const nonsense: readonly (readonly [what: string, body: string, says: RegExp])[] = [
	["a number from a guard", `hooks.guard("tool.calling", () => 42);`, /bad-answer/],
	["a decision the event does not take", `hooks.guard("tool.calling", () => respond("hi"));`, /bad-answer/],
	["a rewrite from a guard", `hooks.guard("tool.calling", () => rewrite({ command: "true" }));`, /bad-answer/],
	["a rewrite that fails the tool's schema, closed", `hooks.transform("tool.calling", { onError: "closed" }, () => rewrite({ comand: "touch made" }));`, /invalid-rewrite.*'comand' is unknown: did you mean 'command'/],
	["a string that is thrown", `hooks.guard("tool.calling", () => { throw "oh"; });`, /threw.*oh/],
];

for (const [what, body, says] of nonsense) {
	test(`${what}: blocked, the model gets a result, the trace says why`, async () => {
		await using place = new Place();
		place.extension("odd.ts", extension(`\t${body}`));
		const { code, stdout } = await place.run([], { stdin: `${callTerminal("touch made")}\nSEEN [Blocked by odd#1] Hook odd#1 failed\n` });
		assert.equal(stdout, "DONE\n1\n");
		assert.equal(code, 0);
		assert.ok(!place.made("made"));
		const trace = (await place.run(["hooks", "trace", "--event", "tool.calling"])).stdout;
		assert.match(trace, /odd#1 {2}\w+ {2}failed/);
		assert.match(trace, says);
	});
}

test("an open transform whose rewrite fails the tool's schema is left out, and the trace says why", async () => {
	await using place = new Place();
	place.extension("odd.ts", extension(`\thooks.transform("tool.calling", () => rewrite({ command: 7 }));`));
	const { code, stderr } = await place.run(["run", callTerminal("touch made")]);
	assert.ok(place.made("made"));
	assert.equal(code, 0);
	assert.match(stderr, /odd#1.*failed at tool\.calling \(invalid-rewrite\).*'command' must be string/);
	assert.match((await place.run(["hooks", "trace"])).stdout, /→ go\n {4}odd#1 {2}transform {2}failed \(invalid-rewrite\)/);
});

test("an extension whose factory hangs holds nothing up for ever, and is named", async () => {
	const { code, stderr } = await hung;
	assert.match(stderr, /The extension 'hang' is not loaded, .*hang\.ts: its factory did not return within 10000 ms/);
	assert.equal(code, 0);
	assert.ok(!hanging.made("made"));
});
