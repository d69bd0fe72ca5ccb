// What extensions tried without having been granted it: told to the person, written to the log and to the trace, once for each thing.
import type { Engine } from "../engine/engine.ts";
import type { Facts } from "../events/payloads/facts.ts";
import { newId } from "../system/ids.ts";
import { visible } from "../system/visible.ts";
import { type AreaName, areas, GrantError } from "./permissions.ts";

export interface RefusalOptions {
	readonly engine: Engine;
	readonly facts: () => Facts;
	readonly warn: (message: string, from?: string) => void;
}

/** Of one extension, while the program runs. */
const mostTold = 50;

/** What nothing grants. */
const never: Readonly<Record<string, string>> = { worker: "start a thread of its own", addon: "load native code", inspector: "open a debugger", wasi: "run WASI" };

export class Refusals {
	readonly #options: RefusalOptions;
	readonly #told = new Map<string, Set<string>>();

	constructor(options: RefusalOptions) {
		this.#options = options;
	}

	/** The error for its code, which everybody is told of. `permission` as `extension.refused` has it. */
	refuse(extension: string, permission: string, wanted: string): GrantError {
		const error = new GrantError(inWords(extension, permission, wanted));
		if (this.trace(extension, permission, wanted)) this.#options.warn(`The extension '${extension}' was refused: ${visible(error.message)}`, extension);
		return error;
	}

	/** Writes it to the trace alone, where the person is told in another way. False when that was done before, or too often. */
	trace(extension: string, permission: string, wanted: string): boolean {
		const told = this.#told.get(extension) ?? new Set<string>();
		this.#told.set(extension, told);
		const key = `${permission} ${wanted}`;
		if (told.has(key) || told.size >= mostTold) return false;
		told.add(key);
		const { engine, facts } = this.#options;
		engine.tell("extension.refused", { ...facts(), eventId: newId("e"), extension, permission, wanted, message: visible(inWords(extension, permission, wanted)) });
		return true;
	}
}

function inWords(extension: string, permission: string, wanted: string): string {
	if (Object.hasOwn(never, permission)) return `it may not ${never[permission]}${wanted === "" ? "" : ` (${wanted})`}, which is never granted.`;
	const words = Object.hasOwn(areas, permission) ? areas[permission as AreaName].words : `use ${permission}`;
	return `it may not ${words} ${wanted}: '${permission}' was not granted to it for that. 'hookline extensions info ${extension}' shows what it asks for and what you granted; to grant more, remove it and install it again.`;
}
