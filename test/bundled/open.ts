// A conversation in which bundled extensions are loaded as config.yaml would have them.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Brought } from "../../src/agent/brought.ts";
import type { Approver } from "../../src/agent/surface.ts";
import type { ExtensionConfig } from "../../src/config/schema.ts";
import type { Ui } from "../../src/events/ui.ts";
import { bundledExtensions } from "../../src/extensions/bundled.ts";
import { loadExtensions } from "../../src/extensions/load.ts";
import type { Host } from "../../src/hosts/host.ts";
import { inlineHost } from "../../src/hosts/inline.ts";
import { open, type Opened } from "../agent/open.ts";
import { facts } from "../engine.ts";

export interface BundledPlace {
	/** By name, as in config.yaml; `enabled: true` need not be said. */
	readonly extensions: Readonly<Record<string, ExtensionConfig["config"]>>;
	readonly approver?: Approver;
	readonly ui?: Ui;
}

interface Parts {
	readonly opened: Opened;
	readonly host: Host;
	readonly warnings: readonly string[];
	/** What extensions logged, `name: line`. */
	readonly log: readonly string[];
}

export class Bundled implements AsyncDisposable {
	readonly opened: Opened;
	readonly warnings: readonly string[];
	readonly log: readonly string[];
	readonly #host: Host;

	constructor({ opened, host, warnings, log }: Parts) {
		this.opened = opened;
		this.warnings = warnings;
		this.log = log;
		this.#host = host;
	}

	/** A file of the working folder, or anywhere. */
	write(path: string, text: string): string {
		const file = join(this.opened.work, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
		return file;
	}

	/** One call of a tool; gives what the model read. */
	async call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string> {
		await this.opened.submit(`CALL ${tool} ${JSON.stringify(args)}`);
		return this.opened.results.at(-1)!;
	}

	/** A slash command: what the person read, and whether it worked. */
	async type(command: string): Promise<{ readonly text: string; readonly worked: boolean }> {
		const { text, completed, error } = await this.opened.submit(command);
		return { text: error ?? text, worked: completed };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#host[Symbol.asyncDispose]();
		await this.opened[Symbol.asyncDispose]();
	}
}

/** @throws RequiredExtensionError, as the start would. */
export async function openBundled({ extensions, approver, ui }: BundledPlace): Promise<Bundled> {
	const opened = await open({ ...(approver && { approver }) });
	const settings = Object.fromEntries(Object.entries(extensions).map(([name, config]) => [name, { enabled: true, ...(config && { config }) }]));
	const warnings: string[] = [];
	const log: string[] = [];
	const warn = (message: string) => warnings.push(message);
	const set = await bundledExtensions(settings, "config.yaml", { home: opened.home, taken: [], warn });
	const { engine, store } = opened.runtime;
	const host = inlineHost({
		onStray: ({ extension, message }) => warn(`${extension}: ${message}`),
		log: (from, message) => log.push(`${from}: ${message}`),
		configOf: (name) => set.settings[name]?.config ?? {},
		stateOf: (name) => {
			const state = store.state.of(name);
			return { get: (key) => state.get(key), set: (key, value) => state.set(key, value), delete: (key) => void state.delete(key), keys: () => state.entries().map(([key]) => key) };
		},
		...(ui && { uiOf: () => ui }),
		cwd: opened.work,
	});
	const bundled = new Bundled({ opened, host, warnings, log });
	try {
		const brought = (await opened.runtime.agent()).brought as Brought;
		await loadExtensions(set, { engine, brought, host: async () => host, facts, warn });
	} catch (error) {
		await bundled[Symbol.asyncDispose]();
		throw error;
	}
	return bundled;
}
