// What a script of an event reads on its standard input, as a sample and as types.
import { eventOf } from "../../../dialects/hermes-shell/events.ts";
import { payloadOf } from "../../../dialects/hermes-shell/payload.ts";
import type { EventName } from "../../../events/payloads/all.ts";
import { samplePayload } from "../../../events/samples.ts";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export interface Sample {
	/** As a hook is declared with it. */
	readonly written: string;
	readonly event: EventName;
	readonly document: { readonly [key: string]: Json };
}

/** Undefined where no such event can have a script. */
export function sampleOf(written: string): Sample | undefined {
	const event = eventOf(written);
	if (event === undefined) return undefined;
	const payload = samplePayload(event, { cwd: "/projects/web", at: Date.UTC(2026, 0, 1), eventId: "e_sample" });
	return { written, event, document: JSON.parse(payloadOf(written, event, payload)) as Sample["document"] };
}

/** Those that may be absent, and those that any tool has in its own way. */
const arbitrary = new Set(["tool_input", "arguments", "args", "body", "headers", "request"]);

interface TypeWords {
	readonly string: string;
	readonly number: string;
	readonly boolean: string;
	readonly nothing: string;
	readonly any: string;
	readonly record: string;
	list(item: string): string;
	/** The name of a type with these fields. */
	object(name: string, fields: readonly (readonly [string, string])[]): string;
}

/** The type of a sample, in the words of a language. */
export function typeOf(value: Json, key: string, words: TypeWords): string {
	if (arbitrary.has(key)) return value === null ? `${words.record} | ${words.nothing}` : words.record;
	if (value === null) return `${words.string} | ${words.nothing}`;
	if (typeof value === "string") return words.string;
	if (typeof value === "number") return words.number;
	if (typeof value === "boolean") return words.boolean;
	if (Array.isArray(value)) return words.list(value.length === 0 ? words.any : typeOf(value[0] as Json, key, words));
	return words.object(pascal(key), Object.entries(value as Sample["document"]).map(([name, item]) => [name, typeOf(item, name, words)]));
}

const pascal = (key: string) => key.split(/[^A-Za-z0-9]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");

/** Each value by its path, for a language without types. */
export function pathsOf(value: Json, path = ""): readonly string[] {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path === "" ? "." : path}  ${value === null ? "string or null" : Array.isArray(value) ? "list" : typeof value}`];
	if (Object.keys(value).length === 0) return [`${path}  object`];
	return Object.entries(value as Sample["document"]).flatMap(([key, item]) => pathsOf(item, `${path}.${key}`));
}
