// What `npm pack` gives, installed into an empty project: the command runs, and the types of the public doors fit a strict program.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";

const repository = dirname(import.meta.dirname);
const modules = join(repository, "node_modules");

interface Manifest {
	readonly version: string;
	readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
	readonly dependencies: Readonly<Record<string, string>>;
	readonly optionalDependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as Manifest;

function run(command: string, args: readonly string[], cwd: string): { status: number | null; output: string } {
	const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
	return { status, output: `${stdout}${stderr}${error?.message ?? ""}` };
}

function spawnHookline(bin: string, home: string, args: readonly string[]): { status: number | null; output: string } {
	const { status, stdout, stderr } = spawnSync(bin, args, { cwd: dirname(home), encoding: "utf8", env: { ...process.env, HOOKLINE_HOME: home } });
	return { status, output: `${stdout}${stderr}` };
}

describe("the package", () => {
	let project: string;
	let installed: string;

	before(() => {
		project = mkdtempSync(join(tmpdir(), "hookline-package-"));
		const pack = run("npm", ["pack", "--silent", "--pack-destination", project], repository);
		assert.equal(pack.status, 0, pack.output);
		const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"));
		assert.equal(tarball, `hookline-${manifest.version}.tgz`);

		// Put in place as npm would, without asking a registry: the package unpacked, what it depends on beside it, its command linked.
		installed = join(project, "node_modules/hookline");
		mkdirSync(installed, { recursive: true });
		const tar = run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"], project);
		assert.equal(tar.status, 0, tar.output);
		for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
			if (!existsSync(join(modules, name))) continue;
			const link = join(project, "node_modules", name);
			mkdirSync(dirname(link), { recursive: true });
			symlinkSync(join(modules, name), link);
		}
		mkdirSync(join(project, "node_modules/.bin"));
		symlinkSync("../hookline/bin/hookline", join(project, "node_modules/.bin/hookline"));
		writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
	});
	after(() => rmSync(project, { recursive: true, force: true }));

	test("holds programs, types and licence, and neither sources nor tests", () => {
		const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
		for (const needed of ["bin/hookline", "dist/cli/main.js", "dist/index.js", "dist/index.d.ts", "dist/hosts/shell/spawner.py", "dist/hosts/python/main.py", "dist/hosts/python/hookline_host/serving.py", "dist/bundled/audit-log/index.js", "dist/bundled/audit-log/EXTENSION.yaml", "LICENSE", "README.md", "package.json"]) assert.ok(files.includes(needed), `${needed} is missing`);
		assert.deepEqual(files.filter((file) => /\.test\.|(?:^|\/)test-|__pycache__/.test(file) || (file.endsWith(".ts") && !file.endsWith(".d.ts")) || file.startsWith("src/")), []);
		for (const [door, target] of Object.entries(manifest.exports)) {
			for (const file of typeof target === "string" ? [target] : Object.values(target)) assert.ok(files.includes(file.slice(2)), `'${door}' leads to ${file}, which is not in the package`);
		}
	});

	test("gives a working command", () => {
		const { status, output } = run(join(project, "node_modules/.bin/hookline"), ["--version"], project);
		assert.equal(status, 0, output);
		assert.match(output, new RegExp(`(?:^|\\D)${manifest.version.replaceAll(".", "\\.")}\\n$`));
	});

	test("gives an agent whose hooks run, in its process and in one of their own", () => {
		const bin = join(project, "node_modules/.bin/hookline");
		const tour = run(bin, ["tour"], project);
		assert.equal(tour.status, 0, tour.output);
		const home = join(project, "home");
		mkdirSync(join(home, "extensions"), { recursive: true });
		const guard = `import { block, defineExtension } from "hookline";\nexport default defineExtension((hooks) => hooks.guard("tool.calling", () => block("as it should")));\n`;
		for (const name of ["inside", "apart"]) writeFileSync(join(home, "extensions", `${name}.ts`), guard);
		writeFileSync(join(home, "config.yaml"), "extensions: { apart: { host: node } }\n");
		const { status, output } = spawnHookline(bin, home, ["hooks", "test", "tool.calling"]);
		assert.equal(status, 0, output);
		for (const name of ["inside#1", "apart#1"]) assert.match(output, new RegExp(`${name}  guard  block`));
	});

	test("can be imported through each of its doors", () => {
		const doors = Object.keys(manifest.exports).filter((door) => !door.endsWith(".json")).map((door) => door.replace(".", "hookline"));
		const program = `${doors.map((door) => `await import("${door}");`).join("\n")}\nconsole.log("all open");`;
		const { status, output } = run(process.execPath, ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", program], project);
		assert.equal(output, "all open\n");
		assert.equal(status, 0);
	});

	/** Type-checks a program in the project, with the libraries' own declarations checked as well. */
	function check(program: string): { status: number | null; output: string } {
		writeFileSync(join(project, "hook.ts"), program);
		writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: { module: "nodenext", strict: true, skipLibCheck: false, noEmit: true }, files: ["hook.ts"] }));
		return run(process.execPath, [join(modules, "typescript/bin/tsc"), "-p", "."], project);
	}

	test("has working types", () => {
		const { status, output } = check(`import { block, defineExtension, rewrite } from "hookline";
			export default defineExtension((hooks) => {
				hooks.transform("tool.calling", { tool: "terminal", priority: 10 }, (call) => rewrite({ ...call.args, command: \`nice \${call.args["command"]}\` }));
				hooks.guard("tool.calling", { tool: ["write_file", "patch"] }, (call, ctx) => (ctx.turn.state.get("plan") ? undefined : block("No valid plan. Plan first.")));
				hooks.observe("tool.called", (call) => void [call.toolName, call.durationMs]);
			});`);
		assert.equal(output, "");
		assert.equal(status, 0);
	});

	test("refuses a wrong event name while the author still types", () => {
		const { status, output } = check(`import { defineExtension } from "hookline";
			export default defineExtension((hooks) => { hooks.observe("tool.caled", () => {}); });`);
		assert.match(output, /hook\.ts\(2,\d+\): error TS\d+: [\s\S]*"tool\.caled"/);
		assert.notEqual(status, 0);
	});
});
