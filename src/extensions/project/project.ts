// The project of a working folder, and whether the user trusts it as it is now.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseProjectConfig, type ProjectConfig } from "../../config/project.ts";
import type { Home } from "../../system/home.ts";
import { sha256Of } from "../../system/regular-file.ts";
import { type Content, readContent } from "./content.ts";
import { copyOf, removeCopies } from "./copy.ts";
import { candidatesFor, isThere, ownFolder } from "./find.ts";
import type { ProjectHook, ProjectHooks, ProjectHooksOptions } from "./hooks.ts";
import { changeDecisions, type Decided, type Decisions, readDecisions, TrustError } from "./record.ts";

/**
 * `untrusted`: the user was never asked, or said "not now". `declined`: they do not want to be asked about this content. `changed`: they
 * trusted another content. `refused`: it cannot be trusted as it is; the problems say why.
 */
export type ProjectState = "untrusted" | "declined" | "changed" | "refused" | "trusted";

/** What became of the files since the user trusted them, by path. */
export interface Changes {
	readonly changed: readonly string[];
	readonly added: readonly string[];
	readonly gone: readonly string[];
}

export interface Project {
	/** The real path of the folder that holds `.hookline`. */
	readonly folder: string;
	readonly state: ProjectState;
	readonly content: Content;
	/** Its shell hooks, with what they run. */
	readonly hooks: readonly ProjectHook[];
	/** SHA-256 over the content and what the hooks run, hexadecimal: what is trusted. */
	readonly hash: string;
	/** What was put right in its config.yaml, a sentence each. */
	readonly warnings: readonly string[];
	readonly problems: readonly string[];
	readonly config: ProjectConfig;
	/** Whether the user has trusted some content of it. */
	readonly wasTrusted: boolean;
	readonly changes: Changes;
}

/** The project as commands show it. */
export interface ProjectStatus {
	readonly state: ProjectState | "none";
	readonly folder?: string;
	readonly hash?: string;
	/** What that means for its hooks, in sentences. */
	readonly message: string;
	/** Hooks that ran before do not run now. */
	readonly missing: boolean;
}

export interface FindOptions {
	readonly home: Home;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Told why trust.json cannot be relied on. */
	readonly warn: (message: string) => void;
}

/** The project whose files would be loaded in a working folder: the nearest that has any. Reads it, and runs nothing. */
export async function findProject(cwd: string, options: FindOptions): Promise<Project | undefined> {
	const { home, environment, warn } = options;
	for (const folder of candidatesFor(cwd, home, environment)) {
		if (!isThere(join(folder, ownFolder))) continue;
		const content = readContent(folder);
		if (content.files.length === 0 && content.problems.length === 0) continue;
		const { decisions, problem } = readDecisions(home);
		if (problem !== undefined) warn(problem);
		return projectIn(folder, content, decisions.get(folder), options);
	}
	return undefined;
}

/** What a content means, with what was decided about its folder. */
export async function projectIn(folder: string, content: Content, decided: Decided | undefined, { environment }: Pick<FindOptions, "environment">): Promise<Project> {
	const { trusted, declined } = decided ?? {};
	const { config, hooks, warnings, problems } = await configIn(content, { folder, userHome: environment["HOME"] || homedir(), searched: environment["PATH"] ?? "", known: trusted?.identities ?? {} });
	const all = [...content.problems, ...problems];
	const run = hooks.flatMap(({ files }) => files);
	const hash = run.length === 0 ? content.hash : sha256Of(`hookline project with hooks 1\n${content.hash}\n${run.map(([path, { as, hashed }]) => `${JSON.stringify([as, path])} ${hashed.sha256}\n`).join("")}`);
	const state = all.length > 0 ? "refused" : trusted?.hash === hash ? "trusted" : declined === hash ? "declined" : trusted === undefined ? "untrusted" : "changed";
	const project = { folder, state, content, hooks, hash, warnings, problems: all, config, wasTrusted: trusted !== undefined } as const;
	return { ...project, changes: changesOf(hashesOf(project), trusted?.files) };
}

/** By the paths they are trusted under. */
const hashesOf = ({ content, hooks }: Pick<Project, "content" | "hooks">): Readonly<Record<string, string>> =>
	Object.fromEntries([...content.files.map(({ path, sha256 }) => [path, sha256] as const), ...hooks.flatMap(({ files }) => files).map(([path, { hashed }]) => [path, hashed.sha256] as const)]);

interface ReadConfig extends ProjectHooks {
	readonly config: ProjectConfig;
}

