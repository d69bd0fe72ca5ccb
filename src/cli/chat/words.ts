// Tool calls and what hooks did, in a line.
import type { JsonObject } from "../../events/payloads/facts.ts";
import type { HookRecord } from "../../events/record.ts";
import { visibleLine } from "../../system/visible.ts";
import { ms } from "../output.ts";

/** The one argument that says most, by tool; others are shown whole. */
const telling: Readonly<Record<string, string>> = { terminal: "command", read_file: "path", write_file: "path", patch: "path", search_files: "pattern", web_extract: "url", web_search: "query" };

/** What a call is about, on one line and harmless. Not cut. */
export function callInShort(toolName: string, args: JsonObject): string {
	const key = telling[toolName];
	const value = key === undefined ? undefined : args[key];
	const rest = key === undefined ? args : Object.fromEntries(Object.entries(args).filter(([name]) => name !== key && !(name === "content" || name === "old" || name === "new")));
	const more = Object.keys(rest).length === 0 ? "" : visibleLine(JSON.stringify(rest));
	return typeof value === "string" ? `${visibleLine(value)}${more === "" ? "" : `  ${more}`}` : more;
}

/** Which hook did what, in how many ms. */
export function deedInWords({ hook, decision, failure, reason, diff = [], ms: took }: HookRecord): string {
	const changed = diff.map(({ path, before, after }) => `${path}: ${value(before)} → ${value(after)}`).join(", ");
	const what = failure === undefined ? `${verbs[decision] ?? decision}${changed === "" ? "" : ` ${changed}`}` : `failed (${failure})`;
	return `${hook} ${what} in ${ms(took)}${reason === undefined ? "" : `: ${visibleLine(reason)}`}`;
}

const verbs: Readonly<Record<string, string>> = { rewrite: "rewrote", block: "blocked it", ask: "asked you", allow: "allowed it", inject: "added text", respond: "answered itself", wrapped: "ran around it" };

function value(given: unknown): string {
	const text = visibleLine(JSON.stringify(given) ?? "nothing");
	return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
