// One file of the audit log: a JSON object a line, each with the hash of the one before it. A process has one, made when there is something to write.
import { createHash, randomBytes } from "node:crypto";
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

/** What a file's first record names: the last record of the newest file before it. */
export interface Follows {
	readonly file: string;
	readonly n: number;
	readonly hash: string;
}

/** A record as it stands in a file; `what` says which other fields it has. */
export interface AuditRecord {
	/** From 1. */
	readonly n: number;
	/** ISO 8601. */
	readonly at: string;
	/** The hash of the record before it; null in the very first. */
	readonly previous: string | null;
	readonly what: string;
	readonly follows?: Follows | null;
	/** SHA-256 of the line up to here, hexadecimal. */
	readonly hash: string;
	readonly [field: string]: unknown;
}

export interface Fields {
	readonly what: string;
	readonly [field: string]: unknown;
}

/** The record of a line, and whether its hash is that of what stands there; undefined for what is no record. */
export function recordIn(line: string): { readonly record: AuditRecord; readonly isAsWritten: boolean } | undefined {
	const found = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/.exec(line);
	if (found === null) return undefined;
	try {
		return { record: JSON.parse(line) as AuditRecord, isAsWritten: hashOf(found[1]!) === found[2] };
	} catch {
		return undefined;
	}
}

/** Names of the files in the folder, the oldest first. */
export function auditFiles(folder: string): readonly string[] {
	try {
		return readdirSync(folder).filter((name) => name.endsWith(".jsonl")).toSorted();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
		throw error;
	}
}

export class AuditFile {
	readonly #folder: string;
	#open: { readonly fd: number; readonly name: string } | undefined;
	#n = 0;
	#bytes = 0;
	#previous: string | null = null;
	#closed = false;

	constructor(folder: string) {
		this.#folder = folder;
	}

	/** Undefined until something was written. */
	get name(): string | undefined {
		return this.#open?.name;
	}

	/** @throws Error when the record is not in the file now. */
	append(fields: Fields): void {
		if (this.#closed) throw new Error("The audit log is closed.");
		this.#open ??= this.#begin();
		this.#write(this.#open.fd, fields);
	}

	/** Says that this was all. */
	close(): void {
		if (this.#open === undefined || this.#closed) return;
		this.append({ what: "closed" });
		this.#closed = true;
		closeSync(this.#open.fd);
	}

	#begin(): { readonly fd: number; readonly name: string } {
		mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
		const before = auditFiles(this.#folder).at(-1);
		const follows = before === undefined ? null : lastOf(this.#folder, before);
		const name = `${new Date().toISOString().replace(/[-:.]/g, "")}-${process.pid}-${randomBytes(2).toString("hex")}.jsonl`;
		const fd = openSync(join(this.#folder, name), "ax", 0o600);
		this.#previous = follows?.hash ?? null;
		this.#write(fd, { what: "opened", follows, pid: process.pid });
		return { fd, name };
	}

	#write(fd: number, fields: Fields): void {
		// It can be written to on and on, and nobody would ever read it.
		if (fstatSync(fd).nlink === 0) throw new Error(`The audit log of this process was removed from ${this.#folder}. Start Hookline again.`);
		const body = JSON.stringify({ n: this.#n + 1, at: new Date().toISOString(), previous: this.#previous, ...fields }).slice(0, -1);
		const hash = hashOf(body);
		const line = Buffer.from(`${body},"hash":"${hash}"}\n`);
		try {
			for (let written = 0; written < line.length; ) written += writeSync(fd, line, written);
		} catch (error) {
			// Half a record would look as if somebody had cut it.
			ftruncateSync(fd, this.#bytes);
			throw error;
		}
		this.#n++;
		this.#bytes += line.length;
		this.#previous = hash;
	}
}

/** The last whole record of a file; null where there is none. */
function lastOf(folder: string, file: string): Follows | null {
	for (const line of readFileSync(join(folder, file), "utf8").split("\n").reverse()) {
		const found = recordIn(line);
		if (found !== undefined) return { file, n: found.record.n, hash: found.record.hash };
	}
	return null;
}

const hashOf = (body: string): string => createHash("sha256").update(body).digest("hex");
