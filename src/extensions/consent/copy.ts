// The private copy of what was approved: a hook runs from it, so that what is swapped after the check is not what runs.
import { lstatSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Home } from "../../system/home.ts";
import { hashRegular, readRegular, sha256Of } from "../../system/regular-file.ts";
import { type CopiedFile, keepCopy, removeUnused } from "../copies.ts";
import { piecesOf } from "./definition.ts";
import { identityOf, slowestTickMs } from "./hashes.ts";
import { mostBytes, NotRunnable, type Piece, type Program } from "./program.ts";
import { ConsentError } from "./record.ts";

export const approvedFolder = (home: Home): string => join(home.path, "approved");

/** A program with the bytes of what will be copied, read once. */
export interface Taken {
	readonly program: Program;
	readonly bytes: ReadonlyMap<Piece, Buffer>;
}

/**
 * Reads what will be copied: it is what was hashed.
 * @throws NotRunnable when it is another by now.
 */
export function take(program: Program): Taken {
	const bytes = new Map<Piece, Buffer>();
	for (const piece of copiedOf(program)) {
		const read = orChanged(piece, () => readRegular(piece.hashed.real, mostBytes));
		if (read === "too long" || sha256Of(read.bytes) !== piece.hashed.sha256) throw new NotRunnable(`${piece.path} was changed while it was looked at.`);
		bytes.set(piece, read.bytes);
	}
	return { program, bytes };
}

/** The name of a program's copy, of its content; undefined when it needs none. */
export function copyNameOf(program: Program): string | undefined {
	const places = placesOf(program);
	if (places.size === 0) return undefined;
	return sha256Of(`hookline approved 1\n${JSON.stringify([...places].map(([{ hashed }, path]) => [path, hashed.sha256, hashed.executable]))}`);
}

export class ApprovedCopies {
	readonly #home: Home;
	/** Of each program that was started, as long as the same one is: what is started, and how its copy was when its bytes were last compared. */
	readonly #started = new WeakMap<Program, { readonly argv: readonly [string, ...string[]]; readonly sound: Unchanged }>();

	constructor(home: Home) {
		this.#home = home;
	}

	/**
	 * File and arguments to start, in a copy that holds what was hashed. `given` is read when the copy has to be made.
	 * @throws NotRunnable, ConsentError
	 */
	argvOf(program: Program, given: () => Taken): readonly [string, ...string[]] {
		const started = this.#started.get(program);
		if (started?.sound.holds() === true) return started.argv;
		const copy = this.keep(program, given);
		const places = placesOf(program);
		const [first, ...rest] = program.words.map((word) => (typeof word === "string" ? word : places.has(word) ? join(copy!, places.get(word)!) : word.path));
		const argv = [first!, ...rest] as const;
		const sound = copy === undefined ? undefined : Unchanged.from(copy);
		// In this order: what is written after the look at it shows in the next one.
		if (sound !== undefined && isSound(copy!, program)) this.#started.set(program, { argv, sound });
		return argv;
	}

	/** @throws NotRunnable, ConsentError */
	keep(program: Program, given: () => Taken): string | undefined {
		const name = copyNameOf(program);
		if (name === undefined) return undefined;
		const copy = join(approvedFolder(this.#home), name);
		// Outside of what may fail because of the home: the files themselves may have changed.
		const files = isSound(copy, program) ? [] : filesFor(program, given());
		try {
			keepCopy(approvedFolder(this.#home), { name, files, holds: (folder) => isSound(folder, program) });
		} catch (error) {
			throw new ConsentError(`The copy of what was approved, which is what runs, cannot be kept in ${approvedFolder(this.#home)} (${error instanceof Error ? error.message : String(error)}). Make that a folder only you can write to, with space in it.`, { cause: error });
		}
		return copy;
	}
}

/** A folder and all in it, looked at again without listing it: a folder that is written to has another time. */
class Unchanged {
	readonly #folder: string;
	readonly #paths: readonly string[];
	readonly #identities: readonly string[];
	/** Whether the folders were written to so long ago that another write would show. */
	#isSettled = false;

	private constructor(folder: string, paths: readonly string[]) {
		this.#folder = folder;
		this.#paths = paths;
		this.#identities = paths.map((path) => identityOf(lstatSync(path, { bigint: true })));
	}

	/** Undefined where it cannot be looked at. */
	static from(folder: string): Unchanged | undefined {
		try {
			return new Unchanged(folder, pathsIn(folder));
		} catch {
			return undefined;
		}
	}

	holds(): boolean {
		try {
			const found = this.#paths.map((path) => lstatSync(path, { bigint: true }));
			if (found.some((stats, i) => identityOf(stats) !== this.#identities[i])) return false;
			if (this.#isSettled) return true;
			this.#isSettled = found.every(({ ctimeMs }) => Date.now() - Number(ctimeMs) > slowestTickMs);
			const paths = pathsIn(this.#folder);
			return paths.length === this.#paths.length && paths.every((path, i) => path === this.#paths[i]);
		} catch {
			return false;
		}
	}
}

/** Removes the copies nobody needs any more: the revoked at once, the others when they are long unused. What cannot be removed stays. */
export function removeCopies(home: Home, kept: readonly string[], revoked: readonly string[]): void {
	try {
		removeUnused(approvedFolder(home), kept, revoked);
	} catch {
		// It is not run without an approval, and the next change of the list tries again.
	}
}

const copiedOf = (program: Program): readonly Piece[] => piecesOf(program).filter(({ root }) => root !== undefined);

/** Where each copied file lies in the copy: each folder keeps its shape, in a folder with a number. */
function placesOf(program: Program): ReadonlyMap<Piece, string> {
	const copied = copiedOf(program);
	const roots = [...new Set(copied.map(({ root }) => root!))];
	return new Map(copied.map((piece) => [piece, `${roots.indexOf(piece.root!)}/${relative(piece.root!, piece.path)}`]));
}

function filesFor(program: Program, { bytes }: Taken): readonly CopiedFile[] {
	const found = new Map(copiedOf(program).map((piece) => [piece.path, piece] as const));
	const taken = new Map([...bytes].map(([piece, content]) => [piece.path, content]));
	// A file that is named twice is there once.
	return [...new Map([...placesOf(program)].map(([piece, path]) => [path, piece] as const))].map(([path, piece]) => ({ path, bytes: taken.get(piece.path)!, mode: found.get(piece.path)!.hashed.executable ? 0o500 : 0o400 }));
}

function isSound(copy: string, program: Program): boolean {
	const expected = new Map([...placesOf(program)].map(([{ hashed }, path]) => [path, hashed.sha256]));
	try {
		const there = entriesIn(copy);
		return there.length === expected.size && there.every(({ path }) => expected.get(path) === hashRegular(join(copy, path), () => undefined).sha256);
	} catch {
		return false;
	}
}

/** It and all in it, folders as well. */
function pathsIn(folder: string): readonly string[] {
	return [folder, ...readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? pathsIn(join(folder, entry.name)) : [join(folder, entry.name)]))];
}

/** Whatever is no folder. Python, run by root, leaves its cache everywhere. */
function entriesIn(folder: string, below = ""): readonly { readonly path: string }[] {
	return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
		const path = below === "" ? entry.name : `${below}/${entry.name}`;
		if (!entry.isDirectory()) return [{ path }];
		return entry.name === "__pycache__" ? [] : entriesIn(folder, path);
	});
}

function orChanged<Result>(piece: Piece, run: () => Result): Result {
	try {
		return run();
	} catch (error) {
		throw new NotRunnable(`${piece.path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
	}
}
