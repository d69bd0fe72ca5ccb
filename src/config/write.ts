// Changes config.yaml, and leaves everything else in it as its owner wrote it: comments, order, quotes.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { Document, Node, Pair, Scalar, YAMLSeq } from "yaml";
import { writeAtomically } from "../system/files.ts";
import { ConfigError, parseConfig, readConfigFile } from "./read.ts";

/** `value` undefined takes the setting out. The path may end with the number of an entry in a list; the next free one adds it. */
export interface Change {
	readonly path: readonly string[];
	readonly value: unknown;
}

type Yaml = typeof import("yaml");

const schemaFile = new URL("../../docs/config.schema.json", import.meta.url);

/** What a new file begins with: an editor that reads YAML Schemas then completes and checks it. */
function heading(): string {
	const schema = existsSync(fileURLToPath(schemaFile)) ? `# yaml-language-server: $schema=${schemaFile.href}\n` : "";
	return `${schema}# Settings of Hookline. 'hookline config check' checks them.\n`;
}

/**
 * Makes the changes, all of them or none. Mistakes that were there before may stay, new ones may not come.
 * @returns whether the file was written; false when it says so already.
 * @throws ConfigError that says what would be wrong; the file system's own error when it cannot be written.
 */
export async function changeConfig(file: string, changes: readonly Change[]): Promise<boolean> {
	const before = await readConfigFile(file);
	const blank = (before.text ?? "").trim() === "";
	if (before.document === undefined && !blank) throw new ConfigError(before.mistakes.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`).join("\n"));
	let text = blank ? heading() : before.text!;
	for (const change of changes) text = await changed(file, text, change);
	const after = await parseConfig(text);
	const fresh = after.mistakes.filter(({ message }) => !before.mistakes.some((known) => known.message === message));
	if (fresh.length > 0) throw new ConfigError(`${file} was left as it is: ${fresh.map(({ message }) => message).join("\n")}`);
	if (text === before.text || (blank && changes.every(({ value }) => value === undefined))) return false;
	await writeAtomically(file, text, { until: "disk" });
	return true;
}

/** The text is edited where that gives what was wanted; otherwise all of it is printed anew. */
async function changed(file: string, text: string, { path, value }: Change): Promise<string> {
	const yaml = await import("yaml");
	const { parseDocument } = yaml;
	const document = parseDocument(text, { version: "1.2" });
	const old = document.getIn(path, true);
	if (value === undefined && old === undefined) return text;
	const edited = value === undefined ? without(yaml, document, text, path) : old === undefined ? withNew(yaml, document, text, path, value) : withOther(yaml, old as Node, text, value);
	if (value !== undefined) makeRoom(yaml, file, document, path);
	if (value === undefined) removeWithEmptyParents(yaml, document, path);
	else document.setIn(path, value);
	if (edited !== undefined) {
		const read = parseDocument(edited, { version: "1.2" });
		if (read.errors.length === 0 && isDeepStrictEqual(read.toJS() ?? {}, document.toJS() ?? {})) return edited;
	}
	return document.toString({ lineWidth: 0, indent: indentOf(text), flowCollectionPadding: /\{ \S/.test(text) || !/\{\S/.test(text) });
}

/**
 * Turns sections with nothing in them, which are null, into ones that take settings.
 * @throws ConfigError for what is no section and would be lost.
 */
function makeRoom({ isAlias, isMap, isScalar, isSeq }: Yaml, file: string, document: Document, path: readonly string[]): void {
	for (let length = 0; length < path.length; length++) {
		const names = path.slice(0, length);
		const section = length === 0 ? document.contents : document.getIn(names, true);
		if (section === undefined || section === null || isMap(section) || (isSeq(section) && length === path.length - 1 && /^\d+$/.test(path.at(-1)!))) continue;
		const what = length === 0 ? "the whole" : `'${names.join(".")}'`;
		if (isAlias(section)) throw new ConfigError(`${file}: ${what} is an alias (*${section.source}): change it where it is written, or write it out.`);
		if (!isScalar(section) || section.value !== null) throw new ConfigError(`${file}: ${what} is no map of settings, so none can be added there. 'hookline config check' says what is wrong.`);
		const map = document.createNode({});
		map.commentBefore = section.commentBefore ?? section.comment ?? null;
		if (length === 0) document.contents = map;
		else document.setIn(names, map);
	}
}

/** The text with one value in the place of another, and not a blank around it changed. */
function withOther({ isScalar, stringify }: Yaml, old: Node, text: string, value: unknown): string | undefined {
	const plain = typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && !value.includes("\n"));
	if (!plain || !isScalar(old) || !old.range || old.anchor !== undefined || old.tag !== undefined || old.range[1] === old.range[0] || old.type?.startsWith("BLOCK")) return undefined;
	if (old.value === value) return text;
	const written = /[,[\]{}]/.test(String(value)) ? JSON.stringify(value) : stringify(value, { lineWidth: 0 }).trimEnd();
	return `${text.slice(0, old.range[0])}${written}${text.slice(old.range[1])}`;
}

/** The text with a new setting behind the last of its section; undefined where that cannot be done in the text. */
function withNew(yaml: Yaml, document: Document, text: string, path: readonly string[], value: unknown): string | undefined {
	const lines = (names: readonly string[], column: number) => {
		const nested = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
		return yaml.stringify(nested, { lineWidth: 0, indent: indentOf(text) }).replace(/^(?=.)/gm, " ".repeat(column));
	};
	if (document.contents === null) return behindComments(text, lines(path, 0));
	for (let length = path.length - 1; length >= 0; length--) {
		const section = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
		if (section === undefined) continue;
		if (yaml.isSeq(section)) return withEntry(yaml, section, text, value);
		const place = placeIn(yaml, section, text) ?? placeBelow(yaml, document, text, path.slice(0, length));
		if (place === undefined) return undefined;
		const head = text.slice(0, place.end);
		return `${head}${head.endsWith("\n") ? "" : "\n"}${lines(path.slice(length), place.column)}${text.slice(place.end)}`;
	}
	return undefined;
}

/** The text with one entry more behind the last of a list. */
function withEntry({ stringify }: Yaml, list: YAMLSeq, text: string, value: unknown): string | undefined {
	const first = (list.items[0] as Node | undefined)?.range?.[0];
	const end = endOf(list, text);
	if (list.flow || first === undefined || end === undefined) return undefined;
	const column = columnOf(text.lastIndexOf("-", first - 1), text);
	const head = text.slice(0, end);
	return `${head}${head.endsWith("\n") ? "" : "\n"}${stringify([value], { lineWidth: 0, indent: indentOf(text) }).replace(/^(?=.)/gm, " ".repeat(column))}${text.slice(end)}`;
}

interface Place {
	/** Where a line can begin. */
	readonly end: number;
	/** How far it is indented. */
	readonly column: number;
}

/** Behind what stands in a section. */
function placeIn({ isMap }: Yaml, section: unknown, text: string): Place | undefined {
	if (!isMap(section) || section.flow) return undefined;
	const first = (section.items[0]?.key as Node | undefined)?.range?.[0];
	const end = endOf(section, text);
	return first === undefined || end === undefined ? undefined : { end, column: columnOf(first, text) };
}

/** Behind the name of a section with nothing in it, in front of any comment that follows. */
function placeBelow({ isMap, isScalar }: Yaml, document: Document, text: string, path: readonly string[]): Place | undefined {
	const section = document.getIn(path, true);
	const above = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
	if (!isScalar(section) || section.value !== null || section.source !== "" || !isMap(above) || above.flow) return undefined;
	const key = (above.items.find((item) => String((item.key as Scalar).value) === path.at(-1))?.key as Node | undefined)?.range;
	if (!key) return undefined;
	const newline = text.indexOf("\n", key[1]);
	return { end: newline < 0 ? text.length : newline + 1, column: columnOf(key[0], text) + indentOf(text) };
}

const columnOf = (offset: number, text: string) => offset - (text.lastIndexOf("\n", offset - 1) + 1);

function behindComments(text: string, lines: string): string | undefined {
	if (/^(?:---|\.\.\.|%)/m.test(text)) return undefined;
	const head = text === "" || text.endsWith("\n") ? text : `${text}\n`;
	return `${head}${head.trim() === "" || head.endsWith("\n\n") ? "" : "\n"}${lines}`;
}

/** The text without a setting, and without the sections that would be left empty. */
function without({ isMap }: Yaml, document: Document, text: string, path: readonly string[]): string | undefined {
	for (let length = path.length; length > 0; length--) {
		const section = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
		if (!isMap(section)) return undefined;
		if (section.items.length === 1) {
			if (length === 1) return commentsOf(text);
			continue;
		}
		const pair = section.items.find((item) => String((item.key as Scalar).value) === path[length - 1]);
		const start = (pair?.key as Node | undefined)?.range?.[0];
		const line = start === undefined ? 0 : text.lastIndexOf("\n", start - 1) + 1;
		const end = endOf((pair?.value ?? pair?.key) as Node, text);
		if (!section.flow && start !== undefined && end !== undefined && text.slice(line, start).trim() === "") return text.slice(0, line) + text.slice(end);
		return undefined;
	}
	return undefined;
}

function removeWithEmptyParents({ isMap }: Yaml, document: Document, path: readonly string[]): void {
	document.deleteIn(path);
	for (let length = path.length - 1; length > 0; length--) {
		const parent = document.getIn(path.slice(0, length), true);
		if (!isMap(parent) || parent.items.length > 0) return;
		document.deleteIn(path.slice(0, length));
	}
}

/** Where the line ends on which a value does, its comment included. */
function endOf(node: Node | Pair | null, text: string): number | undefined {
	if (node === null) return undefined;
	if ("items" in node && !(node as { flow?: boolean }).flow) {
		const last = (node as { items: readonly (Node | Pair)[] }).items.at(-1);
		if (last !== undefined) return "key" in last ? endOf((last.value ?? last.key) as Node, text) : endOf(last, text);
	}
	const end = (node as Node).range?.[1];
	if (end === undefined || text[end - 1] === "\n") return end;
	const newline = text.indexOf("\n", end);
	return newline < 0 ? text.length : newline + 1;
}

const indentOf = (text: string) => Math.min(/^( +)\S/m.exec(text.replace(/^\s*#.*$/gm, ""))?.[1]?.length ?? 2, 8);

/** With the last setting gone, what was said around them stays. */
function commentsOf(text: string): string {
	const kept = text.split("\n").filter((line) => /^\s*#/.test(line));
	return kept.length === 0 ? "" : `${kept.join("\n")}\n`;
}
