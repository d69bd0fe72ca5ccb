// From files in a folder to live hooks. One that fails is reported and the others run; one that is required stops the start.
import type { ExtensionConfig } from "../config/schema.ts";
import { findPackages } from "../dialects/hermes-extension/settings.ts";
import type { Engine, Registration } from "../engine/engine.ts";
import type { Facts } from "../events/payloads/facts.ts";
import { type HostName, RegistrationError, type Source } from "../events/registration.ts";
import { type Host, LoadError, type LoadedExtension } from "../hosts/host.ts";
import { newId } from "../system/ids.ts";
import { didYouMean } from "../system/nearest.ts";
import { findExtensions, type FoundExtension, type NotAnExtension } from "./find.ts";

/** An extension that did not come to life. */
export interface FailedExtension {
	readonly name: string;
	readonly file: string;
	readonly line?: number;
	readonly message: string;
	readonly required: boolean;
}

export interface LoadedExtensions {
	readonly loaded: readonly { readonly name: string; readonly file: string; readonly host: HostName; readonly hooks: readonly string[] }[];
	readonly failed: readonly FailedExtension[];
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
}

export interface LoadOptions {
	readonly engine: Engine;
	/** Makes or gives the host of that kind. */
	readonly host: (kind: "inline" | "node") => Promise<Host>;
	readonly facts: () => Facts;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
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

/**
 * Loads all extensions of a set and registers their hooks, in the order of their names.
 * @throws RequiredExtensionError that says what failed and why.
 */
export async function loadExtensions(set: ExtensionSet, options: LoadOptions): Promise<LoadedExtensions> {
	const { found, problems, folder, settings, configFile, trust, others = [] } = set;
	const { warn } = options;
	const isRequired = (name: string) => settings[name]?.required === true;
	const failed: FailedExtension[] = problems.map((problem) => ({ ...problem, required: isRequired(problem.name) }));
	const names = namesOf(set);
	for (const name of Object.keys(settings)) {
		if (names.includes(name) || others.includes(name)) continue;
		const message = `${configFile} has settings for an extension '${name}', and there is none in ${folder}.${didYouMean(name, [...names, ...others])}`;
		if (isRequired(name)) failed.push({ name, file: folder, message, required: true });
		else warn(message);
	}
	const { host: own } = set;
	const hostOf = (name: string) => (typeof own === "object" ? own.name : (settings[name]?.host ?? own));
	const open = (name: string) => (typeof own === "object" ? own.open() : options.host(settings[name]?.host ?? own));
	for (const name of typeof own === "object" ? names.filter((name) => settings[name]?.host !== undefined) : []) {
		warn(`${configFile} says 'host: ${settings[name]!.host}' of the extension '${name}', which is written in Python and has a host of its own. Remove the line.`);
	}
	const isEnabled = ({ name }: FoundExtension) => settings[name]?.enabled !== false;
	const enabled = found.filter(isEnabled);
	const disabled = found.filter((extension) => !isEnabled(extension));
	for (const { name, file } of disabled.filter(({ name }) => isRequired(name))) {
		failed.push({ name, file, message: `${configFile} says 'required: true' and 'enabled: false' of it. Remove one of them.`, required: true });
	}
	const began = performance.now();
	// All at once, then registered in order: a slow one must not hold up the start, nor the order depend on who is quick.
	const loading = enabled.map(async ({ name, file }) => {
		const host = await open(name);
		return host.load({ name, file, trust });
	});
	const loaded: LoadedExtensions["loaded"][number][] = [];
	for (const [i, settled] of (await Promise.allSettled(loading)).entries()) {
		const { name, file } = enabled[i]!;
		try {
			if (settled.status === "rejected") throw settled.reason;
			const { ids } = await registerOrUnload(options.engine, settled.value);
			loaded.push({ name, file, host: settled.value.definitions[0]?.host ?? hostOf(name), hooks: ids });
			tellLoaded(options, settled.value, performance.now() - began);
		} catch (error) {
			failed.push({ ...inWords(error, name, file), required: isRequired(name) });
		}
	}
	for (const failure of failed) report(options, failure);
	const needed = failed.filter(({ required }) => required);
	if (needed.length > 0) throw new RequiredExtensionError(needed.map(({ name, message }) => `The extension '${name}' is required (${configFile}) and did not load: ${message}`).join("\n"));
	return { loaded, failed, disabled: disabled.map(({ name }) => name) };
}

async function registerOrUnload(engine: Engine, extension: LoadedExtension): Promise<Registration> {
	try {
		return engine.register(extension.definitions);
	} catch (error) {
		await extension.unload();
		throw error;
	}
}

function inWords(error: unknown, name: string, file: string): Omit<FailedExtension, "required"> {
	if (error instanceof LoadError) return { name, file, message: error.message, ...(error.line !== undefined && { line: error.line }) };
	if (error instanceof RegistrationError) return { name, file, message: `${file}: ${error.message}` };
	return { name, file, message: `${file}: ${error instanceof Error ? error.message : String(error)}` };
}

function tellLoaded({ engine, facts }: LoadOptions, { name, file, definitions }: LoadedExtension, durationMs: number): void {
	if (engine.has("extension.loaded")) engine.tell("extension.loaded", { ...facts(), eventId: newId("e"), extension: name, file, hooks: definitions.length, durationMs });
}

function report({ engine, facts, warn }: LoadOptions, { name, file, line, message }: FailedExtension): void {
	warn(name === "*" ? `No extension is loaded, and no hook runs: ${message}` : `The extension '${name}' is not loaded, and none of its hooks run: ${message}`);
	if (engine.has("extension.failed")) engine.tell("extension.failed", { ...facts(), eventId: newId("e"), extension: name, file, message, during: "load", ...(line !== undefined && { line }) });
}
