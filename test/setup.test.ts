// scripts/setup.mjs against real npm, in projects whose lock files list nothing or something that no registry can give.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { text } from "node:stream/consumers";

const repository = dirname(import.meta.dirname);
const folder = mkdtempSync(join(tmpdir(), "hookline setup "));
after(() => rmSync(folder, { recursive: true, force: true }));

// Neither the npm that may be running this test nor its settings are to be seen by the one under test.
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_")));
const installing = /^hookline set-up: installing what package-lock\.json lists \(npm ci\)\./;

let made = 0;

/** A project with our scripts. `dependencies` go into package.json and, unless told otherwise, into the lock file. */
function project(dependencies: Readonly<Record<string, string>> = {}, locked = dependencies): string {
	const root = join(folder, `project ${++made}`);
	mkdirSync(root);
	cpSync(join(repository, "scripts"), join(root, "scripts"), { recursive: true });
	writeFileSync(join(root, "package.json"), JSON.stringify({ name: "sample", version: "1.0.0", dependencies }));
	writeLock(root, locked);
	useRegistry(root, 9);
	return root;
}

/** No test may ask a real registry. On port 9 nobody answers. */
function useRegistry(root: string, port: number): void {
	writeFileSync(join(root, ".npmrc"), `registry=http://127.0.0.1:${port}/\nfetch-retries=0\ncache=${join(root, "cache")}\n`);
}

function writeLock(root: string, dependencies: Readonly<Record<string, string>>): void {
	const packages: Record<string, unknown> = { "": { name: "sample", version: "1.0.0", dependencies } };
	for (const [name, version] of Object.entries(dependencies)) packages[`node_modules/${name}`] = { version };
	writeFileSync(join(root, "package-lock.json"), JSON.stringify({ name: "sample", version: "1.0.0", lockfileVersion: 3, requires: true, packages }));
}

function setUp(root: string, env: Readonly<Record<string, string>> = {}) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/setup.mjs")], { cwd: "/", env: { ...inherited, ...env }, encoding: "utf8", timeout: 60_000 });
	assert.equal(stdout, "", "stdout belongs to the command that follows");
	return { status, said: stderr };
}

function start(root: string): { process: ChildProcess; said: Promise<string>; ended: Promise<number | null> } {
	const child = spawn(process.execPath, [join(root, "scripts/setup.mjs")], { env: inherited, stdio: ["ignore", "ignore", "pipe"] });
	assert.ok(child.stderr);
	return { process: child, said: text(child.stderr), ended: new Promise((resolve) => child.once("close", resolve)) };
}

const traces = (root: string) => readdirSync(root).filter((name) => name.startsWith(".setup"));

test("it installs once, is silent when nothing is to be done, and installs again when the lock file changed", () => {
	const root = project();
	const first = setUp(root);
	assert.match(first.said, installing);
	assert.match(first.said, /hookline set-up: ready after \d+ s\.\n$/);
	assert.equal(first.status, 0);
	assert.deepEqual(setUp(root), { status: 0, said: "" });
	writeFileSync(join(root, "package-lock.json"), `${readFileSync(join(root, "package-lock.json"), "utf8")}\n`);
	rmSync(join(root, "node_modules/.package-lock.json"), { force: true });
	assert.match(setUp(root).said, installing);
	assert.deepEqual(traces(root), []);
});

test("a lock file that is only younger, not different, costs no installation and renews the stamp the launcher looks at", () => {
	const root = project();
	setUp(root);
	const stamp = join(root, "node_modules/.hookline-setup");
	utimesSync(stamp, new Date(0), new Date(0));
	assert.deepEqual(setUp(root), { status: 0, said: "" });
	assert.ok(statSync(stamp).mtimeMs > statSync(join(root, "package-lock.json")).mtimeMs);
});

