// The tools a server says it has, made fit for a model; what is wrong with one keeps only that one out.
import { createHash } from "node:crypto";
import type { JsonObject } from "../../events/payloads/facts.ts";
import { didYouMean } from "../../system/nearest.ts";
import { copyPlain } from "../../system/plain.ts";
import { mistakesIn, SchemaError } from "../../system/schema.ts";
import { visibleLine } from "../../system/visible.ts";
import { counted, sized } from "../result.ts";
import { readableCharacters } from "../web-document.ts";

export interface OfferedTool {
	/** As the server calls it. */
	readonly ownName: string;
	readonly name: string;
	readonly description: string;
	readonly parameters: JsonObject;
}

export interface Offer {
	/** Sorted by name. */
	readonly tools: readonly OfferedTool[];
	/** What was left out or cut, a sentence each. */
	readonly notes: readonly string[];
}

const longestName = 64;
/** What the protocol allows for a tool's own name. */
const longestOwnName = 128;
const longestDescription = 10_000;
const longestSchema = 100_000;
const mostPages = 50;
const mostTools = 500;

/** All pages of `tools/list`. `ask` gives the answer for a cursor. */
export async function listed(ask: (cursor: string | undefined) => Promise<unknown>): Promise<{ readonly found: readonly unknown[]; readonly notes: readonly string[] }> {
	const found: unknown[] = [];
	let cursor: string | undefined;
	for (let pages = 1; ; pages++) {
		const { tools, nextCursor } = objectOf(await ask(cursor));
		if (!Array.isArray(tools)) return { found, notes: [`Page ${pages} of its list of tools is none, so the list ends before it.`] };
		const more = nextCursor !== undefined && nextCursor !== null && nextCursor !== "";
		const tooMany = found.length + tools.length > mostTools;
		found.push(...tools.slice(0, mostTools - found.length));
		if (tooMany || (more && pages === mostPages)) return { found, notes: [`Its list of tools goes on after ${counted(found.length, "tool")} on ${counted(pages, "page")}; no more are taken.`] };
		if (!more) return { found, notes: [] };
		if (typeof nextCursor !== "string" || nextCursor === cursor) return { found, notes: ["Its list of tools does not say how it goes on, so it ends there."] };
		cursor = nextCursor;
	}
}

/** `allowed`: their own names; all when undefined. */
export function offerOf(server: string, found: readonly unknown[], allowed: readonly string[] | undefined): Offer {
	const notes: string[] = [];
	const tools = new Map<string, OfferedTool>();
	const ownNames: string[] = [];
	for (const one of found) {
		const { name: ownName, description, inputSchema } = objectOf(one);
		if (typeof ownName === "string") ownNames.push(ownName);
		if (allowed !== undefined && !allowed.includes(String(ownName))) continue;
		const leave = (why: string) => void notes.push(`The tool ${shown(ownName)} is left out: ${why}.`);
		const mistake = nameMistake(ownName) ?? schemaMistake(inputSchema);
		if (mistake !== undefined) {
			leave(mistake);
			continue;
		}
		const name = nameFor(server, ownName as string);
		const taken = tools.get(name);
		if (taken !== undefined) {
			leave(taken.ownName === ownName ? "there is another one of that name" : `it would be called ${name} like ${shown(taken.ownName)}`);
			continue;
		}
		const text = typeof description === "string" ? readableCharacters(description.slice(0, longestDescription)).trim() : "";
		if (typeof description === "string" && description.length > longestDescription) notes.push(`The description of ${shown(ownName)} is cut: it has ${description.length.toLocaleString("en-US")} characters.`);
		// Named, because it is somebody else's text among what we say ourselves.
		tools.set(name, { ownName: ownName as string, name, description: `From the MCP server '${server}'${text === "" ? "." : `: ${text}`}`, parameters: copyPlain(inputSchema) as JsonObject });
	}
	for (const name of allowed ?? []) if (!ownNames.includes(name)) notes.push(`It has no tool ${shown(name)}, which config.yaml allows.${didYouMean(name, ownNames.slice(0, 100))}`);
	return { tools: [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), notes };
}

/** What an offer has that an earlier one had not, in words; empty when they are the same. */
export function differences(before: Offer, now: Offer): string {
	const text = (offer: Offer) => new Map(offer.tools.map((tool) => [tool.name, JSON.stringify(tool)]));
	const [old, fresh] = [text(before), text(now)];
	const some = (word: string, tools: readonly OfferedTool[]) => (tools.length === 0 ? [] : [`${word}: ${tools.slice(0, 5).map(({ ownName }) => visibleLine(ownName)).join(", ")}${tools.length > 5 ? ` and ${tools.length - 5} more` : ""}`]);
	return [
		...some("new", now.tools.filter(({ name }) => !old.has(name))),
		...some("changed", now.tools.filter(({ name }) => old.has(name) && old.get(name) !== fresh.get(name))),
		...some("gone", before.tools.filter(({ name }) => !fresh.has(name))),
	].join("; ");
}

/** `mcp__SERVER__TOOL`, in the characters and the length that all providers take; a name that has to be cut keeps a mark of the whole. */
function nameFor(server: string, ownName: string): string {
	const whole = `mcp__${server}__${ownName.replace(/[^A-Za-z0-9_-]/g, "_")}`;
	if (whole.length <= longestName) return whole;
	const mark = createHash("sha256").update(ownName).digest("hex").slice(0, 8);
	return `${whole.slice(0, longestName - mark.length - 1)}_${mark}`;
}

function nameMistake(name: unknown): string | undefined {
	if (typeof name !== "string" || name === "") return "it has no name";
	if (name.length > longestOwnName) return `its name has ${name.length} characters, and ${longestOwnName} is the most`;
	// oxlint-disable-next-line no-control-regex
	return /[\u0000-\u001f\u007f-\u009f]/.test(name) ? "its name holds control characters" : undefined;
}

function schemaMistake(schema: unknown): string | undefined {
	if (objectOf(schema)["type"] !== "object") return "its input schema is none of an object";
	try {
		// First, because it is the one that does not mind how deep a thing is.
		const copy = copyPlain(schema, "it") as JsonObject;
		const bytes = JSON.stringify(copy).length;
		if (bytes > longestSchema) return `its input schema is too large (${sized(bytes)})`;
		mistakesIn(copy, {});
		return undefined;
	} catch (error) {
		if (!(error instanceof SchemaError) && !(error instanceof TypeError)) throw error;
		return `its input schema is no JSON Schema (${visibleLine(error.message.slice(-200).toWellFormed())})`;
	}
}

/** A name as it can be put on a terminal. */
const shown = (name: unknown): string => (typeof name === "string" ? `'${visibleLine(name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name)}'` : "without a name");

/** What came over the wire, as far as it is an object. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {});
