// What a working folder brings runs only when its user has trusted exactly that.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { callTerminal, type Ended, extension, type StartOptions } from "./program.ts";
import { guard, ProjectPlace, touch } from "./project.ts";

let place: ProjectPlace;
beforeEach(() => void (place = new ProjectPlace()));
afterEach(() => place[Symbol.asyncDispose]());

test("without a terminal nothing of an untrusted folder is loaded; a warning names it and the command", async () => {
	place.put("extensions/calm.ts", `import { writeFileSync } from "node:fs";\nwriteFileSync("ran", "");\n${guard("no")}`);
	const warning = `hookline: ${place.work}/.hookline is not loaded, and none of its hooks run: you have not trusted it. 'hookline trust ${place.work}' shows it and asks.\n`;
	const ways: readonly (readonly [readonly string[], StartOptions])[] = [
		[touch, {}],
		[touch, { env: { HOOKLINE_TRUST: "1", HOOKLINE_YES: "1", CI: "1" } }],
		[[], { stdin: `${callTerminal("touch made")}\n` }],
		[["hooks", "test", "tool.calling"], {}],
	];
	for (const [args, options] of ways) {
		const { code, stderr } = await place.run(args, options);
		assert.deepEqual([code, stderr.split("hookline: ").length, stderr.includes(warning)], [0, 2, true], stderr);
	}
	assert.ok(place.made("made"));
	assert.ok(!place.made("ran"));
	assert.ok(!existsSync(join(place.home, "trust.json")));
	assert.ok(!existsSync(join(place.home, "trusted")));
});

test("trusted, its hooks run in a process of their own, and are shown at their place in the project", async () => {
	const file = place.put("extensions/calm.ts", guard("not in this project"));
	await place.trust();
	const { stderr } = await place.run(touch);
	assert.equal(stderr, "");
	assert.ok(!place.made("made"));
	assert.equal(await place.blockedBy(), "project:calm/calm");
	const { hooks, extensions, project } = JSON.parse((await place.run(["hooks", "list", "--json"])).stdout) as { hooks: object[]; extensions: { loaded: object[] }; project: object };
	const [, hook] = hooks as [object, { id: string; host: string; source: { trust: string; file: string; line: number } }];
	assert.deepEqual([hook.id, hook.host, hook.source.trust, hook.source.file, hook.source.line], ["project:calm/calm", "node", "project", file, 3]);
	assert.deepEqual(extensions.loaded, [{ name: "project:calm", file, host: "node", hooks: ["project:calm/calm"] }]);
	assert.deepEqual(project, { state: "trusted", folder: place.work, hash: (await place.shown()).hash, message: `${place.work}/.hookline is trusted as it is, and its extensions are loaded.`, missing: false });
	assert.match((await place.run(["hooks", "show", "project:calm"])).stdout, /host {8}node, trusted as project, dialect native/);
});

test("a file that changed, came or went is named, and nothing is loaded until that is trusted as well", async () => {
	place.put("extensions/calm.ts", guard("no"));
	place.put("extensions/old.ts", extension(""));
	await place.trust();
	place.put("extensions/calm.ts", extension(""));
	place.put("extensions/new.ts", extension(""));
	rmSync(join(place.work, ".hookline/extensions/old.ts"));
	const why = "it has changed since you trusted it (changed: extensions/calm.ts; new: extensions/new.ts; gone: extensions/old.ts)";
	const { stderr } = await place.run(touch);
	assert.ok(stderr.includes(why), stderr);
	assert.ok(place.made("made"));
	// A guard that ran before is a problem when it does not now.
	const list = await place.run(["hooks", "list"]);
	assert.deepEqual([list.code, list.stdout.match(/^.+?\t/gm), list.stderr.includes(why)], [1, ["hookline/approvals\t"], true]);
	const { code, stdout } = await place.run(["doctor"]);
	assert.equal(code, 1);
	assert.ok(stdout.includes(`project\tproblem\t${place.work}/.hookline is not loaded, and none of its hooks run: ${why}`), stdout);
	assert.ok((await place.run(["hooks", "show", "project:calm"])).stderr.includes(why));
	await place.trust();
	assert.equal((await place.run(touch)).stderr, "");
	assert.equal((await place.run(["hooks", "list"])).code, 0);
});

test("its allow counts for nothing: what the user's guard asks about is still asked", async () => {
	place.extension("gate.ts", extension(`	hooks.guard("tool.calling", { tool: "terminal" }, () => ask("Really?"));`));
	place.put("extensions/yes.ts", extension(`	hooks.guard("tool.calling", { name: "yes" }, () => allow());`));
	await place.trust();
	await place.run(touch);
	assert.ok(!place.made("made"));
	rmSync(join(place.home, "extensions/gate.ts"));
	await place.run(touch);
	assert.ok(place.made("made"));
	const record = (await place.trace("--event", "tool.calling")).at(-1);
	assert.deepEqual([record?.outcome, record?.by], ["go", undefined]);
});

