// Which files a rule is about, however they are written: with `..`, with `~`, through links.
import { readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Rule } from "./rule.ts";

export interface PathRule extends Rule {
	/** Whether it is about this file, or a folder around it. `places` are what `placesOf` gives; a rule for the working folder means `cwd`. */
	covers(places: readonly string[], cwd: string): boolean;
}

/**
 * `*.pem`: a name, anywhere. `secrets/**`, `./a`: below the working folder. `~/.ssh`, `/etc`: there. A folder is all in it. `*` and `?` stand for what is
 * within a name, `**` for any folders.
 * @throws Error for other wildcards.
 */
export function pathRule({ rule, reason }: Rule): PathRule {
	if (/[[\]{}!]/.test(rule)) throw new Error(`'${rule}': wildcards are *, ** and ?; the characters [ ] { } ! mean nothing here.`);
	const bare = rule.replace(/(?<=.)\/+$/, "");
	const isName = !bare.includes("/") && bare !== "~" && bare !== ".";
	const patterns = new Map<string, readonly RegExp[]>();
	const patternsIn = (cwd: string): readonly RegExp[] => {
		let made = patterns.get(cwd);
		if (made === undefined) patterns.set(cwd, (made = isName ? [patternOf(`/**/${bare}`)] : bothOf(absolute(bare, cwd)).map(patternOf)));
		return made;
	};
	return { rule, reason, covers: (places, cwd) => places.some((one) => patternsIn(cwd).some((pattern) => pattern.test(one))) };
}

/** Where a path leads that somebody wrote in a folder. */
export const placesOf = (path: string, folder: string): readonly string[] => bothOf(absolute(path, folder));

export const absolute = (path: string, folder: string): string => resolve(folder, path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, () => homedir()));

/** As it is written, and where that leads: a rule holds for both. */
function bothOf(path: string): readonly string[] {
	const pieces = path.split("/");
	const wild = pieces.findIndex((piece) => /[*?]/.test(piece));
	const fixed = (wild < 0 ? pieces : pieces.slice(0, wild)).join("/") || "/";
	const real = [realOf(fixed, 0), ...(wild < 0 ? [] : pieces.slice(wild))].join("/").replace(/^\/\//, "/");
	return real === path ? [path] : [path, real];
}

/** Where a path leads, also when it is not there yet. */
function realOf(path: string, depth: number): string {
	try {
		return realpathSync(path);
	} catch {
		if (path === "/" || depth > 40) return path;
	}
	const here = join(realOf(dirname(path), depth + 1), basename(path));
	try {
		return realOf(resolve(dirname(here), readlinkSync(here)), depth + 1);
	} catch {
		return here;
	}
}

const flags = process.platform === "darwin" || process.platform === "win32" ? "is" : "s";

function patternOf(path: string): RegExp {
	const pieces = path.split("/").slice(1).map((piece) => (piece === "**" ? "(?:/[^/]+)*" : `/${piece.replace(/[$()+.\\^|]/g, "\\$&").replace(/\*+/g, "[^/]*").replaceAll("?", "[^/]")}`));
	return new RegExp(`^${pieces.join("")}(?:/.*)?$`, flags);
}
