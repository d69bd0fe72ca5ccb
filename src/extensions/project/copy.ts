// The private copy of a trusted content: extensions run from it, so that what is swapped in the project after the check is not what runs.
import { join } from "node:path";
import type { Home } from "../../system/home.ts";
import { keepCopy, removeUnused } from "../copies.ts";
import { type Content, readContent } from "./content.ts";
import { ownFolder } from "./find.ts";
import { TrustError } from "./record.ts";

export const copiesFolder = (home: Home): string => join(home.path, "trusted");

/**
 * A folder of the user's own that holds `.hookline` with exactly this content, checked just now. `hash` is what is trusted.
 * @throws TrustError
 */
export function copyOf({ content, hash }: { readonly content: Content; readonly hash: string }, home: Home): string {
	const folder = copiesFolder(home);
	const files = content.files.map(({ path, bytes }) => ({ path: `${ownFolder}/${path}`, bytes, mode: 0o600 }));
	try {
		return keepCopy(folder, { name: hash, files, holds: (copy) => holds(copy, content) });
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw new TrustError(`The copy of the project's extensions, which is what runs, cannot be kept in ${folder} (${why}). Make that a folder only you can write to, with space in it, or start with --no-hooks.`, { cause: error });
	}
}

/**
 * Removes the copies that nobody trusts any more: the one that was just revoked, and those long unused. `kept` are the hashes that are trusted.
 * @throws TrustError
 */
export function removeCopies(home: Home, kept: readonly string[], revoked?: string): void {
	const folder = copiesFolder(home);
	try {
		removeUnused(folder, kept, revoked === undefined ? [] : [revoked]);
	} catch (error) {
		throw new TrustError(`Copies in ${folder} that are not needed any more cannot be removed (${error instanceof Error ? error.message : String(error)}). Remove that folder yourself.`, { cause: error });
	}
}

function holds(copy: string, { hash }: Content): boolean {
	const found = readContent(copy);
	return found.problems.length === 0 && found.hash === hash;
}
