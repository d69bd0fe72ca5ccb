// On a pseudo-terminal: what a working folder brings is shown to the person, who decides.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { extension, type Running } from "./program.ts";
import { guard, ProjectPlace, touch } from "./project.ts";

const noTerminal = spawnSync("python3", ["-c", "import pty"]).status === 0 ? false : "there is no python3 to make a pseudo-terminal with";

let place: ProjectPlace;
beforeEach(() => void (place = new ProjectPlace()));
afterEach(() => place[Symbol.asyncDispose]());

const words = ({ stdout }: Pick<Running, "stdout">) => stripVTControlCharacters(stdout).replaceAll("\r", "");
const question = "Trust exactly this?";

test("on a terminal the person is shown what would load, all of it if they want, and their yes counts from this start on", { skip: noTerminal }, async () => {
	place.put("extensions/calm.ts", guard("\u001b[31mno"));
	place.put("config.yaml", "agent: {max_steps: 9}\n");
	const running = place.onTerminal(touch);
	await running.shows(question);
	const before = words(running);
	assert.ok(before.includes(`${place.work}/.hookline would load:\n     22 bytes  config.yaml\n    ${guard("\u001b[31mno").length} bytes  extensions/calm.ts\nIts config.yaml sets:\n    agent.max_steps: 9\nSHA-256 `), before);
	assert.ok(!before.includes("defineExtension"));
	running.write("s\r");
	await running.shows(/\nextensions\/calm\.ts:\r?\n {4}import .*defineExtension[\s\S]*Trust exactly this\?/);
	running.write("what\r");
	await running.shows(/Please answer t, s, never, or nothing\.[\s\S]*Trust exactly this\?/);
	running.write("t\r");
	assert.equal((await running.ended).code, 0);
	assert.ok(!place.made("made"));
	assert.equal(await place.blockedBy(), "project:calm/calm");
	const next = place.onTerminal(touch);
	await next.ended;
	assert.ok(!next.stdout.includes(question));
});

test("the default is not now; what changed since it was trusted is marked", { skip: noTerminal }, async () => {
	place.put("extensions/calm.ts", guard("no"));
	const first = place.onTerminal(touch);
	await first.shows(question);
	first.write("\r");
	assert.equal((await first.ended).code, 0);
	assert.ok(place.made("made"));
	assert.ok(words(first).includes("you have not trusted it"), words(first));
	await place.trust();
	place.put("extensions/calm.ts", guard("other"));
	place.put("extensions/new.ts", extension(""));
	const second = place.onTerminal(touch);
	await second.shows(question);
	assert.match(words(second), /extensions\/calm\.ts {2}\(changed\)\n.*extensions\/new\.ts {2}\(new\)\n/);
	second.write("\r");
	await second.ended;
});

test("never: there is no question about this content any more, but about another", { skip: noTerminal }, async () => {
	place.put("extensions/calm.ts", guard("no"));
	const first = place.onTerminal(touch);
	await first.shows(question);
	first.write("never\r");
	await first.ended;
	const second = place.onTerminal(touch);
	await second.ended;
	assert.ok(!words(second).includes(".hookline"), words(second));
	const { code, stderr } = await place.run(["hooks", "list"]);
	assert.equal(code, 0);
	assert.match(stderr, /you did not want to be asked about it again/);
	place.put("extensions/calm.ts", guard("other"));
	const third = place.onTerminal(touch);
	await third.shows(question);
	third.write("\u0003");
	assert.equal((await third.ended).code, 130);
});

test("a yes typed before the question was put is no answer to it", { skip: noTerminal }, async () => {
	place.put("extensions/calm.ts", guard("no"));
	const waiting = `import{existsSync}from"node:fs";while(!existsSync("typed"))await(new(Promise)(r=>setTimeout(r,10)));`;
	const running = place.onTerminal(touch, { env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(waiting)}` } });
	running.write("t\rt");
	await running.shows(/t\r?\nt/);
	writeFileSync(join(place.work, "typed"), "");
	await running.shows(question);
	running.write("\r");
	await running.ended;
	assert.ok(!existsSync(join(place.home, "trust.json")));
	assert.ok(place.made("made"));
});

test("a conversation asks as well, before it begins; Ctrl-D at the question is not now", { skip: noTerminal }, async () => {
	place.put("extensions/calm.ts", guard("no"));
	const left = place.onTerminal(["run", "SAY hi"]);
	await left.shows(question);
	left.write("\u0004");
	assert.equal((await left.ended).code, 0);
	assert.ok(words(left).includes("you have not trusted it"), words(left));
	const running = place.onTerminal([], { env: { TERM: "dumb" } });
	await running.shows(question);
	assert.ok(!words(running).includes("Ctrl-D leaves"));
	running.write("t\r");
	await running.shows(/1 hook from 1 extension/);
	running.write("\u0004");
	assert.equal((await running.ended).code, 0);
});

test("hookline trust asks anywhere, also about what was declined", { skip: noTerminal }, async () => {
	place.put("extensions/calm.ts", guard("no"));
	for (const [keys, says] of [["never", "You will not be asked about this content of"], ["n", "Nothing was changed."], ["t", "is trusted, as it is now."]] as const) {
		const running = place.onTerminal(["trust", "work"], { cwd: place.folder });
		await running.shows(question);
		running.write(`${keys}\r`);
		assert.equal((await running.ended).code, 0);
		assert.ok(words(running).includes(says), words(running));
	}
	assert.match((await place.run(["trust"])).stderr, /is trusted as it is, and its extensions are loaded\. 'hookline trust revoke' forgets that\./);
});