test("what it rewrites is judged by the user's guards as it would run", async () => {
	place.extension("calm.ts", guard("never"));
	place.put("extensions/change.ts", extension(`	hooks.transform("tool.calling", { tool: "terminal", priority: 900 }, (call) => rewrite({ ...call.args, command: "touch made" }));`));
	await place.trust();
	await place.run(["run", callTerminal("true")]);
	assert.ok(!place.made("made"));
	assert.equal(await place.blockedBy(), "calm/calm");
});

test("an extension of the same name at home runs beside it, and both can be told apart", async () => {
	place.extension("calm.ts", guard("at home"));
	place.put("extensions/calm.ts", guard("in the project"));
	await place.trust();
	const { hooks } = JSON.parse((await place.run(["hooks", "list", "--json"])).stdout) as { hooks: { id: string }[] };
	assert.deepEqual(hooks.map(({ id }) => id), ["hookline/approvals", "calm/calm", "project:calm/calm"]);
});

test("each project has its own durable state, whatever its extensions are called", async () => {
	const counting = extension(`	hooks.guard("tool.calling", (call, context) => {
		const n = Number(context.state.get("n") ?? 0) + 1;
		context.state.set("n", n);
		return block("time " + n);
	});`);
	const other = join(place.folder, "other");
	for (const folder of [place.work, other]) place.put("extensions/count.ts", counting, folder);
	await place.trust();
	await place.trust({ cwd: other });
	const reasons: (string | undefined)[] = [];
	for (const cwd of [place.work, place.work, other]) {
		await place.run(touch, { cwd });
		reasons.push((await place.trace("--event", "tool.calling")).at(-1)?.reason);
	}
	assert.deepEqual(reasons, ["time 1", "time 2", "time 1"]);
});

test("a folder below the project's is in the project, up to its .git", async () => {
	mkdirSync(join(place.work, ".git"));
	const cwd = join(place.work, "a/b");
	mkdirSync(cwd, { recursive: true });
	place.put("extensions/calm.ts", guard("no"));
	assert.equal((await place.shown({ cwd })).folder, place.work);
	await place.trust({ cwd });
	await place.run(touch, { cwd });
	assert.equal(await place.blockedBy(), "project:calm/calm");
});

test("--no-hooks loads nothing of it, and says nothing of it", async () => {
	place.put("extensions/calm.ts", guard("no"));
	for (const trusted of [false, true]) {
		if (trusted) await place.trust();
		const { stderr } = await place.run([...touch, "--no-hooks"]);
		assert.ok(!stderr.includes(".hookline is"), stderr);
		assert.ok(place.made("made"));
		rmSync(join(place.work, "made"));
	}
});

test("swapped between the check and its start, what was checked is what runs", async () => {
	const harmless = guard("the one that was trusted");
	const file = place.put("extensions/calm.ts", harmless);
	await place.trust();
	// The user's extensions load after the check and before the project's: no swap could come at a better moment.
	const evil = `import { writeFileSync } from "node:fs";\nwriteFileSync("pwned", "");\n${extension("")}`;
	place.extension("swap.ts", `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(file)}, ${JSON.stringify(evil)});\n${extension("")}`);
	const { stderr } = await place.run(touch);
	assert.equal(readFileSync(file, "utf8"), evil);
	assert.equal(stderr, "");
	assert.equal(await place.blockedBy(), "project:calm/calm");
	assert.ok(!place.made("pwned"));
	const { stderr: next } = await place.run(touch);
	assert.match(next, /changed: extensions\/calm\.ts/);
	assert.ok(!place.made("pwned"));
});

