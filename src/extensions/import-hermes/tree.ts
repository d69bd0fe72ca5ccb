// The content of a folder that is to be copied: plain files, and of the rest what was left behind and why. Nothing is followed, nothing is run.
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readRegular } from "../../system/regular-file.ts";
import { messageOf } from "./home.ts";
import { isSecretFile } from "./secrets.ts";

export interface TreeFile {
	/** Below the folder, with slashes. */
	readonly path: string;
	readonly bytes: Buffer;
	/** 0700 for what can be executed, else 0600. */
	readonly mode: number;
}

export interface Tree {
	readonly files: readonly TreeFile[];
	/** Why something was left behind, as words behind "as", with the paths below the folder. */
	readonly left: ReadonlyMap<string, readonly string[]>;
}

/** Part of a folder cannot be read, or it is too much: then none of it is copied. The message is a sentence. */
export class NotCopied extends Error {
	override readonly name = "NotCopied";
}

export const mostFiles = 2_000;
export const mostBytes = 64 * 1024 * 1024;

const rebuilt: readonly string[] = ["node_modules", ".venv", "venv", ".git", ".hg", ".svn", ".tox", ".mypy_cache", ".pytest_cache", ".ruff_cache"];
/** Nobody misses them. */
const silently = /^(?:__pycache__|\.DS_Store|.*\.pyc)$/;

/** @throws NotCopied */
export function readTree(folder: string): Tree {
	const files: TreeFile[] = [];
	const left = new Map<string, string[]>();
	let bytes = 0;
	let entries = 0;
	const leave = (why: string, path: string) => void left.set(why, [...(left.get(why) ?? []), path]);
	const walk = (below: string): void => {
		for (const name of orNot(join(folder, below), () => readdirSync(join(folder, below)).toSorted())) {
			const path = below === "" ? name : `${below}/${name}`;
			const whole = join(folder, path);
			if (silently.test(name)) continue;
			if (++entries > mostFiles) throw new NotCopied(`it holds more than ${mostFiles} files and folders. Copy it by hand, without what is not part of it.`);
			const found = orNot(whole, () => lstatSync(whole));
			if (found.isSymbolicLink()) leave("links are not followed", path);
			else if (found.isDirectory() && (rebuilt.includes(name) || existsSync(join(whole, "pyvenv.cfg")))) leave("it is made anew where it is needed", path);
			else if (found.isDirectory()) walk(path);
			else if (!found.isFile()) leave("it is neither a file nor a folder", path);
			else if (isSecretFile(name)) leave("it may hold secrets", path);
			else if (/\.log(?:\.\d+)?$/.test(name)) leave("it is a log", path);
			else {
				const read = orNot(whole, () => readRegular(whole, mostBytes - bytes));
				if (read === "too long") throw new NotCopied(`it holds more than ${mostBytes / 1024 / 1024} MB. Copy it by hand, without what is not part of it.`);
				bytes += read.bytes.length;
				files.push({ path, bytes: read.bytes, mode: modeOf(found.mode) });
			}
		}
	};
	walk("");
	return { files, left };
}

export const modeOf = (mode: number): number => ((mode & 0o100) !== 0 ? 0o700 : 0o600);

function orNot<Result>(path: string, run: () => Result): Result {
	try {
		return run();
	} catch (error) {
		throw new NotCopied(`${path} cannot be read: ${messageOf(error)}.`);
	}
}
