// What `import "hookline"` means in an extension, wherever its file lies, and how a file that changed is read again.
import { readFileSync } from "node:fs";
import { createRequire, registerHooks, type ResolveFnOutput, type ResolveHookContext } from "node:module";
import { dirname, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// Not written as imports: this floor must not load the doors above it. The extension's own import does.
const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
const door = (name: string): string => new URL(`../${name}.${ending}`, import.meta.url).href;
const doors: Record<string, string> = {
	// The light one: the whole of `hookline` brings the engine along, which takes a fresh process 15 ms more.
	hookline: door("extension"),
	"hookline/extension": door("extension"),
	"hookline/testing": door("testing"),
};

let registered = false;
let versions = 0;
const require = createRequire(import.meta.url);

/** One reading of an extension's files. Node keeps a module for ever under its URL, so every reading has URLs of its own. */
export interface Reading extends Disposable {
	readonly url: string;
	/** What its URLs end with. */
	readonly version: string;
	/** The URLs of its files, as far as they were found until it was disposed of: the first, and those imported by a relative path. */
	readonly urls: ReadonlySet<string>;
}

const readings = new Map<string, Set<string>>();

/** Begins to read `file` and what it imports by relative paths anew. */
export function newReading(file: string): Reading {
	if (!registered) registerHooks({ resolve });
	registered = true;
	const version = `?hookline=${++versions}`;
	const url = pathToFileURL(file).href + version;
	const urls = new Set([url]);
	readings.set(version, urls);
	forgetCommonJs(dirname(file) + sep);
	return { url, version, urls, [Symbol.dispose]: () => void readings.delete(version) };
}

/** From here on `hookline` is the whole of it. False when it was already. */
export function openWholeDoor(): boolean {
	if (doors["hookline"] === door("index")) return false;
	doors["hookline"] = door("index");
	return true;
}

function resolve(specifier: string, context: ResolveHookContext, next: (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput): ResolveFnOutput {
	const required = context.conditions.includes("require");
	const own = Object.hasOwn(doors, specifier) ? doors[specifier] : undefined;
	// What a `require` lacks is silently undefined, so it gets the whole from the start.
	if (own !== undefined) return { url: required && specifier === "hookline" ? door("index") : own, shortCircuit: true } as ResolveFnOutput;
	const found = next(specifier, context);
	const version = versionOf(context.parentURL ?? "");
	if (version === undefined || required || !/^\.\.?\//.test(specifier) || !found.url.startsWith("file:")) return asWritten(found);
	const url = found.url + version;
	readings.get(version)?.add(url);
	return asWritten({ ...found, url });
}

const versionOf = (url: string): string | undefined => /\?hookline=\d+$/.exec(url)?.[0];

/**
 * A file of an extension as the kind of module its author wrote. Some package.json far above it, the home folder's for example, may say that
 * everything below is CommonJS; that is not meant for a file with `import` and `export` in it.
 */
function asWritten(found: ResolveFnOutput): ResolveFnOutput {
	const { url, format } = found;
	if (versionOf(url) === undefined || !format?.startsWith("commonjs") || !/\.[jt]s$/.test(new URL(url).pathname)) return found;
	const isModule = /^\s*(?:import\b(?!\s*\()|export\b)/m.test(readFileSync(fileURLToPath(url), "utf8"));
	return isModule ? { ...found, format: format.replace("commonjs", "module") } : found;
}

/** CommonJS modules are kept under their path, which no version in a URL changes. */
function forgetCommonJs(folder: string): void {
	for (const path of Object.keys(require.cache)) if (path.startsWith(folder) && !path.includes(`${sep}node_modules${sep}`) && require.cache[path]?.loaded) delete require.cache[path];
}
