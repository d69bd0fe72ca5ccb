// Files that others may swap while we look: opened once, without following a link, and nothing but regular files.
import { createHash } from "node:crypto";
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export interface ReadFile {
	readonly bytes: Buffer;
	/** As they were before the first byte was read. */
	readonly stats: BigIntStats;
}

/** @throws the file system's error, also for what has become a link since it was looked at. */
export function readRegular(file: string, mostBytes: number): ReadFile | "too long" {
	const pieces: Buffer[] = [];
	let length = 0;
	const stats = pass(file, (piece) => {
		// The next piece is read into the same memory.
		pieces.push(Buffer.from(piece));
		return (length += piece.length) <= mostBytes;
	});
	return length > mostBytes ? "too long" : { bytes: Buffer.concat(pieces), stats };
}

/** Of a file of any length, which is never held as a whole; a hash that is known already is not computed again. @throws the file system's error. */
export function hashRegular(file: string, knownFor: (stats: BigIntStats) => string | undefined): { readonly sha256: string; readonly head: Buffer; readonly stats: BigIntStats } {
	const hash = createHash("sha256");
	let known: string | undefined;
	let head: Buffer | undefined;
	const stats = pass(file, (piece, found) => {
		if (head === undefined) known = knownFor(found);
		head ??= Buffer.from(piece.subarray(0, 256));
		hash.update(piece);
		return known === undefined;
	});
	return { sha256: known ?? hash.digest("hex"), head: head ?? Buffer.alloc(0), stats };
}

/** Hands on piece by piece, until `take` has enough; gives what the file was before the first. */
function pass(file: string, take: (piece: Buffer, stats: BigIntStats) => boolean): BigIntStats {
	// Not blocking: what has become a pipe in the meantime must not hold us up.
	const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	try {
		const stats = fstatSync(fd, { bigint: true });
		if (!stats.isFile()) throw new Error("it is no regular file");
		const buffer = Buffer.allocUnsafe(stats.size > 1_000_000n ? 1_000_000 : 64 * 1024);
		for (;;) {
			const read = readSync(fd, buffer);
			if (read === 0 || !take(buffer.subarray(0, read), stats)) return stats;
		}
	} finally {
		closeSync(fd);
	}
}

export const sha256Of = (data: Buffer | string): string => createHash("sha256").update(data).digest("hex");
