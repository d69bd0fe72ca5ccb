// From files in a folder to live hooks. One that fails is reported and the others run; one that is required stops the start.
import type { Config } from "../config/schema.ts";
import type { Engine, Registration } from "../engine/engine.ts";
import type { Facts } from "../events/payloads/facts.ts";
import { RegistrationError } from "../events/registration.ts";
import { type Host, LoadError, type LoadedExtension } from "../hosts/host.ts";
import { newId } from "../system/ids.ts";
import { didYouMean } from "../system/nearest.ts";
import { findExtensions, type FoundExtension } from "./find.ts";

/** An extension that did not come to life. */
export interface FailedExtension {
	readonly name: string;
	readonly file: string;
	readonly line?: number;
	readonly message: string;
	readonly required: boolean;
}

export interface LoadedExtensions {
	readonly loaded: readonly { readonly name: string; readonly file: string; readonly host: "inline" | "node"; readonly hooks: readonly string[] }[];
	readonly failed: readonly FailedExtension[];
	/** Left out by `enabled: false`. */
	readonly disabled: readonly string[];
}

/** A required extension is not there or does not load: nothing may start without it. */
export class RequiredExtensionError extends Error {
	override readonly name = "RequiredExtensionError";
}

export interface LoadOptions {
	readonly folder: string;
	readonly config: Config;
	readonly configFile: string;
	readonly engine: Engine;
	/** Makes or gives the host of that kind. */
	readonly host: (kind: "inline" | "node") => Promise<Host>;
	readonly facts: () => Facts;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

/**
 * Loads all extensions of a folder and registers their hooks, in the order of their names.
 * @throws RequiredExtensionError that says what failed and why.
 */
export async function loadExtensions(options: LoadOptions): Promise<LoadedExtensions> {
	const { config, configFile, warn } = options;
	const settings = config.extensions ?? {};
	const { found, problems } = findExtensions(options.folder);
	const isRequired = (name: string) => settings[name]?.required === true;
	const failed: FailedExtension[] = problems.map((problem) => ({ ...problem, required: isRequired(problem.name) }));
	const names = [...found, ...problems].map(({ name }) => name);
	for (const name of Object.keys(settings)) {
		if (names.includes(name)) continue;
		const message = `${configFile} has settings for an extension '${name}', and there is none in ${options.folder}.${didYouMean(name, names)}`;
		if (isRequired(name)) failed.push({ name, file: options.folder, message, required: true });
		else warn(message);
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
		const host = await options.host(settings[name]?.host ?? "inline");
		return host.load({ name, file, trust: "user" });
	});
	const loaded: LoadedExtensions["loaded"][number][] = [];
	for (const [i, settled] of (await Promise.allSettled(loading)).entries()) {
		const { name, file } = enabled[i]!;
		try {
			if (settled.status === "rejected") throw settled.reason;
			const { ids } = await registerOrUnload(options.engine, settled.value);
			loaded.push({ name, file, host: settings[name]?.host ?? "inline", hooks: ids });
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
