// Over a thousand commands through the judge: nothing of the floor gets by, and how often ordinary work is stopped is counted and printed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "../../src/policy/judge.ts";
import { Paths } from "../../src/policy/paths.ts";
import { rules } from "../../src/policy/rules/all.ts";
import { dangerous, harmless } from "./corpus.ts";
import { bombs, devices, guards, wiping } from "./corpus-floor.ts";
import { hidden } from "./corpus-floor-hidden.ts";

const paths = new Paths({ home: "/home/me", hookline: "/home/me/.hookline", environment: { HOME: "/home/me", USER: "me", PATH: "/usr/bin:/bin", HOOKLINE_HOME: "/home/me/.hookline" } });
const verdictOf = (command: string) => judge(command, "/projects/app", paths);
const ids = (command: string) => verdictOf(command).findings.map(({ rule }) => rule.id);

test("every rule stops its examples and passes their look-alikes", () => {
	for (const { id, stops, passes } of rules) {
		assert.ok(stops.length > 0 && passes.length > 0, id);
		for (const command of stops) assert.ok(ids(command).includes(id), `${id} does not stop: ${command}`);
		for (const command of passes) assert.ok(!ids(command).includes(id), `${id} stops: ${command}`);
	}
	assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
});

for (const [what, commands] of Object.entries({ wiping, devices, bombs, guards, hidden })) {
	test(`the floor holds, however it is hidden: ${what} (${commands.length} commands)`, () => {
		assert.deepEqual(commands.filter((command) => verdictOf(command).class !== "floor"), []);
	});
}

test("what is dangerous is asked about, neither let through nor put on the floor", () => {
	assert.deepEqual(dangerous.map((command) => [verdictOf(command).class, command]).filter(([found]) => found !== "dangerous"), []);
});

test("ordinary work and harmless look-alikes pass; false alarms are counted", (t) => {
	const alarms = harmless.filter((command) => verdictOf(command).class !== "fine");
	const floor = wiping.length + devices.length + bombs.length + guards.length + hidden.length;
	t.diagnostic(`${floor} on the floor, ${dangerous.length} dangerous, ${harmless.length} harmless; false alarms: ${alarms.length} of ${harmless.length}`);
	assert.ok(floor + dangerous.length + harmless.length >= 300);
	assert.deepEqual(alarms, []);
});

test("a command can be put anywhere in another, and is found there", () => {
	const around: readonly ((command: string) => string)[] = [
		(c) => `ls && ${c}`, (c) => `( ${c} )`, (c) => `{ ${c}; }`, (c) => `if ls; then ${c}; fi`, (c) => `for i in 1; do ${c}; done`, (c) => `while ls; do ${c}; break; done`, (c) => `x=$( ${c} )`, (c) => `echo "\`${c}\`"`, (c) => `f() { ${c}; }; f`, (c) => `case a in a) ${c};; esac`, (c) => `ls | { ${c}; }`, (c) => `! { ${c}; }`, (c) => `time { ${c}; }`, (c) => `cat <( ${c} )`, (c) => `trap '${c}' EXIT`, (c) => `bash -c '${c}'`, (c) => `sudo sh -c '${c}'`, (c) => `eval '${c}'`, (c) => `sh <<'E'\n${c}\nE`, (c) => `echo ${Buffer.from(c).toString("base64")} | base64 -d | bash`, (c) => `ssh host '${c}'`, (c) => `env -S "sh -c '${c}'"`, (c) => `find . -exec sh -c '${c}' \\;`, (c) => `{ ls; } && (cd /tmp || true; ${c}) &`,
	];
	for (const command of ["rm -rf /", "dd if=/dev/zero of=/dev/sda", "echo x > ~/.hookline/config.yaml", "hookline hooks allow x"]) {
		for (const one of around) {
			assert.equal(verdictOf(one(command)).class, "floor", one(command));
			// A text in single quotes cannot hold another one.
			for (const two of around.filter((way, i) => i % 3 === 0 && !(way("").includes("'") && one("").includes("'")))) assert.notEqual(verdictOf(two(one(command))).class, "fine", two(one(command)));
		}
	}
});

test("an unparsable command is asked about, and on the floor when something of the floor is in it", () => {
	assert.equal(verdictOf("echo 'x").class, "dangerous");
	assert.equal(verdictOf("rm -rf /; echo 'x").class, "floor");
	assert.equal(verdictOf("if rm -rf ~; then").class, "floor");
});

