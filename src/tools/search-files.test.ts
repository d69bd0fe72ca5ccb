import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findOnPath, findRipgrep } from "./search-ripgrep.ts";
import { searchFilesWith } from "./search-files.ts";
import { testContext } from "./test-context.ts";

const walk = searchFilesWith(async () => undefined);

async function files(folder: string, contents: Readonly<Record<string, string | Buffer>>): Promise<void> {
	for (const [name, content] of Object.entries(contents)) {
		await mkdir(dirname(join(folder, name)), { recursive: true });
		await writeFile(join(folder, name), content);
	}
}

/** A tree with everything that matters: ignore files, hidden, binary and large files, links. */
async function tree(folder: string): Promise<void> {
	await files(folder, {
		".git/config": "needle in git",
		".gitignore": "node_modules/\n*.log\n!keep.log\n/only-here\n",
		".github/ci.yml": "run: needle\n",
		"a.ts": "first\nthe needle\r\n",
		"a/b.ts": "NEEDLE\nneedle needle\n",
		"a/.gitignore": "secret.ts\n!loud.log\n",
		"a/secret.ts": "needle",
		"a/loud.log": "needle",
		"a/only-here": "needle",
		"b.log": "needle",
		"keep.log": "needle",
		"only-here": "needle",
		"node_modules/x/index.js": "needle",
		"binary.bin": Buffer.from("needle\n\0needle"),
		"large.txt": `needle\n${"x".repeat(2 * 1024 * 1024)}`,
		"latin1.txt": Buffer.from("n\xe9 needle", "latin1"),
		"z z.md": "# needle\n",
	});
	await symlink("..", join(folder, "a", "up"));
}

const everywhere = [".github/ci.yml:1: run: needle", "a/b.ts:2: needle needle", "a/loud.log:1: needle", "a/only-here:1: needle", "a.ts:2: the needle", "keep.log:1: needle"];

test("matching lines come with path and line, sorted, without what .gitignore leaves out", async () => {
	await using context = await testContext();
	await tree(context.cwd);
	const result = await walk.run({ pattern: "needle" }, context);
	assert.equal(result.text, [...everywhere, "latin1.txt:1: n\uFFFD needle", "z z.md:1: # needle"].join("\n"));
	assert.deepEqual(result.details, { findings: 8, leftOut: 0, complete: true });
	assert.equal(result.isError, false);
});

test("globs, letter case and single files narrow the search", async () => {
	await using context = await testContext();
	await tree(context.cwd);
	const found = async (args: object) => (await walk.run({ pattern: "needle", ...args }, context)).text;
	assert.equal(await found({ glob: "*.ts" }), "a/b.ts:2: needle needle\na.ts:2: the needle");
	assert.equal(await found({ glob: "a/**/*.ts", ignore_case: true }), "a/b.ts:1: NEEDLE\na/b.ts:2: needle needle");
	assert.equal(await found({ glob: "*.{yml,md}" }), ".github/ci.yml:1: run: needle\nz z.md:1: # needle");
	assert.equal(await found({ glob: "!*.[!m]*" }), "a/only-here:1: needle\nz z.md:1: # needle");
	assert.equal(await found({ path: "a", glob: "*.ts" }), "b.ts:2: needle needle");
	assert.equal(await found({ path: "a/b.ts", pattern: "(?i)^needle$" }), "b.ts:1: NEEDLE");
	assert.equal(await found({ path: "node_modules/x" }), "index.js:1: needle");
	assert.equal(await found({ pattern: "no such thing" }), "Nothing found.");
});

test("mode 'files' lists the files whose path matches", async () => {
	await using context = await testContext();
	await tree(context.cwd);
	const found = async (args: object) => (await walk.run({ mode: "files", ...args }, context)).text.split("\n");
	assert.deepEqual(await found({ pattern: "\\.ts$" }), ["a/b.ts", "a.ts"]);
	assert.deepEqual(await found({ pattern: ".", path: "a" }), [".gitignore", "b.ts", "loud.log", "only-here"]);
	assert.deepEqual(await found({ pattern: "a/", glob: "*.log" }), ["a/loud.log"]);
});

