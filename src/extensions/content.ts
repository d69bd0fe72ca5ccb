// What an extension consists of, in one hash: an editor that saves a file unchanged, or touches it, changes nothing.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readRegular } from "../system/regular-file.ts";

/** Files, and bytes of all together. What is larger always counts as changed. */
const mostFiles = 2_000;
const mostBytes = 32 * 1024 * 1024;

/** The folder of an extension that has one of its own, otherwise its file, as far as the file tells. */
export const rootOf = (file: string): string => (/^(?:index\.\w+|__init__\.py|handler\.\w+)$/.test(basename(file)) ? dirname(file) : file);

/** What an extension does not consist of, by the name of a file or a folder. */
export const isLeftOut = (name: string): boolean => name.startsWith(".") || name === "node_modules" || name === "__pycache__";

/** SHA-256 over the paths and contents below an extension's root, hexadecimal; undefined where it cannot be read as a whole. */
export function contentOf(root: string): string | undefined {
	const hash = createHash("sha256");
	let files = 0;
	let bytes = 0;
	const add = (path: string): void => {
		const found = lstatSync(path);
		if (found.isDirectory()) {
			for (const name of readdirSync(path).toSorted()) if (!isLeftOut(name)) add(join(path, name));
		} else if (found.isFile()) {
			const read = readRegular(path, mostBytes - bytes);
			if (read === "too long" || ++files > mostFiles) throw new Error("too large");
			bytes += read.bytes.length;
			hash.update(`${path.slice(root.length)}\0${read.bytes.length}\0`).update(read.bytes);
		} else hash.update(`${path.slice(root.length)}\0no regular file\0`);
	};
	try {
		add(root);
		return hash.digest("hex");
	} catch {
		return undefined;
	}
}
