// Whether the files of the audit log are as they were written. What a chain of hashes can show: whoever changes one record has to change all after it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AuditRecord, auditFiles, recordIn } from "./file.ts";

export interface Verified {
	readonly folder: string;
	readonly files: number;
	readonly records: number;
	/** `file:line: what is wrong`. */
	readonly problems: readonly string[];
	/** What need not be wrong, in the same form. */
	readonly notes: readonly string[];
}

/** `own` is the file that this process still writes to. */
export function verify(folder: string, own: string | undefined): Verified {
	const names = auditFiles(folder);
	const problems: string[] = [];
	const notes: string[] = [];
	/** By `file n hash`, what a later file can follow. */
	const known = new Set<string>();
	const firsts: { readonly name: string; readonly record: AuditRecord }[] = [];
	let records = 0;
	for (const name of names) {
		const read = checkFile(readFileSync(join(folder, name), "utf8"));
		problems.push(...read.problems.map(({ line, message }) => `${name}:${line}: ${message}`));
		for (const { n, hash } of read.records) known.add(`${name} ${n} ${hash}`);
		const first = read.records[0];
		if (first?.what === "opened") firsts.push({ name, record: first });
		if (read.records.at(-1)?.what !== "closed") notes.push(`${name}:${read.lines}: ${name === own ? "still open: it is that of this process." : "has no closing record: it is still open, its process was killed, or its end was cut off."}`);
		records += read.records.length;
	}
	for (const { name, record: { follows } } of firsts) {
		if (!follows) {
			if (name !== firsts[0]?.name) notes.push(`${name}:1: begins a chain of its own, so whether one before it was removed cannot be known.`);
		} else if (!names.includes(follows.file)) problems.push(`${name}:1: follows ${follows.file}, which is not there: it was removed.`);
		else if (!known.has(`${follows.file} ${follows.n} ${follows.hash}`)) problems.push(`${name}:1: follows record ${follows.n} of ${follows.file}, which has no such record any more: it was cut off or changed.`);
	}
	return { folder, files: names.length, records, problems, notes };
}

interface CheckedFile {
	readonly records: readonly AuditRecord[];
	readonly lines: number;
	readonly problems: readonly { readonly line: number; readonly message: string }[];
}

function checkFile(text: string): CheckedFile {
	const lines = text.split("\n");
	const rest = lines.pop();
	const problems: { line: number; message: string }[] = [];
	const records: AuditRecord[] = [];
	for (const [i, line] of lines.entries()) {
		const say = (message: string) => problems.push({ line: i + 1, message });
		const found = recordIn(line);
		if (found === undefined) {
			say("is no record: it was changed.");
			continue;
		}
		const { record, isAsWritten } = found;
		const before = records.at(-1);
		const wanted = (before?.n ?? 0) + 1;
		if (!isAsWritten) say(`record ${record.n} was changed: its hash is that of another text.`);
		else if (record.n !== wanted) say(`is record ${record.n}, and record ${wanted} belongs here: one was removed, inserted or moved.`);
		else if (before !== undefined && record.previous !== before.hash) say(`record ${record.n} follows another one than the line before it: that one was changed or put there.`);
		else if (before === undefined && (record.what !== "opened" || record.previous !== (record.follows?.hash ?? null))) say("is no first record: the beginning was removed.");
		else if (before?.what === "closed") say("stands behind the closing record: it was put there.");
		records.push(record);
	}
	if (rest !== "") problems.push({ line: lines.length + 1, message: "ends in the middle of a record: it was cut off." });
	else if (lines.length === 0) problems.push({ line: 1, message: "is empty: all of it was cut off." });
	return { records, lines: lines.length, problems };
}

/** The newest records, a line each, the last one at the end. */
export function lastRecords(folder: string, most: number): readonly string[] {
	const found: string[] = [];
	for (const name of auditFiles(folder).toReversed()) {
		const lines = readFileSync(join(folder, name), "utf8").split("\n").flatMap((line) => recordIn(line)?.record ?? []);
		found.unshift(...lines.slice(-(most - found.length)).map(inWords));
		if (found.length >= most) break;
	}
	return found;
}

function inWords({ at, what, n: _, previous, hash, sessionId, turnId, callId, ...fields }: AuditRecord): string {
	const text = Object.entries(fields).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`).join(" ");
	return `${at.slice(0, 19).replace("T", " ")}  ${what}${text === "" ? "" : `  ${text.length > 160 ? `${text.slice(0, 159)}…` : text}`}`.replaceAll("\n", "\\n");
}
