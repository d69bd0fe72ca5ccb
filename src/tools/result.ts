// How a tool's answer is built.
import type { JsonObject } from "../events/payloads/facts.ts";
import type { ToolResult } from "../events/payloads/tool.ts";

export const succeeded = (text: string, details: JsonObject = {}): ToolResult => ({ text, isError: false, details });

/** Something the model can mend: the text says what happened and what to do. */
export const failed = (text: string, details: JsonObject = {}): ToolResult => ({ text, isError: true, details });

/** `1 line`, `2 lines`. */
export const counted = (n: number, word: string): string => `${n.toLocaleString("en-US")} ${word}${n === 1 ? "" : "s"}`;

/** Bytes for people: `999 bytes`, `1.5 KB`, `12 MB`. */
export function sized(bytes: number): string {
	if (bytes < 1024) return counted(bytes, "byte");
	const [amount, unit] = bytes < 1024 ** 2 ? [bytes / 1024, "KB"] : bytes < 1024 ** 3 ? [bytes / 1024 ** 2, "MB"] : [bytes / 1024 ** 3, "GB"];
	return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}
