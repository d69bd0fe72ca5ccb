// Where in an author's files something happened, read from a stack.
import { dirname, basename, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExtensionFile } from "./host.ts";
import { originalLine } from "./typescript.ts";

export interface Place {
	readonly file: string;
	readonly line: number;
}

// `at name (file:///a.ts?hookline=1:5:7)`, `at /a.js:5:7`, and the line before a syntax error: `/a.ts:3`.
const frame = /(?:^|\(|at (?:async )?)(file:\/\/\S+?|\/[^\n]+?)(\?hookline=\d+)?:(\d+)(?::(\d+))?\)?$/gm;

/** Every place a thrown value's stack names, innermost first; nothing for what has no stack. */
export function placesOf(thrown: unknown): readonly Place[] {
	return [...stackOf(thrown).matchAll(frame)].map(([, location = "", version = "", line, column]) => {
		const number = originalLine(location + version, Number(line), Number(column ?? 1));
		return { file: toPath(location), line: number };
	});
}

/** The innermost place that lies in an extension's own files. */
export function placeIn(extension: ExtensionFile, thrown: unknown): Place | undefined {
	return placesOf(thrown).find(({ file }) => isOf(extension, file));
}

/** Whether a file belongs to an extension: it is its file, or lies in the folder of one that has a folder of its own. */
export function isOf({ file }: ExtensionFile, path: string): boolean {
	return path === file || (/^index\.\w+$/.test(basename(file)) && path.startsWith(dirname(file) + sep));
}

/** The path behind a script's name: a URL for ES modules, a path for CommonJS. */
export function toPath(location: string): string {
	if (!location.startsWith("file:")) return location;
	try {
		return fileURLToPath(location);
	} catch {
		return location;
	}
}

function stackOf(thrown: unknown): string {
	try {
		// An author's own getter may throw or give anything.
		return thrown instanceof Error && typeof thrown.stack === "string" ? thrown.stack : "";
	} catch {
		return "";
	}
}
