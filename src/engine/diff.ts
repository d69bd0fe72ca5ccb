// What changed between two plain values, and what of it may be kept: secrets are replaced, long parts are cut.
import type { FieldChange } from "../events/record.ts";
import { longestSecret, redacted, redactText } from "../system/redact.ts";

const secretName = /^(?:.*[_-])?(?:(?:api|access|private)[_-]?key|token|secret|password|passwd|passphrase|authorization|cookie)$/i;
const secretCamelName = /[a-z0-9](?:(?:Api|Access|Private)Key|Token|Secret|Password|Passwd|Passphrase|Authorization|Cookie)$/;
const isSecretName = (name: string) => secretName.test(name) || secretCamelName.test(name);

// The bytes of images have no business in a trace: as a URL, or as providers write them.
const imageUrl = /^data:(image\/[\w.+-]+);base64,/;
const imageTypeOf = (item: Record<string, unknown>): string | undefined =>
	["media_type", "mimeType", "mediaType"].map((name) => item[name]).find((type): type is string => typeof type === "string" && /^image\/[\w.+-]{1,40}$/.test(type));

/**
 * A copy of a plain value for the trace: images named, secrets replaced (by the name of their field or by their shape), long texts and lists cut with a
 * note, at most `budget` characters in all. Its cost is bounded by the budget, not by the value. `name` is that of the field it comes from. `most`: characters
 * of one text, entries of one list.
 */
export function forTrace(value: unknown, budget = 16_384, name = "", most: { readonly text: number; readonly list: number } = { text: 4096, list: 50 }): unknown {
	let left = budget;
	const copy = (item: unknown, key: string): unknown => {
		// A flag says whether there is a secret, not which.
		if (isSecretName(key) && item !== null && item !== undefined && typeof item !== "boolean") return redacted;
		if (typeof item === "string") {
			const image = imageUrl.exec(item);
			if (image !== null) return `[${image[1]}, ${item.length} characters]`;
			const room = Math.max(0, Math.min(left, most.text));
			const clean = redactText(item.slice(0, room + longestSecret));
			const kept = clean.length > room || item.length > room + longestSecret ? `${clean.slice(0, room)}… [${item.length} characters]` : clean;
			left -= kept.length;
			return kept;
		}
		if (typeof item !== "object" || item === null) {
			left -= 8;
			return item;
		}
		if (left <= 0) return "[cut]";
		if (Array.isArray(item)) {
			const kept = item.slice(0, most.list).map((entry) => copy(entry, key));
			if (item.length > most.list) kept.push(`… [${item.length} entries]`);
			return kept;
		}
		const entries: [string, unknown][] = [];
		const type = imageTypeOf(item as Record<string, unknown>);
		for (const name in item) {
			if (left <= 0) {
				entries.push(["…", "[cut]"]);
				break;
			}
			const kept = redactText(name.length > 256 ? `${name.slice(0, 256)}…` : name);
			left -= kept.length;
			const field = (item as Record<string, unknown>)[name];
			entries.push([kept, type !== undefined && name === "data" && typeof field === "string" ? `[${type}, ${field.length} characters]` : copy(field, name)]);
		}
		return Object.fromEntries(entries);
	};
	return copy(value, name);
}

/** The parts that differ, as dotted paths from `path` down. Lists are compared as a whole. At most 50. */
export function diff(before: unknown, after: unknown, path = ""): FieldChange[] {
	if (Object.is(before, after)) return [];
	if (!isObject(before) || !isObject(after)) return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
	const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
	const changes: FieldChange[] = [];
	for (const key of keys) {
		changes.push(...diff(before[key], after[key], path === "" ? key : `${path}.${key}`));
		if (changes.length >= 50) break;
	}
	return changes;
}

/** A change as the trace keeps it. Any word of the path may be the name that tells a secret. */
export function changeForTrace({ path, before, after }: FieldChange): FieldChange {
	const name = path.split(".").findLast(isSecretName) ?? "";
	const kept = (value: unknown): unknown => forTrace(value, 4096, name);
	return { path: redactText(path), before: kept(before), after: kept(after) };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
