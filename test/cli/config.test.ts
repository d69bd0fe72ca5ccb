// `hookline config`: settings read, written and checked, and nothing of the file lost that its owner wrote.
import assert from "node:assert/strict";
import { chmodSync, existsSync, lstatSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, test } from "node:test";
import { type Ended, Place } from "./program.ts";

let place: Place;
beforeEach(() => void (place = new Place()));
afterEach(() => place[Symbol.asyncDispose]());
const config = (...args: readonly string[]): Promise<Ended> => place.run(["config", ...args]);
const file = () => join(place.home, "config.yaml");
const text = () => readFileSync(file(), "utf8");

const written = `# Mine. Do not touch!

agent:   # the loop
    max_steps:   20   # enough

    max_attempts: 2
extensions:
    'one': {enabled: false}   # later
# the end
`;

test("set exchanges a value and not a blank around it", async () => {
	place.config(written);
	const { code, stdout, stderr } = await config("set", "agent.max_steps", "30");
	assert.deepEqual([code, stdout, stderr], [0, "", `${file()}: agent.max_steps is now 30.\n`]);
	assert.equal(text(), written.replace("20", "30"));
	assert.equal((await config("set", "extensions.one.enabled", "true")).code, 0);
	assert.equal(text(), written.replace("20", "30").replace("false", "true"));
});

test("set adds a setting and keeps the comments, the order, the quotes and the indentation", async () => {
	place.config(written);
	await config("set", "agent.retry_base_ms", "5");
	await config("set", "extensions.two.host", "node");
	await config("set", "trace.max_records", "1000");
	assert.equal(
		text(),
		written
			.replace("    max_attempts: 2\n", "    max_attempts: 2\n    retry_base_ms: 5\n")
			.replace("# later\n", "# later\n    two:\n        host: node\ntrace:\n    max_records: 1000\n"),
	);
	assert.equal((await config("get", "extensions.two", "--json")).stdout, '{"host":"node"}\n');
	assert.equal((await config("check")).code, 0);
	// And back: what was added goes, with the sections that came with it, and nothing else.
	for (const key of ["agent.retry_base_ms", "extensions.two", "trace.max_records"]) assert.equal((await config("unset", key)).code, 0);
	assert.equal(text(), written);
});

test("inside {braces}, below an empty section and beside an alias it is done or refused, and nothing is lost", async () => {
	place.config("agent: {max_steps: 3} # a\ntrace:\n# b\n");
	await config("set", "trace.max_records", "1000");
	assert.equal(text(), "agent: {max_steps: 3} # a\ntrace:\n  max_records: 1000\n# b\n");
	await config("set", "agent.max_attempts", "2");
	assert.deepEqual(JSON.parse((await config("get", "--json")).stdout), { agent: { max_steps: 3, max_attempts: 2 }, trace: { max_records: 1000 } });
	assert.match(text(), /# a\n[^]*# b\n/);
	const aliased = "extensions:\n  a: &one {enabled: false}\n  b: *one\n";
	place.config(aliased);
	const { code, stderr } = await config("set", "extensions.b.host", "node");
	assert.equal(stderr, `hookline: ${file()}: 'extensions.b' is an alias (*one): change it where it is written, or write it out.\n`);
	assert.deepEqual([code, text()], [1, aliased]);
});

test("a new file names the schema for editors, is its owner's alone, and is what the next start reads", async () => {
	await config("set", "model.provider", "rehearsal");
	const [, schema] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text())!;
	assert.equal((JSON.parse(readFileSync(fileURLToPath(schema!), "utf8")) as { type: string }).type, "object");
	assert.equal(statSync(file()).mode & 0o777, 0o600);
	assert.equal((await place.run(["run", "SAY hi"])).stdout, "hi\n");
});

