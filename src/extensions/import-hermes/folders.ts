// What lies in Hermes's home as folders: gateway hooks, plugins, extensions in Python; and BOOT.md.
import { existsSync, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isPackage } from "../../dialects/hermes-extension/settings.ts";
import { subscriptionsOf } from "../../dialects/hermes-gateway/events.ts";
import { readRegular } from "../../system/regular-file.ts";
import { bring, type Import } from "./bring.ts";
import { messageOf, namesHermesFolder, objectOf } from "./home.ts";
import { putFile, putFolder } from "./put.ts";
import { type Findings, type Kind, sections } from "./report.ts";
import { modeOf, mostBytes, readTree, type Tree } from "./tree.ts";

/** A plugin that is in Hookline's home in the end. */
export interface ImportedPlugin {
	/** As `plugins.enabled` may name it: the folder, and the name in its manifest. */
	readonly names: readonly string[];
}

export async function importGatewayHooks(at: Import): Promise<void> {
	for (const name of foldersIn("hooks", "gateway hook", at)) {
		await importFolder(`hooks/${name}`, "gateway hook", at, async (tree) => {
			if (!has(tree, "HOOK.yaml") || !has(tree, "handler.py")) return "has no HOOK.yaml with a handler.py, so it is no gateway hook";
			const { events } = await manifestIn(tree, "HOOK.yaml");
			const read = (Array.isArray(events) ? events : []).map((event) => ({ event: String(event), meant: subscriptionsOf(String(event)) }));
			const known = read.filter(({ meant }) => !("mistake" in meant));
			if (known.length === 0) return "has no events that can ever happen here";
			for (const { event } of read.filter((one) => !known.includes(one))) at.findings.leave(`hooks/${name}: the event '${event}' is not there; its handler is not called for it.`);
			at.findings.rule("gateway");
			return undefined;
		});
	}
}

/** Gives the names of those that are here in the end. */
export async function importExtensions(at: Import): Promise<readonly string[]> {
	const here: string[] = [];
	for (const name of foldersIn("extensions", "extension", at)) {
		const path = `extensions/${name}`;
		if (!isPackage(join(at.hermes.path, path))) {
			at.findings.leave(`${path} is no extension in Python (it needs an __init__.py, and no index file of JavaScript beside it).`);
			continue;
		}
		const twin = ["ts", "mts", "js", "mjs"].map((ending) => `${path}.${ending}`).find((file) => existsSync(join(at.home.path, file)));
		if (twin !== undefined || !/^[\w.-]{1,64}$/.test(name)) {
			const message = twin === undefined ? "The name of an extension is letters, digits, '.', '_' and '-' only. Rename the folder, and import again." : `There is another extension of that name, ${join(at.home.path, twin)}. Rename one of them.`;
			at.findings.problems.push({ kind: "extension", name: path, message });
			continue;
		}
		const isHere = await importFolder(path, "extension", at, async (tree) => {
			if (!has(tree, "__init__.py")) return "has no __init__.py";
			at.findings.rule("extension");
			return undefined;
		});
		if (isHere) here.push(name);
	}
	return here;
}

export async function importPlugins(at: Import): Promise<readonly ImportedPlugin[]> {
	const here: ImportedPlugin[] = [];
	for (const path of pluginsIn(at)) {
		const manifest = manifestNames.find((name) => existsSync(join(at.hermes.path, path, name)))!;
		const names = [path.slice("plugins/".length), path.slice(path.lastIndexOf("/") + 1)];
		const isHere = await importFolder(path, "plugin", at, async (tree) => {
			if (!has(tree, manifest) || !has(tree, "__init__.py")) return `has no __init__.py beside ${manifest}, so it is no plugin in Python`;
			const { name, kind } = await manifestIn(tree, manifest);
			if (typeof name === "string") names.push(name);
			if (typeof kind === "string" && kind !== "standalone") at.findings.changed(`${path} is a plugin of the kind '${kind}': its hooks, tools and commands work here, and what else it registers does not.`, sections.plugins);
			at.findings.rule("plugin");
			return undefined;
		});
		if (isHere) here.push({ names });
	}
	return here;
}

export async function importBoot(at: Import): Promise<void> {
	const file = join(at.hermes.path, "BOOT.md");
	const found = lstatSync(file, { throwIfNoEntry: false });
	if (found === undefined) return;
	const to = join(at.home.path, "BOOT.md");
	await bring({ kind: "file", name: "BOOT.md", to }, at, async () => {
		if (!found.isFile()) throw new Error(`it is ${whatElse(found)}`);
		const read = readRegular(file, mostBytes);
		if (read === "too long") throw new Error("it is too large");
		at.findings.rule("boot");
		return putFile(to, { bytes: read.bytes, mode: modeOf(found.mode) }, at);
	});
}

