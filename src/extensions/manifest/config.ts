// The settings of an extension, held against the schema in its manifest.
import { mistakesIn } from "../../system/schema.ts";

type Settings = Readonly<Record<string, unknown>>;

/** What was set, with the schema's defaults where nothing was, and what is wrong with it, a sentence each. */
export function checkedConfig(schema: Settings | undefined, given: Settings | undefined): { readonly config: Settings | undefined; readonly mistakes: readonly string[] } {
	if (schema === undefined) return { config: given, mistakes: [] };
	const config = filled(schema, given ?? {}) as Settings;
	return { config, mistakes: mistakesIn(schema, config).map(({ message }) => `${message}.`) };
}

function filled(schema: unknown, value: unknown): unknown {
	if (!isObject(schema)) return value;
	if (value === undefined) value = structuredClone(schema["default"]) ?? (hasDefaults(schema) ? {} : undefined);
	const { properties } = schema;
	if (!isObject(properties) || !isObject(value)) return value;
	const known = Object.entries(properties).map(([name, part]) => [name, filled(part, Object.hasOwn(value, name) ? value[name] : undefined)] as const);
	return { ...value, ...Object.fromEntries(known.filter(([, one]) => one !== undefined)) };
}

/** An object that is not there comes to be where something in it has a default. */
const hasDefaults = ({ properties }: Settings): boolean => isObject(properties) && Object.values(properties).some((part) => isObject(part) && (Object.hasOwn(part, "default") || hasDefaults(part)));

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