test("inside a repository the rules of the folders above hold too, outside of one they do not", async () => {
	await using context = await testContext();
	await files(context.cwd, { ".gitignore": "*.log\n/in/gen/\n", "in/a.log": "x", "in/a.txt": "x", "in/gen/b.txt": "x" });
	const list = async () => (await walk.run({ pattern: ".", mode: "files", path: "in" }, context)).text;
	assert.equal(await list(), "a.log\na.txt\ngen/b.txt");
	await mkdir(join(context.cwd, ".git"));
	assert.equal(await list(), "a.txt");
});

test("findings beyond the limit are counted, long lines are cut around the match", async () => {
	await using context = await testContext();
	await files(context.cwd, { "a.txt": "x\n".repeat(1000), "b.txt": `${"-".repeat(1000)}x${"-".repeat(1000)}` });
	const { text, details } = await walk.run({ pattern: "x", limit: 3 }, context);
	assert.equal(text, "a.txt:1: x\na.txt:2: x\na.txt:3: x\n[998 more findings left out; narrow the pattern, the path or the glob, or raise limit]");
	assert.deepEqual(details, { findings: 3, leftOut: 998, complete: true });
	assert.equal((await walk.run({ pattern: "x", path: "b.txt" }, context)).text, `b.txt:1: [...] ${"-".repeat(100)}x${"-".repeat(299)} [...]`);
	await files(context.cwd, { "c.txt": `y${"-".repeat(390)}\n`.repeat(2000) });
	assert.ok((await walk.run({ pattern: "y", limit: 2000 }, context)).text.length < 51_000);
});

test("what is wrong with a pattern, a glob or a path is said", async () => {
	await using context = await testContext();
	const found = async (args: object) => {
		const result = await walk.run({ pattern: "x", ...args }, context);
		assert.equal(result.isError, true);
		return result.text;
	};
	assert.equal(await found({ pattern: "foo(" }), "The pattern is no regular expression: /foo(/: Unterminated group. Put a backslash before signs that are meant literally.");
	assert.match(await found({ pattern: "*.ts", mode: "files" }), /Nothing to repeat\..* It looks like a glob: give that as 'glob'\.$/);
	assert.equal(await found({ glob: "*.{ts,js" }), "The glob '*.{ts,js' has a bracket or brace that is not closed.");
	assert.equal(await found({ glob: "[z-a]" }), "The glob '[z-a]' has a range that cannot be read.");
	assert.equal(await found({ path: "nowhere" }), "There is no 'nowhere'. Look for it with search_files, mode 'files'.");
	assert.match(await found({ pattern: "a\0" }), /^The pattern holds a NUL character/);
});

test("a pattern that would take for ever is ended, in contents, in names and as a glob", async () => {
	await using context = await testContext();
	const name = "a".repeat(60);
	await files(context.cwd, { [`${name}!`]: `${name}!` });
	for (const args of [{ pattern: "^(a+)+$" }, { pattern: "^(a+)+$", mode: "files" }, { pattern: "x", glob: `${"{*,*a}".repeat(30)}b` }]) {
		const { text, isError } = await walk.run(args, context);
		assert.equal(text, "[stopped: the pattern takes too long (repetition inside repetition, like (a+)+, does that); make it simpler]");
		assert.equal(isError, true);
	}
});

test("a stop by the user ends a search", async () => {
	const stop = new AbortController();
	await using context = await testContext({ signal: stop.signal });
	await files(context.cwd, Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, "x\n"])));
	const searching = walk.run({ pattern: "x" }, context);
	stop.abort();
	assert.equal((await searching).text, "[interrupted]");
});

/** A program that stands in for ripgrep: it prints what the real one would. */
async function fakeRipgrep(folder: string, script: string): Promise<string> {
	const path = join(folder, "rg");
	await writeFile(path, `#!/bin/sh\n${script}\n`);
	await chmod(path, 0o755);
	return path;
}
const record = (type: string, data: object) => `printf '%s\\n' '${JSON.stringify({ type, data })}'`;
const fileOf = (path: object, binary: number | null, ...matches: readonly string[]) =>
	[
		record("begin", { path }),
		...matches.map((text, i) => record("match", { path, lines: { text: `${text}\n` }, line_number: i + 7, submatches: [{ start: 0 }] })),
		record("end", { path, binary_offset: binary }),
	].join("\n");