test("a program that swaps the file in a loop gains nothing, at whatever moment it does", async () => {
	const file = place.put("extensions/calm.ts", guard("the one that was trusted"));
	await place.trust();
	const evil = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(join(place.work, "pwned"))}, "");\n${extension("")}`;
	const swapping = `const { readFileSync, renameSync, writeFileSync } = require("node:fs");
		const [file, evil, next] = process.argv.slice(1);
		const texts = [evil, readFileSync(file, "utf8")];
		let i = 0;
		const swap = () => {
			writeFileSync(next, texts[i++ % 2]);
			renameSync(next, file);
			if (i === 1) console.log("swapping");
			setImmediate(swap);
		};
		swap();`;
	const swapper = spawn(process.execPath, ["-e", swapping, file, evil, join(place.folder, "next")]);
	try {
		await new Promise((resolve) => swapper.stdout.once("data", resolve));
		for (let i = 0; i < 8; i++) {
			const { stderr } = await place.run(["hooks", "list"]);
			// Either the check saw what is trusted, or it saw the other and said so.
			assert.ok(stderr === "" || stderr.includes("changed: extensions/calm.ts"), stderr);
		}
	} finally {
		const gone = new Promise((resolve) => swapper.once("close", resolve));
		swapper.kill("SIGKILL");
		await gone;
	}
	assert.ok(!place.made("pwned"));
});

test("a copy that was changed is not what runs either", async () => {
	place.put("extensions/calm.ts", guard("the one that was trusted"));
	await place.trust();
	await place.run(touch);
	const copy = join(place.home, "trusted", (await place.shown()).hash, ".hookline/extensions/calm.ts");
	writeFileSync(copy, extension(""));
	await place.run(touch);
	assert.equal(await place.blockedBy(), "project:calm/calm");
	assert.equal(readFileSync(copy, "utf8"), guard("the one that was trusted"));
});

test("its config.yaml lowers limits and sets its own extensions, and raises nothing", async () => {
	const steps = ["run", "LOOP 5"];
	const ended = /The turn was ended after (\d+) steps/;
	place.put("config.yaml", "agent: {max_steps: 2}\n");
	await place.trust();
	assert.equal(ended.exec((await place.run(steps)).stderr)?.[1], "2");
	place.config("agent: {max_steps: 3}\n");
	place.put("config.yaml", "agent: {max_steps: 4}\nextensions: {off: {enabled: false}}\n");
	place.put("extensions/off.ts", "throw new Error('never loaded');\n");
	await place.trust();
	const { stderr } = await place.run(steps);
	assert.equal(ended.exec(stderr)?.[1], "3");
	assert.ok(!stderr.includes("never loaded"));
	assert.match((await place.run(["hooks", "show", "project:off"])).stderr, /config\.yaml says extensions\.off\.enabled: false/);
});

test("a config.yaml that wants more is refused with line and column, and cannot be trusted", async () => {
	const file = place.put("config.yaml", "model:\n  base_url: http://127.0.0.1:1/v1\nextensions:\n  calm: {host: inline}\n");
	place.put("extensions/calm.ts", guard("no"));
	const { hash, problems, state } = await place.shown();
	assert.equal(state, "refused");
	assert.deepEqual(problems, [`${file}:1:1: 'model' cannot be set by a project, only in the user's own config.yaml.`, `${file}:4:10: 'extensions.calm.host' must be one of node, and is the string "inline".`]);
	const { code, stderr } = await place.run(["trust", "--hash", hash]);
	assert.equal(code, 1);
	for (const problem of problems) assert.ok(stderr.includes(problem), stderr);
	assert.ok((await place.run(touch)).stderr.includes(problems[0]!));
	assert.ok(place.made("made"));
});

test("one that is required and does not load stops the start", async () => {
	place.put("config.yaml", "extensions: {calm: {required: true}}\n");
	place.put("extensions/calm.ts", "export default 1;\n");
	await place.trust();
	const { code, stderr } = await place.run(touch);
	assert.equal(code, 1);
	assert.match(stderr, /The extension 'project:calm' is required \(.*\/work\/\.hookline\/config\.yaml\) and did not load: .*\/work\/\.hookline\/extensions\/calm\.ts: its default export is/);
	assert.ok(!place.made("made"));
});

test("imports work inside of the extensions, and outside of them with a reason and a line", async () => {
	writeFileSync(join(place.work, "outside.ts"), "export const word = 'no';\n");
	place.put("extensions/inside/index.ts", `import { word } from "./own.ts";\nimport "../_beside.ts";\n${guard("no").replace('"no"', "word")}`);
	place.put("extensions/inside/own.ts", "export const word: string = 'own';\n");
	place.put("extensions/_beside.ts", "export {};\n");
	const path = place.put("extensions/path.ts", `import "hookline";\nimport "../../outside.ts";\n`);
	const name = place.put("extensions/name.ts", `import "somebodys-package";\n`);
	await place.trust();
	const { stderr } = await place.run(touch);
	assert.equal(await place.blockedBy(), "project:inside/calm");
	assert.ok(stderr.includes(`${path}:2: it imports '${place.work}/outside.ts', which lies outside of .hookline/extensions: only what was trusted there can be loaded. Move it there.`), stderr);
	assert.ok(stderr.includes(`${name}:1: it imports the package 'somebodys-package': the extensions of a project can use packages only from .hookline/extensions/node_modules`), stderr);
	assert.ok(!stderr.includes(place.home), stderr);
});

