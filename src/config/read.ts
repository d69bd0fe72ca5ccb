// config.yaml, read and checked. A setting that would silently do nothing is an error with its line and column.
import { readFileSync } from "node:fs";
import type { Document, LineCounter, Node } from "yaml";
import { type Mistake, mistakesIn } from "../system/schema.ts";
import { fileHookMistakes } from "./file-hooks.ts";
import { mcpMistakes } from "./mcp.ts";
import { type Config, configSchema } from "./schema.ts";

/** The file cannot be used. One line per mistake: file, line, column, what is wrong, what to do. */
export class ConfigError extends Error {
	override readonly name = "ConfigError";
}

/** Something in the file that is wrong, and where: lines and columns count from 1. */
export interface ConfigMistake {
	readonly line: number;
	readonly column: number;
	/** A sentence. */
	readonly message: string;
}

/** A file as it was read: whether or not its settings are right. */
export interface ReadFile {
	/** Undefined when there is no such file. */
	readonly text: string | undefined;
	/** Undefined for a file that is empty, or no YAML. */
	readonly document: Document | undefined;
	/** Of what is written there; an empty object when nothing is. */
	readonly value: unknown;
	readonly mistakes: readonly ConfigMistake[];
	/** Line and column of the key or list entry a path leads to, or of what comes nearest. */
	readonly placeOf: (path: readonly string[]) => Pick<ConfigMistake, "line" | "column">;
}

/**
 * The settings in a file; none when there is no such file or it is empty.
 * @throws ConfigError
 */
export async function readConfig(file: string): Promise<Config> {
	return settingsOf(file, await readConfigFile(file));
}

/**
 * The settings of a file that was read. What `hooks` holds is not among what was checked: its dialect does that.
 * @throws ConfigError
 */
export function settingsOf(file: string, { value, mistakes }: Pick<ReadFile, "value" | "mistakes">): Config {
	if (mistakes.length > 0) throw new ConfigError(mistakes.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`).join("\n"));
	return value as Config;
}

/**
 * A file with everything that is wrong in it.
 * @throws ConfigError when it cannot be read as text.
 */
export async function readConfigFile(file: string): Promise<ReadFile> {
	const text = readText(file);
	return { text, ...(await parseConfig(text ?? "")) };
}

/** The same of a text that stands in no file yet, or in one that has rules of its own: `check` finds what is wrong with its settings. */
export async function parseConfig(text: string, check: (value: unknown) => readonly Mistake[] = configMistakes): Promise<Omit<ReadFile, "text">> {
	if (text.trim() === "") return { document: undefined, value: {}, mistakes: [], placeOf: atTop };
	// Only loaded when there is something to read: it takes longer than everything else at the start.
	const { LineCounter, parseDocument } = await import("yaml");
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true, version: "1.2" });
	const [broken] = document.errors;
	if (broken !== undefined) {
		const { line, col: column } = lines.linePos(broken.pos[0]);
		const message = `this is not YAML: ${firstLine(broken.message)}${/tab/i.test(broken.message) ? " Indent with spaces." : ""}`;
		return { document: undefined, value: {}, mistakes: [{ line, column, message }], placeOf: atTop };
	}
	const value = valueOf(document);
	if (value instanceof Error) return { document: undefined, value: {}, mistakes: [{ line: 1, column: 1, message: `its aliases (*name) cannot be followed: ${value.message}. Write the settings out.` }], placeOf: atTop };
	const placeOf = (path: readonly string[]) => placeIn(document, lines, path);
	const mistakes = check(value).map(({ path, message }) => ({ ...placeOf(path), message: `${message}.` }));
	return { document, value, mistakes, placeOf };
}

/** What stands below `hooks` is for its dialect to check, which knows the events and says what to write instead. The whole schema is for editors and the documentation. */
const checkedSchema = { ...configSchema, properties: { ...configSchema.properties, hooks: {} } };
const configMistakes = (value: unknown): readonly Mistake[] => [...mistakesIn(checkedSchema, value), ...mcpMistakes(value), ...fileHookMistakes(value)];
const atTop = () => ({ line: 1, column: 1 });

function valueOf(document: Document): unknown {
	try {
		return document.toJS({ maxAliasCount: 100 }) ?? {};
	} catch (error) {
		return error instanceof Error ? error : new Error(String(error));
	}
}

/** The text of a file; undefined when there is none. @throws ConfigError */
export function readText(file: string): string | undefined {
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

/** A pair of a map has a key, an entry of a list is a node itself. */
interface Item {
	readonly key?: { readonly value?: unknown; readonly range?: readonly number[] | null };
	readonly range?: readonly number[] | null;
}

function placeIn(document: Document, lines: LineCounter, path: readonly string[]): { readonly line: number; readonly column: number } {
	for (let length = path.length; length > 0; length--) {
		const parent = length === 1 ? document.contents : (document.getIn(path.slice(0, length - 1), true) as Node | null);
		const last = path[length - 1]!;
		const items = (parent as { readonly items?: readonly Item[] } | null)?.items;
		const offset = (items?.find((item) => String(item?.key?.value) === last)?.key ?? items?.[/^\d+$/.test(last) && !items.some((item) => item?.key) ? Number(last) : -1])?.range?.[0];
		if (offset !== undefined) {
			const { line, col } = lines.linePos(offset);
			return { line, column: col };
		}
	}
	return { line: 1, column: 1 };
}

const firstLine = (text: string) => text.split("\n", 1)[0]!.replace(/ at line \d+, column \d+:?$/, ".");
