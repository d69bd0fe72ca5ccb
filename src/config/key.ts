// Settings by their dotted names, as `hookline config` takes them: `agent.max_steps`, `extensions.NAME.enabled`.
import { didYouMean } from "../system/nearest.ts";
import { configSchema } from "./schema.ts";

/** A part of the schema, as far as it is looked at here. */
export interface SettingSchema {
	readonly type?: string;
	readonly description?: string;
	readonly properties?: Readonly<Record<string, SettingSchema>>;
	readonly additionalProperties?: boolean | SettingSchema;
}

/** A setting there is. */
export interface Setting {
	readonly path: readonly string[];
	readonly schema: SettingSchema;
}

/** The setting a dotted name means, or why there is none. Names in a map may hold dots themselves: `extensions.my.own.host`. */
export function findSetting(key: string): Setting | { readonly mistake: string } {
	return walk(configSchema as unknown as SettingSchema, key.split("."), [], key);
}

function walk(schema: SettingSchema, rest: readonly string[], path: readonly string[], key: string): ReturnType<typeof findSetting> {
	const [first, ...below] = rest;
	if (first === undefined) return { path, schema };
	const known = schema.properties ?? {};
	if (Object.hasOwn(known, first)) return walk(known[first]!, below, [...path, first], key);
	const each = schema.additionalProperties;
	if (rest.includes("")) return { mistake: unknownKey(key, path, "", []) };
	if (typeof each !== "object") return { mistake: unknownKey(key, path, first, Object.keys(known)) };
	const inner = Object.keys(each.properties ?? {});
	const start = rest.findIndex((part, i) => i > 0 && inner.includes(part));
	if (start > 0) return walk(each, rest.slice(start), [...path, rest.slice(0, start).join(".")], key);
	// With a word too many it is a setting misspelt, unless it is like none of them.
	const last = rest.at(-1)!;
	if (rest.length > 1 && didYouMean(last, inner) !== "") return { mistake: unknownKey(key, [...path, ...rest.slice(0, -1)], last, inner) };
	return { path: [...path, rest.join(".")], schema: each };
}

function unknownKey(key: string, path: readonly string[], part: string, known: readonly string[]): string {
	if (part === "") return `There is no setting '${key}': a part of its name is empty.`;
	const full = known.map((name) => [...path, name].join("."));
	const suggestion = didYouMean(part, known).replace(/'(.*)'/, (_, name: string) => `'${[...path, name].join(".")}'`);
	if (known.length === 0) return `There is no setting '${key}': '${path.join(".")}' has none below it.`;
	return `There is no setting '${key}'.${suggestion} Known: ${full.join(", ")}.`;
}

/** The names of all settings; `NAME` stands where a name is free. */
export function settingNames(schema: SettingSchema = configSchema as unknown as SettingSchema, path: readonly string[] = []): readonly string[] {
	const each = schema.additionalProperties;
	const below = [...Object.entries(schema.properties ?? {}), ...(typeof each === "object" ? ([["NAME", each]] as const) : [])];
	if (below.length === 0) return [path.join(".")];
	return below.flatMap(([name, part]) => settingNames(part, [...path, name]));
}

/** The settings a value holds, with their dotted names. */
export function settingsIn(value: unknown, path: readonly string[] = []): readonly (readonly [name: string, value: unknown])[] {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path.join("."), value]];
	return Object.entries(value).flatMap(([name, inner]) => settingsIn(inner, [...path, name]));
}
