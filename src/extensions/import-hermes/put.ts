// Copies into Hookline's home: all of a thing or nothing of it, and never over what is there.
import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { constants, copyFile, link, mkdir, rename, rm, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readRegular } from "../../system/regular-file.ts";
import type { TreeFile } from "./tree.ts";

/** What became of a copy. `differs`: something else of that name is there, and stays; the paths that are not the same. */
export type Put = "copied" | "present" | { readonly differs: readonly string[] };

export interface PutOptions {
	/** Only tells what would become of it. */
	readonly dryRun: boolean;
	/** Its abort leaves nothing half done. */
	readonly signal: AbortSignal;
}

/** Copies files as a folder. @throws the file system's error, and the signal's reason; then nothing was copied. */
export async function putFolder(target: string, files: readonly TreeFile[], options: PutOptions): Promise<Put> {
	const found = lstatSync(target, { throwIfNoEntry: false });
	if (found !== undefined) return found.isDirectory() ? compared(files.filter(({ path, bytes }) => !holds(join(target, path), bytes)).map(({ path }) => path)) : { differs: [basename(target)] };
	return write(target, options, async (temporary) => {
		for (const { path, bytes, mode } of files) {
			options.signal.throwIfAborted();
			const file = join(temporary, path);
			await mkdir(dirname(file), { recursive: true, mode: 0o700 });
			await writeFile(file, bytes, { mode, flag: "wx" });
		}
		await rename(temporary, target);
	});
}

/** Copies one file. @throws as `putFolder` does. */
export async function putFile(target: string, { bytes, mode }: Pick<TreeFile, "bytes" | "mode">, options: PutOptions): Promise<Put> {
	if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) return compared(holds(target, bytes) ? [] : [basename(target)]);
	return write(target, options, async (temporary) => {
		await writeFile(temporary, bytes, { mode, flag: "wx" });
		// Not a rename, which would take the place of a file that has come in the meantime.
		await link(temporary, target).catch((error: NodeJS.ErrnoException) => {
			if (error.code === "EEXIST") throw error;
			// Some file systems have no links.
			return copyFile(temporary, target, constants.COPYFILE_EXCL);
		});
		await unlink(temporary);
	});
}

async function write(target: string, { dryRun, signal }: PutOptions, make: (temporary: string) => Promise<void>): Promise<Put> {
	signal.throwIfAborted();
	if (dryRun) return "copied";
	await mkdir(dirname(target), { recursive: true, mode: 0o700 });
	// With a dot before it: a start at the same time does not take it for a hook.
	const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString("hex")}`);
	try {
		await make(temporary);
	} catch (error) {
		await rm(temporary, { recursive: true, force: true });
		throw error;
	}
	return "copied";
}

const compared = (differs: readonly string[]): Put => (differs.length === 0 ? "present" : { differs });

function holds(file: string, bytes: Buffer): boolean {
	try {
		const read = readRegular(file, bytes.length);
		return read !== "too long" && read.bytes.equals(bytes);
	} catch {
		return false;
	}
}
