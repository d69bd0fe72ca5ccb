// Files written so that a reader, or a crash, finds either the old or the new content and nothing between.
import { randomBytes } from "node:crypto";
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export interface WriteOptions {
	/** Permission bits; those of the file that is replaced when not given, 0600 for a new one. */
	readonly mode?: number;
	/** `disk` waits until the content would survive a loss of power; `system`, the default, only a crash of this process. */
	readonly until?: "system" | "disk";
}

/**
 * Replaces a file's content in one step. A symbolic link stays a link, its target is replaced.
 * @throws The file system's own error; the old content then stands and no temporary file is left.
 */
export async function writeAtomically(path: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
	const target = await realpath(path).catch(() => path);
	const mode = options.mode ?? (await modeOf(target)) ?? 0o600;
	const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString("hex")}`);
	try {
		await using file = await open(temporary, "wx", mode);
		// The mode given to open is cut by the umask.
		await file.chmod(mode);
		await file.writeFile(content);
		if (options.until === "disk") await file.sync();
		await rename(temporary, target);
	} catch (error) {
		await rm(temporary, { force: true });
		throw error;
	}
	if (options.until === "disk") await syncFolder(dirname(target));
}

async function modeOf(path: string): Promise<number | undefined> {
	return stat(path).then(
		({ mode }) => mode & 0o777,
		() => undefined,
	);
}

/** The new name is an entry of the folder, which has to reach the disk as well. */
async function syncFolder(path: string): Promise<void> {
	await using folder = await open(path, "r");
	await folder.sync();
}
