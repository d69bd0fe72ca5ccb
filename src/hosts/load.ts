// Reads an extension's file and runs its factory: the same in every process that runs extensions.
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Brings } from "../events/brings.ts";
import type { Extension } from "../events/hooks.ts";
import { describe, type HookDefinition, type HostName } from "../events/registration.ts";
import { toFailure } from "../events/failure.ts";
import { type Link, openApi } from "./api.ts";
import { type ExtensionFile, LoadError, type ScriptLoader } from "./host.ts";
import { Lifetime } from "./lifetime.ts";
import { readingError } from "./load-failure.ts";
import { placeIn } from "./place.ts";
import { createRegistrar } from "./registrar.ts";
import { newReading, openWholeDoor } from "./resolve.ts";
import { endTimers, watchTimers } from "./timers.ts";
import { needsTranslation, translating } from "./typescript.ts";

/** Runs something as part of the extension that is being loaded. */
type Within = <Result>(run: () => Result) => Result;

export interface LoadRequest {
	readonly host: HostName;
	/** Everything of the extension runs within it. */
	readonly frame: Within;
	/** For file and factory together. */
	readonly timeoutMs: number;
	readonly link: Link;
	/** What it does at its end failed. */
	readonly onError: (thrown: unknown) => void;
}

export interface Loaded {
	readonly definitions: readonly HookDefinition[];
	/** All that it brings now. */
	readonly brings: Brings;
	/** From now on changes of it are told. */
	onBrings(told: (brings: Brings) => void): void;
	/** Whether its factory takes the API: then its code can ask the agent for something. */
	readonly asks: boolean;
	/** Takes back all it registered. Never rejects. */
	unload(): Promise<void>;
}

/**
 * Loads an extension. One that fails leaves nothing behind.
 * @throws LoadError, also when it takes more than its time.
 */
export async function loadExtension(extension: ExtensionFile, request: LoadRequest): Promise<Loaded> {
	const { host, frame, timeoutMs, link, onError } = request;
	const ends = performance.now() + timeoutMs;
	const left = () => Math.max(1, ends - performance.now());
	checkFile(extension);
	watchTimers();
	const loaded = await within(left(), importExtension(extension, frame), () => {
		const why = "an 'await' outside of any function waits for something that does not come";
		throw new LoadError(extension.name, extension, `it was not read to its end within ${timeoutMs} ms: ${why}.`);
	});
	const registrar = createRegistrar(extension, host);
	const lifetime = new Lifetime();
	const unload = async () => {
		await frame(() => lifetime.close(onError));
		endTimers(extension);
	};
	let told: ((brings: Brings) => void) | undefined;
	const { api, brings } = openApi(extension.name, link, { registrar, lifetime, onBrings: () => told?.(brings()) });
	const { factory } = loaded;
	try {
		const running = frame(() => factory(registrar.hooks, api)) as unknown;
		if (running !== undefined) {
			await within(left(), Promise.resolve(running), () => {
				const advice = "Start what takes long inside a handler, or do not wait for it.";
				throw new LoadError(extension.name, extension, `its factory did not return within ${timeoutMs} ms. ${advice}`);
			});
		}
		const definitions = registrar.close();
		return {
			definitions,
			get brings() {
				return brings();
			},
			onBrings: (to) => void (told = to),
			asks: factory.length > 1,
			unload,
		};
	} catch (thrown) {
		await unload();
		// What was refused at registration has a better place and message than the error it made.
		registrar.close();
		if (thrown instanceof LoadError) throw thrown;
		throw new LoadError(extension.name, placeIn(extension, thrown) ?? extension, `its factory ${failed(thrown)}.`, thrown);
	}
}

/** Ends with what `late` throws when a promise takes longer than `ms`. */
async function within<Result>(ms: number, promise: Promise<Result>, late: () => never): Promise<Result> {
	let timer: NodeJS.Timeout | undefined;
	// Not unref'd: with nothing else to do, the process would end while an extension hangs, and nobody would hear why.
	const limit = new Promise<never>((_, reject) => {
		timer = setTimeout(() => {
			try {
				late();
			} catch (error) {
				reject(error);
			}
		}, ms);
	});
	try {
		return await Promise.race([promise, limit]);
	} finally {
		clearTimeout(timer);
	}
}

function checkFile(extension: ExtensionFile): void {
	const found = statSync(extension.file, { throwIfNoEntry: false });
	if (found === undefined) throw new LoadError(extension.name, extension, "there is no such file.");
	if (!found.isFile()) throw new LoadError(extension.name, extension, "it is no file. An extension is a .ts, .js or .mjs file, or a folder with an index.ts.");
}

async function importExtension(extension: ExtensionFile, frame: Within): Promise<Extension> {
	const read = async (translate: boolean): Promise<Extension> => {
		using reading = newReading(extension.file);
		const run = () => frame(() => import(reading.url) as Promise<Record<string, unknown>>);
		try {
			const module = await (translate ? translating(reading.version, run) : run());
			return extension.loader === undefined ? extensionIn(extension, module) : await extensionBy(extension.loader, extension, module);
		} catch (thrown) {
			if (thrown instanceof LoadError) throw thrown;
			if (!translate && needsTranslation(thrown)) return read(true);
			if (lacksExport(thrown) && openWholeDoor()) return read(translate);
			throw readingError(extension, reading, thrown, failed(thrown));
		}
	};
	return read(false);
}

/** An extension may import more from `hookline` than authors need, such as `createEngine`. */
function lacksExport(thrown: unknown): boolean {
	return thrown instanceof SyntaxError && /'hookline' does not provide an export/.test(thrown.message);
}

const example = `  import { defineExtension } from "hookline";
  export default defineExtension((hooks) => { /* hooks.guard("tool.calling", …) */ });`;

async function extensionBy({ module: file, settings }: ScriptLoader, extension: ExtensionFile, exported: Record<string, unknown>): Promise<Extension> {
	const { extensionOf } = (await import(pathToFileURL(file).href)) as { readonly extensionOf: (module: object, settings: object) => Extension };
	try {
		return extensionOf(exported, settings);
	} catch (error) {
		throw new LoadError(extension.name, extension, error instanceof Error ? error.message : String(error), error);
	}
}

/** The default export: of an ES module, of `module.exports = …`, or of `exports.default = …`. */
function extensionIn(extension: ExtensionFile, module: Record<string, unknown>): Extension {
	const exported = module["default"];
	const inner = typeof exported === "object" && exported !== null && "default" in exported ? exported.default : undefined;
	for (const candidate of [exported, inner]) if (isExtension(candidate)) return candidate;
	const what = exported === undefined ? "it has no default export" : `its default export is ${describe(exported)}, which was not made by defineExtension`;
	throw new LoadError(extension.name, extension, `${what}. It must export an extension:\n${example}`);
}

function isExtension(value: unknown): value is Extension {
	return typeof value === "object" && value !== null && "hookline" in value && value.hookline === 1 && "factory" in value && typeof value.factory === "function";
}

/** `threw "boom"`, `threw TypeError: x is not a function`. */
function failed(thrown: unknown): string {
	const { message } = toFailure(thrown);
	return thrown instanceof Error ? `threw ${message === "" ? "an error without a message" : message}` : message;
}
