// From files in a folder to live hooks. One that fails is reported and the others run; one that is required stops the start.
import type { ExtensionConfig } from "../config/schema.ts";
import { findPackages } from "../dialects/hermes-extension/settings.ts";
import type { Source } from "../events/registration.ts";
import type { Host } from "../hosts/host.ts";
import { didYouMean } from "../system/nearest.ts";
import { rootOf } from "./content.ts";
import { findExtensions, type FoundExtension, type NotAnExtension } from "./find.ts";
import { allows } from "./permissions.ts";
import { failureOf, type Loadable, type Loaded, type LoadFailure, LiveExtensions, type LiveOptions, NeededError } from "./live.ts";

/** An extension that did not come to life. */
export interface FailedExtension extends LoadFailure {
	readonly required: boolean;
}

export interface LoadedExtensions {
	readonly loaded: readonly Loaded[];
	readonly failed: readonly LoadFailure[];
	/** Left out by `enabled: false`. */
	readonly disabled: readonly string[];
}

/** A required extension is not there or does not load: nothing may start without it. */
export class RequiredExtensionError extends Error {
	override readonly name = "RequiredExtensionError";
}

/** Extensions that lie together and are trusted alike, with what their owner set for them. */
export interface ExtensionSet {
	readonly found: readonly FoundExtension[];
	readonly problems: readonly NotAnExtension[];
	/** Where they lie, for messages. */
	readonly folder: string;
	/** By name. */
	readonly settings: Readonly<Record<string, ExtensionConfig>>;
	/** Where the settings stand. */
	readonly configFile: string;
	readonly trust: Source["trust"];
	/** Where they run unless their settings say otherwise, or the one host that can run them. */
	readonly host: "inline" | "node" | { readonly name: "python"; open(): Promise<Host> };
	/** Names that are another set's: settings of theirs are none of this one. */
	readonly others?: readonly string[];
	/** What else is set for all of them, as a text. */
	readonly moreSettings?: string;
}

export interface LoadOptions extends LiveOptions {
	/** Makes or gives the host of that kind. */
	readonly host: (kind: "inline" | "node", name: string) => Promise<Host>;
	/** Where they live; among themselves when not given. */
	readonly live?: LiveExtensions;
}

/** The names of what was found, the broken included. */
export const namesOf = ({ found, problems }: Pick<ExtensionSet, "found" | "problems">): readonly string[] => [...found, ...problems].map(({ name }) => name);

/** Of the settings of all extensions those of some: whether the others are there is for the set that looks at all. */
export function settingsOf(found: Pick<ExtensionSet, "found" | "problems">, settings: ExtensionSet["settings"]): ExtensionSet["settings"] {
	const names = namesOf(found);
	return Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
}

/** The user's own extensions. */
export function userExtensions(folder: string, settings: ExtensionSet["settings"], configFile: string): ExtensionSet {
	return { ...findExtensions(folder), folder, settings, configFile, trust: "user", host: "inline", others: namesOf(findPackages(folder)) };
}

/** Those of a set that are to be loaded, those that cannot be, and those that are not to be. */
export function chosenOf(set: ExtensionSet, { host, warn }: Pick<LoadOptions, "host" | "warn">): { readonly chosen: readonly Loadable[]; readonly failed: readonly FailedExtension[]; readonly disabled: readonly string[] } {
	const { found, problems, folder, settings, configFile, trust, host: own, others = [] } = set;
	const isRequired = (name: string) => settings[name]?.required === true;
	const failed: FailedExtension[] = problems.map((problem) => ({ ...problem, required: isRequired(problem.name) }));
	const names = namesOf(set);
	for (const name of Object.keys(settings)) {
		if (names.includes(name) || others.includes(name)) continue;
		const message = `${configFile} has settings for an extension '${name}', and there is none in ${folder}.${didYouMean(name, [...names, ...others])}`;
		if (isRequired(name)) failed.push({ name, file: folder, message, required: true });
		else warn(message);
	}
	for (const name of typeof own === "object" ? names.filter((name) => settings[name]?.host !== undefined) : []) {
		warn(`${configFile} says 'host: ${settings[name]!.host}' of the extension '${name}', which is written in Python and has a host of its own. Remove the line.`);
	}
	const isEnabled = ({ name }: FoundExtension) => settings[name]?.enabled !== false;
	const disabled = found.filter((extension) => !isEnabled(extension));
	for (const { name, file } of disabled.filter(({ name }) => isRequired(name))) {
		failed.push({ name, file, message: `${configFile} says 'required: true' and 'enabled: false' of it. Remove one of them.`, required: true });
	}
	const isTooClose = ({ name, granted = "everything" }: FoundExtension) => trust === "user" && settings[name]?.host === "inline" && !allows(granted, "inline", "yes");
	for (const { name, file } of found.filter((one) => isEnabled(one) && isTooClose(one))) {
		failed.push({ name, file, message: `${configFile} says 'host: inline' of it, which runs it in Hookline's own process, and you have not granted it 'inline'. Remove the line, or grant it that ('hookline extensions info ${name}').`, required: isRequired(name) });
	}
	const chosen = found.filter((one) => isEnabled(one) && !isTooClose(one)).map(({ host: usual = own, folder: root, ...extension }): Loadable => {
		const kept = { root: root ?? rootOf(extension.file), settings: `${JSON.stringify(settings[extension.name] ?? {})} ${set.moreSettings ?? ""}` };
		const all = { ...extension, ...kept, trust };
		if (typeof set.host === "object") return { ...all, hostName: set.host.name, host: set.host.open };
		const kind = settings[extension.name]?.host ?? (usual as "inline" | "node");
		return { ...all, hostName: kind, host: () => host(kind, extension.name) };
	});
	return { chosen, failed, disabled: disabled.map(({ name }) => name) };
}

/**
 * Loads all extensions of a set and registers their hooks, in the order in which they were found. What one needs is loaded before it.
 * @throws RequiredExtensionError that says what failed and why.
 */
export async function loadExtensions(set: ExtensionSet, options: LoadOptions): Promise<LoadedExtensions> {
	const { live = new LiveExtensions(options) } = options;
	const { chosen, disabled, failed: cannot } = chosenOf(set, options);
	const failed = [...cannot];
	const loaded: Loaded[] = [];
	// All at once, then registered in order: a slow one must not hold up the start, nor the order depend on who is quick.
	const loading = new Map<string, ReturnType<LiveExtensions["load"]>>();
	const load = async (extension: Loadable) => {
		for (const name of extension.needs ?? []) {
			const needed = loading.get(name);
			// What is of no set before this one, nor of this, is not there.
			const isThere = needed === undefined ? live.get(name) !== undefined : await needed.then(() => true, () => false);
			if (!isThere) throw new NeededError(name);
		}
		return live.load(extension);
	};
	const all = chosen.map((extension) => {
		const one = load(extension);
		loading.set(extension.name, one);
		return one;
	});
	for (const [i, settled] of (await Promise.allSettled(all)).entries()) {
		const extension = chosen[i]!;
		try {
			if (settled.status === "rejected") throw settled.reason;
			loaded.push(await live.take(settled.value));
		} catch (error) {
			failed.push({ ...failureOf(error, extension), required: set.settings[extension.name]?.required === true });
		}
	}
	for (const failure of failed) live.tell(failure, "is not loaded, and none of its hooks run");
	const needed = failed.filter(({ required }) => required);
	if (needed.length > 0) throw new RequiredExtensionError(needed.map(({ name, message }) => `The extension '${name}' is required (${set.configFile}) and did not load: ${message}`).join("\n"));
	return { loaded, failed, disabled };
}
