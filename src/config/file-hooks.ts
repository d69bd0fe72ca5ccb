// Events of `file_hooks:` that there are not. Whether the files are there is looked at when they are loaded.
import { eventNames } from "../events/catalog.ts";
import { kebabNames } from "../events/kebab-hooks.ts";
import { didYouMean } from "../system/nearest.ts";
import type { Mistake } from "../system/schema.ts";

const known: readonly string[] = [...kebabNames, ...eventNames];

/** `value` is that of the whole file, and may be anything. */
export function fileHookMistakes(value: unknown): readonly Mistake[] {
	const list: unknown = typeof value === "object" && value !== null && "file_hooks" in value ? value.file_hooks : undefined;
	if (!Array.isArray(list)) return [];
	return list.flatMap((entry: unknown, i) => {
		const event: unknown = typeof entry === "object" && entry !== null && "event" in entry ? entry.event : undefined;
		if (typeof event !== "string" || event === "" || known.includes(event)) return [];
		const advice = didYouMean(event, known).replace(/\?$/, "").replace(" Did", ": did") || `: there are ${kebabNames.join(", ")}, and those of 'hookline hooks events'`;
		return [{ path: ["file_hooks", String(i), "event"], message: `'file_hooks[${i}].event' is '${event}', which is no event${advice}` }];
	});
}
