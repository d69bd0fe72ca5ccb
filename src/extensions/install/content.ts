// The files of a package in memory, wherever they come from: what is looked at and granted is what is then written.
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readRegular, sha256Of } from "../../system/regular-file.ts";

/** Something that cannot be installed. The message is for the person. */
export class InstallError extends Error {
	override readonly name = "InstallError";
}

export interface PackageFile {
	/** Below the package, with slashes. */
	readonly path: string;
	readonly bytes: Buffer;
	readonly executable: boolean;
}

export const mostFiles = 2_000;
/** Of all files together. */
export const mostBytes = 32 * 1024 * 1024;
/** Bytes of a path, and folders in it. */
const longestPath = 240;
const deepestPath = 24;

/** Takes files one by one, and refuses what no package should hold. */
export class Files {
	/** What the package is called in messages. */
	readonly #what: string;
	readonly #files = new Map<string, PackageFile>();
	readonly #names = new Set<string>();
	#entries = 0;
	#bytes = 0;

	constructor(what: string) {
		this.#what = what;
	}

	/** Of an entry, before its bytes are read. @throws InstallError */
	expect(path: string, bytes: number): void {
		if (++this.#entries > mostFiles) throw this.refusal(`holds more than ${mostFiles} files and folders`);
		if ((this.#bytes += bytes) > mostBytes) throw this.refusal(`holds more than ${mostBytes / 1024 / 1024} MB`);
		const why = whyNoPath(path);
		if (why !== undefined) throw this.refusal(`holds '${path.slice(0, longestPath)}', ${why}`);
	}

	/** @throws InstallError */
	add(file: PackageFile): void {
		// One file on a disk that does not tell upper from lower case.
		const name = file.path.normalize("NFC").toLowerCase();
		if (this.#names.has(name)) throw this.refusal(`holds '${file.path}' twice`);
		this.#names.add(name);
		this.#files.set(file.path, file);
	}

	refusal(why: string): InstallError {
		return new InstallError(`${this.#what} ${why}, so it is not installed.`);
	}

	/** Sorted by path, without what nobody wants. */
	get all(): readonly PackageFile[] {
		return [...this.#files.values()].filter(({ path }) => !path.split("/").some((part) => leftOut.has(part))).toSorted((a, b) => (a.path < b.path ? -1 : 1));
	}
}

/** What belongs to tools that work on a folder, not to what is in it. */
const leftOut: ReadonlySet<string> = new Set([".git", ".hg", ".svn", ".DS_Store", "__pycache__"]);

function whyNoPath(path: string): string | undefined {
	const parts = path.split("/");
	if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "a path that is not within it";
	if (parts.includes("..")) return "a path that leads out of it";
	if (parts.some((part) => part === "" || part === ".")) return "a path with an empty part";
	if (/[\u0000-\u001f\u007f\\]/.test(path) || !path.isWellFormed()) return "a name with characters that no file should have";
	if (Buffer.byteLength(path) > longestPath || parts.length > deepestPath) return `a path longer than ${longestPath} bytes or deeper than ${deepestPath} folders`;
	return undefined;
}

/**
 * A folder as a package: regular files alone. Packages in its node_modules come along only where its package.json bundles some.
 * @throws InstallError
 */
export function readFolder(folder: string): readonly PackageFile[] {
	const files = new Files(folder);
	const walk = (below: string): void => {
		for (const name of orRefuse(files, below, () => readdirSync(join(folder, below)))) {
			if (leftOut.has(name) || (below === "" && name === "node_modules" && !bundles(folder))) continue;
			const path = below === "" ? name : `${below}/${name}`;
			// Links that package tools make to programs within, and the one 'new' makes to ourselves.
			if (path === "node_modules/.bin" || path === "node_modules/hookline") continue;
			const found = orRefuse(files, path, () => lstatSync(join(folder, path)));
			if (found.isDirectory()) {
				files.expect(path, 0);
				walk(path);
			} else if (!found.isFile()) throw files.refusal(`holds '${path}', ${found.isSymbolicLink() ? "a link, and links are not followed" : "which is no regular file"}`);
			else {
				files.expect(path, found.size);
				const read = orRefuse(files, path, () => readRegular(join(folder, path), found.size));
				if (read === "too long") throw files.refusal(`holds '${path}', which grew while it was read`);
				files.add({ path, bytes: read.bytes, executable: (found.mode & 0o111) !== 0 });
			}
		}
	};
	walk("");
	return files.all;
}

function orRefuse<Result>(files: Files, path: string, run: () => Result): Result {
	try {
		return run();
	} catch (error) {
		throw files.refusal(`cannot be read${path === "" ? "" : ` at '${path}'`}: ${error instanceof Error ? error.message : String(error)}`);
	}
}

function bundles(folder: string): boolean {
	try {
		const read = readRegular(join(folder, "package.json"), mostBytes);
		return read !== "too long" && bundledIn(read.bytes).length > 0;
	} catch {
		return false;
	}
}

/** The names in `bundleDependencies` of a package.json; all of its dependencies where that is `true`. */
export function bundledIn(bytes: Buffer): readonly string[] {
	const { bundleDependencies, bundledDependencies, dependencies } = packageJson(bytes);
	const named = bundleDependencies ?? bundledDependencies;
	return named === true ? Object.keys(dependencies ?? {}) : Array.isArray(named) ? named.map(String) : [];
}

/** What a package.json needs at run time, as far as it can be told. */
export function neededIn(bytes: Buffer): readonly string[] {
	return Object.keys(packageJson(bytes).dependencies ?? {}).filter((name) => name !== "hookline");
}

interface PackageJson {
	readonly dependencies?: Readonly<Record<string, unknown>>;
	readonly bundleDependencies?: unknown;
	readonly bundledDependencies?: unknown;
}

function packageJson(bytes: Buffer): PackageJson {
	try {
		const value: unknown = JSON.parse(bytes.toString("utf8"));
		return typeof value === "object" && value !== null ? value : {};
	} catch {
		return {};
	}
}

export interface Content {
	/** SHA-256 over all paths and bytes, hexadecimal. */
	readonly hash: string;
	/** The SHA-256 of each file, by its path. */
	readonly files: Readonly<Record<string, string>>;
}

export function contentOf(files: readonly { readonly path: string; readonly bytes: Buffer }[]): Content {
	const hashes = files.map(({ path, bytes }) => [path, sha256Of(bytes)] as const);
	return { hash: sha256Of(`hookline extension 1\n${hashes.map(([path, hash]) => `${JSON.stringify(path)} ${hash}\n`).join("")}`), files: Object.fromEntries(hashes) };
}

/** The content of a folder that was installed; what is there beside the files that were is part of it. `__pycache__` is not: Python leaves it. */
export function installedContent(folder: string): Content | { readonly problem: string } {
	const files: { path: string; bytes: Buffer }[] = [];
	let bytes = 0;
	try {
		for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
			const path = join(entry.parentPath, entry.name).slice(folder.length + 1).replaceAll("\\", "/");
			if (entry.isDirectory() || path.split("/").includes("__pycache__")) continue;
			const read = files.length >= mostFiles ? "too long" : readRegular(join(folder, path), mostBytes - bytes);
			if (read === "too long") return { problem: "it holds more than any extension that is installed" };
			bytes += read.bytes.length;
			files.push({ path, bytes: read.bytes });
		}
	} catch (error) {
		return { problem: `it cannot be read: ${error instanceof Error ? error.message : String(error)}` };
	}
	return contentOf(files.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
}
