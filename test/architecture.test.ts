// The floors of the house (design.md §12) and the habits a machine can check. `violations` takes any tree, so that the rules are tried on bad ones.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { test } from "node:test";

/** Path from the repository's folder, with slashes, to the file's text. */
type Tree = Readonly<Record<string, string>>;

interface Import {
	readonly from: string;
	/** A path from the repository's folder for our own files, otherwise the package or `node:` module as it is written. */
	readonly to: string;
	readonly own: boolean;
}

/** From the ground up. What stands on one line may not import each other. A folder that is not listed is a violation, so that none escapes. */
const floors: readonly (readonly string[])[] = [
	// Both are F0; events borrows a word or two of system's, never the other way round.
	["system"],
	["events"],
	["config", "engine", "hosts", "stores", "models", "tools", "policy"],
	// The door for authors of extensions stands low, so that it is small enough to be loaded into every host process.
	["dialects", "agent", "extension.ts"],
	["extensions", "gateway"],
	["platforms", "dashboard"],
	["runtime.ts"],
	["index.ts", "testing.ts"],
	// Written against the public door, and imported by nobody: they are found in their folder.
	["bundled"],
	["cli"],
];
const doors: Readonly<Record<string, string>> = { hookline: "src/index.ts", "hookline/extension": "src/extension.ts", "hookline/testing": "src/testing.ts" };
const maxLines = 400;
const badFolders = /^(?:utils?|common|shared|helpers?|core|lib)$/;
const badWords = "Manager|Service|Helper|Util|Middleware|Interceptor";
// Invented homes in samples are fine, and recognisable as such: `/home/me`, `/home/x`.
const machinePath = /(?<![\w.~$}/-])\/(?:root|work\/(?:main|shared)|(?:home|Users)\/(?!(?:user|me|you|\w)\b)\w+)\/[\w.-]/;

const isCode = (path: string): boolean => /\.(?:ts|mjs|js)$/.test(path);
/** Tests, and what only tests use: `test-….ts` beside them. They may import from every floor. */
const isTest = (path: string): boolean => /(?:\.test\.ts|(?:^|\/)test-[^/]*\.ts)$/.test(path) || path.startsWith("test/");
const isSource = (path: string): boolean => path.startsWith("src/") && path.endsWith(".ts") && !isTest(path);

/** What is wrong with a tree, a sentence each. */
function violations(tree: Tree): string[] {
	const imports = Object.entries(tree).flatMap(([path, text]) => (isCode(path) ? importsOf(path, text) : []));
	const found = [
		...imports.filter(({ from }) => isSource(from)).flatMap(floorProblem),
		...cycles(imports.filter(({ from, to }) => isSource(from) && to in tree)),
		...imports.flatMap((one) => packageProblem(one, tree["package.json"])),
		...Object.entries(tree).flatMap(([path, text]) => [...nameProblems(path, text), ...textProblems(path, text)]),
		...dependencyProblems(tree, imports),
	];
	return [...new Set(found)];
}

