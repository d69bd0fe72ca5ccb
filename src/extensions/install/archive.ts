// A tar archive, read into memory: nothing in it is written anywhere before all of it was looked at.
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { Files, InstallError, mostBytes, type PackageFile } from "./content.ts";

/** Of the archive without compression: content and what stands around it. */
const mostArchiveBytes = mostBytes + 16 * 1024 * 1024;

/** Takes an archive without compression piece by piece. */
export interface ArchiveReader {
	/** @throws InstallError */
	write(piece: Buffer): void;
	/** Its files, without the folder that all of them lie in. @throws InstallError */
	end(): readonly PackageFile[];
}

/** `what` is the archive in messages. */
export async function archiveReader(what: string): Promise<ArchiveReader> {
	const { Parser } = await import("tar");
	const files = new Files(what);
	let length = 0;
	let problem: Error | undefined;
	const fail = (error: unknown) => void (problem ??= error instanceof InstallError ? error : files.refusal(`cannot be read: ${error instanceof Error ? error.message : String(error)}`));
	// Decompressed by us before, bounded: nothing else is to be recognised in it.
	const parser = new Parser({
		gzip: false,
		brotli: false,
		zstd: false,
		onwarn: (_code: string, message: string | Error) => fail(typeof message === "string" ? files.refusal(`is damaged: ${message}`) : message),
		onReadEntry(entry) {
			const pieces: Buffer[] = [];
			entry.on("data", (piece: Buffer) => void pieces.push(Buffer.from(piece)));
			try {
				const path = entry.path.replace(/\/+$/, "").replace(/^(?:\.\/)+/, "");
				const isFolder = entry.type === "Directory" || entry.type === "GNUDumpDir";
				// The archive's own top, `./`.
				if (isFolder && (path === "" || path === ".")) return;
				files.expect(path, entry.size);
				if (isFolder) return;
				if (!["File", "OldFile", "ContiguousFile"].includes(entry.type)) throw files.refusal(`holds '${path}', ${kinds[entry.type] ?? `which is no file (${entry.type})`}`);
				entry.on("end", () => {
					try {
						files.add({ path, bytes: Buffer.concat(pieces), executable: ((entry.mode ?? 0) & 0o111) !== 0 });
					} catch (error) {
						fail(error);
					}
				});
			} catch (error) {
				fail(error);
			}
		},
	});
	parser.on("error", fail);
	let isOver = false;
	parser.on("eof", () => (isOver = true));
	const check = () => {
		if (problem !== undefined) throw problem;
	};
	return {
		write(piece) {
			if ((length += piece.length) > mostArchiveBytes) throw files.refusal(`holds more than ${mostBytes / 1024 / 1024} MB`);
			// It would keep all that stands behind the end, in a buffer that is copied with every piece.
			if (!isOver) parser.write(piece);
			check();
		},
		end() {
			parser.end();
			check();
			if (files.all.length === 0) throw files.refusal("holds no file");
			return withoutTop(files.all);
		},
	};
}

const kinds: Readonly<Record<string, string>> = {
	SymbolicLink: "a link, and links are not followed",
	Link: "a hard link, and links are not followed",
	CharacterDevice: "a device",
	BlockDevice: "a device",
	FIFO: "a pipe",
};

/** Archives of packages have one folder at the top, `package/` or `name-1.0.0/`. */
function withoutTop(files: readonly PackageFile[]): readonly PackageFile[] {
	const tops = new Set(files.map(({ path }) => path.split("/", 1)[0]));
	if (tops.size !== 1 || files.some(({ path }) => !path.includes("/"))) return files;
	return files.map((file) => ({ ...file, path: file.path.slice(file.path.indexOf("/") + 1) }));
}

/** The files in a `.tgz`, `.tar.gz` or `.tar`. @throws InstallError */
export async function readArchive(file: string, what: string, signal: AbortSignal): Promise<readonly PackageFile[]> {
	const reader = await archiveReader(what);
	try {
		const stream = createReadStream(file, { signal });
		const plain = (await isCompressed(file)) ? stream.pipe(createGunzip()) : stream;
		stream.on("error", (error) => plain.destroy(error));
		// Leaving the loop ends both.
		for await (const piece of plain) reader.write(piece as Buffer);
		return reader.end();
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof InstallError) throw error;
		throw new InstallError(`${what} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
	}
}

async function isCompressed(file: string): Promise<boolean> {
	await using handle = await open(file);
	const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
	return buffer[0] === 0x1f && buffer[1] === 0x8b;
}