async function configIn({ files }: Content, options: ProjectHooksOptions): Promise<ReadConfig> {
	const { folder } = options;
	const nothing = { config: {}, hooks: [], warnings: [], problems: [] };
	const bytes = files.find(({ path }) => path === "config.yaml")?.bytes;
	if (bytes === undefined) return nothing;
	const file = join(folder, ownFolder, "config.yaml");
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return { ...nothing, problems: [`${file}: this is no text file.`] };
	}
	const { value, placeOf, mistakes } = await parseProjectConfig(text);
	if (mistakes.length > 0) return { ...nothing, problems: mistakes.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`) };
	const config = value as ProjectConfig;
	if (config.hooks === undefined || config.hooks === null) return { ...nothing, config };
	// Loaded only where there are any.
	const { projectHooksIn } = await import("./hooks.ts");
	return { ...projectHooksIn({ value, placeOf }, options), config };
}

function changesOf(now: Readonly<Record<string, string>>, before: Readonly<Record<string, string>> | undefined): Changes {
	if (before === undefined) return { changed: [], added: [], gone: [] };
	const paths = Object.keys(now);
	const known = (path: string) => Object.hasOwn(before, path);
	return {
		changed: paths.filter((path) => known(path) && before[path] !== now[path]),
		added: paths.filter((path) => !known(path)),
		gone: Object.keys(before).filter((path) => !Object.hasOwn(now, path)),
	};
}

/** What there is to say about a project, the same everywhere. */
export function statusOf(project: Project | undefined): ProjectStatus {
	if (project === undefined) return { state: "none", message: "No project brings hooks here.", missing: false };
	const { folder, state, hash, hooks, problems, wasTrusted, changes } = project;
	const own = join(folder, ownFolder);
	const look = `'hookline trust ${quoted(folder)}' shows it and asks.`;
	const message = {
		trusted: `${own} is trusted as it is, and its extensions ${hooks.length > 0 ? "and shell hooks " : ""}are loaded.`,
		untrusted: `${own} is not loaded, and none of its hooks run: you have not trusted it. ${look}`,
		declined: `${own} is not loaded, and none of its hooks run: you did not want to be asked about it again. ${look}`,
		changed: `${own} is not loaded, and none of its hooks run: it has changed since you trusted it (${changesInWords(changes)}). ${look}`,
		refused: `${own} is not loaded, and none of its hooks run: it cannot be trusted as it is. ${problems.slice(0, 5).join(" ")}${problems.length > 5 ? ` And ${problems.length - 5} more.` : ""}`,
	}[state];
	return { state, folder, hash, message, missing: wasTrusted && state !== "trusted" };
}

export function changesInWords({ changed, added, gone }: Changes): string {
	const parts = [["changed", changed], ["new", added], ["gone", gone]] as const;
	return parts.flatMap(([word, paths]) => (paths.length === 0 ? [] : [`${word}: ${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ` and ${paths.length - 5} more` : ""}`])).join("; ");
}

/**
 * Trusts a folder with exactly the content that was read, whatever lies there by now.
 * @throws TrustError, HomeError
 */
export async function trustProject(project: Project, home: Home): Promise<void> {
	const { folder, hash, hooks, problems } = project;
	if (problems.length > 0) throw new TrustError(`${join(folder, ownFolder)} cannot be trusted as it is. ${problems.join(" ")}`);
	// At once, not at the first start: the home may be read-only by then.
	copyOf(project, home);
	if (hooks.length > 0) {
		const { ApprovedCopies } = await import("../consent/copy.ts");
		const copies = new ApprovedCopies(home);
		try {
			for (const { taken } of hooks) copies.keep(taken.program, () => taken);
		} catch (error) {
			throw new TrustError(error instanceof Error ? error.message : String(error), { cause: error });
		}
	}
	const inPlace = hooks.flatMap(({ files }) => files.flatMap(([, { root, hashed }]) => (root === undefined && hashed.identity !== undefined ? [[hashed.identity, hashed.sha256]] : [])));
	const trusted = { hash, files: hashesOf(project), at: Date.now(), ...(inPlace.length > 0 && { identities: Object.fromEntries(inPlace) as Record<string, string> }) };
	const now = await changeDecisions(home, (decisions) => void decisions.set(folder, { trusted }));
	removeCopies(home, trustedHashes(now));
}

/** Does not ask about this content again. What was trusted before stays so, if it comes back. @throws TrustError, HomeError */
export async function declineProject({ folder, hash }: Project, home: Home): Promise<void> {
	await changeDecisions(home, (decisions) => void decisions.set(folder, { ...decisions.get(folder), declined: hash }));
}

/** Forgets what was decided about a folder, and removes its copy. False when nothing was. @throws TrustError, HomeError */
export async function revokeTrust(folder: string, home: Home): Promise<boolean> {
	if (!existsSync(home.path)) return false;
	let before: Decided | undefined;
	const now = await changeDecisions(home, (decisions) => {
		before = decisions.get(folder);
		decisions.delete(folder);
	});
	removeCopies(home, trustedHashes(now), before?.trusted?.hash);
	return before !== undefined;
}

const trustedHashes = (decisions: Decisions) => [...decisions.values()].flatMap(({ trusted }) => (trusted === undefined ? [] : [trusted.hash]));

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : JSON.stringify(path));
