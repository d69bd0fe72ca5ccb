// An extension from an author to a user: installed, granted, used, updated, refused, removed. Nothing of it runs before it is loaded.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Check } from "../../src/cli/doctor/check.ts";
import { blocked, guardPackage, infoOf, type PackageSource, sources, writeFiles } from "./package-source.ts";
import { callTerminal, extension, Place } from "./program.ts";

const touch = ["run", callTerminal("touch made")];
const wantsHost = "permissions:\n  hosts: [api.example.com]\n";

for (const [kind, open] of Object.entries(sources)) {
	test(`${kind}: install, grant, use, update with a new permission, refuse, update, remove`, { timeout: 120_000 }, async () => {
		await using place = new Place();
		await using author: PackageSource = await open(place.folder);
		const options = { env: author.env ?? {} };
		author.publish("1.0.0", guardPackage("1.0.0"));

		const asked = await place.run(["extensions", "install", author.source], options);
		assert.equal(asked.code, 2);
		assert.match(asked.stderr, /calm 1\.0\.0: Nothing is touched\.[\s\S]*It asks to:\n {4}hook tool\.calling {2}\(enforced\)[\s\S]*There is no terminal to ask on, so nothing was changed\./);
		assert.deepEqual(readdirSync(join(place.home, "extensions")), []);

		const installed = await place.run(["extensions", "install", author.source, "--yes"], options);
		assert.equal(installed.code, 0, installed.stderr);
		assert.match(installed.stderr, /calm 1\.0\.0 is installed, and is loaded from the next start on\./);
		assert.deepEqual(readdirSync(join(place.home, "extensions")), ["calm"]);
		assert.equal(await blocked(place), "[Blocked by calm/no-touch] Says 1.0.0.");
		const { source, state, permissions } = await infoOf(place);
		assert.deepEqual([source.kind, state], [kind, "enabled"]);
		assert.deepEqual(permissions.find(({ area }) => area === "events"), { area: "events", asks: ["tool.calling"], granted: ["tool.calling"], held: "enforced", how: "With a hook at any other event it is not loaded." });

		author.publish("1.1.0", guardPackage("1.1.0", wantsHost));
		const refused = await place.run(["extensions", "update", "calm"], options);
		assert.equal(refused.code, 2);
		assert.match(refused.stderr, /^'calm' 1\.1\.0 wants more than 1\.0\.0:\n {4}connect to api\.example\.com\ncalm 1\.0\.0 → 1\.1\.0, from [\s\S]*changed: EXTENSION\.yaml\n {4}changed: index\.ts\n/);
		assert.equal(await blocked(place), "[Blocked by calm/no-touch] Says 1.0.0.");

		const updated = await place.run(["extensions", "update", "calm", "--yes"], options);
		assert.equal(updated.code, 0, updated.stderr);
		assert.equal(await blocked(place), "[Blocked by calm/no-touch] Says 1.1.0.");
		assert.deepEqual((await infoOf(place)).granted.hosts, ["api.example.com"]);
		assert.match((await place.run(["extensions", "update"], options)).stderr, /^calm 1\.1\.0 is the newest\.$/m);

		// Nobody's registry is needed to start, nor to remove.
		await author[Symbol.asyncDispose]();
		const removed = await place.run(["extensions", "remove", "calm"]);
		assert.equal(removed.code, 0, removed.stderr);
		assert.deepEqual(readdirSync(join(place.home, "extensions")), []);
		assert.equal((await place.run(touch)).code, 0);
		assert.ok(place.made("made"));
		assert.ok(!existsSync(join(place.folder, "installed")), "no install script has run");
	});
}

