// `hookline doctor`: what is wrong is found, each thing by itself, and nothing is mended unless that is asked for.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, test } from "node:test";
import type { Check } from "../../src/cli/doctor/check.ts";
import { callTerminal, extension, Place } from "./program.ts";

let place: Place;
beforeEach(() => {
	place = new Place();
	chmodSync(place.home, 0o700);
});
afterEach(() => place[Symbol.asyncDispose]());

interface Found {
	readonly code: number | string;
	readonly checks: readonly Check[];
	readonly problems: readonly string[];
	/** The only check of this name. */
	of(name: string): Check;
}

async function doctor(env: Readonly<Record<string, string>> = {}, ...options: readonly string[]): Promise<Found> {
	const { code, stdout, stderr } = await place.run(["doctor", "--json", ...options], { env });
	assert.equal(stderr, "");
	const checks = JSON.parse(stdout) as Check[];
	const of = (name: string) => {
		const named = checks.filter((check) => check.name === name);
		assert.equal(named.length, 1, `${name} in ${stdout}`);
		return named[0]!;
	};
	return { code, checks, problems: checks.filter(({ state }) => state === "problem").map(({ name }) => name), of };
}

const guard = extension(`	hooks.guard("tool.calling", { name: "calm" }, () => block("Not here."));`);
const mode = (path: string) => statSync(path).mode & 0o777;

test("a healthy home has no problem: exit code 0, a line for each check", async () => {
	const file = place.extension("calm.ts", guard);
	place.extension("off.ts", "throw new Error('never loaded');");
	place.config("extensions: {off: {enabled: false}}\n");
	const { code, stdout, stderr } = await place.run(["doctor"]);
	assert.equal(code, 0, stdout);
	const rows = stdout.trim().split("\n").map((line) => line.split("\t"));
	assert.ok(rows.every((row) => row.length === 3), stdout);
	const found = Object.fromEntries(rows.map(([name, state, message]) => [name, `${state}: ${message}`]));
	assert.equal(found["home"], `ok: ${place.home} can be written, and is for you alone.`);
	assert.equal(found["config.yaml"], `ok: ${place.home}/config.yaml has no mistakes.`);
	assert.match(found["database"] ?? "", /^ok: .*hookline\.db is whole: \d+ kB, version \d+\.$/);
	assert.equal(found["sessions"], "ok: 0 in use.");
	assert.equal(found["extension calm"], `ok: ${file}: 1 hook, host inline.`);
	assert.equal(found["extension off"], "ok: Not loaded: config.yaml says enabled: false.");
	assert.equal(found["hooks"], "ok: Live: 0 transform, 1 guard, 0 wrap, 0 observe.");
	assert.match(found["model"] ?? "", /^ok: rehearsal, as nothing else is chosen/);
	assert.match(found["node"] ?? "", new RegExp(`Node ${process.versions.node.replaceAll(".", "\\.")}`));
	for (const name of ["disk", "compile cache", "python3", "git", "ripgrep"]) assert.match(found[name] ?? "", /^(?:ok|warning): /, name);
	assert.match(stderr, /^Problems: 0, warnings: \d+, ok: \d+\.\n$/);
});

test("it says which Python runs hooks, and it is a problem when the one that was named does not", async () => {
	const rowOf = async () => (await doctor()).checks.find(({ name }) => name === "python hooks");
	assert.match((await rowOf())?.message ?? "", /^They run in Python 3\.\d+\.\d+, \/.*python3\.$/);
	place.config("python: {executable: no-such-python}\n");
	assert.deepEqual([(await rowOf())?.state, (await doctor()).code], ["problem", 1]);
	place.config("python: {executable: /bin/false}\n");
	assert.match((await rowOf())?.message ?? "", /^\/bin\/false does not run, so no Python hook does: /);
});

