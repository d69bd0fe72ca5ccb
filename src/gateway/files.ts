// Files that come with messages and go with texts: kept in the home, so that they are there after a crash.
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { type GivenImage, takeImages } from "../agent/images.ts";
import { orAborted } from "../system/abort.ts";
import { newId } from "../system/ids.ts";
import { visibleLine } from "../system/visible.ts";
import type { KeptFile } from "./letters.ts";
import type { InboundFile, OutboundFile } from "./platform.ts";

/** Of one message. */
const mostFiles = 10;
/** Of one file, in bytes. */
const mostBytes = 25 * 1024 * 1024;
/** A platform gets so long to hand over those of one message, in ms: what else is said in its chat waits behind it. */
const fetchMs = 60_000;
/** After so long they are removed, in ms. */
const keptMs = 30 * 24 * 3600_000;
/** Of a name, in bytes; file systems take 255. */
const longestName = 200;

export class Files {
	readonly #folder: string;

	/** @param folder absolute; made when it is needed */
	constructor(folder: string) {
		this.#folder = folder;
	}

	/**
	 * Fetches what came with a message; `problems` says of each that could not be had why not, in a sentence.
	 * @param withinMs for all of them
	 */
	async keep(files: readonly InboundFile[], withinMs = fetchMs): Promise<{ readonly kept: readonly KeptFile[]; readonly problems: readonly string[] }> {
		const kept: KeptFile[] = [];
		if (files.length === 0) return { kept, problems: [] };
		const problems = files.length > mostFiles ? [`A message brings at most ${mostFiles} files; the last ${files.length - mostFiles} were left out.`] : [];
		const late = new AbortController();
		const timer = setTimeout(() => late.abort(new Error(`it did not come within ${Math.ceil(withinMs / 1000)} s`)), withinMs);
		for (const file of files.slice(0, mostFiles)) {
			const name = plainName(file.name);
			try {
				kept.push(await this.#fetch(file, name, late.signal));
			} catch (error) {
				problems.push(`The file ${name} could not be taken: ${(error instanceof Error ? error.message : String(error)).replace(/\.$/, "")}.`);
			}
		}
		clearTimeout(timer);
		return { kept, problems };
	}

	async #fetch(file: InboundFile, name: string, signal: AbortSignal): Promise<KeptFile> {
		signal.throwIfAborted();
		if ((file.bytes ?? 0) > mostBytes) throw tooLarge();
		return this.#write(name, within(await orAborted(file.read(signal), signal), signal), mostBytes);
	}

	/** In a folder of its own; on the disk when it resolves, and gone when it does not. */
	async #write(name: string, pieces: AsyncIterable<Uint8Array>, most: number): Promise<KeptFile> {
		const folder = join(this.#folder, newId("f"));
		const path = join(folder, name);
		try {
			await mkdir(folder, { recursive: true, mode: 0o700 });
			await using written = await open(path, "wx", 0o600);
			let bytes = 0;
			for await (const piece of pieces) {
				bytes += piece.length;
				if (bytes > most) throw tooLarge();
				// Not `write`, which may take a part only.
				await written.appendFile(piece);
			}
			await written.sync();
			return { path, name, bytes };
		} catch (error) {
			await rm(folder, { recursive: true, force: true });
			throw error;
		}
	}

	/** Copies of files that are to be sent: they are there until they were, whatever becomes of the originals. @throws Error naming the one that cannot be read */
	async copies(files: readonly OutboundFile[]): Promise<readonly OutboundFile[]> {
		const copies: OutboundFile[] = [];
		for (const file of files) {
			try {
				const { path } = await this.#write(plainName(file.name), contentOf(file.path), Infinity);
				copies.push({ ...file, path });
			} catch (error) {
				await this.remove(copies);
				const { code, message } = error as NodeJS.ErrnoException;
				throw new Error(`The file ${visibleLine(file.path)} cannot be sent: ${code === "ENOENT" ? "it is not there" : message}.`, { cause: error });
			}
		}
		return copies;
	}

	/** Of what was kept or copied here and is needed by nobody. */
	async remove(files: readonly { readonly path: string }[]): Promise<void> {
		for (const { path } of files) await rm(dirname(path), { recursive: true, force: true });
	}

	/** Removes what is too old for anybody to miss. */
	async tidy(now = Date.now()): Promise<void> {
		const names = await readdir(this.#folder).catch(() => []);
		for (const name of names) {
			const path = join(this.#folder, name);
			const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
			if (now - mtimeMs > keptMs) await rm(path, { recursive: true, force: true });
		}
	}
}

const imageNames: ReadonlySet<string> = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp"]);

/** A message with its files: images as such, what else there is by its path. */
export async function withFiles(text: string, files: readonly KeptFile[] = []): Promise<{ readonly text: string; readonly images: readonly GivenImage[] }> {
	const images: GivenImage[] = [];
	const others: KeptFile[] = [];
	for (const file of files) {
		const data = imageNames.has(extname(file.name).toLowerCase()) ? await readFile(file.path).catch(() => undefined) : undefined;
		if (data !== undefined && "images" in takeImages([...images, { name: file.name, data }])) images.push({ name: file.name, data });
		else others.push(file);
	}
	const words = text === "" && others.length === 0 ? `[The user sent ${images.map(({ name }) => name).join(", ")}.]` : text;
	return { text: textWithFiles(words, others), images };
}

/** A message with the paths of its files. */
export function textWithFiles(text: string, files: readonly KeptFile[] = []): string {
	return [text, ...files.map(({ path, name, bytes }) => `[The user sent the file ${name}, ${bytes} bytes: ${path}]`)].filter((part) => part !== "").join("\n\n");
}

const tooLarge = () => new Error(`it has more than ${mostBytes / 1024 / 1024} MB`);

/** Opened when the first piece is wanted: an error before that would be nobody's. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
	yield* createReadStream(path) as AsyncIterable<Buffer>;
}

/** Whoever hands them over may not listen to the signal. */
async function* within(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
	const iterator = pieces[Symbol.asyncIterator]();
	try {
		for (let next; !(next = await orAborted(iterator.next(), signal)).done; ) yield next.value;
	} finally {
		void iterator.return?.().catch(() => {});
	}
}

/** What is left of a name when nobody can be led elsewhere by it, hide it, or break a line with it. Its end stays: that says what kind of file it is. */
function plainName(name: string): string {
	const plain = visibleLine(basename(name.toWellFormed().replaceAll("\\", "/"))).replaceAll("\\", "_");
	const characters = [...plain];
	for (let over = Buffer.byteLength(plain) - longestName; over > 0; ) over -= Buffer.byteLength(characters.shift()!);
	return characters.join("").replace(/^[.\s]+/, "").trimEnd() || "file";
}
