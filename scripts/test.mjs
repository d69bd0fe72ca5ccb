// `npm test`: types, lint, then every test, stopping at the first of the three that fails.
// `npm test -- src/engine` takes only the test files whose path holds one of the words; what begins with a dash goes to Node's runner.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFor } from "./pinned-node.mjs";
import { installSystemPackages } from "./system-packages.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const inModules = (path) => join(root, "node_modules", path);
const home = mkdtempSync(join(tmpdir(), "hookline-test-home-"));

/** Far beyond what a slow machine needs. A file that leaves a timer or a server open would otherwise never end. */
const limitMs = 20 * 60_000;
/** How much tests do that kill programs, and in which order; the only variables of ours that reach them. */
const amounts = ["HOOKLINE_KILLS", "HOOKLINE_MESSAGES", "HOOKLINE_SESSIONS", "HOOKLINE_WRITES", "HOOKLINE_SEED"];
let atWork;

// We stay to tidy up. Control-C reaches the step at work by itself, a kill only us.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => atWork?.kill("SIGTERM"));
try {
	process.exitCode = await check(process.argv.slice(2));
} finally {
	rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}

async function check(args) {
	const node = nodeFor(root);
	if (node.mistake) return fail(node.mistake);
	if (!existsSync(inModules("typescript"))) return fail("The packages are not installed yet. Run 'npm test', which sets itself up, instead of this script.");
	const words = args.filter((arg) => !arg.startsWith("-")).map((word) => word.replace(/^\.\//, ""));
	const files = ["src", "test"].flatMap(testFiles).filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
	if (files.length === 0) return fail(`No test file has ${words.map((word) => `'${word}'`).join(" or ")} in its path. The tests are src/**/*.test.ts and test/**/*.test.ts.`);

	if (!(await step("types", node.path, [inModules("typescript/bin/tsc"), "-p", "."]))) return 1;
	if (!(await step("lint", node.path, [inModules("oxlint/bin/oxlint"), "--deny-warnings", "--quiet"]))) return 1;
	installSystemPackages();
	const reporter = process.stdout.isTTY ? "spec" : join(root, "scripts", "reporter.mjs");
	const runner = ["--disable-warning=ExperimentalWarning", "--test", "--test-concurrency=2", "--test-timeout=300000", `--test-reporter=${reporter}`, "--test-reporter-destination=stdout"];
	return (await step("tests", node.path, [...runner, ...args.filter((arg) => arg.startsWith("-")), ...files])) ? 0 : 1;
}

function testFiles(folder) {
	if (!existsSync(join(root, folder))) return [];
	return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
		.map((entry) => relative(root, join(entry.parentPath, entry.name)))
		.sort();
}

/** Runs one step with its output shown and its input closed. Resolves to whether it ended well. */
async function step(name, command, args) {
	const started = performance.now();
	const child = spawn(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env: environment() });
	atWork = child;
	const limit = setTimeout(() => {
		console.error(`${name}: not done after ${limitMs / 60_000} minutes. A test file that is not reported above keeps something open: a timer, a server, a process.`);
		child.kill("SIGTERM");
	}, limitMs);
	const ended = await new Promise((resolve) => {
		child.once("error", (error) => resolve(error.message));
		child.once("close", (code, signal) => resolve(signal ?? code));
	});
	clearTimeout(limit);
	const seconds = ((performance.now() - started) / 1000).toFixed(1);
	console.log(ended === 0 ? `${name}: fine (${seconds} s)` : `${name}: failed (${seconds} s, ${typeof ended === "number" ? `exit code ${ended}` : ended})`);
	return ended === 0;
}

/** No test may read or write the home, the model or the keys of whoever runs it. */
function environment() {
	const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => (!name.startsWith("HOOKLINE_") || amounts.includes(name)) && name !== "NODE_TEST_CONTEXT"));
	return { ...env, HOOKLINE_HOME: home, NODE_COMPILE_CACHE: inModules(".cache/hookline-compile") };
}

function fail(sentence) {
	console.error(sentence);
	return 1;
}
