// `hookline completion`: the script is really sourced, and the shell asked what it would complete.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { callTerminal, extension, launcher, Place } from "./program.ts";

const place = new Place();
after(() => place[Symbol.asyncDispose]());
const complete = async (...words: readonly string[]) => (await place.run(["__complete", "--", ...words])).stdout.split("\n").filter(Boolean);
const has = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

before(async () => {
	place.extension("watch.ts", extension(`	hooks.guard("tool.calling", { name: "no-made" }, () => undefined);`));
	await place.run(["run", callTerminal("true")]);
});

/** What bash offers for a command line with the cursor at its end. */
async function inBash(line: string): Promise<readonly string[]> {
	const script = join(place.folder, "completion.bash");
	writeFileSync(script, (await place.run(["completion", "bash"])).stdout);
	const words = [...line.matchAll(/[^\s:]+|:/g)].map(([word]) => `'${word}'`);
	if (/\s$/.test(line)) words.push("''");
	const program = `source ${script}; COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _hookline hookline; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p hookline >&2`;
	const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", program], {
		encoding: "utf8",
		cwd: place.work,
		env: { PATH: `${dirname(launcher)}:${process.env["PATH"]}`, HOME: place.folder, HOOKLINE_HOME: place.home },
	});
	assert.match(stderr, /-F _hookline/);
	return stdout.split("\n").filter(Boolean);
}

test("bash completes commands, options, events, hooks and providers", async () => {
	assert.deepEqual(await inBash("hookline con"), ["config"]);
	assert.deepEqual(await inBash("hookline hooks ex"), ["explain"]);
	assert.deepEqual(await inBash("hookline hooks trace --ev"), ["--event"]);
	assert.deepEqual(await inBash("hookline hooks trace --event tool.call"), ["tool.calling", "tool.called"]);
	assert.deepEqual(await inBash("hookline hooks test session.st"), ["session.started"]);
	assert.deepEqual(await inBash("hookline hooks show wa"), ["watch", "watch/no-made"]);
	assert.deepEqual(await inBash("hookline config get agent.max_s"), ["agent.max_steps"]);
	assert.deepEqual(await inBash("hookline run --model openai-"), ["openai-compatible:"]);
	assert.ok((await inBash("hookline ")).includes("run"));
});

test("what is hidden is not offered, and a prompt is not guessed at", async () => {
	assert.ok(!(await complete("")).some((word) => word.startsWith("_")));
	assert.deepEqual(await complete("run", "what"), []);
	assert.deepEqual(await complete("nonsense", "x", ""), []);
	assert.deepEqual(await complete("--nonsense", "con"), ["config"]);
	assert.deepEqual(await complete("hooks", "trace", "--limit", ""), []);
});

test("every command is offered, with each of its options, as its help names them", async () => {
	const { stdout } = await place.run(["hooks", "trace", "--help"]);
	const named = [...stdout.matchAll(/^\s+(?:-\w, )?(--[\w-]+)/gm)].map(([, option]) => option);
	assert.deepEqual((await complete("hooks", "trace", "--")).toSorted(), named.toSorted());
});

test("without a home there is nothing to complete from, nothing is made, and nothing is said", async () => {
	const home = join(place.folder, "none");
	const { code, stdout, stderr } = await place.run(["__complete", "--", "hooks", "show", ""], { env: { HOOKLINE_HOME: home } });
	assert.deepEqual([code, stdout, stderr], [0, "", ""]);
	assert.ok(!existsSync(home));
});

test("an unknown shell is refused with those there are", async () => {
	const { code, stderr } = await place.run(["completion", "bsh"]);
	assert.deepEqual([code, stderr], [2, "hookline: There is no completion for 'bsh'. Did you mean 'bash'? Known: bash, zsh, fish.\n"]);
});

for (const shell of ["bash", "zsh", "fish"]) {
	test(`${shell} takes its script`, { skip: has(shell) ? false : `${shell} is not on this machine` }, async () => {
		const { stdout } = await place.run(["completion", shell]);
		const { status, stderr } = spawnSync(shell, ["-n"], { input: stdout, encoding: "utf8" });
		assert.deepEqual([status, stderr], [0, ""]);
	});
}
