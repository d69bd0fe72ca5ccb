// A transcript for programs: a header, then a message a line.
import type { Transcript } from "./transcript.ts";

/** Of the header; it changes when a reader of the old shape would go wrong. */
const version = 1;

export function* jsonl({ session: { tools, ...session }, steps }: Transcript): Generator<string> {
	yield line({ format: "hookline-session", version, session: { ...session, tools: JSON.parse(tools) as unknown } });
	for (const { number, at, message, judged } of steps) yield line({ number, at, message, ...(judged.length > 0 && { hooks: judged }) });
}

/** Besides what JSON escapes: what a terminal would obey. The value stays the same. */
const dangerous = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function line(value: object): string {
	return `${JSON.stringify(value).replace(dangerous, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}
