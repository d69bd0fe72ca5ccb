// The extensions that are loaded: how one comes to life, is replaced by a newer version of itself between two dispatches, and leaves.
import { existsSync } from "node:fs";
import type { BringingRights, Brought } from "../agent/brought.ts";
import type { Engine, Registration } from "../engine/engine.ts";
import { type Brings, bringsNothing } from "../events/brings.ts";
import type { Facts } from "../events/payloads/facts.ts";
import { type HostName, RegistrationError, type Source } from "../events/registration.ts";
import { type Host, LoadError, type LoadedExtension } from "../hosts/host.ts";
import { newId } from "../system/ids.ts";
import { contentOf } from "./content.ts";
import { allows, type Granted, GrantError } from "./permissions.ts";
import { grantedProviders } from "./provider-grants.ts";

export interface LiveOptions {
	readonly engine: Engine;
	readonly facts: () => Facts;
	/** Where what they bring beside hooks goes; nowhere when absent. */
	readonly brought?: Brought;
	/** Told of all that an extension brings, each time that changes. */
	readonly onBrings?: ((extension: string, brings: Brings) => void) | undefined;
	/** An extension has left. */
	readonly onUnload?: ((extension: string) => void) | undefined;
	/** Told of what one has registered without having been granted it, as `extension.refused` has it. */
	readonly onRefused?: (extension: string, permission: "events" | "tools.register" | "tools.override", wanted: string) => void;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
	/** Set where they may be loaded again, to tell a file that changed from one that was only touched. */
	readonly comparesContent?: boolean;
}

/** What can be brought to life, and again. */
export interface Loadable {
	readonly name: string;
	/** Absolute. */
	readonly file: string;
	readonly trust: Source["trust"];
	/** Extensions without which it is not taken. */
	readonly needs?: readonly string[];
	/** What it may do; everything when not given. */
	readonly granted?: Granted;
	/** What runs is what was installed: a file that is saved is not taken up. */
	readonly pinned?: boolean;
	/** The host it runs in unless it registers no hook. */
	readonly hostName: HostName;
	readonly host: () => Promise<Host>;
	/** All that belongs to it: its folder, or its file. Absolute. */
	readonly root: string;
	/** What was set for it, as a text: when that is another one, it is loaded again. */
	readonly settings: string;
}

export interface Loaded {
	readonly name: string;
	readonly file: string;
	readonly host: HostName;
	/** Ids. */
	readonly hooks: readonly string[];
}

/** What went wrong, in words for its author. */
export interface LoadFailure {
	readonly name: string;
	readonly file: string;
	readonly line?: number;
	readonly message: string;
}

/** Loaded, and not registered yet: nothing of it counts. */
interface Waiting {
	readonly extension: Loadable;
	readonly loaded: LoadedExtension;
	/** What it brings by now. */
	brings: Brings | undefined;
	live: boolean;
	readonly durationMs: number;
	/** Of what was there before it was read; undefined where that was not looked at. */
	readonly version: string | undefined;
}

interface Live extends Waiting {
	readonly registration: Registration;
	readonly inWords: Loaded;
}

export class LiveExtensions {
	readonly #options: LiveOptions;
	readonly #live = new Map<string, Live>();
	readonly #failed = new Map<string, LoadFailure>();

	constructor(options: LiveOptions) {
		this.#options = options;
	}

	get(name: string): Loadable | undefined {
		return this.#live.get(name)?.extension;
	}

