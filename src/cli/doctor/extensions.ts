// Extensions and their hooks: loaded as a conversation would load them, and what became of each.
import { statSync } from "node:fs";
import type { Config } from "../../config/schema.ts";
import type { Engine } from "../../engine/engine.ts";
import { stages } from "../../events/catalog.ts";
import type { ExtensionFailed, ExtensionLoaded } from "../../events/payloads/house.ts";
import type { HookSummary } from "../../events/record.ts";
import type { HostName } from "../../events/registration.ts";
import { examine } from "../../extensions/examine.ts";
import { RequiredExtensionError } from "../../extensions/load.ts";
import { openRuntime } from "../../runtime.ts";
import { openStore } from "../../stores/open.ts";
import type { Home } from "../../system/home.ts";
import { didYouMean } from "../../system/nearest.ts";
import { silent } from "../answers.ts";
import { note } from "../output.ts";
import { ownSource } from "../own-hooks.ts";
import type { Check } from "./check.ts";

/** How many of the newest dispatches are searched for hooks that were live before. */
const searched = 1_000;

interface Seen {
	readonly loaded: readonly ExtensionLoaded[];
	readonly failed: readonly ExtensionFailed[];
	/** Of each that is loaded. */
	readonly hosts: ReadonlyMap<string, HostName>;
	readonly hooks: readonly HookSummary[];
}

export async function checkExtensions(home: Home, config: Config | undefined): Promise<readonly Check[]> {
	if (config === undefined) return [{ name: "extensions", state: "warning", message: "Not looked at: config.yaml has to be mended first, as it says which are loaded." }];
	if (!statSync(home.path, { throwIfNoEntry: false })) return [{ name: "extensions", state: "ok", message: "There are none yet." }];
	const seen = await load();
	const settings = Object.entries(config.extensions ?? {});
	const found = (await examine(home, config.extensions ?? {})).extensions.map(({ name }) => name);
	const failed = seen.failed.map(({ extension }) => extension);
	const left = settings.filter(([name]) => !failed.includes(name));
	const checks: readonly Check[] = [
		...seen.failed.map((failure) => failedRow(failure, config)),
		...left.filter(([name]) => !found.includes(name)).map(([name]) => absentRow(name, home, found)),
		...left.filter(([name, { enabled }]) => found.includes(name) && enabled === false).map(([name]): Check => ({ name: `extension ${name}`, state: "ok", message: "Not loaded: config.yaml says enabled: false." })),
		...seen.loaded.map(({ extension, file, hooks }): Check => ({ name: `extension ${extension}`, state: "ok", message: `${file}: ${hooks === 1 ? "1 hook" : `${hooks} hooks`}, host ${seen.hosts.get(extension) ?? "unknown"}.` })),
	];
	const none: Check = { name: "extensions", state: "ok", message: `There are none in ${home.extensions}.` };
	return [...(checks.length === 0 ? [none] : checks), hooksRow(seen, home)];
}

/** What happens while everything is loaded, also when a required extension then stops the start. */
async function load(): Promise<Seen> {
	const loaded: ExtensionLoaded[] = [];
	const failed: ExtensionFailed[] = [];
	const hosts = new Map<string, HostName>();
	let engine: Engine | undefined;
	const prepare = (made: Engine) => {
		engine = made;
		const watch = { stage: "observe", queue: Infinity, host: "inline", source: ownSource } as const;
		made.register([
			{ ...watch, event: "extension.loaded", options: { name: "doctor-loaded" }, handler: (payload: ExtensionLoaded) => void loaded.push(payload) },
			{ ...watch, event: "extension.failed", options: { name: "doctor-failed" }, handler: (payload: ExtensionFailed) => void failed.push(payload) },
		]);
	};
	try {
		// What it would warn of stands in the checks.
		const runtime = await openRuntime({ environment: process.env, cwd: process.cwd(), surface: "test", hooks: true, output: silent, warn: () => {}, log: (hook, message) => note(`[${hook}] ${message}`), prepare });
		for (const { name, host } of runtime.extensions.loaded) hosts.set(name, host);
		// Waits until the observers have heard everything; a start that is refused has waited already.
		await runtime[Symbol.asyncDispose]();
	} catch (error) {
		if (!(error instanceof RequiredExtensionError)) throw error;
	}
	return { loaded, failed, hosts, hooks: engine?.hooks().filter(({ source }) => source.extension !== ownSource.extension) ?? [] };
}

function failedRow({ extension, during, message }: ExtensionFailed, config: Config): Check {
	if (extension === "*") return { name: "extensions", state: "problem", message: `No extension is loaded, and no hook runs: ${message}` };
	const name = `extension ${extension}`;
	if (during !== "load") return { name, state: "problem", message: `It failed outside of any call: ${message}` };
	const required = config.extensions?.[extension]?.required === true;
	return { name, state: "problem", message: `${required ? "It is required and not loaded, so nothing starts" : "It is not loaded, and none of its hooks run"}: ${message}` };
}

function absentRow(name: string, home: Home, found: readonly string[]): Check {
	return { name: `extension ${name}`, state: "warning", message: `${home.config} has settings for it, and there is none in ${home.extensions}.${didYouMean(name, found)}` };
}

function hooksRow({ hooks, failed }: Seen, home: Home): Check {
	const name = "hooks";
	const counts = stages.map((stage) => `${hooks.filter((hook) => hook.stage === stage).length} ${stage}`).join(", ");
	const message = `Live: ${counts}.`;
	const gone = guardsBefore(home, failed.map(({ extension }) => extension)).filter(({ id }) => !hooks.some((hook) => hook.id === id));
	if (gone.length === 0) return { name, state: "ok", message };
	return { name, state: "problem", message: `${message} Guards that were live before judge nothing now: ${gone.map(({ id, event }) => `${id} (${event})`).join(", ")}.`, advice: "Mend their extensions." };
}

/** The guards of these extensions that would block rather than fail, when they last were loaded: as far as the trace still knows. */
function guardsBefore(home: Home, extensions: readonly string[]): readonly HookSummary[] {
	if (extensions.length === 0) return [];
	using store = openStore(home, { onProblem: () => {} });
	const sets = new Set(store.trace.recent({ limit: searched }).map(({ hookSet }) => hookSet));
	return extensions.flatMap((extension) => {
		for (const id of sets) {
			const hooks = store.trace.findHookSet(id)?.hooks.filter(({ source }) => source.extension === extension) ?? [];
			if (hooks.length > 0) return hooks.filter(({ stage, onError }) => stage === "guard" && onError === "closed");
		}
		return [];
	});
}
