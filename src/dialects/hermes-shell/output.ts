// The JSON objects in what a program printed: its answer may stand alone, or behind lines that are none of it.
import type { JsonObject } from "../../events/payloads/facts.ts";
import { readJsonAt } from "../../system/untrusted-json.ts";
import { theRefusing } from "../refusal.ts";

export interface Printed {
	readonly answer: JsonObject;
	/** Why it may only count as a refusal, as words that go on "its answer". */
	readonly problem: string | undefined;
}

/** Characters. What a host hands on is cut there as well. */
export const longestOutput = 1024 * 1024;
/** Characters read in vain after which the search ends: a program could print the beginnings of objects for ever. */
const mostInVain = 4 * longestOutput;
/** What beginning anew costs, in characters. */
const beginningCosts = 100;
const mostObjects = 1000;

/** Every JSON object that begins on a line of its own or right behind another one, in order. */
export function objectsIn(text: string): readonly Printed[] {
	const found: Printed[] = [];
	const tooLong = text.length > longestOutput ? "is longer than 1 MiB" : undefined;
	const beginning = /(?<=^|\n)[ \t\ufeff]*(?=\{)/g;
	let inVain = 0;
	for (let start = beginning.exec(text); start !== null && inVain < mostInVain; start = beginning.exec(text)) {
		let at = start.index + start[0].length;
		for (;;) {
			const read = readJsonAt(text, at, theRefusing);
			if (typeof read === "number") {
				inVain += read - at + beginningCosts;
				beginning.lastIndex = Math.max(beginning.lastIndex, at + 1);
				break;
			}
			// It began with a brace, so it is an object.
			const tooMany = found.length === mostObjects ? `stands behind more than ${mostObjects} others` : undefined;
			found.push({ answer: read.value as JsonObject, problem: read.problem ?? tooLong ?? tooMany });
			if (tooMany !== undefined) return found;
			beginning.lastIndex = read.end;
			const next = /^[ \t]*\{/.exec(text.slice(read.end, read.end + 100));
			if (next === null) break;
			at = read.end + next[0].length - 1;
		}
	}
	return found;
}