	/** All of them, in the order in which they came. */
	get all(): readonly Loadable[] {
		return [...this.#live.values()].map(({ extension }) => extension);
	}

	get loaded(): readonly Loaded[] {
		return [...this.#live.values()].map(({ inWords }) => inWords);
	}

	/** Those of which nothing runs. */
	get failed(): readonly LoadFailure[] {
		return [...this.#failed.values()];
	}

	/** The version that is live. */
	versionOf(name: string): string | undefined {
		return this.#live.get(name)?.version;
	}

	/** Reads it and runs its factory; nothing of it counts before it is taken. @throws LoadError and others: `failureOf` puts them into words. */
	async load(extension: Loadable): Promise<Waiting> {
		const began = performance.now();
		const early: { brings?: Brings; waiting?: Waiting } = {};
		const onBrings = (brings: Brings) => {
			early.brings = brings;
			if (early.waiting === undefined) return;
			early.waiting.brings = brings;
			if (early.waiting.live) this.#bring(early.waiting);
		};
		const { name, file, trust } = extension;
		const version = this.#options.comparesContent === true ? versionOf(extension) : undefined;
		const loaded = await (await extension.host()).load({ name, file, trust }, { onBrings });
		return (early.waiting = { extension, loaded, brings: early.brings ?? loaded.brings, live: false, durationMs: performance.now() - began, version });
	}

	/**
	 * From now on it counts, all of it at once. A newer version replaces the one there is: dispatches that are under way end with the old one, which leaves after
	 * them. Something else that only has its name does not: a guard must not vanish because of what another is called.
	 * @throws RegistrationError, NeededError, TakenNameError, GrantError, and then everything is as it was.
	 */
	async take(waiting: Waiting): Promise<Loaded> {
		const { name, file, hostName } = waiting.extension;
		const { engine, facts } = this.#options;
		const old = this.#live.get(name);
		const { definitions } = waiting.loaded;
		let registration: Registration;
		try {
			const missing = waiting.extension.needs?.find((needed) => !this.#live.has(needed));
			if (missing !== undefined) throw new NeededError(missing);
			if (old !== undefined && old.extension.root !== waiting.extension.root && existsSync(old.extension.file)) throw new TakenNameError(old.extension.file);
			refuseUngranted(waiting.extension, definitions, this.#options);
			registration = engine.register(definitions, old?.registration);
		} catch (error) {
			await waiting.loaded.unload();
			throw error;
		}
		if (old !== undefined) old.live = false;
		waiting.live = true;
		const inWords = { name, file, host: definitions[0]?.host ?? hostName, hooks: registration.ids };
		this.#live.set(name, Object.assign(waiting, { registration, inWords }));
		this.#failed.delete(name);
		if (old !== undefined || waiting.brings !== undefined) this.#bring(waiting);
		if (engine.has("extension.loaded")) engine.tell("extension.loaded", { ...facts(), eventId: newId("e"), extension: name, file, hooks: definitions.length, durationMs: waiting.durationMs });
		await old?.loaded.unload();
		return inWords;
	}

	/** Takes it out: hooks first, then what it brought, then its code. */
	async remove(name: string): Promise<void> {
		const live = this.#live.get(name);
		if (live === undefined) return;
		this.#live.delete(name);
		live.live = false;
		live.registration.remove();
		this.#options.brought?.delete(name);
		await live.loaded.unload();
		this.#options.onUnload?.(name);
	}

	/** Tells everybody that it did not load. `consequence` is what that means, as the end of a sentence. */
	tell(failure: LoadFailure, consequence: string): void {
		const { name, file, line, message } = failure;
		if (!this.#live.has(name)) this.#failed.set(name, failure);
		const { engine, facts, warn } = this.#options;
		warn(name === "*" ? `No extension is loaded, and no hook runs: ${message}` : `The extension '${name}' ${consequence}: ${message}`);
		if (engine.has("extension.failed")) engine.tell("extension.failed", { ...facts(), eventId: newId("e"), extension: name, file, message, during: "load", ...(line !== undefined && { line }) });
	}

	#bring({ extension: { name, trust, granted = "everything" }, brings = bringsNothing }: Waiting): void {
		const { brought, warn, onBrings } = this.#options;
		const isGranted = (tool: Brings["tools"][number]) => allows(granted, "tools.register", tool.name) || (tool.overrides === true && allows(granted, "tools.override", tool.name));
		const [tools, others] = [brings.tools.filter(isGranted), brings.tools.filter((tool) => !isGranted(tool))];
		if (brought !== undefined && others.length > 0) warn(`The extension '${name}' brings tools that you have not granted it, and they are left out: ${others.map((tool) => tool.name).join(", ")}. 'hookline extensions info ${name}' shows what you have.`);
		brought?.set(name, { ...brings, tools }, rightsOf(trust, granted, (tool) => this.#options.onRefused?.(name, "tools.override", tool)));
		for (const tool of others) this.#options.onRefused?.(name, tool.overrides ? "tools.override" : "tools.register", tool.name);
		onBrings?.(name, brings.providers === undefined ? brings : { ...brings, providers: grantedProviders(name, brings.providers, { trust, granted, warn }) });
	}
}

function rightsOf(trust: Source["trust"], granted: Granted, refused: (tool: string) => void): BringingRights {
	return {
		whyNotOverride(tool) {
			if (trust === "project") return "what a project brings can add to what is there, not take its place.";
			if (allows(granted, "tools.override", tool)) return undefined;
			refused(tool);
			return "you have not granted it that.";
		},
	};
}

/** Its content and its settings in one text; undefined where the content cannot be told. */
export function versionOf({ root, settings }: Loadable): string | undefined {
	const content = contentOf(root);
	return content === undefined ? undefined : `${content} ${settings}`;
}

/** What an extension needs is not there, so it is not taken. */
export class NeededError extends Error {
	override readonly name = "NeededError";

	constructor(needed: string) {
		super(`it needs the extension '${needed}', which is not loaded.`);
	}
}

/** Another extension has the name already, so this one is not taken. */
export class TakenNameError extends Error {
	override readonly name = "TakenNameError";

	constructor(file: string) {
		super(`there is another extension of that name, ${file}; only that one is loaded. Rename one of them.`);
	}
}

function refuseUngranted({ name, granted = "everything" }: Loadable, definitions: LoadedExtension["definitions"], { onRefused }: LiveOptions): void {
	const events = [...new Set(definitions.map(({ event }) => event))].filter((event) => !allows(granted, "events", event));
	for (const event of events) onRefused?.(name, "events", event);
	if (events.length > 0) throw new GrantError(`it hooks ${events.join(", ")}, which you have not granted it. 'hookline extensions info ${name}' shows what you have.`);
}

/** What was thrown while an extension was loaded or taken, in words. */
export function failureOf(error: unknown, { name, file }: Pick<Loadable, "name" | "file">): LoadFailure {
	if (error instanceof LoadError) return { name, file, message: error.message, ...(error.line !== undefined && { line: error.line }) };
	if (error instanceof RegistrationError) return { name, file, message: `${file}: ${error.message}` };
	return { name, file, message: `${file}: ${error instanceof Error ? error.message : String(error)}` };
}