test("ripgrep's findings have the same shape, without binary files and those the glob leaves out", async () => {
	await using context = await testContext();
	await using elsewhere = await testContext();
	const latin1 = { bytes: Buffer.from("./caf\xe9.ts", "latin1").toString("base64") };
	const script = [
		`printf '%s\\n' "$@" > ${join(elsewhere.cwd, "arguments")}`,
		fileOf({ text: "./a b.ts" }, null, "needle one", "needle\ttwo"),
		fileOf({ text: "./a.png" }, 12, "needle"),
		fileOf({ text: "./b.md" }, null, "needle"),
		fileOf(latin1, null, "needle"),
		record("summary", {}),
		// As when one file could not be read: the search was complete all the same.
		"exit 2",
	].join("\n");
	const program = await fakeRipgrep(elsewhere.cwd, script);
	const result = await searchFilesWith(async () => program).run({ pattern: "-needle", glob: "*.{ts,png}" }, context);
	assert.equal(result.text, "a b.ts:7: needle one\na b.ts:8: needle\ttwo\ncaf\uFFFD.ts:7: needle");
	const { text } = await walk.run({ pattern: "^--regexp=-needle$", path: elsewhere.cwd, glob: "arguments" }, context);
	assert.match(text, /^arguments:\d+: --regexp=-needle$/);
});

test("what ripgrep cannot do is done by the walk: an error, nonsense, a program that does not start", async () => {
	await using context = await testContext();
	await using elsewhere = await testContext();
	await files(context.cwd, { "a.ts": "needle" });
	for (const script of ["echo regex parse error >&2; exit 2", "echo no json at all", "echo '{}'; kill -9 $$", record("end", {})]) {
		const program = await fakeRipgrep(elsewhere.cwd, script);
		assert.equal((await searchFilesWith(async () => program).run({ pattern: "(?<=n)eedle" }, context)).text, "a.ts:1: needle", script);
	}
	assert.equal((await searchFilesWith(async () => "/no/such/rg").run({ pattern: "needle" }, context)).text, "a.ts:1: needle");
});

test("a ripgrep that hangs ends with the turn", async () => {
	const stop = new AbortController();
	await using context = await testContext({ signal: stop.signal });
	await using elsewhere = await testContext();
	const program = await fakeRipgrep(elsewhere.cwd, "sleep 1000");
	const searching = searchFilesWith(async () => program).run({ pattern: "x" }, context);
	setTimeout(() => stop.abort(), 50);
	assert.equal((await searching).text, "[interrupted]");
});

test("programs are looked for in absolute entries of PATH only", async () => {
	await using context = await testContext();
	const program = await fakeRipgrep(context.cwd, "");
	await mkdir(join(context.cwd, "sub", "rg"), { recursive: true });
	assert.equal(await findOnPath("rg", `.:::${context.cwd}/sub:${context.cwd}`), program);
	await chmod(program, 0o644);
	assert.equal(await findOnPath("rg", context.cwd), undefined);
	assert.equal(await findRipgrep(), await findRipgrep());
});

const real = await findRipgrep();
test("the real ripgrep and the walk find the same", { skip: real === undefined && "ripgrep is not installed on this machine" }, async () => {
	await using context = await testContext();
	await tree(context.cwd);
	spawnSync("git", ["init", "-q"], { cwd: context.cwd });
	const ripgrep = searchFilesWith(async () => real);
	const searches = [
		{ pattern: "needle" },
		{ pattern: "needle", ignore_case: true, glob: "a/*" },
		{ pattern: ".", mode: "files" },
		{ pattern: "e", path: "a" },
		{ pattern: "needle", path: "a.ts" },
		{ pattern: "x", path: "node_modules" },
	];
	for (const args of searches) {
		assert.equal((await ripgrep.run(args, context)).text, (await walk.run(args, context)).text, JSON.stringify(args));
	}
	// An expression only ripgrep knows: it was really asked.
	assert.equal((await ripgrep.run({ pattern: "(?P<name>the needle)" }, context)).text, "a.ts:2: the needle");
});
