// Shell hooks that a working folder brings in its .hookline/config.yaml.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { Check } from "../../src/cli/doctor/check.ts";
import { ProjectPlace, touch } from "./project.ts";
import { refusing } from "./shell-hook-place.ts";

let place: ProjectPlace;
beforeEach(() => void (place = new ProjectPlace()));
afterEach(() => place[Symbol.asyncDispose]());

/** A script in the project; gives its path. */
function script(path: string, text: string): string {
	const file = join(place.work, path);
	mkdirSync(join(file, ".."), { recursive: true });
	writeFileSync(file, text);
	chmodSync(file, 0o755);
	return file;
}

const hooked = (command: string, ...more: readonly string[]): string =>
	place.put("config.yaml", `hooks:\n  pre_tool_call:\n    - command: ${JSON.stringify(command)}\n      matcher: terminal\n${more.map((line) => `      ${line}\n`).join("")}`);

const sandboxed = (() => {
	try {
		execFileSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
})();

test("nothing of an untrusted folder is started, whoever says yes to shell hooks", async () => {
	script("check.sh", `#!/bin/sh\ntouch ${join(place.work, "ran")}\n`);
	hooked("./check.sh");
	const { stderr } = await place.run(["--accept-hooks", ...touch], { env: { HOOKLINE_ACCEPT_HOOKS: "1" } });
	assert.match(stderr, /\.hookline is not loaded, and none of its hooks run: you have not trusted it/);
	assert.ok(place.made("made"));
	assert.ok(!place.made("ran"));
	const doctor = await place.run(["hooks", "doctor"]);
	assert.match(doctor.stdout, /project\twarning\t.*you have not trusted it/);
	assert.ok(!place.made("ran"));
});

test("trust --show has each hook with all it would run; trusted, the bytes that were shown run", async () => {
	const file = script("tools/check.sh", refusing("not in this project"));
	hooked("tools/check.sh", "fail_closed: true", "env: [TOKEN]");
	const shown = await place.run(["trust", "--show"]);
	for (const line of [/hook +project:shell\/1, .*config\.yaml:3/, /event +pre_tool_call \(tool\.calling\), for tools that match terminal/, /interpreter +\/bin\/sh.*runs in its place/, /script +.*tools\/check\.sh \(\d+ bytes, a copy of it runs\)/, /if it fails +blocks/, /environment +TOKEN/, /sandbox +auto/]) assert.match(shown.stdout, line);
	const { hooks } = JSON.parse((await place.run(["trust", "--show", "--json"])).stdout) as { hooks: { id: string; command: string; files: { as: string; path: string }[] }[] };
	assert.deepEqual(hooks.map(({ id, command, files }) => [id, command, files[1]]), [["project:shell/1", "tools/check.sh", { ...hooks[0]!.files[1]!, as: "script", path: "../tools/check.sh" }]]);
	await place.trust();
	// From a folder below as well: its paths begin at the project's.
	mkdirSync(join(place.work, "below"));
	mkdirSync(join(place.work, ".git"));
	const { stderr } = await place.run(touch, { cwd: join(place.work, "below") });
	assert.equal(stderr, "");
	assert.ok(!existsSync(join(place.work, "below/made")));
	assert.equal(await place.blockedBy(), "project:shell/1");
	const list = await place.run(["hooks", "list"]);
	assert.match(list.stdout, /project:shell\/1\t.*shell \(strict, trusted with its folder\)/);
	assert.equal(list.code, 0);
	const doctor = JSON.parse((await place.run(["hooks", "doctor", "--json"])).stdout) as Check[];
	assert.match(doctor.find(({ name }) => name === "project:shell/1")!.message, /ran on a sample: exit code 0/);
	const allow = await place.run(["hooks", "allow", "project:shell/1"]);
	assert.deepEqual([allow.code, allow.stderr], [1, "hookline: 'project:shell/1' is a hook of a project: the trust of its folder is the consent to it. 'hookline trust' shows both and asks.\n"]);
	assert.ok(!existsSync(join(place.home, "shell-hooks-allowlist.json")));
	writeFileSync(file, refusing("edited"));
	const edited = await place.run(touch);
	assert.match(edited.stderr, /it has changed since you trusted it \(changed: \.\.\/tools\/check\.sh\)/);
	assert.ok(place.made("made"));
	assert.equal((await place.run(["hooks", "doctor"])).code, 1);
});

test("what stands in the folder of a hook belongs to it, and is hashed and copied along", async () => {
	script(".hookline/hooks/words/check.sh", '#!/bin/sh\ncase $(cat) in *touch*) cat "${0%/*}/answer.json" ;; esac\n');
	const answer = place.put("hooks/words/answer.json", '{"decision":"block","reason":"as its file says"}');
	hooked(".hookline/hooks/words/check.sh");
	await place.trust();
	await place.run(touch);
	assert.equal(await place.blockedBy(), "project:shell/1");
	writeFileSync(answer, "{}");
	assert.match((await place.run(touch)).stderr, /changed: hooks\/words\/answer\.json/);
});

test("a hook of a project can only tighten: its allow counts for nothing", async () => {
	script("yes.sh", `#!/bin/sh\ncat >/dev/null; echo '{"decision":"allow"}'\n`);
	hooked("./yes.sh");
	await place.trust();
	const { stdout } = await place.run(["hooks", "test", "pre_tool_call", "--for-tool", "terminal"]);
	assert.match(stdout, /Outcome: goes on$/m);
});

test("its hooks run in the sandbox where there is one", { skip: sandboxed ? false : "There is no bubblewrap that works." }, async () => {
	script("write.sh", `#!/bin/sh\ncat >/dev/null; touch ${join(place.work, "ran")} 2>/dev/null || echo '{"decision":"block","reason":"read-only"}'\n`);
	hooked("./write.sh");
	await place.trust();
	await place.run(touch);
	assert.equal(await place.blockedBy(), "project:shell/1");
	hooked("./write.sh", "sandbox: 'off'");
	assert.match((await place.run(["trust", "--show"])).stdout, /sandbox +off/);
	await place.trust();
	await place.run(touch);
	assert.ok(place.made("ran"));
});

const refused: readonly (readonly [what: string, make: () => void, why: RegExp])[] = [
	["a script that is not there", () => void hooked("./none.sh"), /config\.yaml:3:\d+: the hook project:shell\/1 cannot be started: There is no .*none\.sh/],
	["a script behind a link", () => (symlinkSync("/bin/sh", join(place.work, "sh")), void hooked("./sh")), /sh is a symbolic link, or lies behind one/],
	["an event there is not", () => void place.put("config.yaml", "hooks:\n  pre_tol_call:\n    - command: ls\n"), /config\.yaml:2:3: there is no event 'pre_tol_call'\. Did you mean 'pre_tool_call'\?/],
	["a yes to itself", () => void place.put("config.yaml", "hooks_auto_accept: true\n"), /'hooks_auto_accept' cannot be set by a project/],
];
for (const [what, make, why] of refused) {
	test(`a project with ${what} cannot be trusted, and is told why`, async () => {
		make();
		const shown = await place.shown();
		assert.equal(shown.state, "refused");
		assert.match(shown.problems.join("\n"), why);
		assert.equal((await place.run(["trust", "--hash", shown.hash])).code, 1);
	});
}

test("a closed guard whose interpreter is another by now asks again, and revoked trust removes it", async () => {
	const interpreter = join(place.folder, "bin/mysh");
	mkdirSync(join(place.folder, "bin"));
	writeFileSync(interpreter, readFileSync("/bin/sh"), { mode: 0o755 });
	script("check.sh", refusing("no").replace("/bin/sh", interpreter));
	hooked("./check.sh", "fail_closed: true");
	await place.trust();
	await place.run(touch);
	assert.ok(!place.made("made"));
	writeFileSync(interpreter, `#!/bin/sh\nexec /bin/sh "$@"\n`);
	assert.match((await place.run(touch)).stderr, new RegExp(`changed: ${interpreter}`));
	rmSync(interpreter);
	assert.match((await place.run(touch)).stderr, /The interpreter that the first line of .*check\.sh names is missing/);
	await place.run(["trust", "revoke"]);
	assert.match((await place.run(["trust", "list"])).stdout + (await place.run(["trust", "list"])).stderr, /You have trusted no folder/);
});
