// The home: whether it can be used, by its user alone, with space to grow.
import { accessSync, chmodSync, constants, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ensureHome, type Home, HomeError } from "../../system/home.ts";
import type { Check } from "./check.ts";

const name = "home";
/** Below this many bytes free there is a warning. */
const littleSpace = 100_000_000;
/** A temporary file is left behind when nobody wrote to it for so long, in ms; writing one takes a moment. */
const staleAfterMs = 3_600_000;
/** What `writeAtomically` calls a file that is not complete yet. */
const temporary = /^\..+\.[0-9a-f]{12}$/;
/** What Hookline and its user keep in a home. A folder with anything else has other uses, and its rights are not ours to change. */
const ours = /^(?:config\.yaml|trust\.(?:json|lock)|trusted|shell-hooks-allowlist\.(?:json(?:\.broken.*)?|lock)|approved|agent-hooks|hooks|live|extensions|memory|logs|hookline\.db(?:-wal|-shm)?|SOUL\.md|AGENTS\.md)$/;
const otherFolder = "Make it a writable folder, or set HOOKLINE_HOME to one.";

export function checkHome(home: Home, fix: boolean): Check {
	const { path } = home;
	const found = statSync(path, { throwIfNoEntry: false });
	if (found === undefined) return fix ? make(home) : missing(path);
	if (!found.isDirectory()) return { name, state: "problem", message: `${path} is no folder.`, advice: otherFolder };
	const why = whyNotWritable(path);
	if (why !== undefined) return { name, state: "problem", message: `${path} cannot be written (${why}).`, advice: otherFolder };
	const mode = found.mode & 0o777;
	if ((mode & 0o077) === 0) return { name, state: "ok", message: `${path} can be written, and is for you alone.` };
	const open = `Others can get into ${path} (its mode is ${octal(mode)}).`;
	const others = readdirSync(path).filter((entry) => !ours.test(entry) && !temporary.test(entry));
	if (others.length > 0) return { name, state: "warning", message: `${open} It also holds ${others.slice(0, 3).join(", ")}, so it is left as it is.`, advice: `If nobody else needs it: chmod 700 '${path}'.` };
	if (found.uid !== process.getuid?.()) return { name, state: "warning", message: open, advice: "It belongs to another user; set HOOKLINE_HOME to a folder of your own." };
	if (!fix) return { name, state: "warning", message: open, advice: "'hookline doctor --fix' makes it yours alone." };
	chmodSync(path, 0o700);
	return { name, state: "ok", message: `${path} had mode ${octal(mode)}; now it is 0700, for you alone.`, fixed: true };
}

/** Temporary files that a process killed while it wrote has left behind; nothing when there are none. */
export function checkTemporaryFiles(home: Home, fix: boolean): readonly Check[] {
	const stale = [home.path, join(home.path, "memory")].flatMap(staleIn);
	if (stale.length === 0) return [];
	const row = { name: "temporary files" };
	if (!fix) return [{ ...row, state: "warning", message: `Left behind by processes that were killed: ${stale.join(", ")}.`, advice: "'hookline doctor --fix' removes them." }];
	try {
		for (const file of stale) rmSync(file);
	} catch (error) {
		return [{ ...row, state: "warning", message: `They could not all be removed: ${(error as Error).message}.` }];
	}
	return [{ ...row, state: "ok", message: `Removed ${stale.join(", ")}.`, fixed: true }];
}

export function checkDisk({ path }: Home): Check {
	const { bavail, bsize } = statfsSync(nearestThere(path));
	const free = bavail * bsize;
	const message = `${Math.floor(free / 1_000_000)} MB are free where ${path} is.`;
	return { name: "disk", ...(free < littleSpace ? { state: "warning", message, advice: "Free some space: sessions and the trace cannot be kept on a full disk." } : { state: "ok", message }) };
}

function make(home: Home): Check {
	try {
		ensureHome(home);
		return { name, state: "ok", message: `${home.path} was made, for you alone.`, fixed: true };
	} catch (error) {
		if (!(error instanceof HomeError)) throw error;
		return { name, state: "problem", message: error.message };
	}
}

function missing(path: string): Check {
	const above = nearestThere(path);
	const why = statSync(above).isDirectory() ? whyNotWritable(above) : "it is no folder";
	if (why !== undefined) return { name, state: "problem", message: `${path} does not exist and cannot be made in ${above} (${why}).`, advice: otherFolder };
	return { name, state: "warning", message: `${path} does not exist yet; the first conversation makes it.`, advice: "'hookline doctor --fix' makes it now." };
}

/** The path itself, or the nearest one above it that exists. */
function nearestThere(path: string): string {
	let there = path;
	while (!statSync(there, { throwIfNoEntry: false })) there = dirname(there);
	return there;
}

function whyNotWritable(path: string): string | undefined {
	try {
		accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
		return undefined;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code;
	}
}

function staleIn(folder: string): string[] {
	try {
		const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && temporary.test(entry.name));
		return files.map((entry) => join(folder, entry.name)).filter((file) => Date.now() - statSync(file).mtimeMs > staleAfterMs);
	} catch {
		// No such folder, or it is being changed: then there is nothing that could safely be removed.
		return [];
	}
}

const octal = (mode: number) => `0${mode.toString(8)}`;
