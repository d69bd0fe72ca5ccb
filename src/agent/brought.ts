// The tools and commands that extensions brought. A name that is taken never keeps one out: it gets the extension's name before it, and that is said.
import type { Brings, ExtensionCommand, ExtensionTool } from "../events/brings.ts";
import type { Tool } from "../tools/tool.ts";
import { toolMistake, toolOf } from "./brought-tool.ts";
import type { BroughtByExtensions } from "./parts.ts";

export interface BroughtOptions {
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

/** What an extension may do with names that are taken. */
export interface BringingRights {
	/** Why it may not take the place of that built-in tool; undefined when it may. */
	whyNotOverride(tool: string): string | undefined;
}

interface Bringer {
	readonly extension: string;
	readonly brings: Brings;
	readonly rights: BringingRights;
	/** Made once each: a session compares them by identity. */
	readonly tools: ReadonlyMap<ExtensionTool, Tool>;
}

/** In the order in which extensions came; one that is loaded again keeps its place. */
export class Brought implements BroughtByExtensions {
	readonly #options: BroughtOptions;
	readonly #bringers = new Map<string, Bringer>();
	readonly #said = new Set<string>();
	#version = 0;

	constructor(options: BroughtOptions) {
		this.#options = options;
	}

	get version(): number {
		return this.#version;
	}

	/** All that an extension brings now; it takes the place of what it brought before. */
	set(extension: string, brings: Brings, rights: BringingRights): void {
		const usable = brings.tools.filter((tool) => {
			const mistake = toolMistake(tool);
			if (mistake !== undefined) this.#say(`The extension '${extension}' brings a tool that cannot be used: ${mistake}`);
			return mistake === undefined;
		});
		this.#bringers.set(extension, { extension, brings, rights, tools: new Map(usable.map((tool) => [tool, toolOf(extension, tool)])) });
		this.#version++;
	}

	delete(extension: string): void {
		if (this.#bringers.delete(extension)) this.#version++;
	}

	tools(own: readonly Tool[]): readonly Tool[] {
		const all = [...own];
		const at = (name: string) => all.findIndex((tool) => tool.name === name);
		const replaced = new Set<string>();
		for (const { extension, tools, rights } of this.#bringers.values()) {
			for (const [given, tool] of tools) {
				const taken = at(given.name);
				if (given.overrides === true && taken >= 0 && taken < own.length && !replaced.has(given.name)) {
					const why = rights.whyNotOverride(given.name);
					if (why === undefined) {
						all[taken] = tool;
						replaced.add(given.name);
						continue;
					}
					this.#say(`The extension '${extension}' may not take the place of the tool '${given.name}': ${why}`);
				}
				const name = taken < 0 ? given.name : prefixed(extension, given.name, (one) => at(one) >= 0);
				if (name !== given.name) this.#say(`There is a tool '${given.name}' already, so the one of the extension '${extension}' is called '${name}'.`);
				all.push(name === given.name ? tool : { ...tool, name });
			}
		}
		return all;
	}

	commands(own: readonly string[]): ReadonlyMap<string, ExtensionCommand> {
		const taken = new Set(own);
		const found = new Map<string, ExtensionCommand>();
		const isTaken = (name: string) => taken.has(name) || found.has(name);
		for (const { extension, brings } of this.#bringers.values()) {
			for (const given of brings.commands) {
				const name = isTaken(given.name) ? free(`${extension}:${given.name}`, isTaken) : given.name;
				if (name !== given.name) this.#say(`There is a command /${given.name} already, so the one of the extension '${extension}' is /${name}.`);
				found.set(name, given);
			}
		}
		return found;
	}

	/** Once: tools are put together anew for each session. */
	#say(message: string): void {
		if (this.#said.has(message)) return;
		this.#said.add(message);
		this.#options.warn(message);
	}
}

const longestName = 64;

/** In the characters that all providers take. */
function prefixed(extension: string, name: string, isTaken: (name: string) => boolean): string {
	const before = extension.replace(/[^A-Za-z0-9_-]/g, "_");
	return free(`${before.slice(0, longestName - name.length - 2)}__${name}`.slice(-longestName), isTaken);
}

function free(name: string, isTaken: (name: string) => boolean): string {
	let found = name;
	for (let n = 2; isTaken(found); n++) found = `${name.slice(0, longestName - 3)}_${n}`;
	return found;
}
