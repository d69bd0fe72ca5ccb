// Makes a checkout ready: `npm ci` when node_modules is missing or no longer what package-lock.json lists, and nothing otherwise.
// Plain JavaScript for Node 20: it runs before our own Node is there. Everything it says goes to stderr, stdout belongs to the command that follows.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { nodeFor } from "./pinned-node.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockFile = join(root, "package-lock.json");
const stampFile = join(root, "node_modules", ".hookline-setup");
/** Held while npm works. Not inside node_modules, which npm deletes; an empty folder, which git does not see. */
const busyFolder = join(root, ".setup-busy");
const heartbeatMs = 1_000;
const abandonedMs = 20_000;
const stopGraceMs = 1_000;

/** What npm's failures mean for the person in front of it; the first that fits npm's output. */
const advice = [
	[/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|SOCKET_TIMEOUT/, "The package registry cannot be reached. Check the network and the proxy ('npm config get registry' names the registry), then run the same command again."],
	[/\bE40[13]\b|ENEEDAUTH/, "The package registry refused the request. Check npm's login ('npm config get registry' names the registry), then run the same command again."],
	[/\bE404\b|ETARGET|notarget/, "The package registry does not have a package that package-lock.json lists. 'npm config get registry' names the registry; use one that has it."],
	[/EINTEGRITY/, "A package is not the one package-lock.json lists. Run 'npm cache clean --force' and try again; if it stays, do not trust the registry."],
	[/EUSAGE|EJSONPARSE|in sync/, "package.json and package-lock.json do not fit together. Take both as they were committed, or run 'npm install'."],
	[/ENOSPC/, "The disk is full. Free some space, then run the same command again."],
	[/EACCES|EPERM|EROFS/, `npm may not write to ${root}. Give yourself the right to, or clone to a folder of your own.`],
];

process.exitCode = await setUp();

async function setUp() {
	let lockText;
	try {
		lockText = readFileSync(lockFile, "utf8");
	} catch (error) {
		return fail(`${lockFile} cannot be read (${error.code}). It is part of the repository: take it as it was committed.`);
	}
	const wanted = createHash("sha256").update(`${process.platform}-${process.arch}\n${lockText}`).digest("hex");
	if (isReady(wanted)) return checkNode();
	if (isInstalled(lockText)) {
		writeStamp(wanted);
		return checkNode();
	}
	let release;
	try {
		release = await takeTurn();
	} catch (error) {
		return fail(`${root} cannot be written (${error.code}), and node_modules is not what package-lock.json lists. Make the folder writable, then run the same command again.`);
	}
	try {
		// Whoever was before us may have done it all.
		if (isReady(wanted)) return checkNode();
		const problem = await install();
		if (problem !== undefined) return fail(problem);
		const code = checkNode("started");
		if (code === 0) writeStamp(wanted);
		return code;
	} finally {
		release();
	}
}

function isReady(wanted) {
	try {
		if (readFileSync(stampFile, "utf8") !== wanted) return false;
		// The launcher compares dates because that is all sh can do cheaply; a fresh date spares it coming here again.
		if (statSync(lockFile).mtimeMs >= statSync(stampFile).mtimeMs) writeStamp(wanted);
		return true;
	} catch {
		return false;
	}
}

function writeStamp(wanted) {
	try {
		mkdirSync(dirname(stampFile), { recursive: true });
		writeFileSync(stampFile, wanted);
	} catch {
		// A read-only checkout that is complete works; it only asks again each time.
	}
}

/** Whether npm itself, called by hand, has put exactly this lock file's packages in place. It writes its own list last, so a broken-off run has none. */
function isInstalled(lockText) {
	let wanted;
	let found;
	try {
		wanted = JSON.parse(lockText).packages;
		found = JSON.parse(readFileSync(join(root, "node_modules", ".package-lock.json"), "utf8")).packages;
	} catch {
		return false;
	}
	const surplus = Object.keys(found).some((path) => !(path in wanted));
	return !surplus && Object.entries(wanted).every(([path, entry]) => {
		if (path === "") return true;
		if (!(path in found)) return entry.optional === true && !isForHere(entry);
		return found[path].version === entry.version && found[path].integrity === entry.integrity && existsSync(join(root, path));
	});
}

function isForHere({ os, cpu, libc }) {
	// A package for one C library says so with `libc`; npm has judged that, we cannot.
	return libc === undefined && allows(os, process.platform) && allows(cpu, process.arch);
}

function allows(list, name) {
	if (list === undefined) return true;
	const names = [list].flat();
	return names.includes(name) || (names.every((entry) => entry.startsWith("!")) && !names.includes(`!${name}`));
}