/** Static, dynamic, type-only and re-exporting imports, and files named by `new URL("./…", import.meta.url)`. Comments are left out. */
function importsOf(from: string, text: string): Import[] {
	const code = text.replace(/^\s*\/\*[\s\S]*?\*\//gm, "").replace(/^\s*\/\/.*$/gm, "");
	const patterns = [
		/^\s*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"'\n]+)["']/gm,
		/^\s*import\s*["']([^"'\n]+)["']/gm,
		/\b(?:import|require|import\.meta\.resolve)\(\s*["']([^"'\n]+)["']/g,
		// A module of which only the folder is written down.
		/\bimport\(\s*`([^`$\n]+)\/\$\{/g,
		/\bnew URL\(\s*["'](\.[^"'\n]+)["'],\s*import\.meta\.url/g,
	];
	const written = patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ""));
	return [...new Set(written)].map((name) => {
		const own = name.startsWith(".") ? posix.join(posix.dirname(from), name) : doors[name];
		return { from, to: own ?? name, own: own !== undefined };
	});
}

function floorProblem({ from, to }: Import): string[] {
	const mine = floorOf(from);
	if (mine.floor < 0) return [`${from}: '${mine.unit}' stands on no floor. Put it into 'floors' in test/architecture.test.ts, or into a folder that has one.`];
	if (/^(?:bench|examples|scripts)\//.test(to) || isTest(to)) return [`${from} imports ${to}, which is not part of the program.`];
	if (!to.startsWith("src/")) return [];
	const theirs = floorOf(to);
	if (mine.unit === theirs.unit || theirs.floor < mine.floor) return [];
	return [`${from} imports ${to}, which is ${theirs.floor === mine.floor ? "beside it on the same floor" : "on a higher floor"}. Imports go down: declare the interface you need.`];
}

function floorOf(path: string): { unit: string; floor: number } {
	const unit = path.split("/")[1] ?? path;
	return { unit, floor: floors.findIndex((floor) => floor.includes(unit)) };
}

/** Each circle of imports once, from its alphabetically first file on. */
function cycles(imports: readonly Import[]): string[] {
	const targets = Map.groupBy(imports, ({ from }) => from);
	const done = new Set<string>();
	const found = new Set<string>();
	const visit = (path: string, trail: readonly string[]): void => {
		const start = trail.indexOf(path);
		if (start >= 0) {
			const circle = trail.slice(start);
			const first = circle.indexOf(circle.toSorted()[0] ?? path);
			found.add([...circle.slice(first), ...circle.slice(0, first), circle[first]].join(" → "));
		} else if (!done.has(path)) {
			for (const { to } of targets.get(path) ?? []) visit(to, [...trail, path]);
			done.add(path);
		}
	};
	for (const path of targets.keys()) visit(path, []);
	return [...found].map((circle) => `imports go in a circle: ${circle}`);
}

function packageProblem({ from, to, own }: Import, manifest = "{}"): string[] {
	if (!isSource(from) || own || to.startsWith("node:")) return [];
	if (/^src\/(?:events|engine)\//.test(from)) return [`${from} imports '${to}': events and engine use nothing but Node's own modules.`];
	const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: Record<string, string> };
	return packageOf(to) in dependencies ? [] : [`${from} imports '${to}', which package.json does not list under dependencies.`];
}

const packageOf = (name: string): string => name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/");

function nameProblems(path: string, text: string): string[] {
	const problems: string[] = [];
	const parts = path.split("/");
	const base = (parts.pop() ?? "").split(".")[0] ?? "";
	for (const part of [...parts, base]) if (badFolders.test(part)) problems.push(`${path}: '${part}' says nothing about what is in it.`);
	if (!isCode(path)) return problems;
	if (!badFolders.test(base) && new RegExp(`(?:^|-)(?:${badWords})s?(?:$|-)`, "i").test(base)) problems.push(`${path}: name it with one of the ten words of design.md §1.`);
	const declared = text.match(new RegExp(`\\b(?:class|interface|type|function|const|let)\\s+\\w*(?:${badWords})(?![a-z])\\w*`, "g")) ?? [];
	return [...problems, ...declared.map((words) => `${path}: '${words}': name it with one of the ten words of design.md §1.`)];
}

function textProblems(path: string, text: string): string[] {
	const problems: string[] = [];
	const say = (pattern: RegExp, why: string) => {
		const found = pattern.exec(text);
		if (found) problems.push(`${path}:${text.slice(0, found.index).split("\n").length}: '${found[0]}' ${why}`);
	};
	const lines = text.trimEnd().split("\n").length;
	if (isCode(path) && lines > maxLines) problems.push(`${path} has ${lines} lines; split what passes ${maxLines}.`);
	say(machinePath, "is a path of one machine.");
	say(/\bregistry\.(?:[a-z0-9-]+\.)+[a-z]{2,}|\b(?:artifactory|nexus|verdaccio)\.[\w.-]+/i, "names a package registry: whoever installs has their own.");
	say(/\b(?:TO_?DO|FIX_?ME)\b/, "is a wish: do it, or write an issue.");
	if (path === "package-lock.json") say(/"resolved"/, "ties the lock file to one registry; npm's setting omit-lockfile-registry-resolved leaves it out.");
	if (isTest(path)) say(/\b(?:it|test|describe|suite)\.(?:only|skip|todo)\b|\b(?:only|skip|todo): true\b/, "keeps tests from running.");
	return problems;
}

function dependencyProblems(tree: Tree, imports: readonly Import[]): string[] {
	const manifest = JSON.parse(tree["package.json"] ?? "{}") as Record<string, unknown>;
	const listed = ["dependencies", "devDependencies", "optionalDependencies"].flatMap((key) => Object.entries(manifest[key] ?? {}) as [string, string][]);
	const imported = new Set(imports.filter(({ own }) => !own).map(({ to }) => packageOf(to)));
	// Some are not imported but run, or read by the compiler: then a script, the launcher or a tsconfig has their name.
	const named = Object.entries(tree).filter(([path]) => /^(?:bin\/|scripts\/|tsconfig)/.test(path)).map(([, text]) => text).join("\n");
	const used = (name: string) => imported.has(name) || (name.startsWith("@types/") ? imported.has(name.slice(7)) || named.includes(`"types": ["${name.slice(7)}"`) : new RegExp(`[\\s"'=/]${name}\\b`).test(named));
	return listed.flatMap(([name, version]) => [
		...(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version) ? [] : [`package.json: '${name}' must be pinned to one version, not '${version}'.`]),
		...(used(name) ? [] : [`package.json: '${name}' is used nowhere. Remove it.`]),
	]);
}

/** The repository as it stands, without what git ignores. */
function repository(): Tree {
	const root = dirname(import.meta.dirname);
	const ignored = new Set([".git", "node_modules", "dist", ".bench"]);
	const files = (folder: string): string[] =>
		readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
			if (ignored.has(entry.name) || entry.name.endsWith(".tgz")) return [];
			const path = join(folder, entry.name);
			return entry.isDirectory() ? files(path) : entry.isFile() ? [path] : [];
		});
	return Object.fromEntries(files(root).map((path) => [relative(root, path).replaceAll("\\", "/"), readFileSync(path, "utf8")]));
}

