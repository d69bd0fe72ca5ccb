// What Hookline stands on: its Node, the cache of compiled code, programs on PATH.
import { accessSync, constants, readFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { findOnPath } from "../../tools/search-ripgrep.ts";
import type { Check } from "./check.ts";

export function checkNode(): Check {
	const name = "node";
	const launcher = readFileSync(new URL("../../../bin/hookline", import.meta.url), "utf8");
	const [, major = 0, minor = 0] = (/^h_minimum=(\d+)\.(\d+)$/m.exec(launcher) ?? []).map(Number);
	const [ownMajor = 0, ownMinor = 0] = process.versions.node.split(".").map(Number);
	const message = `Node ${process.versions.node}, ${process.execPath}.`;
	if (ownMajor < major || (ownMajor === major && ownMinor < minor)) return { name, state: "problem", message, advice: `Hookline needs ${major}.${minor} or newer; start it as bin/hookline.` };
	if (/[/\\]node_modules[/\\]node-[^/\\]+[/\\]bin[/\\]node$/.test(process.execPath)) return { name, state: "ok", message: `${message} It came along with Hookline.` };
	return { name, state: "warning", message: `${message} It is not the one that comes along with Hookline.`, advice: "It should work; 'npm ci --include=optional' brings the one Hookline is tested with." };
}

/** Where none can be written, Node compiles at each start without a word. */
export function checkCompileCache(): Check {
	const name = "compile cache";
	const folder = getCompileCacheDir();
	const advice = "Each start takes longer. Make ~/.cache writable, or set XDG_CACHE_HOME to a folder that is.";
	if (folder === undefined) return { name, state: "warning", message: "Compiled code is not kept between starts.", advice };
	try {
		accessSync(folder, constants.W_OK);
		return { name, state: "ok", message: `Compiled code is kept in ${folder}.` };
	} catch (error) {
		return { name, state: "warning", message: `Compiled code is not kept: ${folder} cannot be written (${(error as NodeJS.ErrnoException).code}).`, advice };
	}
}

interface Program {
	readonly name: string;
	readonly file: string;
	/** What it is for, as a sentence. */
	readonly use: string;
	readonly on?: NodeJS.Platform;
}

const programs: readonly Program[] = [
	{ name: "ripgrep", file: "rg", use: "With it search_files is quicker in large folders." },
	{ name: "python3", file: "python3", use: "Models often write small Python programs and run them in the terminal." },
	{ name: "git", file: "git", use: "Models look with it at what has changed." },
	{ name: "bubblewrap", file: "bwrap", use: "With it a hook can run commands in a sandbox.", on: "linux" },
];

/** None of them is needed, so their absence is a warning at most. */
export async function checkPrograms(): Promise<readonly Check[]> {
	const wanted = programs.filter(({ on = process.platform }) => on === process.platform);
	return Promise.all(
		wanted.map(async ({ name, file, use }): Promise<Check> => {
			const found = await findOnPath(file, process.env["PATH"] ?? "");
			return found === undefined ? { name, state: "warning", message: `There is no '${file}' on PATH. ${use}` } : { name, state: "ok", message: `${found}. ${use}` };
		}),
	);
}