/** `refusal` gives why Hookline has no place for it, as words behind its name. */
async function importFolder(path: string, kind: Kind, at: Import, refusal: (tree: Tree) => Promise<string | undefined>): Promise<boolean> {
	const to = join(at.home.path, path);
	return bring({ kind, name: path, to }, at, async () => {
		const tree = readTree(join(at.hermes.path, path));
		for (const name of essential) if (!has(tree, name) && lstatSync(join(at.hermes.path, path, name), { throwIfNoEntry: false })) throw new Error(`its ${name} is a link or no plain file. Put the file itself in its place`);
		const why = await refusal(tree);
		if (why !== undefined) {
			at.findings.leave(`${path} ${why}.`);
			return "left out";
		}
		for (const [why, paths] of tree.left) at.findings.leave(`${path}: ${paths.slice(0, 3).join(", ")}${paths.length > 3 ? ` and ${paths.length - 3} more` : ""} left behind, as ${why}.`);
		noteOwnFolder(path, tree, at.findings);
		return putFolder(to, tree.files, at);
	});
}

/** What makes a folder what it is. */
const essential = ["HOOK.yaml", "handler.py", "__init__.py", "plugin.yaml", "plugin.yml"];
const manifestNames = ["plugin.yaml", "plugin.yml"] as const;

/** Paths of the folders with a manifest, flat or below one folder more. */
function pluginsIn(at: Import): readonly string[] {
	const isPlugin = (path: string) => manifestNames.some((name) => existsSync(join(at.hermes.path, path, name)));
	return foldersIn("plugins", "plugin", at).flatMap((name) => {
		const path = `plugins/${name}`;
		if (isPlugin(path)) return [path];
		if (existsSync(join(at.hermes.path, path, "plugin.json"))) {
			at.findings.leave(`${path} is a portable plugin (plugin.json) of skills and MCP servers, without hooks: set its servers up below mcp: in config.yaml.`);
			return [];
		}
		const below = foldersIn(path, "plugin", at).map((inner) => `${path}/${inner}`).filter(isPlugin);
		if (below.length === 0) at.findings.leave(`${path} has no plugin.yaml, so it is no plugin.`);
		return below;
	});
}

/** The folders in one of Hermes's, by name. One that is a link is told of. */
function foldersIn(path: string, kind: Kind, { hermes, findings }: Import): readonly string[] {
	const folder = join(hermes.path, path);
	const unlinked = (name: string): boolean => {
		const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
		if (found?.isSymbolicLink() === true) findings.problems.push({ kind, name: `${path}/${name}`, message: "It is a link, and links are not followed. Copy what it leads to, or put a link into Hookline's home yourself." });
		return found?.isDirectory() === true;
	};
	try {
		const found = lstatSync(folder, { throwIfNoEntry: false });
		if (found === undefined) return [];
		if (!found.isDirectory()) throw new Error(`it is ${whatElse(found)}`);
		return readdirSync(folder)
			.filter((name) => !/^[._]/.test(name))
			.toSorted()
			.filter(unlinked);
	} catch (error) {
		findings.problems.push({ kind, name: path, message: `${folder} cannot be read: ${messageOf(error)}.` });
		return [];
	}
}

const whatElse = (found: Stats): string => (found.isSymbolicLink() ? "a link, and links are not followed" : found.isFile() ? "a file, and should be a folder" : "no regular file");

const has = ({ files }: Tree, name: string): boolean => files.some(({ path }) => path === name);

async function manifestIn({ files }: Tree, name: string): Promise<Readonly<Record<string, unknown>>> {
	const { parse } = await import("yaml");
	try {
		return objectOf(parse(files.find(({ path }) => path === name)!.bytes.toString("utf8"), { version: "1.1", uniqueKeys: false, logLevel: "error" }));
	} catch {
		return {};
	}
}

/** Code that names the folder of Hermes goes on using it. */
function noteOwnFolder(unit: string, { files }: Tree, findings: Findings): void {
	const places = files.filter(({ path }) => /\.(?:py|sh|js|ts)$/.test(path)).flatMap(({ path, bytes }) => namesHermesFolder(bytes.toString("utf8")).map((line) => `${unit}/${path}:${line}`));
	if (places.length === 0) return;
	findings.rule("ownFolder");
	findings.changed(`${places.slice(0, 3).join(", ")}${places.length > 3 ? ` and ${places.length - 3} more lines` : ""}: the folder of Hermes is named in code that was copied as it is.`, sections.import);
}
