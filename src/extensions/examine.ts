// What is known of the user's extensions before any of their code is read: manifest, what was installed and granted, order, settings.
import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExtensionConfig } from "../config/schema.ts";
import { findPackages } from "../dialects/hermes-extension/settings.ts";
import { readRegular } from "../system/regular-file.ts";
import type { Home } from "../system/home.ts";
import { findExtensions, type FoundExtension, type NotAnExtension } from "./find.ts";
import { installedContent } from "./install/content.ts";
import { type Locked, readLock } from "./lock.ts";
import { checkedConfig } from "./manifest/config.ts";
import type { Manifest } from "./manifest/manifest.ts";
import { ManifestError, manifestFile, mostManifestBytes, ownVersion, parseManifest } from "./manifest/read.ts";
import { inOrder } from "./order.ts";
import { type Granted, inWords, more } from "./permissions.ts";

/** An extension of the user's, whether or not it can be loaded. */
export interface Examined {
	readonly name: string;
	/** What is loaded, or the folder where there is nothing to load. Absolute. */
	readonly file: string;
	/** Absent for a single file. */
	readonly folder?: string;
	readonly language: "script" | "python";
	readonly manifest?: Manifest;
	/** Absent for what the user put there themselves. */
	readonly locked?: Locked;
	readonly granted: Granted;
	readonly enabled: boolean;
	/** Its settings, with the manifest's defaults. */
	readonly config: ExtensionConfig["config"];
	/** Names of what has to be loaded before it. */
	readonly needs: readonly string[];
	/** Why it is not loaded, a sentence each; being disabled is none. */
	readonly problems: readonly string[];
	/** What is to be said of it all the same. */
	readonly notes: readonly string[];
}

export interface Examination {
	/** In the order in which they are loaded: what others need comes first. */
	readonly extensions: readonly Examined[];
	/** What lies there and cannot be one, as another has its name or the folder cannot be read. */
	readonly strays: readonly NotAnExtension[];
	/** Why extensions.lock.json cannot be relied on. */
	readonly problem?: string;
}

type Settings = Readonly<Record<string, ExtensionConfig>>;

/** Reads, and runs nothing. */
export async function examine(home: Home, settings: Settings): Promise<Examination> {
	const { lock, problem } = readLock(home);
	const scripts = findExtensions(home.extensions);
	const packages = findPackages(home.extensions);
	const isStray = ({ name }: NotAnExtension) => name === "*" || scripts.found.some((one) => one.name === name);
	const all = await Promise.all([
		...[...scripts.found, ...scripts.problems.filter((one) => !isStray(one))].map((one) => look(one, "script", { lock, problem, settings })),
		...[...packages.found, ...packages.problems].filter((one) => !scripts.found.some(({ name }) => name === one.name)).map((one) => look(one, "python", { lock, problem, settings })),
	]);
	const gone = [...lock].filter(([name]) => !all.some((one) => one.name === name)).map(([name, locked]): Examined => ({
		name,
		file: join(home.extensions, name),
		language: "script",
		locked,
		granted: locked.granted,
		enabled: settings[name]?.enabled !== false,
		config: settings[name]?.config,
		needs: [],
		problems: [`it was installed, and its folder is gone. 'hookline extensions update ${name}' installs it again, 'hookline extensions remove ${name}' forgets it.`],
		notes: [],
	}));
	return { extensions: await ordered([...all, ...gone]), strays: scripts.problems.filter(isStray), ...(problem !== undefined && { problem }) };
}

interface Known {
	readonly lock: ReadonlyMap<string, Locked>;
	readonly problem: string | undefined;
	readonly settings: Settings;
}

async function look(found: FoundExtension | NotAnExtension, language: Examined["language"], { lock, problem, settings }: Known): Promise<Examined> {
	const { name } = found;
	const folder = folderOf(found);
	const locked = folder === undefined ? undefined : lock.get(name);
	const edited = folder === undefined || locked === undefined ? undefined : editedSince(name, folder, locked);
	const said = folder !== undefined && existsSync(join(folder, manifestFile)) ? await saidBy(folder, name, language, edited === undefined ? locked : undefined) : undefined;
	const { manifest, file = found.file } = said ?? {};
	// With a manifest it is that which says what is loaded.
	const unusable = said === undefined && "message" in found ? [found.message] : [];
	const { config, mistakes } = checkedConfig(manifest?.config, settings[name]?.config);
	const wants = locked === undefined || manifest === undefined ? [] : more(locked.granted, manifest.permissions);
	return {
		name,
		file,
		...(folder !== undefined && { folder }),
		language,
		...(manifest && { manifest }),
		...(locked && { locked }),
		granted: locked?.granted ?? "everything",
		enabled: settings[name]?.enabled !== false,
		config,
		needs: Object.keys(manifest?.dependencies ?? {}),
		problems: [
			...(said !== undefined && problem !== undefined ? [problem] : []),
			...(said?.problems ?? unusable),
			...(edited === undefined ? [] : [edited]),
			...mistakes.map((mistake) => `its settings (extensions.${name}.config in config.yaml) are not as it wants them: ${mistake}`),
		],
		notes: wants.length === 0 ? [] : [`It asks for more than you granted it: ${inWords(wants).join("; ")}.`],
	};
}

