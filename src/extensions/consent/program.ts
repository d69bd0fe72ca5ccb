// What a command really runs: the program that is started, and every file that it is known to read as code.
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Hashed, Hashes } from "./hashes.ts";

/** `script` and `program`: what the command names by its path. `interpreter`: what reads a script. `tool`: found on PATH. `beside`: in the folder of the script. */
export type Part = "script" | "program" | "interpreter" | "tool" | "argument" | "beside";

/** A file that takes part in what a hook runs. */
export interface Piece {
	readonly as: Part;
	/** Absolute, as the command names it. */
	readonly path: string;
	readonly hashed: Hashed;
	/** The folder that keeps its shape in the private copy; absent for what runs in its own place. */
	readonly root?: string;
}

/** What is started, in words; a word that is a file may be run from its copy. */
export interface Program {
	readonly words: readonly [Piece, ...(string | Piece)[]];
	/** Read by what is started, by names that are not in the command. */
	readonly beside: readonly Piece[];
}

/** The command cannot be started as it is; the message is a sentence. */
export class NotRunnable extends Error {
	override readonly name = "NotRunnable";
}

export interface Place {
	/** Absolute: where relative names begin. */
	readonly cwd: string;
	/** PATH of the hook. */
	readonly searched: string;
	/** Where each folder is one hook, with all that lies in it. */
	readonly ownHooks: string;
	readonly hashes: Hashes;
}

/** Files in the folder of a hook, and bytes of all copied files together. */
export const mostFiles = 1_000;
export const mostBytes = 64 * 1024 * 1024;

/** Whether they start the same: hashes are the same objects as long as nothing was written. */
export function sameProgram(a: Program, b: Program): boolean {
	const same = (one: string | Piece | undefined, other: string | Piece | undefined) =>
		one === other || (typeof one === "object" && typeof other === "object" && one.hashed === other.hashed && one.as === other.as && one.path === other.path && one.root === other.root);
	return a.words.length === b.words.length && a.beside.length === b.beside.length && a.words.every((word, i) => same(word, b.words[i])) && a.beside.every((piece, i) => same(piece, b.beside[i]));
}

const isScriptName = /\.(?:sh|bash|zsh|fish|ksh|py|pyw|js|mjs|cjs|ts|mts|cts|rb|pl|php|lua|r|jl|awk|jq|ps1|exs?|tcl)$/i;

/**
 * Looks at the words of a command.
 * @throws NotRunnable
 */
export function programOf([word, ...rest]: readonly [string, ...string[]], place: Place): Program {
	const args = rest.map((arg) => fileNamed(arg, place) ?? arg);
	const words = wordsOf(word, args, place);
	const copied = words.flatMap((one) => (typeof one === "string" || one.root === undefined ? [] : [one]));
	const roots = [...new Set(copied.flatMap(({ root }) => (root === undefined || !isOwnFolder(root, place) ? [] : [root])))];
	const beside = roots.flatMap((root) => filesIn(root, root, place)).filter(({ path }) => !copied.some((piece) => piece.path === path));
	const bytes = [...copied, ...beside].reduce((sum, { hashed }) => sum + hashed.bytes, 0);
	if (bytes > mostBytes) throw new NotRunnable(`It names ${Math.ceil(bytes / 1024 / 1024)} MB of files, and ${mostBytes / 1024 / 1024} MB are the most that are copied. A program that is found on PATH is not copied: name it without its folder.`);
	return { words, beside };
}

function wordsOf(word: string, args: readonly (string | Piece)[], place: Place): Program["words"] {
	if (!word.includes("/")) return [{ as: args.some((arg) => typeof arg !== "string") ? "interpreter" : "tool", ...onPath(word, place) }, ...args];
	const path = resolve(place.cwd, word);
	const hashed = look(path, place);
	if (!hashed.executable) throw new NotRunnable(`${path} is not executable. Make it so: chmod +x '${path}'`);
	const bang = interpreterOf(hashed, path, place);
	if (bang !== undefined) return [bang[0], ...bang.slice(1), copiedPiece("script", path, hashed, place), ...args];
	// An interpreter finds its libraries beside itself, so it runs in its own place.
	if (args.some((arg) => typeof arg !== "string" && (isScriptName.test(arg.path) || isScript(arg.hashed)))) return [{ as: "interpreter", path, hashed }, ...args];
	return [copiedPiece("program", path, hashed, place), ...args];
}

