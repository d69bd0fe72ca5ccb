// Which extensions lie in a folder: `<name>.ts` (or .js, .mjs), or a folder `<name>` with an index file of that kind. Those in Python are found by their dialect.
import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isPackage } from "../dialects/hermes-extension/settings.ts";
import type { Granted } from "./permissions.ts";

export interface FoundExtension {
	readonly name: string;
	/** Absolute. */
	readonly file: string;
	/** Extensions without which it is not loaded. */
	readonly needs?: readonly string[];
	/** What it may do; everything when not given. */
	readonly granted?: Granted;
	/** Where it runs unless its settings say otherwise; where its set does when not given. */
	readonly host?: "inline" | "node";
	/** All that belongs to it, absolute, where that is not told by its file. */
	readonly folder?: string;
	/** What runs is what was installed: a file that is saved is not taken up. */
	readonly pinned?: boolean;
}

/** Something in the folder that looks as if it should be an extension and is none; the message says why. */
export interface NotAnExtension {
	readonly name: string;
	readonly file: string;
	readonly message: string;
}

const endings = [".ts", ".mts", ".js", ".mjs"] as const;

/** The extensions of a folder, sorted by name. A folder that is not there has none. */
export function findExtensions(folder: string): { readonly found: readonly FoundExtension[]; readonly problems: readonly NotAnExtension[] } {
	const found = new Map<string, FoundExtension>();
	const problems: NotAnExtension[] = [];
	for (const entry of entriesOf(folder, problems)) {
		const file = join(folder, entry.name);
		if (/^[._]/.test(entry.name) || entry.name === "node_modules") continue;
		const candidate = isFolder(entry, file) ? inFolder(entry.name, file) : asFile(entry.name, file);
		if (candidate === undefined) continue;
		const other = isProblem(candidate) ? undefined : found.get(candidate.name);
		if (isProblem(candidate)) problems.push(candidate);
		else if (other !== undefined) problems.push({ ...candidate, message: `there is another extension of that name, ${other.file}; only that one is loaded. Rename one of them.` });
		else found.set(candidate.name, candidate);
	}
	return { found: [...found.values()], problems };
}

function entriesOf(folder: string, problems: NotAnExtension[]): Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code !== "ENOENT") problems.push({ name: "*", file: folder, message: `the folder of extensions cannot be read: ${message}` });
		return [];
	}
}

function isFolder(entry: Dirent, file: string): boolean {
	return entry.isDirectory() || (entry.isSymbolicLink() && (statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false));
}

function asFile(name: string, file: string): FoundExtension | NotAnExtension | undefined {
	const ending = endings.find((known) => name.endsWith(known));
	// Types and tests live beside the code they belong to.
	if (ending === undefined || /\.(?:d|test)\.m?[jt]s$/.test(name)) return undefined;
	const bare = name.slice(0, -ending.length);
	return validName(bare) ? { name: bare, file } : { name: bare, file, message: "the name of an extension is letters, digits, '.', '_' and '-' only. Rename the file." };
}

function inFolder(name: string, folder: string): FoundExtension | NotAnExtension | undefined {
	if (isPackage(folder)) return undefined;
	const index = endings.map((ending) => join(folder, `index${ending}`)).find((file) => existsSync(file));
	if (index === undefined) return { name, file: folder, message: `the folder has no ${endings.map((ending) => `index${ending}`).join(", ")}, so there is nothing to load. If it is not meant to be an extension, begin its name with '_'.` };
	return validName(name) ? { name, file: index } : { name, file: folder, message: "the name of an extension is letters, digits, '.', '_' and '-' only. Rename the folder." };
}

const validName = (name: string) => /^[\w.-]{1,64}$/.test(name);
const isProblem = (candidate: FoundExtension | NotAnExtension): candidate is NotAnExtension => "message" in candidate;