/**
 * Waits until no other set-up works on this folder. Making a folder is atomic everywhere; its date is renewed while we live, so that one left
 * behind by a killed process is recognised (a process number would say nothing across containers).
 */
async function takeTurn() {
	for (let told = false; ; ) {
		try {
			mkdirSync(busyFolder);
			break;
		} catch (error) {
			if (error.code !== "EEXIST") throw error;
		}
		if (!told) say("another set-up of this folder is at work; waiting for it.");
		told = true;
		removeAbandoned();
		await pause(100);
	}
	const heartbeat = setInterval(() => {
		try {
			utimesSync(busyFolder, new Date(), new Date());
		} catch {
			// Somebody removed it. Then two may work at once, which npm survives, and ours is as good as theirs.
		}
	}, heartbeatMs);
	return () => {
		clearInterval(heartbeat);
		rmdirSync(busyFolder, { recursive: false });
	};
}

function removeAbandoned() {
	try {
		if (Date.now() - statSync(busyFolder).mtimeMs < abandonedMs) return;
		// Renamed first: of several that wait, only one can, and nobody deletes the folder the next one has just made.
		const aside = `${busyFolder}-${process.pid}`;
		renameSync(busyFolder, aside);
		rmdirSync(aside);
	} catch {
		// It went away by itself.
	}
}

/** Runs `npm ci`. Resolves to nothing, or to a sentence when it failed. */
async function install() {
	say("installing what package-lock.json lists (npm ci). This happens once, and again when the list changes.");
	const started = Date.now();
	// Nothing we depend on has an install script that we need, so none may run. --include: also where NODE_ENV is production.
	const args = ["ci", "--ignore-scripts", "--include=dev", "--include=optional", "--prefer-offline", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
	const [command, ...before] = npmCommand();
	const npm = spawn(command, [...before, ...args], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
	let stopped;
	const stop = (signal) => {
		stopped = signal;
		npm.kill(signal);
		// npm hears a signal only after what it is fetching, which may be minutes. What it leaves half done, the next set-up does again.
		setTimeout(() => npm.kill("SIGKILL"), stopGraceMs).unref();
	};
	const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
	for (const signal of signals) process.on(signal, stop);
	let output = "";
	npm.stderr.setEncoding("utf8");
	npm.stderr.on("data", (text) => {
		if (output.length < 200_000) output += text;
	});
	const ended = await new Promise((resolve) => {
		npm.once("error", (error) => resolve({ error }));
		npm.once("close", (code, signal) => resolve({ code, signal }));
	});
	for (const signal of signals) process.off(signal, stop);
	if (ended.code === 0) {
		say(`ready after ${Math.ceil((Date.now() - started) / 1000)} s.`);
		return undefined;
	}
	if (ended.error) {
		return ended.error.code === "ENOENT"
			? "npm is not on PATH. It comes with Node: install Node 20 or newer together with npm, then run the same command again."
			: `npm cannot be started: ${ended.error.message}.`;
	}
	if (stopped || ended.signal) return `npm was stopped (${stopped ?? ended.signal}). Run the same command again to finish.`;
	process.stderr.write(essence(output));
	const known = advice.find(([pattern]) => pattern.test(output));
	return `npm could not install the packages. ${known ? known[1] : "Its own words stand above; mend that, then run the same command again."}`;
}

/** The beginning of npm's complaint and where its log is; in between it likes to print its whole manual. */
function essence(output) {
	const lines = output.trimEnd().split("\n");
	const log = lines.filter((line, index) => index >= 10 && line.includes("complete log"));
	return `${[...lines.slice(0, 10), ...log].join("\n")}\n`;
}

/** The npm that called us, run by the Node that runs it, which is not the one in the folder npm is about to delete. */
function npmCommand() {
	const { npm_execpath: cli, npm_node_execpath: node } = process.env;
	if (cli && /[\\/]npm-cli\.js$/.test(cli) && existsSync(cli)) return [node && existsSync(node) ? node : process.execPath, cli];
	return ["npm"];
}

/** After an installation the Node that came along is started once, to be sure that it can be. */
function checkNode(how = "there") {
	const node = nodeFor(root);
	if (node.mistake) return fail(node.mistake);
	if (how === "there" || node.path === process.execPath) return 0;
	const { status, error, stderr } = spawnSync(node.path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
	if (status === 0) return 0;
	const why = error ? error.message : stderr.trim().split("\n")[0];
	return fail(`the Node that came along does not run on this machine (${node.path}: ${why}). Delete the folder of that package to use a Node of your own.`);
}

function say(sentence) {
	process.stderr.write(`hookline set-up: ${sentence}\n`);
}

function fail(sentence) {
	say(sentence);
	return 1;
}
