// The extensions of a trusted project: found in and run from the private copy, told of under their places in the project.
import { join } from "node:path";
import { HookFailure } from "../../events/failure.ts";
import type { HookDefinition } from "../../events/registration.ts";
import { type Host, LoadError, type Stray } from "../../hosts/host.ts";
import { findExtensions } from "../find.ts";
import { findPackages } from "../../dialects/hermes-extension/settings.ts";
import { type ExtensionSet, namesOf, settingsOf } from "../load.ts";
import { ownFolder } from "./find.ts";
import type { Project } from "./project.ts";

/** Stands before the names of a project's extensions, and can be in no other name: the user may have one that is called the same. */
export const projectPrefix = "project:";

/** Where a copy's files lie, and how they are shown. */
export interface Copied {
	readonly project: Project;
	/** From `copyOf`. */
	readonly copy: string;
}

/** The extensions of a project, as `loadExtensions` takes them. */
export function projectExtensions(copied: Copied): ExtensionSet {
	return { ...setOf(copied, findExtensions), others: namesOf(setOf(copied, findPackages)) };
}

/** Those in Python; `host` reads the files of the copy. */
export function projectPackages(copied: Copied, host: (settings: ExtensionSet["settings"]) => Promise<Host>): ExtensionSet {
	const set = setOf(copied, findPackages);
	return { ...set, settings: settingsOf(set, set.settings), host: { name: "python", open: async () => copyingHost(await host(set.settings), copied) } };
}

function setOf(copied: Copied, find: (folder: string) => Pick<ExtensionSet, "found" | "problems">): ExtensionSet {
	return asSet(copied, find(join(copied.copy, ownFolder, "extensions")), "extensions");
}

export function asSet({ project: { folder, config }, copy }: Copied, { found, problems }: Pick<ExtensionSet, "found" | "problems">, kind: "extensions" | "plugins"): ExtensionSet {
	const own = join(folder, ownFolder);
	const named = <Found extends { readonly name: string; readonly file: string }>(extension: Found) => ({ ...extension, name: nameOf(extension.name), file: inProject(extension.file, { folder, copy }) });
	return {
		found: found.map(named),
		problems: problems.map((problem) => ({ ...named(problem), message: inProject(problem.message, { folder, copy }) })),
		folder: join(own, kind),
		settings: Object.fromEntries(Object.entries(config.extensions ?? {}).map(([name, settings]) => [nameOf(name), settings])),
		configFile: join(own, "config.yaml"),
		trust: "project",
		host: "node",
	};
}

/** A host that reads the copies of the files it is given, and speaks of the files themselves. */
export function copyingHost(host: Host, { project: { folder }, copy }: Copied): Host {
	const places = { folder, copy };
	return {
		async load(extension, options) {
			try {
				const loaded = await host.load({ ...extension, file: join(copy, extension.file.slice(folder.length)) }, options);
				const definitions = loaded.definitions.map((definition) => {
					const { file = extension.file } = definition.source;
					return { ...definition, handler: failingInProject(definition.handler, places), source: { ...definition.source, file: inProject(file, places) } };
				});
				return { ...loaded, file: extension.file, definitions };
			} catch (error) {
				if (!(error instanceof LoadError)) throw error;
				throw new LoadError(error.extension, { file: inProject(error.file, places), line: error.line }, whyOf(error, places), error);
			}
		},
		[Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
	};
}

/** A failure names the file it happened in, as tracebacks of Python do. */
function failingInProject(handler: HookDefinition["handler"], places: Places): HookDefinition["handler"] {
	return async (...given) => {
		try {
			return await handler(...given);
		} catch (error) {
			if (!(error instanceof HookFailure) || !error.message.includes(places.copy)) throw error;
			throw new HookFailure(error.kind, inProject(error.message, places), { counts: error.counts, cause: error });
		}
	};
}

/** A stray error of a project's extension under its place in the project. */
export function strayInProject(stray: Stray, { project: { folder }, copy }: Copied): Stray {
	return { ...stray, file: inProject(stray.file, { folder, copy }), message: inProject(stray.message, { folder, copy }) };
}

interface Places {
	readonly folder: string;
	readonly copy: string;
}

/** A text that speaks of the copy, speaking of the project. */
export const inProject = (text: string, { folder, copy }: Places): string => text.replaceAll(copy, folder);

const nameOf = (name: string) => (name === "*" ? name : `${projectPrefix}${name}`);

/** What lies outside was not hashed, so it is not in the copy: that is the reason then, not that it is missing. */
function whyOf({ why }: LoadError, { folder, copy }: Places): string {
	const [, path] = /^it imports '(\/.+?)', and there is no such file/.exec(why) ?? [];
	const extensions = join(ownFolder, "extensions");
	const inside = join(copy, extensions);
	if (path !== undefined && path.startsWith(copy) && !path.startsWith(`${inside}/`)) return `it imports '${inProject(path, { folder, copy })}', which lies outside of ${extensions}: only what was trusted there can be loaded. Move it there.`;
	const [, name] = /^it imports the package '(.+?)', which is not installed/.exec(why) ?? [];
	if (name !== undefined) return `it imports the package '${name}': the extensions of a project can use packages only from ${extensions}/node_modules, as only what was trusted there is loaded.`;
	return inProject(why, { folder, copy });
}
