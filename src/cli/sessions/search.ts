// `hookline sessions search`: finds what was said, asked of tools, or given by them.
import { resolve } from "node:path";
import type { Message } from "../../events/payloads/model.ts";
import { openStore } from "../../stores/open.ts";
import { homeOf } from "../../system/home.ts";
import { didYouMean } from "../../system/nearest.ts";
import { exitCodes, UsageError } from "../exit.ts";
import { printJson, printTable, warn, when } from "../output.ts";
import { countOf } from "./list.ts";

export interface SearchOptions {
	readonly role?: string;
	readonly folder?: string;
	readonly since?: string;
	readonly limit: string;
	readonly json?: boolean;
}

const roles = ["user", "assistant", "tool", "system"] as const satisfies readonly Message["role"][];

export function search(given: readonly string[], options: SearchOptions): number {
	const words = given.join(" ");
	if (!/[\p{L}\p{N}]/u.test(words)) throw new UsageError(`There is no word to look for in '${words}'. Write for example: hookline sessions search release notes`);
	const limit = countOf("--limit", options.limit);
	const role = options.role === undefined ? undefined : roleOf(options.role);
	const since = options.since === undefined ? undefined : timeOf(options.since, Date.now());
	using store = openStore(homeOf(process.env), { onProblem: warn });
	const found = store.sessions.search({
		words,
		limit,
		...(role !== undefined && { role }),
		...(since !== undefined && { since }),
		...(options.folder !== undefined && { cwd: resolve(options.folder) }),
	});
	const hits = found.map(({ message, ...place }) => ({ ...place, role: message.role, snippet: snippet(message, words) }));
	if (options.json) printJson(hits);
	else {
		const rows = hits.map((hit) => [hit.sessionId, String(hit.number), when(hit.at), hit.role, hit.snippet]);
		printTable(["SESSION", "MESSAGE", "WHEN", "ROLE", "TEXT"], rows, `No message has ${/\s/.test(words.trim()) ? "all these words" : "this word"}. Words are found by their beginning.`);
	}
	return exitCodes.fine;
}

function roleOf(text: string): Message["role"] {
	const role = roles.find((known) => known === text);
	if (role === undefined) throw new UsageError(`--role must be ${roles.join(", ")}, not '${text}'.${didYouMean(text, roles)}`);
	return role;
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/**
 * A point in time: `2026-11-01` (local midnight), `2026-11-01T15:30`, or how long ago: `90m`, `12h`, `3d`, `2w`.
 * @throws UsageError
 */
function timeOf(text: string, now: number): number {
	const ago = /^(\d+)([mhdw])$/.exec(text);
	if (ago) return now - Number(ago[1]) * units[ago[2]!]!;
	const isDate = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text);
	// A date alone would be read as midnight in UTC.
	const at = isDate ? Date.parse(text.length === 10 ? `${text}T00:00` : text) : Number.NaN;
	if (Number.isNaN(at)) throw new UsageError(`--since must be a date such as 2026-11-01, with a time if you like (2026-11-01T15:30), or how long ago: 90m, 12h, 3d, 2w. '${text}' is neither.`);
	return at;
}

/** Characters of a snippet before and after the first word. */
const before = 40;
const after = 100;

/** The words around the first one that was looked for, on one line. */
export function snippet(message: Message, words: string): string {
	const calls = message.role === "assistant" ? (message.toolCalls ?? []).map(({ name, arguments: args }) => `${name} ${args}`) : [];
	const text = [message.text, ...calls].join("\n");
	const wanted = words.split(/\s+/).filter((word) => word !== "");
	// A word that was found without its accents has no place of its own here; the beginning is shown then.
	const at = new RegExp(wanted.map((word) => `(?<![\\p{L}\\p{N}])${RegExp.escape(word.toWellFormed())}`).join("|"), "iu").exec(text)?.index ?? 0;
	const from = Math.max(0, at - before);
	const line = text.slice(from, at + after).toWellFormed().replaceAll(/\s+/g, " ").trim();
	return `${from > 0 ? "…" : ""}${line}${at + after < text.length ? "…" : ""}`;
}