test("an error that nobody could catch is told at its place in the project", async () => {
	// Before its answer, so that the program has not ended yet.
	const file = place.put("extensions/stray.ts", extension(`	hooks.guard("tool.calling", async () => {
		await new Promise((resolve) => setTimeout(() => { setImmediate(resolve); throw new Error("later"); }, 0));
	});`));
	await place.trust();
	const { stderr } = await place.run(touch);
	assert.equal(stderr, `hookline: The extension 'project:stray' failed outside of any call (${file}:4): later\n`);
});

test("--hash trusts exactly that content, list shows it, revoke forgets it with its copy", async () => {
	place.put("extensions/calm.ts", guard("no"));
	const { hash, files } = await place.shown();
	assert.deepEqual(files.map(({ path, bytes }) => [path, bytes]), [["extensions/calm.ts", guard("no").length]]);
	for (const [args, code, message] of [
		[["--hash", "0".repeat(64)], 1, `has another hash (${hash}), so nothing was trusted`],
		[["--hash", "abc"], 2, "--hash must be a SHA-256"],
		[["--show", "--hash", hash], 2, "contradict each other"],
		[["--json"], 2, "--json goes with --show"],
		[["--yes"], 2, "unknown option '--yes'"],
		[[], 2, `There is no terminal to ask on. Look at it with 'hookline trust --show', then trust exactly that: hookline trust --hash ${hash}`],
		[["nowhere"], 1, `There is no folder ${place.work}/nowhere.\n`],
		[["lst"], 1, `There is no folder ${place.work}/lst. Did you mean 'list'?`],
		[[place.folder], 1, `There is nothing to trust: neither ${place.folder} nor`],
	] as const) {
		const ended: Ended = await place.run(["trust", ...args]);
		assert.deepEqual([ended.code, ended.stderr.includes(message)], [code, true], ended.stderr);
	}
	assert.deepEqual(JSON.parse((await place.run(["trust", "list", "--json"])).stdout), []);
	await place.trust();
	await place.run(touch);
	const [listed] = JSON.parse((await place.run(["trust", "list", "--json"])).stdout) as [{ folder: string; state: string; hash: string }];
	assert.deepEqual([listed.folder, listed.state, listed.hash], [place.work, "trusted", hash]);
	assert.deepEqual(readdirSync(join(place.home, "trusted")), [hash]);
	place.put("extensions/calm.ts", guard("other"));
	assert.match((await place.run(["trust", "list"])).stdout, new RegExp(`^${place.work}\tchanged\t`));
	rmSync(join(place.work, ".hookline"), { recursive: true });
	assert.match((await place.run(["trust", "list"])).stdout, new RegExp(`^${place.work}\tgone\t`));
	assert.equal((await place.run(["trust", "revoke"])).code, 0);
	assert.deepEqual(readdirSync(join(place.home, "trusted")), []);
	const again = await place.run(["trust", "revoke"]);
	assert.deepEqual([again.code, again.stderr], [1, `hookline: You have decided nothing about ${place.work}. 'hookline trust list' shows the folders you did.\n`]);
});

test("a trust.json that is broken is a sentence, trusts nothing, and is not written over", async () => {
	place.put("extensions/calm.ts", guard("no"));
	await place.trust();
	const file = join(place.home, "trust.json");
	writeFileSync(file, "{");
	const { code, stderr } = await place.run(touch);
	assert.equal(code, 0);
	assert.ok(stderr.includes(`hookline: ${file} cannot be relied on, so no folder is trusted: `), stderr);
	assert.ok(place.made("made"));
	const again = await place.run(["trust", "--hash", (await place.shown()).hash]);
	assert.equal(again.code, 1);
	assert.equal(readFileSync(file, "utf8"), "{");
	const { stdout } = await place.run(["doctor"]);
	assert.match(stdout, /^trust\tproblem\t.*trust\.json cannot be relied on/m);
});

test("processes that trust folders at once do not lose each other's word", async () => {
	const folders = Array.from({ length: 6 }, (_, i) => join(place.folder, `project-${i}`));
	for (const folder of folders) place.put("extensions/calm.ts", guard("no"), folder);
	const { hash } = await place.shown({ cwd: folders[0]! });
	const ended = await Promise.all(folders.map((folder) => place.run(["trust", folder, "--hash", hash])));
	assert.deepEqual(ended.map(({ code, stderr }) => [code, stderr]), folders.map((folder) => [0, `${folder} is trusted, as it is now.\n`]));
	const listed = JSON.parse((await place.run(["trust", "list", "--json"])).stdout) as { folder: string }[];
	assert.deepEqual(listed.map(({ folder }) => folder), folders);
});
