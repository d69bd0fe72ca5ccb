// extensions.lock.json in the home: what was installed from where, with which content, and what the user granted it.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../system/files.ts";
import { ensureHome, type Home } from "../system/home.ts";
import { takeLock } from "../system/lock.ts";
import type { Manifest } from "./manifest/manifest.ts";
import type { Permissions } from "./permissions.ts";

/** The lock file cannot be relied on, or not be written. The message is for the person. */
export class LockError extends Error {
	override readonly name = "LockError";
}

/** Where something was installed from. */
export type LockedSource =
	| { readonly kind: "npm"; /** As it was asked for: `name@range`. */ readonly spec: string; /** Of the tarball, as the registry has it: `sha512-…`. */ readonly integrity: string }
	| { readonly kind: "git"; readonly url: string; /** A branch or tag that `update` follows. */ readonly ref?: string; readonly commit: string }
	| { readonly kind: "archive"; /** Absolute. */ readonly file: string; /** Of the file. */ readonly sha256: string }
	| { readonly kind: "folder"; /** Absolute. */ readonly folder: string }
	/** Not copied: what lies there is loaded, whatever it is by then. */
	| { readonly kind: "link"; /** Absolute. */ readonly folder: string };

export interface Locked {
	readonly version: string;
	readonly source: LockedSource;
	/** SHA-256 over all paths and bytes, hexadecimal; undefined for a link. */
	readonly content?: string;
	/** The SHA-256 of each file, by its path: it tells what was edited. */
	readonly files?: Readonly<Record<string, string>>;
	readonly granted: Permissions;
	/** As it was read from that content, so that it need not be read at each start; undefined for a link. */
	readonly manifest?: Manifest;
	/** The version of Hookline that read it: another may know other fields. */
	readonly readBy?: string;
	/** ISO 8601. */
	readonly at: string;
}

/** By name. */
export type Lock = ReadonlyMap<string, Locked>;

export const lockFile = (home: Home): string => join(home.path, "extensions.lock.json");

/** What is installed. A file that cannot be relied on tells nothing, and `problem` says why, in a sentence. */
export function readLock(home: Home): { readonly lock: Lock; readonly problem?: string } {
	const file = lockFile(home);
	try {
		return { lock: parse(file) };
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		return { lock: new Map(), problem: `${file}, which says what was installed and granted, cannot be relied on: ${why}. Mend it; or move it away, remove what was installed, and install it anew.` };
	}
}

/** Runs something that changes what is installed, one process after the other. @throws LockError, HomeError */
export async function whileLocked<Result>(home: Home, run: () => Promise<Result>): Promise<Result> {
	ensureHome(home);
	const lock = await orRefuse(home, () => takeLock(join(home.path, "extensions.lock")));
	try {
		return await run();
	} finally {
		lock.close();
	}
}

/** Writes an entry, or takes it out. Only within `whileLocked`. @throws LockError */
export async function writeEntry(home: Home, name: string, entry: Locked | undefined): Promise<void> {
	const { lock, problem } = readLock(home);
	if (problem !== undefined) throw new LockError(problem);
	const changed = new Map(lock);
	if (entry === undefined) changed.delete(name);
	else changed.set(name, entry);
	const extensions = Object.fromEntries([...changed].toSorted(([a], [b]) => (a < b ? -1 : 1)));
	await orRefuse(home, () => writeAtomically(lockFile(home), `${JSON.stringify({ version: 1, extensions }, undefined, "\t")}\n`, { mode: 0o600, until: "disk" }));
}

async function orRefuse<Result>(home: Home, run: () => Promise<Result>): Promise<Result> {
	try {
		return await run();
	} catch (error) {
		throw new LockError(`${lockFile(home)} cannot be written (${error instanceof Error ? error.message : String(error)}), so nothing was changed. Make its folder writable, or wait for the other process that writes it.`, { cause: error });
	}
}

/** @throws Error that says what is wrong with the file. */
function parse(file: string): Lock {
	const found = statSync(file, { throwIfNoEntry: false });
	if (found === undefined) return new Map();
	// The home may be a folder that others can write to: what they put there is not the user's word.
	if (found.uid !== process.getuid?.()) throw new Error("it belongs to another user");
	if ((found.mode & 0o022) !== 0) throw new Error("others may write to it");
	const whole: unknown = JSON.parse(readFileSync(file, "utf8"));
	if (!isObject(whole) || !isObject(whole["extensions"])) throw new Error("it has no map 'extensions'");
	if (whole["version"] !== 1) throw new Error(`its version is ${JSON.stringify(whole["version"])}, and 1 is what this Hookline knows`);
	return new Map(Object.entries(whole["extensions"]).map(([name, entry]) => [name, entryIn(entry, name)]));
}

/** By hand: a schema would take longer to compile than all else at the start. */
function entryIn(entry: unknown, name: string): Locked {
	const { version, source, content, files, granted, manifest, readBy, at } = isObject(entry) ? entry : {};
	const { events, tools, paths, hosts, env, exec, inline } = isObject(granted) ? granted : {};
	const lists = [events, hosts, env, exec, ...(isObject(tools) ? [tools["register"], tools["override"]] : [undefined]), ...(isObject(paths) ? [paths["read"], paths["write"]] : [undefined])];
	const isBound = isObject(source) && (source["kind"] === "link" || (isHash(content) && isObject(files) && Object.values(files).every(isHash) && isObject(manifest) && isText(readBy)));
	if (!isText(version) || !isText(at) || !isBound || !isSource(source) || typeof inline !== "boolean" || !lists.every((list) => Array.isArray(list) && list.every(isText))) throw new Error(`what it says of '${name}' is not what 'hookline extensions' writes`);
	return entry as Locked;
}

function isSource({ kind, ...rest }: Record<string, unknown>): boolean {
	const wanted = Object.hasOwn(sourceFields, String(kind)) ? sourceFields[kind as LockedSource["kind"]] : undefined;
	return wanted !== undefined && wanted.every((field) => isText(rest[field])) && (rest["ref"] === undefined || isText(rest["ref"]));
}

const sourceFields: Readonly<Record<LockedSource["kind"], readonly string[]>> = { npm: ["spec", "integrity"], git: ["url", "commit"], archive: ["file", "sha256"], folder: ["folder"], link: ["folder"] };
const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isHash = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