test("on a terminal it is a table", async () => {
	const { stdout } = await place.onTerminal(["doctor"]).ended;
	assert.match(stdout, /^CHECK +STATE +FOUND\r\n/);
	assert.match(stdout, /\nhome +ok +\//);
});

test("every mistake of config.yaml is a problem with its line and column, and the other checks still run", async () => {
	const file = place.config("agent:\n  max_stepz: 3\nmodel: {reasoning: hard}\n");
	place.extension("calm.ts", guard);
	const { code, checks, problems, of } = await doctor();
	assert.equal(code, 1);
	assert.deepEqual(problems, ["config.yaml", "config.yaml"]);
	const messages = checks.filter(({ name }) => name === "config.yaml").map(({ message }) => message);
	for (const at of ["2:3", "3:9"]) assert.ok(messages.some((message) => message.startsWith(`${file}:${at}: `)), messages.join("\n"));
	for (const name of ["extensions", "model"]) assert.match(of(name).message, /^Not looked at: config\.yaml has to be mended first/);
	assert.equal(of("database").state, "ok");
});

test("a config.yaml that is no text is a problem, not an end", async () => {
	place.config(new Uint8Array([0xff, 0xfe, 0]));
	const { code, problems, of } = await doctor();
	assert.deepEqual([code, problems], [1, ["config.yaml"]]);
	assert.match(of("config.yaml").message, /this is no text file/);
});

test("extensions that fail, required or not, are problems with the reason; the others are still listed", async () => {
	place.extension("calm.ts", guard);
	const gate = place.extension("gate.ts", "export default 1;\n");
	const loose = place.extension("loose.ts", "\nthrow new Error('no luck');\n");
	place.config("extensions:\n  gate: {required: true}\n  away: {required: true}\n  clam: {host: node}\n");
	const { code, problems, of } = await doctor();
	assert.equal(code, 1);
	assert.deepEqual(problems.toSorted(), ["extension away", "extension gate", "extension loose"]);
	assert.ok(of("extension gate").message.startsWith(`It is required and not loaded, so nothing starts: ${gate}: its default export is 1`), of("extension gate").message);
	assert.match(of("extension away").message, /^It is required and not loaded, so nothing starts: .* there is none in /);
	assert.ok(of("extension loose").message.startsWith(`It is not loaded, and none of its hooks run: ${loose}:2: it threw no luck`), of("extension loose").message);
	assert.equal(of("extension clam").state, "warning");
	assert.match(of("extension clam").message, /Did you mean 'calm'\?$/);
	assert.equal(of("extension calm").state, "ok");
	assert.equal(of("hooks").message, "Live: 0 transform, 1 guard, 0 wrap, 0 observe.");
});

test("a guard that was live before and whose extension no longer loads is named", async () => {
	place.extension("calm.ts", guard);
	await place.run(["run", callTerminal("true")]);
	place.extension("calm.ts", "export default 1;\n");
	await place.run(["run", callTerminal("true")]);
	const { code, problems, of } = await doctor();
	assert.deepEqual([code, problems], [1, ["extension calm", "hooks"]]);
	assert.equal(of("hooks").message, "Live: 0 transform, 0 guard, 0 wrap, 0 observe. Guards that were live before judge nothing now: calm/calm (tool.calling).");
});

test("what an extension prints stays out of the answer", async () => {
	place.extension("loud.ts", `console.log("LOUD");\n${guard}`);
	const { stdout, stderr } = await place.run(["doctor", "--json"]);
	assert.doesNotMatch(stdout, /LOUD/);
	assert.match(stderr, /LOUD/);
});

test("a file in the place of the home is a problem, with or without --fix, and stays as it is", async () => {
	const file = join(place.folder, "file");
	writeFileSync(file, "no folder");
	for (const options of [[], ["--fix"]]) {
		const { code, problems, of } = await doctor({ HOOKLINE_HOME: file }, ...options);
		assert.equal(code, 1);
		assert.deepEqual(problems, ["home", "database", "extensions"]);
		assert.equal(of("home").message, `${file} is no folder.`);
		assert.match(of("database").advice ?? "", /kept in memory only/);
	}
	const below = await doctor({ HOOKLINE_HOME: join(file, "home") }, "--fix");
	assert.deepEqual([below.code, below.problems.includes("home")], [1, true]);
	assert.equal(readFileSync(file, "utf8"), "no folder");
});

test("a home that is not there yet is not made, unless --fix says so; then it is its user's alone", async () => {
	const home = join(place.folder, "new/home");
	const looked = await doctor({ HOOKLINE_HOME: home });
	assert.deepEqual([looked.code, looked.of("home").state, looked.of("model").state], [0, "warning", "ok"]);
	assert.ok(!existsSync(home));
	const fixed = await doctor({ HOOKLINE_HOME: home }, "--fix");
	assert.deepEqual(fixed.of("home"), { name: "home", state: "ok", message: `${home} was made, for you alone.`, fixed: true });
	assert.deepEqual([fixed.code, mode(home)], [0, 0o700]);
});

test("--fix tightens a home that others can get into, and leaves a folder that has other uses", async () => {
	chmodSync(place.home, 0o755);
	assert.equal((await doctor()).of("home").state, "warning");
	assert.equal(mode(place.home), 0o755);
	assert.match((await doctor({}, "--fix")).of("home").message, / had mode 0755; now it is 0700, for you alone\.$/);
	assert.equal(mode(place.home), 0o700);

	chmodSync(place.home, 0o755);
	writeFileSync(join(place.home, "thesis.tex"), "");
	const { of } = await doctor({}, "--fix");
	assert.equal(of("home").state, "warning");
	assert.match(of("home").message, /It also holds thesis\.tex, so it is left as it is\.$/);
	assert.equal(mode(place.home), 0o755);
});

test("--fix removes temporary files of ours that were left behind, and no other", async () => {
	mkdirSync(join(place.home, "memory"));
	const old = [".config.yaml.0123456789ab", "memory/.user.md.ba9876543210"].map((name) => join(place.home, name));
	const kept = [".config.yaml.aaaaaaaaaaaa", ".bashrc", "config.yaml.0123456789ab"].map((name) => join(place.home, name));
	for (const file of [...old, ...kept]) writeFileSync(file, "");
	const yesterday = new Date(Date.now() - 86_400_000);
	// The first of those kept is being written right now.
	for (const file of [...old, ...kept.slice(1)]) utimesSync(file, yesterday, yesterday);
	assert.equal((await doctor()).of("temporary files").message, `Left behind by processes that were killed: ${old.join(", ")}.`);
	assert.ok(old.every((file) => existsSync(file)));
	assert.equal((await doctor({}, "--fix")).of("temporary files").message, `Removed ${old.join(", ")}.`);
	assert.deepEqual([old.some((file) => existsSync(file)), kept.every((file) => existsSync(file))], [false, true]);
	assert.ok(!(await doctor()).checks.some(({ name }) => name === "temporary files"));
});

/** Changes a database and lets go of it; gives the row. */
function changed(file: string, sql: string, query: string): { readonly page: number; readonly size: number } {
	using database = new DatabaseSync(file);
	database.exec(sql);
	return database.prepare(query).get() as unknown as { page: number; size: number };
}

test("a database that is none, has broken pages, or is of a later version is a problem, and stays as it is", async () => {
	const file = join(place.home, "hookline.db");
	writeFileSync(file, "this is somebody's shopping list\n".repeat(100));
	const none = await doctor({}, "--fix");
	assert.deepEqual([none.code, none.problems], [1, ["database"]]);
	assert.match(none.of("database").message, /is damaged or is no database/);
	assert.match(readFileSync(file, "utf8"), /^this is somebody's/);

	rmSync(file);
	await place.run(["run", "SAY hi"]);
	const root = changed(file, "CREATE TABLE t (a); INSERT INTO t VALUES (1)", "SELECT rootpage AS page, (SELECT page_size FROM pragma_page_size) AS size FROM sqlite_schema WHERE name = 't'");
	const bytes = readFileSync(file);
	writeFileSync(file, Buffer.from(bytes).fill(0xff, (root.page - 1) * root.size, root.page * root.size));
	const broken = await doctor();
	assert.deepEqual([broken.code, broken.problems], [1, ["database"]]);
	assert.match(broken.of("database").message, /hookline\.db is damaged/);

	writeFileSync(file, bytes);
	changed(file, "PRAGMA user_version = 999", "SELECT 0 AS page, 0 AS size");
	const later = await doctor();
	assert.deepEqual([later.code, later.problems], [1, ["database"]]);
	assert.match(later.of("database").message, /was written by a later Hookline/);
});

test("leases of living and of dead processes are told apart", async () => {
	const chat = place.start([]);
	chat.write("SAY here\n");
	await chat.shows("here\n");
	assert.equal((await doctor()).of("sessions").message, "1 in use.");
	chat.signal("SIGKILL");
	await chat.ended;
	assert.equal((await doctor()).of("sessions").message, "0 in use; 1 left by processes that are gone, free for whoever takes them up.");
});

test("the model: which one, who chose it, where its key is; a missing key or a bad address is a problem, in the words of a start", async () => {
	place.config("model: {provider: anthropic, name: m1, api_key_env: MY_KEY}\n");
	const said = async (env: Readonly<Record<string, string>>) => (await doctor(env)).of("model").message;
	assert.equal(await said({ MY_KEY: "sk-secret" }), "anthropic:m1, chosen in config.yaml; its key is in MY_KEY.");
	assert.equal(await said({ ANTHROPIC_API_KEY: "sk-secret" }), "anthropic:m1, chosen in config.yaml; its key is in ANTHROPIC_API_KEY.");
	assert.equal(await said({ HOOKLINE_MODEL: "openai:m2", OPENAI_API_KEY: "sk-secret", MY_KEY: "k" }), "openai:m2, chosen by HOOKLINE_MODEL; its key is in OPENAI_API_KEY.");
	assert.equal(await said({ HOOKLINE_BASE_URL: "http://127.0.0.1:9/v1" }), "anthropic:m1, chosen in config.yaml; no key is set.");
	for (const env of [{}, { HOOKLINE_BASE_URL: "not an address" }, { HOOKLINE_MODEL: "antropic:m1" }]) {
		const { code, problems, of } = await doctor(env);
		assert.deepEqual([code, problems], [1, ["model"]]);
		const { stderr } = await place.run(["run", "SAY hi"], { env });
		assert.equal(`hookline: ${of("model").message}\n`, stderr);
		assert.match(of("model").advice ?? "", /^The model is chosen (?:by HOOKLINE_MODEL|in config\.yaml)\.$/);
	}
});

test("programs are looked for on PATH, and their absence is a warning that says what they are for", async () => {
	const folder = join(place.folder, "bin");
	mkdirSync(folder);
	// Where no Node came along, the launcher looks there as well.
	symlinkSync(process.execPath, join(folder, "node"));
	writeFileSync(join(folder, "rg"), "#!/bin/sh\n", { mode: 0o755 });
	const { code, of } = await doctor({ PATH: folder });
	assert.equal(code, 0);
	assert.equal(of("ripgrep").message, `${folder}/rg. With it search_files is quicker in large folders.`);
	assert.deepEqual(of("git"), { name: "git", state: "warning", message: "There is no 'git' on PATH. Models look with it at what has changed." });
});

test("how programs of hooks are started is seen by starting one, and what a slower way costs is said", async () => {
	if (process.platform !== "linux") return console.log("Not tested: only Linux has more than one way.");
	const { of } = await doctor();
	const { state: way, message, advice: faster } = of("programs of hooks");
	assert.ok(way === "ok" || (message.startsWith("Their programs are started by Node itself: ") && faster !== undefined), message);
	const { state, advice } = of("sandbox of hooks");
	assert.ok(state === "ok" || advice?.startsWith("Hooks with 'sandbox: auto' run without one"), advice);
});

test("a cache of compiled code that cannot be written is a warning", async () => {
	const file = join(place.folder, "file");
	writeFileSync(file, "");
	const { code, of } = await doctor({ NODE_COMPILE_CACHE: join(file, "cache") });
	assert.deepEqual([code, of("compile cache").state], [0, "warning"]);
});

test("plugins of Hermes are looked over: what cannot run is a problem, what is not enabled is said", async () => {
	await using place = new Place();
	const plugin = (name: string, manifest: string) => {
		mkdirSync(join(place.home, "plugins", name), { recursive: true });
		writeFileSync(join(place.home, "plugins", name, "plugin.yaml"), manifest);
		writeFileSync(join(place.home, "plugins", name, "__init__.py"), "def register(ctx): pass\n");
	};
	plugin("fine", "name: fine\n");
	plugin("later", "name: later\nrequires_hermes: '>=99'\n");
	plugin("asleep", "name: asleep\n");
	place.config("plugins: {enabled: [fine, later]}\n");
	const { stdout, code } = await place.run(["doctor", "--json"]);
	const rows = (JSON.parse(stdout) as { name: string; state: string; message: string }[]).filter(({ name }) => /plugin/.test(name));
	assert.equal(code, 1);
	assert.deepEqual(rows.map(({ state }) => state).toSorted(), ["ok", "problem", "warning"]);
	assert.match(rows.find(({ state }) => state === "problem")!.message, /none of its hooks run: .*99/s);
	assert.match(rows.find(({ state }) => state === "warning")!.message, /not enabled.*asleep/s);
});