/** What the manifest in a folder says, and what is wrong with that. `sound`: what was noted of it, when its content is the same. */
async function saidBy(folder: string, name: string, language: Examined["language"], sound: Locked | undefined): Promise<{ readonly manifest?: Manifest; readonly file?: string; readonly problems: readonly string[] }> {
	const manifest = sound?.manifest !== undefined && sound.readBy === ownVersion() ? sound.manifest : await readManifest(folder);
	if (manifest instanceof ManifestError) return { problems: [manifest.message] };
	const misnamed = manifest.name === name ? [] : [`its ${manifestFile} calls it '${manifest.name}', and its folder is called '${name}'. Rename one of them.`];
	const main = mainOf(folder, manifest, language);
	return "problem" in main ? { manifest, problems: [...misnamed, main.problem] } : { manifest, file: main.file, problems: misnamed };
}

/** The folder an extension is in, unless it is a single file. */
function folderOf({ name, file }: FoundExtension | NotAnExtension): string | undefined {
	if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() || existsSync(join(file, manifestFile))) return file;
	const folder = dirname(file);
	return folder.endsWith(`/${name}`) && /\/(?:index\.m?[jt]s|__init__\.py)$/.test(file) ? folder : undefined;
}

async function readManifest(folder: string): Promise<Manifest | ManifestError> {
	const file = join(folder, manifestFile);
	try {
		const read = readRegular(file, mostManifestBytes);
		return await parseManifest(read === "too long" ? Buffer.alloc(mostManifestBytes + 1) : read.bytes, file);
	} catch (error) {
		return error instanceof ManifestError ? error : new ManifestError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
	}
}

const usualScripts = ["index.ts", "index.mts", "index.js", "index.mjs"];

/** The path of what is loaded below a package, or why there is none. */
export function mainIn({ main }: Pick<Manifest, "main">, has: (path: string) => boolean): string | { readonly problem: string } {
	const named = main?.replace(/^(?:\.\/)+/, "");
	const path = named ?? [...usualScripts, "__init__.py"].find(has);
	if (path === undefined) return { problem: `it has no ${[...usualScripts, "__init__.py"].join(", ")}, and its ${manifestFile} names no other file as 'main', so there is nothing to load.` };
	if (!has(path)) return { problem: `its ${manifestFile} says 'main: ${main}', and there is no such file.` };
	if (path.endsWith(".py") && (path !== "__init__.py" || usualScripts.some(has))) return { problem: `its ${manifestFile} says 'main: ${main}': what is written in Python is loaded from __init__.py, with no ${usualScripts.join(", ")} beside it.` };
	return path;
}

function mainOf(folder: string, manifest: Manifest, language: Examined["language"]): { readonly file: string } | { readonly problem: string } {
	const main = mainIn(manifest, (path) => existsSync(join(folder, path)));
	if (typeof main !== "string") return main;
	if (main.endsWith(".py") !== (language === "python")) return { problem: `its ${manifestFile} says 'main: ${main}', and there is an __init__.py, so it could be loaded in two ways. Remove one of them.` };
	return { file: join(folder, main) };
}

/** Why what was installed is not loaded: it is not what the user agreed to any more. */
function editedSince(name: string, folder: string, { source, content, files = {} }: Locked): string | undefined {
	if (source.kind === "link") return undefined;
	const now = installedContent(folder);
	const ways = `'hookline extensions update ${name}' puts it back or brings the newest version, 'hookline extensions update ${name} --accept' takes it as it is now.`;
	if ("problem" in now) return `${now.problem}. ${ways}`;
	if (now.hash === content) return undefined;
	const paths = [...new Set([...Object.keys(files), ...Object.keys(now.files)])].filter((path) => files[path] !== now.files[path]);
	return `it was edited since it was installed (${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ` and ${paths.length - 5} more` : ""}). ${ways}`;
}

async function ordered(all: readonly Examined[]): Promise<readonly Examined[]> {
	// Only read where somebody needs somebody.
	const semver = all.some(({ needs }) => needs.length > 0) ? await import("semver") : undefined;
	const { names, problems } = inOrder(
		all.map((one) => ({
			name: one.name,
			version: one.manifest?.version,
			dependencies: one.enabled ? (one.manifest?.dependencies ?? {}) : {},
			conflicts: one.enabled ? (one.manifest?.conflicts ?? []) : [],
			out: one.problems[0] ?? (one.enabled ? undefined : "config.yaml says 'enabled: false' of it."),
			round: one.language === "python" ? 1 : 0,
		})),
		(version, range) => semver?.satisfies(version, range, { includePrerelease: true }) ?? false,
	);
	const byName = new Map(all.map((one) => [one.name, one]));
	return names.map((name) => {
		const one = byName.get(name)!;
		const problem = problems.get(name);
		return problem === undefined ? one : { ...one, problems: [...one.problems, problem] };
	});
}
