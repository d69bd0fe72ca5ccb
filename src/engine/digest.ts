// What an approval is bound to: the SHA-256 of the value, the same for the same value whatever the order of its keys.
import { createHash } from "node:crypto";

/** Hexadecimal SHA-256 of a plain value in canonical JSON (keys sorted). */
export function digestOf(value: unknown): string {
	return createHash("sha256").update(canonical(value)).digest("hex");
}

function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
	if (typeof value === "object" && value !== null) {
		const entries = Object.entries(value).filter(([, item]) => item !== undefined);
		return `{${entries
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
			.join(",")}}`;
	}
	return JSON.stringify(value) ?? "null";
}
