// What a file holds, by its hash; a file that is as it was when it was last hashed is not read again.
import { type BigIntStats, realpathSync, statSync } from "node:fs";
import { hashRegular } from "../../system/regular-file.ts";

/** One file at one moment. */
export interface Hashed {
	/** Without links. */
	readonly real: string;
	/** SHA-256, hexadecimal. */
	readonly sha256: string;
	readonly bytes: number;
	/** Its first 256 bytes. */
	readonly head: Buffer;
	readonly executable: boolean;
	/** Milliseconds since 1970. */
	readonly changedAt: number;
	/** The same as long as nobody writes to the file or puts another in its place; absent when that cannot be told yet. */
	readonly identity?: string;
}

/** Two writes in one tick of a file system's clock leave the same times. No such clock ticks more slowly than this, in ms. */
export const slowestTickMs = 2_000;

/** Remembers hashes of files by what the file system says of them. */
export class Hashes {
	/** By path. One that leads to the same file by another way now holds the same. */
	readonly #known = new Map<string, Hashed>();
	readonly #identities = new Map<string, string>();
	readonly #tickMs: number;

	/** `tickMs`: two writes that are closer to each other may leave the same times. */
	constructor(tickMs = slowestTickMs) {
		this.#tickMs = tickMs;
	}

	/** A hash that was found by another process. */
	remember(identity: string, sha256: string): void {
		this.#identities.set(identity, sha256);
	}

	/** The same object as long as the file is the same. @throws the file system's error; Error for what is no regular file. */
	of(path: string): Hashed {
		const known = this.#known.get(path);
		if (known !== undefined && known.identity === identityOf(statSync(path, { bigint: true }))) return known;
		const hashed = this.#hash(realpathSync.native(path));
		if (hashed.identity !== undefined) this.#known.set(path, hashed);
		return hashed;
	}

	#hash(real: string): Hashed {
		const { sha256, head, stats } = hashRegular(real, (found) => this.#identities.get(identityOf(found)));
		const isSettled = Date.now() - Number(stats.mtimeMs > stats.ctimeMs ? stats.mtimeMs : stats.ctimeMs) > this.#tickMs;
		return { real, sha256, bytes: Number(stats.size), head, executable: (stats.mode & 0o111n) !== 0n, changedAt: Number(stats.mtimeMs), ...(isSettled && { identity: identityOf(stats) }) };
	}
}

/** Of any entry of a folder. */
export const identityOf = ({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string => [dev, ino, size, mode, mtimeNs, ctimeNs].join(":");
