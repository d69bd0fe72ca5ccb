// The project of a working folder, and whether the user trusts it as it is now.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseProjectConfig, type ProjectConfig } from "../../config/project.ts";
import type { Home } from "../../system/home.ts";
import { type Content, readContent } from "./content.ts";
import { copyOf, removeCopies } from "./copy.ts";
import { candidatesFor, isThere, ownFolder } from "./find.ts";
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
export async function findProject(cwd: string, { home, environment, warn }: FindOptions): Promise<Project | undefined> {
	for (const folder of candidatesFor(cwd, home, environment)) {
		if (!isThere(join(folder, ownFolder))) continue;
		const content = readContent(folder);
		if (content.files.length === 0 && content.problems.length === 0) continue;
		const { decisions, problem } = readDecisions(home);
		if (problem !== undefined) warn(problem);
		return toProject(folder, content, decisions.get(folder));
	}
	return undefined;
}

async function toProject(folder: string, content: Content, decided: Decided | undefined): Promise<Project> {
	const { config, problems } = await configIn(folder, content);
	const all = [...content.problems, ...problems];
	const trusted = decided?.trusted;
	const state = all.length > 0 ? "refused" : trusted?.hash === content.hash ? "trusted" : decided?.declined === content.hash ? "declined" : trusted === undefined ? "untrusted" : "changed";
	return { folder, state, content, problems: all, config, wasTrusted: trusted !== undefined, changes: changesOf(content, trusted?.files) };
}

async function configIn(folder: string, { files }: Content): Promise<{ readonly config: ProjectConfig; readonly problems: readonly string[] }> {
	const bytes = files.find(({ path }) => path === "config.yaml")?.bytes;
	if (bytes === undefined) return { config: {}, problems: [] };
	const file = join(folder, ownFolder, "config.yaml");
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return { config: {}, problems: [`${file}: this is no text file.`] };
	}
	const { value, mistakes } = await parseProjectConfig(text);
	if (mistakes.length > 0) return { config: {}, problems: mistakes.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`) };
	return { config: value as ProjectConfig, problems: [] };
}

function changesOf({ files }: Content, before: Readonly<Record<string, string>> | undefined): Changes {
	if (before === undefined) return { changed: [], added: [], gone: [] };
	const known = (path: string) => Object.hasOwn(before, path);
	return {
		changed: files.filter(({ path, sha256 }) => known(path) && before[path] !== sha256).map(({ path }) => path),
		added: files.filter(({ path }) => !known(path)).map(({ path }) => path),
		gone: Object.keys(before).filter((path) => !files.some((file) => file.path === path)),
	};
}

/** What there is to say about a project, the same everywhere. */
export function statusOf(project: Project | undefined): ProjectStatus {
	if (project === undefined) return { state: "none", message: "No project brings hooks here.", missing: false };
	const { folder, state, content, problems, wasTrusted, changes } = project;
	const own = join(folder, ownFolder);
	const look = `'hookline trust ${quoted(folder)}' shows it and asks.`;
	const message = {
		trusted: `${own} is trusted as it is, and its extensions are loaded.`,
		untrusted: `${own} is not loaded, and none of its hooks run: you have not trusted it. ${look}`,
		declined: `${own} is not loaded, and none of its hooks run: you did not want to be asked about it again. ${look}`,
		changed: `${own} is not loaded, and none of its hooks run: it has changed since you trusted it (${changesInWords(changes)}). ${look}`,
		refused: `${own} is not loaded, and none of its hooks run: it cannot be trusted as it is. ${problems.slice(0, 5).join(" ")}${problems.length > 5 ? ` And ${problems.length - 5} more.` : ""}`,
	}[state];
	return { state, folder, hash: content.hash, message, missing: wasTrusted && state !== "trusted" };
}

export function changesInWords({ changed, added, gone }: Changes): string {
	const parts = [["changed", changed], ["new", added], ["gone", gone]] as const;
	return parts.flatMap(([word, paths]) => (paths.length === 0 ? [] : [`${word}: ${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ` and ${paths.length - 5} more` : ""}`])).join("; ");
}

/**
 * Trusts a folder with exactly the content that was read, whatever lies there by now.
 * @throws TrustError, HomeError
 */
export async function trustProject({ folder, content, problems }: Project, home: Home): Promise<void> {
	if (problems.length > 0) throw new TrustError(`${join(folder, ownFolder)} cannot be trusted as it is. ${problems.join(" ")}`);
	// At once, not at the first start: the home may be read-only by then.
	copyOf(content, home);
	const files = Object.fromEntries(content.files.map(({ path, sha256 }) => [path, sha256]));
	const now = await changeDecisions(home, (decisions) => void decisions.set(folder, { trusted: { hash: content.hash, files, at: Date.now() } }));
	removeCopies(home, trustedHashes(now));
}

/** Does not ask about this content again. What was trusted before stays so, if it comes back. @throws TrustError, HomeError */
export async function declineProject({ folder, content }: Project, home: Home): Promise<void> {
	await changeDecisions(home, (decisions) => void decisions.set(folder, { ...decisions.get(folder), declined: content.hash }));
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
