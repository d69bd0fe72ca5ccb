// `file_hooks:` of the user's config.yaml, as a set that is loaded like all extensions. Entries with the same file are one extension.
import { lstatSync, realpathSync } from "node:fs";
import { basename, isAbsolute, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfigFile } from "../config/read.ts";
import type { FileHookConfig } from "../config/schema.ts";
import type { Host } from "../hosts/host.ts";
import type { Home } from "../system/home.ts";
import type { FileHookSettings } from "./file-hook-loader.ts";
import type { FoundExtension, NotAnExtension } from "./find.ts";
import type { ExtensionSet } from "./load.ts";

type HostOf = (kind: "inline" | "node", name?: string) => Promise<Host>;

const loader = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "file-hook-loader.ts" : "file-hook-loader.js", import.meta.url));

/** Those that can be loaded and those that cannot, which are told with their line in config.yaml. `host` gives the hosts of the user. */
export async function fileHooks(home: Home, configured: readonly FileHookConfig[], host: HostOf): Promise<{ readonly set: ExtensionSet; readonly host: HostOf }> {
	const { placeOf } = await readConfigFile(home.config);
	const found: FoundExtension[] = [];
	const problems: NotAnExtension[] = [];
	const settings = new Map<string, { hooks: FileHookSettings["hooks"][number][] }>();
	const names = new Map<string, string>();
	for (const [i, { event, handler, priority }] of configured.entries()) {
		const checked = fileOf(home, handler);
		const file = "file" in checked ? checked.file : handler;
		const known = names.get(file);
		const name = known ?? freeName(file, [...names.values()]);
		names.set(file, name);
		if ("mistake" in checked) {
			const { line, column } = placeOf(["file_hooks", String(i), "handler"]);
			if (known === undefined) problems.push({ name, file, message: `${home.config}:${line}:${column}: 'file_hooks[${i}].handler' ${checked.mistake}` });
			continue;
		}
		// Its own root, whatever it is called: what lies beside it is not its.
		if (known === undefined) found.push({ name, file, folder: file, host: "node" });
		const hooks = settings.get(name)?.hooks ?? [];
		hooks.push({ event, ...(priority !== undefined && { priority }) });
		settings.set(name, { hooks });
	}
	const set: ExtensionSet = { found, problems, folder: home.path, settings: {}, configFile: home.config, trust: "user", host: "node", moreSettings: JSON.stringify([...settings]) };
	return { set, host: async (kind, name) => withLoader(await host(kind, name), settings) };
}

/** That host, which is not this one's to close. */
function withLoader(host: Host, settings: ReadonlyMap<string, FileHookSettings>): Host {
	return {
		load: (extension, options) => host.load({ ...extension, loader: { module: loader, settings: { hooks: settings.get(extension.name)?.hooks ?? [] } } }, options),
		async [Symbol.asyncDispose]() {},
	};
}

function freeName(file: string, taken: readonly string[]): string {
	const name = `file/${basename(file).replace(/\.\w+$/, "").replace(/[^\w.-]/g, "-").slice(0, 50) || "hook"}`;
	for (let n = 1; ; n++) {
		const one = n === 1 ? name : `${name}-${n}`;
		if (!taken.includes(one)) return one;
	}
}

/** The file itself, or what is wrong with the path, as the end of a sentence. */
function fileOf(home: Home, handler: string): { readonly file: string } | { readonly mistake: string } {
	const file = join(isAbsolute(handler) ? "" : home.path, handler);
	if (!/\.[mc]?[jt]s$/.test(file)) return { mistake: "is no TypeScript or JavaScript file. Name a .ts, .mts, .cts, .js, .mjs or .cjs file." };
	try {
		const stats = lstatSync(file);
		const real = realpathSync(file);
		const within = `${realpathSync(home.path)}${sep}`;
		if (!isAbsolute(handler) && !real.startsWith(within)) return { mistake: `leads out of ${home.path}, to ${real}. Write its absolute path, if that file is meant.` };
		if (isAbsolute(handler) && stats.isSymbolicLink()) return { mistake: `is a link to ${real}. Write that path, if that file is meant.` };
		if (!lstatSync(real).isFile()) return { mistake: `is no file (${file}).` };
		return { file: real };
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		return { mistake: code === "ENOENT" ? `is not there (${file}).` : `cannot be read: ${message}.` };
	}
}
