// Texts that could not be delivered: a line each in `undelivered.jsonl`, where the running gateway adds more.
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Reply } from "../../gateway/letters.ts";
import type { Home } from "../../system/home.ts";

export interface GivenUpText {
	readonly id: string;
	/** In ms since the epoch. */
	readonly at: number;
	readonly why: string;
	readonly reply: Reply;
}

const fileOf = ({ path }: Home) => join(path, "undelivered.jsonl");

/** Those that nobody has decided about, oldest first. */
export function givenUpTexts(home: Home): readonly GivenUpText[] {
	let lines: string[];
	try {
		lines = readFileSync(fileOf(home), "utf8").split("\n");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
		throw error;
	}
	const found = new Map<string, GivenUpText>();
	for (const line of lines) {
		const value = parse(line);
		if (value === undefined) continue;
		if ("settled" in value) {
			found.delete(value.settled);
			continue;
		}
		const { at, why, ...reply } = value;
		const id = `t-${createHash("sha256").update(line).digest("hex").slice(0, 10)}`;
		found.set(id, { id, at, why, reply });
	}
	return [...found.values()];
}

/** Added, not taken out: the gateway may be writing into the file at this moment. */
export function settleText(home: Home, id: string): void {
	// On a line of its own, also behind one that a crash cut short.
	appendFileSync(fileOf(home), `\n${JSON.stringify({ settled: id })}\n`, { mode: 0o600, flush: true });
}

type Line = { readonly settled: string } | (Reply & { readonly at: number; readonly why: string });

/** Undefined for a line that a crash cut short. */
function parse(line: string): Line | undefined {
	try {
		const value = JSON.parse(line) as Partial<Line> | null;
		return value !== null && ("settled" in value || ("text" in value && "chat" in value)) ? (value as Line) : undefined;
	} catch {
		return undefined;
	}
}
