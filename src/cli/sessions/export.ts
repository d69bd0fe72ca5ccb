// `hookline sessions show` and `export`: a transcript to the terminal, to a program or into a file, written while it is read.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { openStore } from "../../stores/open.ts";
import type { SessionRecord } from "../../stores/sessions.ts";
import type { Store } from "../../stores/store.ts";
import { homeOf } from "../../system/home.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note, printJson, warn } from "../output.ts";
import { sessionNamed } from "./find.ts";
import { jsonl } from "./jsonl.ts";
import { markdown } from "./markdown.ts";
import { page } from "./page.ts";
import { text } from "./text.ts";
import { type Transcript, transcriptOf } from "./transcript.ts";

const formats = { jsonl, md: markdown, html: page } as const satisfies Record<string, (transcript: Transcript) => Iterable<string>>;
export type Format = keyof typeof formats;
const formatNames = Object.keys(formats) as Format[];

export interface ExportOptions {
	readonly format?: string;
	readonly output?: string;
	readonly force?: boolean;
	readonly json?: boolean;
}

export async function show(id: string, { json }: { readonly json?: boolean }): Promise<number> {
	using store = openStore(homeOf(process.env), { onProblem: warn });
	const transcript = transcriptOf(store, sessionNamed(store, id));
	if (json) printJson({ session: transcript.session, messages: [...transcript.steps].map(({ call: _, judged, ...entry }) => ({ ...entry, hooks: judged })) });
	else await toStdout(text(transcript));
	return exitCodes.fine;
}

export async function exportSession(id: string, { format, output, force, json }: ExportOptions): Promise<number> {
	if (json && format !== undefined && format !== "jsonl") throw new UsageError(`--json means --format jsonl, and --format ${format} contradicts it. Give one of them.`);
	const file = output === undefined || output === "-" ? undefined : resolve(output);
	const name = formatOf(json ? "jsonl" : format, file);
	using store = openStore(homeOf(process.env), { onProblem: warn });
	const session = sessionNamed(store, id);
	if (file === undefined) await toStdout(formats[name](transcriptOf(store, session)));
	else {
		await exportTo(store, session, file, { format: name, replace: force ?? false });
		note(`Session ${session.id} is in ${file}.`);
	}
	return exitCodes.fine;
}

/**
 * The format named, or what the file's ending says, or Markdown.
 * @throws UsageError
 */
export function formatOf(named: string | undefined, file: string | undefined): Format {
	const ending = file === undefined ? "" : extname(file).slice(1).toLowerCase();
	const wanted = named ?? ({ htm: "html", markdown: "md", json: "jsonl" } as Readonly<Record<string, string>>)[ending] ?? (ending in formats ? ending : "md");
	const format = formatNames.find((known) => known === wanted);
	if (format === undefined) throw new UsageError(`--format must be ${formatNames.join(", ")}, not '${named}'.`);
	return format;
}

/**
 * Writes a session into a file that only its user can read.
 * @param file absolute
 * @throws CommandError when the file exists and may not be replaced, or cannot be written; nothing half-written is left.
 */
export async function exportTo(store: Store, session: SessionRecord, file: string, { format, replace }: { readonly format: Format; readonly replace: boolean }): Promise<void> {
	// What is replaced stays whole until the new one is.
	const target = replace ? join(dirname(file), `.${basename(file)}.${randomBytes(6).toString("hex")}`) : file;
	try {
		await using opened = await open(target, "wx", 0o600);
		try {
			await opened.writeFile(inBatches(formats[format](transcriptOf(store, session))));
			if (replace) await rename(target, file);
		} catch (error) {
			await rm(target, { force: true });
			throw error;
		}
	} catch (error) {
		if (!(error instanceof Error && "code" in error && "syscall" in error)) throw error;
		if (error.code === "EEXIST") throw new CommandError(`${file} is there already and was left as it is. Name another file, or add --force to replace it.`);
		throw new CommandError(`${file} cannot be written: ${error.message}. Name another file, or make its folder writable.`);
	}
}

async function toStdout(pieces: Iterable<string>): Promise<void> {
	for (const batch of inBatches(pieces)) if (!process.stdout.write(batch)) await once(process.stdout, "drain");
}

const batchLength = 65_536;

/** A write for each message would cost more than the messages. */
function* inBatches(pieces: Iterable<string>): Generator<string> {
	let batch: string[] = [];
	let length = 0;
	for (const piece of pieces) {
		batch.push(piece);
		length += piece.length;
		if (length < batchLength) continue;
		yield batch.join("");
		batch = [];
		length = 0;
	}
	if (length > 0) yield batch.join("");
}
