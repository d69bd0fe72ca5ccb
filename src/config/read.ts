// config.yaml, read and checked. A setting that would silently do nothing is an error with its line and column.
import { readFileSync } from "node:fs";
import type { Document, LineCounter, Node } from "yaml";
import { mistakesIn } from "../system/schema.ts";
import { type Config, configSchema } from "./schema.ts";

/** The file cannot be used. One line per mistake: file, line, column, what is wrong, what to do. */
export class ConfigError extends Error {
	override readonly name = "ConfigError";
}

/**
 * The settings in a file; none when there is no such file or it is empty.
 * @throws ConfigError
 */
export async function readConfig(file: string): Promise<Config> {
	const text = readText(file);
	if (text === undefined || text.trim() === "") return {};
	// Only loaded when there is something to read: it takes longer than everything else at the start.
	const { LineCounter, parseDocument } = await import("yaml");
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true, version: "1.2" });
	const [broken] = document.errors;
	if (broken !== undefined) {
		const { line, col } = lines.linePos(broken.pos[0]);
		throw new ConfigError(`${file}:${line}:${col}: this is not YAML: ${firstLine(broken.message)}${/tab/i.test(broken.message) ? " Indent with spaces." : ""}`);
	}
	const value = valueOf(document, file);
	const found = mistakesIn(configSchema, value);
	if (found.length > 0) throw new ConfigError(found.map(({ path, message }) => `${file}:${placeOf(document, lines, path)}: ${message}.`).join("\n"));
	return value as Config;
}

function valueOf(document: Document, file: string): unknown {
	try {
		return document.toJS({ maxAliasCount: 100 }) ?? {};
	} catch (error) {
		throw new ConfigError(`${file}: its aliases (*name) cannot be followed: ${error instanceof Error ? error.message : String(error)}. Write the settings out.`, { cause: error });
	}
}

function readText(file: string): string | undefined {
	let bytes: Buffer;
	try {
		bytes = readFileSync(file);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw new ConfigError(`${file}: the configuration cannot be read: ${message}. Mend its rights, or move it away.`);
	}
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
		if (!text.includes("\0")) return text;
	} catch {
		// Said below, in one way for both.
	}
	throw new ConfigError(`${file}: this is no text file (${bytes.length} bytes that are not UTF-8). Move it away, or write the settings anew.`);
}

/** Line and column of the key a path leads to, or of what comes nearest. */
function placeOf(document: Document, lines: LineCounter, path: readonly string[]): string {
	for (let length = path.length; length > 0; length--) {
		const parent = length === 1 ? document.contents : (document.getIn(path.slice(0, length - 1), true) as Node | null);
		const pair = (parent as { items?: readonly { key?: { value?: unknown; range?: readonly number[] | null } }[] } | null)?.items?.find((item) => String(item.key?.value) === path[length - 1]);
		const offset = pair?.key?.range?.[0];
		if (offset !== undefined) {
			const { line, col } = lines.linePos(offset);
			return `${line}:${col}`;
		}
	}
	return "1:1";
}

const firstLine = (text: string) => text.split("\n", 1)[0]!.replace(/ at line \d+, column \d+:?$/, ".");
