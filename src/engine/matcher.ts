// Which dispatches a hook takes part in. Patterns are compiled once, at registration.
import type { Matcher, Pattern } from "../events/registration.ts";

/** The payload fields a matcher looks at. */
export interface Matchable {
	readonly toolName?: string;
	readonly platform?: string;
	readonly surface?: string;
	readonly sessionId?: string;
}

const fieldOf = { tool: "toolName", platform: "platform", surface: "surface", session: "sessionId" } as const satisfies Record<keyof Matcher, keyof Matchable>;
export const matcherFields = Object.keys(fieldOf) as readonly (keyof Matcher)[];

/** The payload field a matcher's field is compared with. */
export const payloadFieldOf = (field: keyof Matcher): keyof Matchable => fieldOf[field];

type Test = (value: string | undefined) => boolean;

/** A test of one field, or undefined when the matcher leaves the field open. A missing value matches nothing. */
export function fieldTest(given: Matcher[keyof Matcher]): Test | undefined {
	if (given === undefined) return undefined;
	const patterns: readonly Pattern[] = Array.isArray(given) ? (given as readonly Pattern[]) : [given as Pattern];
	if (patterns.every((pattern) => typeof pattern === "string" && !pattern.includes("*"))) {
		const [only] = patterns;
		if (patterns.length === 1) return (value) => value === only;
		const names = new Set<unknown>(patterns);
		return (value) => names.has(value);
	}
	const expressions = patterns.map(toExpression);
	return (value) => value !== undefined && expressions.some((expression) => expression.test(value));
}

/** The whole matcher as one test over the fields given, or undefined when everything matches. */
export function compileMatcher(matcher: Matcher, fields: readonly (keyof Matcher)[] = matcherFields): ((payload: Matchable) => boolean) | undefined {
	const tests = fields.flatMap((field) => {
		const test = fieldTest(matcher[field]);
		return test ? [{ name: fieldOf[field], test }] : [];
	});
	const [first] = tests;
	if (first === undefined) return undefined;
	if (tests.length === 1) return (payload) => first.test(payload[first.name]);
	return (payload) => tests.every(({ name, test }) => test(payload[name]));
}

/** Matches whole values: `write` does not match `write_file`. Flags that carry a position between calls are dropped. */
function toExpression(pattern: Pattern): RegExp {
	if (typeof pattern === "string") return new RegExp(`^${wildcardSource(pattern)}$`, "s");
	// Not ^ and $: with the flag `m` they would be the ends of any line.
	return new RegExp(`(?<![^])(?:${pattern.source})(?![^])`, pattern.flags.replace(/[gy]/g, ""));
}

const wildcardSource = (pattern: string) => pattern.split("*").map(RegExp.escape).join(".*");

/** A matcher as text, for lists and the trace; `patternFromText` reads it back. */
export function matcherText(matcher: Matcher): Readonly<Record<string, readonly string[]>> {
	const text: Record<string, readonly string[]> = {};
	for (const field of matcherFields) {
		const given = matcher[field];
		if (given === undefined) continue;
		text[field] = (Array.isArray(given) ? (given as readonly Pattern[]) : [given as Pattern]).map(patternText);
	}
	return text;
}

/** Whether a value fits one of the patterns of `matcherText`. */
export function textMatches(patterns: readonly string[], value: string | undefined): boolean {
	return fieldTest(patterns.map(patternFromText))!(value);
}

/** A name that looks like a regular expression is written as one that means the name. */
function patternText(pattern: Pattern): string {
	return typeof pattern === "string" && regularExpression.test(pattern) ? String(new RegExp(wildcardSource(pattern), "s")) : String(pattern);
}

function patternFromText(text: string): Pattern {
	const parts = regularExpression.exec(text);
	return parts ? new RegExp(parts[1]!, parts[2]) : text;
}

const regularExpression = /^\/(.+)\/([a-z]*)$/s;
