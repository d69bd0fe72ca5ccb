// The gateway hooks of a folder: `<name>/HOOK.yaml` with a handler beside it.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Subscription, subscriptionsOf } from "./events.ts";

export interface GatewayHook {
	/** `hooks/<folder>`: where it lies, and never the name of an extension. */
	readonly name: string;
	/** The handler, absolute. */
	readonly file: string;
	/** Of the events it names, in its order. */
	readonly subscriptions: readonly Subscription[];
}

/** A hook of which not all runs; the message says what, why, and what to do. */
export interface GatewayProblem {
	readonly name: string;
	readonly file: string;
	readonly message: string;
}

export interface GatewayHooks {
	/** By the names of their folders. */
	readonly found: readonly GatewayHook[];
	/** Those that are not loaded. */
	readonly problems: readonly GatewayProblem[];
	/** What is left out of those that are. */
	readonly warnings: readonly GatewayProblem[];
}

const manifestName = "HOOK.yaml";
/** The first one that is there is it. */
const handlerNames = ["handler.py", "handler.ts", "handler.js"] as const;

/** Reads the manifests, and runs nothing. A folder that is not there has none. */
export async function findGatewayHooks(folder: string): Promise<GatewayHooks> {
	const found: GatewayHook[] = [];
	const problems: GatewayProblem[] = [];
	const warnings: GatewayProblem[] = [];
	for (const directory of foldersIn(folder, problems)) {
		const path = join(folder, directory);
		const hook = { name: `hooks/${directory}`, file: path };
		const manifest = join(path, manifestName);
		const handlers = handlerNames.filter((name) => existsSync(join(path, name)));
		const [handler] = handlers;
		// Hermes leaves out a folder that lacks one of the two without a word. A folder without either is something else.
		if (!existsSync(manifest) && handler === undefined) continue;
		if (!existsSync(manifest)) problems.push({ ...hook, message: `there is no ${manifestName} beside ${handler}. Write one with the 'events' it is for, or remove the folder.` });
		else if (handler === undefined) problems.push({ ...hook, message: `there is no ${handlerNames.join(", ")} beside ${manifestName}. Write one with a function 'handle', or remove the folder.` });
		else {
			const read = await readManifest(manifest);
			if ("mistake" in read) problems.push({ ...hook, message: read.mistake });
			else {
				for (const mistake of read.mistakes) warnings.push({ ...hook, file: manifest, message: mistake });
				if (handlers.length > 1) warnings.push({ ...hook, message: `there are ${handlers.join(" and ")}; only ${handler} is used. Remove the other.` });
				if (read.subscriptions.length > 0) found.push({ name: hook.name, file: join(path, handler), subscriptions: read.subscriptions });
				else problems.push({ ...hook, message: `none of its 'events' can ever happen here.` });
			}
		}
	}
	return { found, problems, warnings };
}

function foldersIn(folder: string, problems: GatewayProblem[]): readonly string[] {
	try {
		const isFolder = (name: string) => !name.startsWith(".") && statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
		return readdirSync(folder).filter(isFolder).toSorted((a, b) => (a < b ? -1 : 1));
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		// Where the home itself is no folder, that is said once, and not here.
		if (code !== "ENOENT" && existsSync(folder)) problems.push({ name: "hooks/*", file: folder, message: `the folder of gateway hooks cannot be read: ${message}` });
		return [];
	}
}

type Manifest = { readonly subscriptions: readonly Subscription[]; readonly mistakes: readonly string[] };

const shape = "Write it as\n  name: my-hook\n  events:\n    - agent:start";

async function readManifest(file: string): Promise<Manifest | { readonly mistake: string }> {
	let value: unknown;
	try {
		const { parse } = await import("yaml");
		value = parse(readFileSync(file, "utf8"), { uniqueKeys: false });
	} catch (error) {
		return { mistake: `${manifestName} cannot be read: ${(error instanceof Error ? error.message : String(error)).split("\n")[0]}` };
	}
	const events: unknown = typeof value === "object" && value !== null ? (value as { readonly events?: unknown }).events : undefined;
	if (!Array.isArray(events) || events.length === 0) return { mistake: `${manifestName} has no list 'events', so it would never be called. ${shape}` };
	const subscriptions: Subscription[] = [];
	const mistakes: string[] = [];
	for (const written of new Set(events.map(String))) {
		const meant = subscriptionsOf(written);
		if ("mistake" in meant) mistakes.push(meant.mistake);
		else subscriptions.push(...meant);
	}
	return { subscriptions, mistakes };
}