/** The words of a script's first line: what the system would start for it. */
function interpreterOf(hashed: Hashed, path: string, place: Place): readonly [Piece, ...string[]] | undefined {
	if (!isScript(hashed)) return undefined;
	const [line = ""] = hashed.head.subarray(2).toString("latin1").split("\n", 1);
	const [, name = "", argument = ""] = /^[ \t]*([^ \t]*)[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
	const named = name.replace(/\r$/, "");
	const windows = line.endsWith("\r") ? " Its lines end as on Windows, which no interpreter is found with: give it Unix line ends." : "";
	if (!name.startsWith("/")) throw new NotRunnable(`The first line of ${path} names no interpreter by its whole path: '#!${line}'.${windows}`);
	if (windows !== "") throw new NotRunnable(`The interpreter of ${path} cannot be found.${windows}`);
	// `env NAME` only looks on PATH, so it is done here: then it is known what will run.
	const viaEnv = basename(named) === "env" ? envWords(argument) : undefined;
	try {
		if (viaEnv !== undefined) return [{ as: "interpreter", ...(viaEnv[0].includes("/") ? at(resolve(place.cwd, viaEnv[0]), place) : onPath(viaEnv[0], place)) }, ...viaEnv.slice(1)];
		return [{ as: "interpreter", ...at(named, place) }, ...(argument === "" ? [] : [argument])];
	} catch (error) {
		if (!(error instanceof NotRunnable)) throw error;
		throw new NotRunnable(`The interpreter that the first line of ${path} names is missing: ${error.message}`);
	}
}

/** What `env` would start; undefined where it would do more than look a name up. */
function envWords(argument: string): readonly [string, ...string[]] | undefined {
	const split = argument.startsWith("-S ") ? argument.slice(3).trim().split(/[ \t]+/) : [argument];
	const [first = "", ...rest] = split;
	return first === "" || /[-='"\\$ ]/.test(first[0]!) || split.some((word) => /[='"\\$#]/.test(word)) ? undefined : [first, ...rest];
}

const isScript = ({ head }: Hashed): boolean => head.subarray(0, 2).toString("latin1") === "#!";

function at(path: string, place: Place): Pick<Piece, "path" | "hashed"> {
	const hashed = look(path, place);
	if (!hashed.executable) throw new NotRunnable(`${path} is not executable.`);
	return { path, hashed };
}

/** Relative entries are left out: what a name means must not depend on the working folder. */
function onPath(name: string, place: Place): Pick<Piece, "path" | "hashed"> {
	for (const folder of place.searched.split(":").filter((entry) => entry.startsWith("/"))) {
		const path = join(folder, name);
		if (isFile(path, 0o111)) return { path, hashed: look(path, place) };
	}
	throw new NotRunnable(`There is no program '${name}' on PATH.`);
}

/** The file an argument names, where it names one. */
function fileNamed(arg: string, place: Place): Piece | undefined {
	if (arg.startsWith("-") || !/\/|\.\w+$/.test(arg) || arg.includes("\0")) return undefined;
	const path = resolve(place.cwd, arg);
	if (!isFile(path)) return undefined;
	return copiedPiece("argument", path, look(path, place), place);
}

/** A regular file that has one of these permission bits. */
function isFile(path: string, bits = 0o777): boolean {
	try {
		const found = statSync(path, { throwIfNoEntry: false });
		return found !== undefined && found.isFile() && (found.mode & bits) !== 0;
	} catch {
		return false;
	}
}

function copiedPiece(as: Part, path: string, hashed: Hashed, place: Place): Piece {
	const below = relative(place.ownHooks, path);
	const isOwn = !below.startsWith("..") && below.includes(sep);
	return { as, path, hashed, root: isOwn ? join(place.ownHooks, below.split(sep, 1)[0]!) : dirname(path) };
}

const isOwnFolder = (root: string, { ownHooks }: Place): boolean => dirname(root) === ownHooks;

/** What lies in the folder of a hook, but for hidden files and what Python leaves. */
function filesIn(folder: string, root: string, place: Place): readonly Piece[] {
	const found: Piece[] = [];
	const entries = orNot(folder, () => readdirSync(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
	for (const entry of entries) {
		if (entry.name.startsWith(".") || entry.name === "__pycache__") continue;
		const path = join(folder, entry.name);
		if (entry.isDirectory()) found.push(...filesIn(path, root, place));
		else if (entry.isFile()) found.push({ as: "beside", path, hashed: look(path, place), root });
		else throw new NotRunnable(`${path} is ${entry.isSymbolicLink() ? "a symbolic link, and links are not followed" : "no regular file"}: everything in the folder of a hook belongs to it.`);
		if (found.length > mostFiles) throw new NotRunnable(`${root} holds more than ${mostFiles} files, and everything in the folder of a hook belongs to it.`);
	}
	return found;
}

function look(path: string, { hashes }: Place): Hashed {
	return orNot(path, () => hashes.of(path));
}

function orNot<Result>(path: string, run: () => Result): Result {
	try {
		return run();
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		throw new NotRunnable(code === "ENOENT" || code === "ENOTDIR" ? `There is no ${path}.` : `${path} cannot be read: ${message}.`);
	}
}