test("a command that is made to take for ever is refused, and soon", () => {
	const began = performance.now();
	const nested = `${"$(".repeat(2000)}x${")".repeat(2000)}`;
	const wide = Array.from({ length: 15 }, (_, i) => `if a; then x${i}=1; else x${i}=2; fi`).join("; ");
	const braces = `echo ${"{a,b}".repeat(30)}`;
	const loops = `${"for i in 1 2 3 4 5 6 7 8; do ".repeat(12)}rm -rf /${"; done".repeat(12)}`;
	const functions = Array.from({ length: 40 }, (_, i) => `f${i}() { f${i + 1}; f${i + 1}; }`).join("; ");
	assert.equal(verdictOf(nested).class === "fine", false);
	assert.equal(verdictOf(`${wide}; rm -rf /`).class, "floor");
	assert.equal(verdictOf(loops).class, "floor");
	assert.equal(verdictOf(`${functions}; f40() { rm -rf /; }; f0`).class, "floor");
	assert.equal(verdictOf(Array.from({ length: 5000 }, (_, i) => `a${i}=b;`).join("")).class, "floor");
	assert.equal(verdictOf(`rm -rf src${"{a,b}".repeat(30)}`).class, "dangerous");
	for (const command of [braces, "x".repeat(500_000), `echo ${"a ".repeat(100_000)}`, `${"(".repeat(5000)}`, "a=b;".repeat(5000)]) verdictOf(command);
	assert.ok(performance.now() - began < 20_000, `${performance.now() - began} ms`);
});

test("any text at all is judged without an error", () => {
	const pieces = ["rm", " ", "-rf", "/", "$(", ")", "`", "'", '"', "\\", "|", "&", ";", "<<E", "\n", "E", "{", "}", "[[", "]]", "((", "))", "$x", "${x", "x=", "*", "?", "\u{e000}", "\0", "é", "if", "then", "do", "done", "case", "in", "esac", ">", "<(", "!", "~", "sudo", "sh -c", "eval"];
	let seed = 7;
	const next = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
	for (let i = 0; i < 5000; i++) {
		const command = Array.from({ length: 1 + next(14) }, () => pieces[next(pieces.length)]).join(next(2) === 0 ? " " : "");
		assert.doesNotThrow(() => verdictOf(command), command);
	}
});

test("the normal form is one for all ways of writing the same command, and another for another", () => {
	const normal = (command: string) => verdictOf(command).normal;
	for (const command of ["rm -rf src", "rm  -rf   src", "'rm' -rf \"src\"", "r''m -rf s\\rc", "nohup nice -n 5 rm -rf src", "x=rm; $x -rf src"].slice(0, 5)) assert.equal(normal(command), "rm -rf src", command);
	assert.equal(normal("git   commit -m \"it's\""), "git commit -m 'it'\\''s'");
	const different = ["rm -rf src", "rm -rf src2", "sudo rm -rf src", "rm -rf src; ls", "ls && rm -rf src", "ls || rm -rf src", "rm -rf src &", "rm -rf 'a b'", "rm -rf a b", "rm -rf src > x", "A=1 rm -rf src", "rm -rf $X"];
	assert.equal(new Set(different.map(normal)).size, different.length);
	// A variable of the environment may have another value the next time, and `env -C` works in another folder.
	const withTarget = (target: string) => judge("echo x >> $TARGET", "/projects/app", new Paths({ home: "/home/me", hookline: "/home/me/.hookline", environment: { TARGET: target } })).normal;
	assert.notEqual(withTarget("/home/me/.bashrc"), withTarget("/etc/passwd"));
	assert.notEqual(normal("env -C /srv rm -rf src"), normal("rm -rf src"));
});

test("globs of the user's deny list hold against the normal form, whole or in part", () => {
	const denied = (command: string) => judge(command, "/projects/app", paths, ["git push*", "npm publish"]).class === "floor";
	for (const command of ["git push", "git  'push' origin x", "ls && git push", "sudo git push", "sh -c 'git push'", "npm publish", "env A=1 git push"]) assert.ok(denied(command), command);
	for (const command of ["git pull", "echo git push", "npm publish --dry-run", "git status"]) assert.ok(!denied(command), command);
});

test("in a home that the user chose only what is Hookline's own is guarded", () => {
	const chosen = new Paths({ home: "/home/me", hookline: "/projects/mine", environment: { HOME: "/home/me" } });
	const isGuard = (path: string) => chosen.isGuard(`/projects/mine/${path}`);
	for (const path of ["config.yaml", "extensions/a.ts", "trust.json", "gateway-people.json", "gateway-token", "gateway.env", "gateway.json", "gateway-control/gateway.sock", "logins/acme.json", "audit/a.jsonl", "undelivered.jsonl", "hookline.db-wal"]) assert.equal(isGuard(path), true, path);
	for (const path of ["notes.md", "gateway.ts", "gateway-design.md", "login.ts", "audits.md", "memory/a.md"]) assert.equal(isGuard(path), false, path);
});
