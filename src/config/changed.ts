// Which settings differ between two readings of a configuration.

/** Their names, dotted: `agent.max_steps`. A list counts as one setting. */
export function changedSettings(before: unknown, now: unknown, path = ""): readonly string[] {
	if (isMap(before) && isMap(now)) {
		return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((key) => changedSettings(before[key], now[key], path === "" ? key : `${path}.${key}`));
	}
	// What came or went as a whole is named by what is in it.
	if (path === "" || (isMap(before) && now === undefined) || (isMap(now) && before === undefined)) return changedSettings(before ?? {}, now ?? {}, path);
	return JSON.stringify(before) === JSON.stringify(now) ? [] : [path];
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null && !Array.isArray(value);
