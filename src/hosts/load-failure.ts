// Why a file could not be read as a module, in words and with its line. Node says it in a dozen ways, some without a place.
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { type ExtensionFile, LoadError } from "./host.ts";
import { type Place, placeIn, placesOf, toPath } from "./place.ts";
import type { Reading } from "./resolve.ts";

/** What an import threw, as the author should read it. `failed` says the same of an error that the module's own code threw. */
export function readingError(extension: ExtensionFile, reading: Reading, thrown: unknown, failed: string): LoadError {
	const at = (place: Place | undefined, why: string) => new LoadError(extension.name, place ?? extension, why, thrown);
	if (!(thrown instanceof Error)) return at(undefined, `${failed} while it was read.`);
	const code = "code" in thrown ? thrown.code : undefined;
	if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") {
		const missing = missingImport(thrown);
		if (missing !== undefined) return at(lineWith(missing.importer, missing.name), missing.why);
	}
	if (thrown instanceof SyntaxError) {
		const place = placesOf(thrown)[0];
		if (place !== undefined && !place.file.startsWith(import.meta.dirname)) return at(place, `it cannot be read: ${sentence(thrown.message)}`);
		const found = firstMistake(reading);
		return at(found, `it cannot be read: ${sentence(thrown.message)}`);
	}
	if (typeof code === "string" && code.startsWith("ERR_") && placeIn(extension, thrown) === undefined) return at(undefined, `it cannot be read: ${sentence(thrown.message)}`);
	return at(placeIn(extension, thrown) ?? ownPlace(reading, thrown), `it ${failed} while it was read.`);
}

interface Missing {
	readonly importer: string;
	/** As it is written in the importer, or the end of it. */
	readonly name: string;
	readonly why: string;
}

/** Read from Node's message, the only place that tells who imported what. */
function missingImport({ message }: Error): Missing | undefined {
	const [, kind, name = "", esmImporter] = /^Cannot find (package|module) '(.+?)'(?: imported from (.+))?/.exec(message) ?? [];
	const importer = esmImporter ?? /Require stack:\n- (.+)/.exec(message)?.[1];
	if (kind === undefined || importer === undefined) return undefined;
	const file = toPath(importer.replace(/\?hookline=\d+$/, ""));
	const isPath = name.startsWith("/") || name.startsWith(".");
	if (isPath) return { importer: file, name: name.slice(name.lastIndexOf("/") + 1), why: `it imports '${name}', and there is no such file.` };
	return { importer: file, name, why: `it imports the package '${name}', which is not installed. Run 'npm install ${name}' in its folder.` };
}

/** The line of a file where a quoted name is mentioned. */
function lineWith(file: string, name: string): Place | undefined {
	const lines = textOf(file)?.split("\n") ?? [];
	const line = lines.findIndex((text) => text.includes(`${name}"`) || text.includes(`${name}'`) || text.includes(`${name}/`));
	return line < 0 ? undefined : { file, line: line + 1 };
}

/** Node's error for an ES module in JavaScript has no place; the parser for TypeScript, which also reads JavaScript, names it. */
function firstMistake(reading: Reading): Place | undefined {
	for (const url of reading.urls) {
		const file = toPath(url.slice(0, -reading.version.length));
		const source = textOf(file);
		if (source === undefined || file.endsWith(".json")) continue;
		try {
			stripTypeScriptTypes(source, { mode: "transform", sourceUrl: "/source" });
		} catch (error) {
			const line = placesOf(error).find((place) => place.file === "/source")?.line;
			return line === undefined ? undefined : { file, line };
		}
	}
	return undefined;
}

/** The innermost place in any file of the reading: an extension of one file may import others from beside it. */
function ownPlace(reading: Reading, thrown: unknown): Place | undefined {
	const files = new Set([...reading.urls].map((url) => toPath(url.slice(0, -reading.version.length))));
	return placesOf(thrown).find(({ file }) => files.has(file));
}

function textOf(file: string): string | undefined {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return undefined;
	}
}

const sentence = (message: string): string => (/[.?!]$/.test(message) ? message : `${message}.`);