test("on a terminal it is asked: nothing installs on a no, and a refused update leaves the version that is there", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await using author = await sources["folder"]!(place.folder);
	author.publish("1.0.0", guardPackage("1.0.0"));
	const answer = async (line: string, ...args: readonly string[]) => {
		const running = place.onTerminal(["extensions", ...args]);
		await running.shows(/\[y = yes.*\] /);
		// What is typed before the question can be read is no answer.
		const typing = setInterval(() => running.write(line), 100);
		const ended = await running.ended;
		clearInterval(typing);
		return ended;
	};
	assert.equal((await answer("n\n", "install", author.source)).code, 1);
	assert.deepEqual(readdirSync(join(place.home, "extensions")), []);
	assert.match((await answer("\x03", "install", author.source)).stdout, /Stopped; nothing was changed\./);
	assert.deepEqual(readdirSync(join(place.home, "extensions")), []);
	assert.equal((await answer("y\n", "install", author.source)).code, 0);
	author.publish("2.0.0", guardPackage("2.0.0", wantsHost));
	const refused = await answer("n\n", "update", "calm");
	assert.match(refused.stdout, /wants more than 1\.0\.0[\s\S]*calm 1\.0\.0 stays as it is\./);
	assert.equal(refused.code, 1);
	assert.equal(await blocked(place), "[Blocked by calm/no-touch] Says 1.0.0.");
	author.publish("1.2.0", guardPackage("1.2.0"));
	const same = await place.run(["extensions", "update"]);
	assert.equal(same.code, 0, "a version that wants no more is no question");
	assert.equal(await blocked(place), "[Blocked by calm/no-touch] Says 1.2.0.");
});

test("a part of what is asked for can be granted, and a hook beyond that keeps the extension out", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await using author = await sources["folder"]!(place.folder);
	author.publish("1.0.0", guardPackage("1.0.0", wantsHost));
	const wrong = await place.run(["extensions", "install", author.source, "--grant", "event"]);
	assert.deepEqual([wrong.code, wrong.stderr], [2, "hookline: --grant: there is no 'event'. Did you mean 'events'? It takes all, none, or some of events, tools, paths, hosts, env, exec, inline.\n"]);
	assert.equal((await place.run(["extensions", "install", author.source, "--grant", "hosts"])).code, 0);
	writeFiles(join(place.home, "extensions/needy"), { "EXTENSION.yaml": "name: needy\nversion: 1.0.0\ndependencies: { calm: ^1.0.0 }\n", "index.ts": extension("") });
	const run = await place.run(touch);
	assert.match(run.stderr, /The extension 'needy' is not loaded.*: it needs the extension 'calm', which is not loaded\./);
	assert.match(run.stderr, /The extension 'calm' is not loaded, and none of its hooks run: .*index\.ts: it hooks tool\.calling, which you have not granted it\. 'hookline extensions info calm' shows what you have\./);
	assert.ok(place.made("made"));
	const { granted, notes } = await infoOf(place);
	assert.deepEqual([granted.hosts, granted.events, notes], [["api.example.com"], [], ["It asks for more than you granted it: hook tool.calling."]]);
	const updated = await place.run(["extensions", "update"]);
	assert.match(updated.stderr, /is the newest/, "what was refused is not asked again");
});

test("what was edited since it was installed is not loaded until somebody says so", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await using author = await sources["folder"]!(place.folder);
	author.publish("1.0.0", guardPackage("1.0.0"));
	await place.run(["extensions", "install", author.source, "--yes"]);
	const edit = (path: string, text: string) => writeFiles(join(place.home, "extensions/calm"), { [path]: text });
	edit("index.ts", guardPackage("6.6.6")["index.ts"]!);
	edit("more.ts", "");
	const says = /The extension 'calm' is not loaded, and none of its hooks run: it was edited since it was installed \(index\.ts, more\.ts\)\. 'hookline extensions update calm' puts it back or brings the newest version, 'hookline extensions update calm --accept' takes it as it is now\./;
	assert.match((await place.run(["run", "hello"])).stderr, says);
	const doctor = await place.run(["extensions", "doctor", "--json"]);
	assert.equal(doctor.code, 1);
	assert.deepEqual((JSON.parse(doctor.stdout) as Check[]).map(({ name, state }) => [name, state]), [["extension calm", "problem"]]);
	assert.equal((await place.run(["extensions", "update", "calm", "--accept"])).code, 0);
	assert.equal(await blocked(place), "[Blocked by calm/no-touch] Says 6.6.6.");
	const back = await place.run(["extensions", "update", "calm"]);
	assert.match(back.stderr, /changed: index\.ts\n {4}gone: more\.ts/);
	assert.equal(await blocked(place), "[Blocked by calm/no-touch] Says 1.0.0.");
	// More may not be granted by editing.
	edit("EXTENSION.yaml", guardPackage("1.0.0", wantsHost)["EXTENSION.yaml"]!);
	assert.equal((await place.run(["extensions", "update", "calm", "--accept"])).code, 2);
	assert.equal((await infoOf(place)).state, "not loaded");
});