test("what npm itself has installed from this lock file is taken as it is, what differs is not", () => {
	const installed = (version: string) => {
		const root = project({ sample: "1.0.0" });
		mkdirSync(join(root, "node_modules/sample"), { recursive: true });
		writeFileSync(join(root, "node_modules/.package-lock.json"), JSON.stringify({ packages: { "node_modules/sample": { version } } }));
		return root;
	};
	const root = installed("1.0.0");
	assert.deepEqual(setUp(root), { status: 0, said: "" });
	assert.ok(existsSync(join(root, "node_modules/.hookline-setup")));
	assert.match(setUp(installed("0.9.0")).said, installing);
});

test("two that start at once install once", async () => {
	const root = project();
	const both = [start(root), start(root)];
	assert.deepEqual(await Promise.all(both.map(({ ended }) => ended)), [0, 0]);
	const said = await Promise.all(both.map((one) => one.said));
	assert.equal(said.filter((words) => words.includes("installing")).length, 1, said.join("---\n"));
	assert.deepEqual(traces(root), []);
});

test("what a killed set-up left behind does not stop the next one", () => {
	const root = project();
	mkdirSync(join(root, ".setup-busy"));
	utimesSync(join(root, ".setup-busy"), new Date(0), new Date(0));
	const { status, said } = setUp(root);
	assert.match(said, /another set-up of this folder is at work; waiting for it\.\n.*installing/);
	assert.equal(status, 0);
	assert.deepEqual(traces(root), []);
});

test("a registry that cannot be reached is a sentence with what to do, exit code 1, and no stamp", () => {
	const root = project({ sample: "1.0.0" });
	const { status, said } = setUp(root);
	assert.match(said, /hookline set-up: npm could not install the packages\. The package registry cannot be reached\. Check the network and the proxy .* then run the same command again\.\n$/);
	assert.equal(status, 1);
	assert.ok(!existsSync(join(root, "node_modules/.hookline-setup")));
	assert.deepEqual(traces(root), []);
});

test("package.json and a lock file that do not fit together are named, without npm's manual", () => {
	const root = project({ other: "file:./other" }, {});
	mkdirSync(join(root, "other"));
	writeFileSync(join(root, "other/package.json"), JSON.stringify({ name: "other", version: "1.0.0" }));
	const { status, said } = setUp(root);
	assert.match(said, /package\.json and package-lock\.json do not fit together\. Take both as they were committed, or run 'npm install'\.\n$/);
	assert.ok(said.split("\n").length < 18, said);
	assert.equal(status, 1);
});

test("without npm, and without a lock file, it says which of them is missing", () => {
	const empty = join(folder, "empty path");
	mkdirSync(empty);
	const noNpm = setUp(project(), { PATH: empty });
	assert.match(noNpm.said, /npm is not on PATH\. It comes with Node: install Node 20 or newer together with npm, then run the same command again\.\n$/);
	assert.equal(noNpm.status, 1);
	const root = project();
	rmSync(join(root, "package-lock.json"));
	assert.match(setUp(root).said, /^hookline set-up: .*package-lock\.json cannot be read \(ENOENT\)\. It is part of the repository: take it as it was committed\.\n$/);
});

test("stopped in the middle, it stops npm, says so and can be started again", async () => {
	// A registry that takes the call and never answers.
	const asked = Promise.withResolvers<void>();
	await using registry = createServer((call) => {
		call.on("error", () => {}).resume();
		asked.resolve();
	}).listen(0, "127.0.0.1");
	await new Promise((resolve) => registry.once("listening", resolve));
	const address = registry.address();
	assert.ok(address !== null && typeof address === "object");
	const root = project({ sample: "1.0.0" });
	useRegistry(root, address.port);
	const running = start(root);
	await asked.promise;
	running.process.kill("SIGTERM");
	assert.equal(await running.ended, 1);
	assert.match(await running.said, /npm was stopped \(SIGTERM\)\. Run the same command again to finish\.\n$/);
	assert.deepEqual(traces(root), []);
});
