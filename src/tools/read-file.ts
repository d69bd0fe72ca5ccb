// The tool that reads text files, a window at a time.
import { open, readdir, type FileHandle } from "node:fs/promises";
import { constants } from "node:fs";
import type { ToolResult } from "../events/payloads/tool.ts";
import { explain, resolvePath } from "./path.ts";
import { counted, failed, sized, succeeded } from "./result.ts";
import type { Tool } from "./tool.ts";

const mostLines = 2_000;
const mostBytes = 50 * 1024;
const longestLine = 2_000;
const chunkBytes = 256 * 1024;
/** Beyond the window the rest of a file is only counted, and of a larger file not even that. */
const countedBytes = 16 * 1024 * 1024;

interface ReadArgs {
	readonly path: string;
	readonly offset?: number;
	readonly limit?: number;
}

export const readFile: Tool = {
	name: "read_file",
	description: [
		"Reads a text file and gives its lines with their numbers (the number and a tab are not part of the file).",
		`At most ${mostLines} lines or ${mostBytes / 1024} KB at a time; offset and limit read on from there. Lines are cut at ${longestLine} characters.`,
	].join(" "),
	parameters: {
		type: "object",
		properties: {
			path: { type: "string", description: "The file. Relative paths start at the working folder, ~ is the home folder." },
			offset: { type: "integer", minimum: 1, description: "The first line to read, counted from 1. Default 1." },
			limit: { type: "integer", minimum: 1, maximum: mostLines, description: `How many lines. Default ${mostLines}.` },
		},
		required: ["path"],
		additionalProperties: false,
	},
	async run(args, context) {
		const { path: name, offset = 1, limit = mostLines } = args as unknown as ReadArgs;
		const resolved = resolvePath(name, context.cwd);
		if ("mistake" in resolved) return failed(resolved.mistake);
		const { path } = resolved;
		try {
			// Without waiting: opening a named pipe would otherwise take until somebody writes to it.
			await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
			const stat = await file.stat();
			if (stat.isDirectory()) return await folder(path, name);
			if (!stat.isFile()) return failed(`'${name}' is no regular file but a device, a pipe or a socket, which cannot be read as text.`);
			const lines = new Window(offset, limit);
			const unreadable = await fill(lines, file, stat.size, context.signal);
			if (unreadable === "interrupted") return failed("[interrupted]", { interrupted: true });
			if (unreadable) return failed(`'${name}' is no UTF-8 text but ${unreadable} (${sized(stat.size)}). Use a program that knows the format, through the terminal tool.`);
			return shown(lines, name, path);
		} catch (error) {
			return failed(await explain(error, path, name));
		}
	},
};

async function folder(path: string, name: string): Promise<ToolResult> {
	const entries = (await readdir(path)).sort();
	const some = entries.slice(0, 20).join(", ") + (entries.length > 20 ? ", ..." : "");
	const holds = entries.length === 0 ? "and it is empty" : `with ${entries.length === 1 ? "1 entry" : `${entries.length} entries`}: ${some}`;
	return failed(`'${name}' is a folder, ${holds}. Use search_files with mode 'files' to list what is in it.`);
}

/** The lines from `offset` on, as many as fit; the others are counted. */
class Window {
	readonly offset: number;
	readonly #limit: number;
	readonly lines: string[] = [];
	#bytes = 0;
	#current = "";
	#currentLength = 0;
	/** Complete lines seen so far. */
	total = 0;
	full = false;
	/** The end of the file was not reached. */
	more = false;

	constructor(offset: number, limit: number) {
		this.offset = offset;
		this.#limit = limit;
	}

	push(text: string): void {
		let start = 0;
		for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
			this.#extend(text.slice(start, end));
			this.#endLine();
			start = end + 1;
		}
		this.#extend(text.slice(start));
	}

	end(): void {
		if (this.#currentLength > 0) this.#endLine();
	}

	#extend(part: string): void {
		this.#currentLength += part.length;
		if (this.#current.length < longestLine + 1) this.#current += part.slice(0, longestLine + 1 - this.#current.length);
	}

	#endLine(): void {
		this.total++;
		if (this.total >= this.offset && !this.full) this.#keep();
		this.#current = "";
		this.#currentLength = 0;
	}

	#keep(): void {
		const whole = this.#current.replace(/\r$/, "");
		const cut = this.#currentLength - longestLine;
		const text = whole.length > longestLine ? `${whole.slice(0, longestLine).toWellFormed()} [... ${counted(cut, "character")} of this line left out]` : whole;
		const line = `${String(this.total).padStart(5)}\t${text}`;
		const bytes = Buffer.byteLength(line) + 1;
		if (this.lines.length > 0 && this.#bytes + bytes > mostBytes) {
			this.full = true;
			return;
		}
		this.lines.push(line);
		this.#bytes += bytes;
		this.full = this.lines.length >= this.#limit;
	}
}

/** Undefined when all went well, otherwise what the file is instead of text. */
async function fill(lines: Window, file: FileHandle, size: number, signal: AbortSignal): Promise<string | undefined> {
	const decoder = new TextDecoder("utf-8", { fatal: true });
	const buffer = Buffer.allocUnsafe(chunkBytes);
	for (let first = true, read = 0; ; first = false) {
		if (signal.aborted) return "interrupted";
		const { bytesRead } = await file.read(buffer, 0, chunkBytes, null);
		const chunk = buffer.subarray(0, bytesRead);
		read += bytesRead;
		if (chunk.includes(0)) return first ? kindOf(chunk) : "binary data";
		try {
			lines.push(decoder.decode(chunk, { stream: bytesRead > 0 }));
		} catch {
			return first ? kindOf(chunk) : "text in another encoding, or binary data";
		}
		if (bytesRead === 0) break;
		if (lines.full && size > countedBytes && read < size) {
			lines.more = true;
			return undefined;
		}
	}
	lines.end();
	return undefined;
}

const kinds: readonly (readonly [start: string, kind: string])[] = [
	["89504e47", "a PNG image"],
	["ffd8ff", "a JPEG image"],
	["47494638", "a GIF image"],
	["25504446", "a PDF document"],
	["504b0304", "a ZIP archive (or a document of that form)"],
	["1f8b", "gzip-compressed data"],
	["7f454c46", "a compiled program (ELF)"],
	["53514c69746520666f726d6174", "a SQLite database"],
	["fffe", "UTF-16 text (iconv -f UTF-16 -t UTF-8 converts it)"],
	["feff", "UTF-16 text (iconv -f UTF-16 -t UTF-8 converts it)"],
];

function kindOf(chunk: Buffer): string {
	const start = chunk.toString("hex", 0, 16);
	const known = kinds.find(([magic]) => start.startsWith(magic))?.[1];
	return known ?? (chunk.includes(0) ? "binary data" : "text in another encoding, or binary data");
}

function shown(window: Window, name: string, path: string): ToolResult {
	const { lines, offset, total, more } = window;
	if (total === 0) return succeeded(`'${name}' is empty.`, { path, lines: 0, totalLines: 0 });
	if (lines.length === 0) return failed(`'${name}' has only ${counted(total, "line")}, so there is no line ${offset}.`, { path, totalLines: total });
	const last = offset + lines.length - 1;
	const rest = more ? "more follow" : `of ${total}`;
	const note = more || last < total ? `\n[lines ${offset} to ${last}, ${rest}; read on with offset ${last + 1}]` : "";
	return succeeded(lines.join("\n") + note, { path, from: offset, to: last, ...(!more && { totalLines: total }) });
}