test("disable and enable change one line of config.yaml; remove keeps what was stored unless told to purge", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await using author = await sources["folder"]!(place.folder);
	const counts = extension(`	hooks.observe("turn.ended", (_, ctx) => { ctx.state.set("n", Number(ctx.state.get("n") ?? 0) + 1); console.log("n is", ctx.state.get("n")); });`);
	author.publish("1.0.0", { "EXTENSION.yaml": "name: count\nversion: 1.0.0\nevents: [turn.*]\n", "index.ts": counts });
	const install = () => place.run(["extensions", "install", author.source, "--yes"]);
	assert.equal((await install()).code, 0);
	const before = "# mine\nextensions:\n  count: # this one\n    config: { a: 1 }\n";
	const file = place.config(before);
	assert.match((await place.run(["run", "hello"])).stderr, /n is 1/);
	assert.equal((await place.run(["extensions", "disable", "count"])).code, 0);
	assert.equal(readFileSync(file, "utf8"), "# mine\nextensions:\n  count: # this one\n    config: { a: 1 }\n    enabled: false\n");
	assert.doesNotMatch((await place.run(["run", "hello"])).stderr, /n is/);
	assert.equal((await place.run(["extensions", "enable", "count"])).code, 0);
	assert.equal(readFileSync(file, "utf8"), before);
	assert.equal((await place.run(["extensions", "remove", "count"])).code, 0);
	await install();
	assert.match((await place.run(["run", "hello"])).stderr, /n is 2/);
	assert.equal((await place.run(["extensions", "remove", "count", "--purge"])).code, 0);
	assert.equal(readFileSync(file, "utf8"), "# mine\n");
	await install();
	assert.match((await place.run(["run", "hello"])).stderr, /n is 1/);
});

test("what is one's own is neither updated, removed nor overwritten, and a wrong name gets the nearest", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await using author = await sources["folder"]!(place.folder);
	author.publish("1.0.0", guardPackage("1.0.0"));
	const own = place.extension("calm.ts", extension(""));
	const refused = await place.run(["extensions", "install", author.source, "--yes"]);
	assert.deepEqual([refused.code, refused.stderr], [1, `hookline: You have an extension 'calm' of your own (${own}), so no other of that name is installed. Rename yours.\n`]);
	assert.match((await place.run(["extensions", "remove", "calm"])).stderr, /'calm' is your own and was not installed/);
	assert.match((await place.run(["extensions", "update", "calm"])).stderr, /'calm' is your own and was not installed from anywhere/);
	assert.match((await place.run(["extensions", "info", "clam"])).stderr, /There is no extension 'clam' in .*\. Did you mean 'calm'\?/);
	assert.match((await place.run(["extensions", "list"])).stdout, /^calm\t-\tenabled\tyours\t\n/);
});

test("what comes with Hookline is listed, enabled and disabled like the rest, and its settings are no mistake", { timeout: 120_000 }, async () => {
	await using place = new Place();
	const listed = async () => /^audit-log\t.*$/m.exec((await place.run(["extensions", "list"])).stdout)?.[0];
	assert.equal(await listed(), "audit-log\t-\tdisabled\tHookline\t");
	assert.equal((await place.run(["extensions", "enable", "audit-log"])).code, 0);
	assert.equal(await listed(), "audit-log\t-\tenabled\tHookline\t");
	assert.equal((await place.run(["extensions", "doctor", "--json"])).stdout, "[]\n");
	assert.equal((await place.run(["extensions", "disable", "audit-log"])).code, 0);
	assert.equal(await listed(), "audit-log\t-\tdisabled\tHookline\t");
});
