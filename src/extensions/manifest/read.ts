// EXTENSION.yaml, read and checked. A field that would silently do nothing is an error with its line and column.
import { readFileSync } from "node:fs";
import { ConfigError, parseConfig } from "../../config/read.ts";
import { eventNames, isEventName } from "../../events/catalog.ts";
import { type Mistake, mistakesIn, SchemaError } from "../../system/schema.ts";
import { didYouMean } from "../../system/nearest.ts";
import { noPermissions, type Permissions } from "../permissions.ts";
import type { Manifest } from "./manifest.ts";
import { manifestSchema, manifestVersion } from "./schema.ts";

export const manifestFile = "EXTENSION.yaml";
export const mostManifestBytes = 256 * 1024;

/** A manifest that cannot be used. One line per mistake: file, line, column, what is wrong, what to do. */
export class ManifestError extends Error {
	override readonly name = "ManifestError";
}

let own: string | undefined;

/** The version of this Hookline. */
export function ownVersion(): string {
	return (own ??= (JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: string }).version);
}

/**
 * The manifest in these bytes; `file` stands in the messages.
 * @throws ManifestError
 */
export async function parseManifest(bytes: Uint8Array, file: string): Promise<Manifest> {
	if (bytes.length > mostManifestBytes) throw new ManifestError(`${file}: it is longer than ${mostManifestBytes / 1024} KB, which no manifest is.`);
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw new ManifestError(`${file}: this is no text file.`);
	}
	const semver = await import("semver");
	const { value, mistakes } = await parseOrRefuse(text, file, (given) => mistakesOf(given, (range) => semver.validRange(range) !== null, (version) => semver.valid(version) !== null));
	if (mistakes.length > 0) throw new ManifestError(mistakes.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`).join("\n"));
	const { events = [], permissions = {}, dependencies = {}, conflicts = [], hookline, ...rest } = value as Written;
	if (hookline !== undefined && !semver.satisfies(ownVersion(), hookline, { includePrerelease: true })) {
		throw new ManifestError(`${file}: it is made for Hookline ${hookline}, and this is ${ownVersion()}. Install the Hookline it wants, or another version of it.`);
	}
	const { tools, paths } = permissions;
	return {
		...rest,
		...(hookline !== undefined && { hookline }),
		permissions: { ...noPermissions, ...permissions, events, tools: { ...noPermissions.tools, ...tools }, paths: { ...noPermissions.paths, ...paths } },
		dependencies,
		conflicts,
	};
}

/** As the file has it, checked. */
interface Written extends Pick<Manifest, "name" | "version" | "description" | "author" | "license" | "hookline" | "main" | "config"> {
	readonly events?: readonly string[];
	readonly permissions?: Partial<Omit<Permissions, "events" | "tools" | "paths">> & { readonly tools?: Partial<Permissions["tools"]>; readonly paths?: Partial<Permissions["paths"]> };
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly conflicts?: readonly string[];
}

async function parseOrRefuse(text: string, file: string, check: (value: unknown) => readonly Mistake[]): ReturnType<typeof parseConfig> {
	try {
		// An empty text would be no mistake for settings.
		return await parseConfig(text.trim() === "" ? "{}" : text, check);
	} catch (error) {
		if (error instanceof ConfigError) throw new ManifestError(`${file}: ${error.message}`);
		throw error;
	}
}

function mistakesOf(value: unknown, isRange: (text: string) => boolean, isVersion: (text: string) => boolean): readonly Mistake[] {
	const written = (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}) as Record<string, unknown>;
	const { manifest } = written;
	// Whatever else it says may be meant in another way.
	if (typeof manifest === "number" && manifest > manifestVersion) return [{ path: ["manifest"], message: `it has format ${manifest}, and ${manifestVersion} is what this Hookline knows: it is made for a later one. Update Hookline` }];
	const found = mistakesIn(manifestSchema, value).map((mistake) => ({ path: mistake.path, message: inWords(mistake) }));
	// Of the right kind from here on.
	if (found.length > 0) return found;
	const { version, hookline, events = [], dependencies = {}, config } = value as Written;
	const ranges = [...(hookline === undefined ? [] : [[["hookline"], hookline] as const]), ...Object.entries(dependencies).map(([name, wanted]) => [["dependencies", name], wanted] as const)];
	return [
		...(isVersion(version) ? [] : [{ path: ["version"], message: `'version' must be a version as semver has it (1.2.0), and is ${JSON.stringify(version)}` }]),
		...ranges.filter(([, wanted]) => !isRange(wanted)).map(([path, wanted]) => ({ path, message: `'${path.join(".")}' must be a range of versions as semver has it (^1.2.0), and is ${JSON.stringify(wanted)}` })),
		...events.flatMap((event, i) => (isKnown(event) ? [] : [{ path: ["events", String(i)], message: `there is no event '${event}'${didYouMean(event, eventNames).replace(" Did", ": did").replace(/\?$/, "")}` }])),
		...schemaMistakes(config),
	];
}

/** A pattern says little to a person: what the field is for says more. */
function inWords({ path, message }: Mistake): string {
	if (path.join(".") === "permissions.events") return "'permissions.events' is unknown: the events it hooks stand in 'events' at the top";
	if (!message.includes(" must match pattern ")) return message;
	let part = manifestSchema as unknown as SchemaPart;
	let meaning = "";
	for (const name of path) {
		part = part.properties?.[name] ?? part.items ?? {};
		meaning = part.description ?? meaning;
	}
	return `${message.replace(/ must match pattern .*/s, " does not fit")}. ${meaning.replace(/\.$/, "")}`;
}

interface SchemaPart {
	readonly description?: string;
	readonly properties?: Readonly<Record<string, SchemaPart>>;
	readonly items?: SchemaPart;
}

const isKnown = (event: string) => isEventName(event) || event === "*" || (event.endsWith(".*") && eventNames.some((name) => name.startsWith(event.slice(0, -1))));

function schemaMistakes(config: Manifest["config"]): readonly Mistake[] {
	if (config === undefined) return [];
	if (config["type"] !== "object") return [{ path: ["config"], message: "'config' must be a JSON Schema of type object" }];
	try {
		mistakesIn(config, {});
		return [];
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		return [{ path: ["config"], message: `'config' is no JSON Schema: ${error.message}` }];
	}
}