test("imports go down, files stay small, names say something, dependencies are pinned and used", () => {
	assert.deepEqual(violations(repository()), []);
});

test("a tidy tree has no violations", () => {
	const tree = {
		"package.json": JSON.stringify({ dependencies: { yaml: "2.9.1" }, devDependencies: { "@types/node": "24.0.0", oxlint: "1.0.0" } }),
		"tsconfig.json": `{ "types": ["node"] }`,
		"scripts/test.mjs": `inModules("oxlint/bin/oxlint")`,
		"src/events/catalog.ts": `import { join } from "node:path";\n/**\n * import { block } from "hookline";\n */\nexport {};`,
		"src/engine/dispatch.ts": `import type { A } from "../events/catalog.ts";\nimport "./trace.ts";\n// import "../agent/turn.ts";`,
		"src/engine/trace.ts": `export const traceId = 1; const serviceable = 1; const helped = 2;`,
		"src/agent/turn.ts": `const { parse } = await import("yaml");\nnew URL("../../package.json", import.meta.url);\nimport {\n\ta,\n\tb,\n} from "../engine/dispatch.ts";`,
		"src/engine/dispatch.test.ts": `import { turn } from "../agent/turn.ts";\nimport "/home/me/hook.ts";`,
		"examples/guard.ts": `import { block } from "hookline";`,
	};
	assert.deepEqual(violations(tree), []);
});