test("a file of comments keeps them when the first setting comes, and when the last one goes", async () => {
	place.config("# one\n\n# two\n");
	await config("set", "agent.max_steps", "3");
	assert.equal(text(), "# one\n\n# two\n\nagent:\n  max_steps: 3\n");
	await config("unset", "agent.max_steps");
	assert.match(text(), /^# one\n\n?# two\n$/);
	assert.equal((await config("get", "--json")).stdout, "{}\n");
});

test("what does not fit is refused with the reason, and the file stays", async () => {
	const refusals: readonly (readonly [args: readonly string[], code: number, says: RegExp])[] = [
		[["set", "agent.max_steps", "0"], 1, /was left as it is: 'agent\.max_steps' must be >= 1, and is 0\./],
		[["set", "agent.max_steps", "many"], 1, /'agent\.max_steps' must be integer, and is the string "many"\./],
		[["set", "agent.max_steps", ""], 1, /'agent\.max_steps' must be integer, and is the string ""\./],
		[["set", "extensions.one.enabled", "yes"], 1, /must be boolean, and is the string "yes"\./],
		[["set", "extensions.one.host", "nod"], 1, /did you mean 'node'\./],
		[["set", "model.api_key_env", "sk-1234"], 1, /must match pattern/],
		[["set", "agent.max_stpes", "3"], 2, /There is no setting 'agent\.max_stpes'\. Did you mean 'agent\.max_steps'\? Known: agent\.max_steps, /],
		[["set", "modle.name", "x"], 2, /There is no setting 'modle\.name'\. Did you mean 'model'\?/],
		[["set", "extensions.one.hots", "node"], 2, /Did you mean 'extensions\.one\.host'\?/],
		[["set", "agent.max_steps.more", "1"], 2, /'agent\.max_steps' has none below it\./],
		[["set", "agent", "3"], 1, /'agent' must be object, and is 3\./],
		[["set", "agent", "{a"], 2, /The value for 'agent' is not YAML: /],
		[["set", "", "3"], 2, /There is no setting '': a part of its name is empty\./],
		[["set", "extensions..host", "node"], 2, /There is no setting 'extensions\.\.host': a part of its name is empty\./],
		[["set", "__proto__.x", "3"], 2, /There is no setting '__proto__\.x'\./],
		[["get", "agent.max_stpes"], 2, /Did you mean 'agent\.max_steps'\?/],
		[["get", "trace.max_records"], 1, /'trace\.max_records' is not set in .*How many dispatches the trace keeps/],
		[["unset", "agent.nothing"], 2, /There is no setting 'agent\.nothing'/],
	];
	place.config(written);
	for (const [args, code, says] of refusals) {
		const ended = await config(...args);
		assert.match(ended.stderr, says, args.join(" "));
		assert.deepEqual([ended.code, ended.stdout, text()], [code, "", written], args.join(" "));
		assert.doesNotMatch(ended.stderr, /\n\s+at /);
	}
});

test("names of extensions may hold dots", async () => {
	await config("set", "extensions.my.own.host", "node");
	assert.equal((await config("get", "extensions.my.own.host")).stdout, "node\n");
	assert.deepEqual(JSON.parse((await config("get", "--json")).stdout), { extensions: { "my.own": { host: "node" } } });
	await config("unset", "extensions.my.own.host");
	assert.equal((await config("get", "--json")).stdout, "{}\n");
});

test("check lists every mistake with its place and ends with exit code 1", async () => {
	place.config("agent: {max_steps: x}\ntrace:\n  max_record: 1\n");
	const { code, stdout } = await config("check");
	assert.equal(code, 1);
	assert.match(stdout, new RegExp(`^${file()}:1:9: 'agent\\.max_steps' must be integer.*\n${file()}:3:3: .*did you mean 'max_records'.*\n$`));
	const json = JSON.parse((await config("check", "--json")).stdout) as { mistakes: { line: number; column: number }[] };
	assert.deepEqual(json.mistakes.map(({ line, column }) => [line, column]), [[1, 9], [3, 3]]);
	place.config(written);
	assert.deepEqual(await config("check"), { code: 0, stdout: `${file()} has no mistakes.\n`, stderr: "" });
});

test("with mistakes in the file a right setting can be written, and a wrong one taken out", async () => {
	place.config("agent:\n  max_stpes: 3\n");
	assert.equal((await config("set", "agent.max_steps", "3")).code, 0);
	assert.equal((await config("unset", "agent.max_stpes")).code, 0);
	assert.equal(text(), "agent:\n  max_steps: 3\n");
	place.config("agent: {\n");
	const { code, stderr } = await config("set", "agent.max_steps", "3");
	assert.match(stderr, /config\.yaml:\d+:\d+: this is not YAML: /);
	assert.deepEqual([code, text()], [1, "agent: {\n"]);
});

test("a home that cannot be written is a sentence", { skip: process.getuid?.() === 0 ? "root may write everywhere" : false }, async () => {
	place.config("agent: {max_steps: 3}\n");
	chmodSync(place.home, 0o500);
	const { code, stderr } = await config("set", "agent.max_steps", "4");
	chmodSync(place.home, 0o700);
	assert.equal(code, 1);
	assert.match(stderr, /^hookline: .*config\.yaml cannot be written \(EACCES/);
});

test("a config.yaml that is a link stays one, and what it points to is changed", async () => {
	place.config("agent: {max_steps: 3}\n");
	const target = join(place.work, "dotfiles.yaml");
	renameSync(file(), target);
	symlinkSync(target, file());
	await config("set", "agent.max_steps", "4");
	assert.ok(lstatSync(file()).isSymbolicLink());
	assert.equal(readFileSync(target, "utf8"), "agent: {max_steps: 4}\n");
});

test("path is the file, whether or not it is there", async () => {
	assert.equal((await config("path")).stdout, `${file()}\n`);
	assert.ok(!existsSync(file()));
	assert.equal((await config("check")).stdout, `There is no ${file()}, so every setting has its default.\n`);
});