// Written in two halves where this very file would otherwise break the rule.
const bad: readonly (readonly [sentence: string, tree: Tree, expected: RegExp])[] = [
	["an import from a higher floor", { "src/events/a.ts": `import { b } from "../engine/b.ts";` }, /^src\/events\/a\.ts imports src\/engine\/b\.ts, which is on a higher floor/],
	["a type from a higher floor", { "src/events/a.ts": `import type { B } from "../agent/b.ts";` }, /on a higher floor/],
	["a dynamic import from a higher floor", { "src/engine/a.ts": `const b = () => import("../cli/b.ts");` }, /on a higher floor/],
	["a type expression from a higher floor", { "src/engine/a.ts": `type B = import("../cli/b.ts").B;` }, /on a higher floor/],
	["a re-export from a higher floor", { "src/tools/a.ts": `export * from "../agent/b.ts";` }, /on a higher floor/],
	["an import over several lines from a higher floor", { "src/tools/a.ts": `import {\n\tb,\n\tc,\n} from "../agent/b.ts";` }, /on a higher floor/],
	["a file of a higher floor started as a process", { "src/hosts/a.ts": `fork(new URL("../cli/b.ts", import.meta.url));` }, /on a higher floor/],
	["a public door from below", { "src/engine/a.ts": `import { block } from "hookline";` }, /imports src\/index\.ts, which is on a higher floor/],
	["an import from beside", { "src/tools/a.ts": `import "../hosts/b.ts";` }, /beside it on the same floor/],
	["a folder that has no floor", { "src/attic/a.ts": `import "node:fs";` }, /'attic' stands on no floor/],
	["a test imported by the program", { "src/cli/a.ts": `import "../engine/b.test.ts";` }, /not part of the program/],
	["a circle", { "src/engine/b.ts": `import "./c.ts";`, "src/engine/c.ts": `import "./a.ts";`, "src/engine/a.ts": `import "./b.ts";` }, /in a circle: src\/engine\/a\.ts → src\/engine\/b\.ts → src\/engine\/c\.ts → src\/engine\/a\.ts$/],
	["a circle of types", { "src/tools/a.ts": `import type { B } from "./b.ts";`, "src/tools/b.ts": `import type { A } from "./a.ts";` }, /in a circle/],
	["a package in the engine", { "src/engine/a.ts": `import { parse } from "yaml";`, "package.json": `{ "dependencies": { "yaml": "2.9.1" } }` }, /nothing but Node's own modules/],
	["a development package in the program", { "src/cli/a.ts": `import fc from "fast-check";`, "package.json": `{ "devDependencies": { "fast-check": "4.0.0" } }` }, /does not list under dependencies/],
	["a range instead of a version", { "package.json": `{ "dependencies": { "yaml": "^2.9.1" } }`, "src/cli/a.ts": `import "yaml";` }, /'yaml' must be pinned to one version, not '\^2\.9\.1'/],
	["an unused dependency", { "package.json": `{ "optionalDependencies": { "left": "1.0.0" } }` }, /'left' is used nowhere/],
	["a file that grew too long", { "bench/a.ts": "x;\n".repeat(maxLines + 1) }, /has 401 lines/],
	["a folder for everything", { "src/agent/utils/a.ts": "" }, /'utils' says nothing/],
	["a file for everything", { "src/agent/helpers.ts": "" }, /'helpers' says nothing/],
	["a file named after a refused word", { "src/agent/session-manager.ts": "" }, /session-manager\.ts: name it/],
	["a class named after a refused word", { "src/agent/a.ts": `export class Hook${"Manager"} {}` }, /'class Hook\w+': name it/],
	["a type named after a refused word", { "src/agent/a.ts": `type ${"Service"}Options = 1;` }, /'type \w+Options': name it/],
	["a test alone", { "src/agent/a.test.ts": `test${""}.${"only"}("x", () => {});` }, /'test\.only' keeps tests from running/],
	["a test left out", { "test/a.test.ts": `test("x", { ${"skip"}: true }, () => {});` }, /keeps tests from running/],
	["a path of one machine", { "docs/a.md": `Look into /${"work"}/main/src.` }, /docs\/a\.md:1: '\/w\w+\/main\/s' is a path of one machine/],
	["somebody's home", { "docs/a.md": `\n/${"home"}/anna/x` }, /docs\/a\.md:2: .* is a path of one machine/],
	["a registry", { ".npmrc": `registry=https://${"registry"}.example.org/` }, /names a package registry/],
	["a lock file tied to a registry", { "package-lock.json": `{ "resolved": "https://example.org/a.tgz" }` }, /ties the lock file/],
	["a wish in a comment", { "src/agent/a.ts": `// ${"TO"}DO: later` }, /is a wish/],
];

for (const [sentence, tree, expected] of bad) {
	test(`${sentence} is found`, () => {
		const found = violations(tree);
		assert.equal(found.length, 1, found.join("\n"));
		assert.match(found[0] ?? "", expected);
	});
}
