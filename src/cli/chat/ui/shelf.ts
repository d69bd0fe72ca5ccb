// What extensions keep in sight: texts on the status line, lines around the editor. Bounded when it comes in, so that drawing it is cheap.

export type Place = "above" | "below";

export interface ShelfWidget {
	readonly extension: string;
	readonly lines: readonly string[];
	/** Lines that were given and are not kept. */
	readonly cut: number;
	readonly place: Place;
}

/** Keys of one extension, of each kind. */
const mostKeys = 8;
const mostCharacters = { status: 200, line: 500 } as const;
/** Of one widget. */
const mostLines = 10;

export class Shelf {
	readonly #changed: () => void;
	readonly #refuse: (extension: string, why: string) => void;
	readonly #statuses = new Kept<string>();
	readonly #widgets = new Kept<ShelfWidget>();
	/** Said once: a text may change many times a second. */
	readonly #refused = new Set<string>();

	/** `changed` is called at every change, however many there are; `refuse` when something is not shown. */
	constructor(changed: () => void, refuse: (extension: string, why: string) => void) {
		this.#changed = changed;
		this.#refuse = refuse;
	}

	status(extension: string, key: string, text: string | undefined): void {
		this.#keep(this.#statuses, extension, key, text?.slice(0, mostCharacters.status), "texts on the status line");
	}

	widget(extension: string, key: string, lines: readonly string[] | undefined, place: Place): void {
		const kept = lines?.slice(0, mostLines).map((line) => line.slice(0, mostCharacters.line));
		this.#keep(this.#widgets, extension, key, kept && { extension, lines: kept, cut: lines!.length - kept.length, place }, "widgets");
	}

	/** In the order in which extensions first came. */
	get statuses(): readonly { readonly extension: string; readonly text: string }[] {
		return this.#statuses.entries.flatMap(([extension, texts]) => texts.map((text) => ({ extension, text })));
	}

	get widgets(): readonly ShelfWidget[] {
		return this.#widgets.entries.flatMap(([, widgets]) => widgets);
	}

	/** The extension is gone. */
	drop(extension: string): void {
		this.#statuses.drop(extension);
		this.#widgets.drop(extension);
		this.#refused.delete(extension);
		this.#changed();
	}

	#keep<Value>(kept: Kept<Value>, extension: string, key: string, value: Value | undefined, what: string): void {
		if (kept.set(extension, key, value)) return this.#changed();
		if (this.#refused.has(extension)) return;
		this.#refused.add(extension);
		this.#refuse(extension, `It has ${mostKeys} ${what} already, so '${key.slice(0, mostCharacters.status)}' is not shown.`);
	}
}

/** By extension, then by key. */
class Kept<Value> {
	readonly #values = new Map<string, Map<string, Value>>();

	get entries(): readonly (readonly [string, readonly Value[]])[] {
		return [...this.#values].map(([extension, values]) => [extension, [...values.values()]]);
	}

	/** False when the extension has too many keys. */
	set(extension: string, key: string, value: Value | undefined): boolean {
		const values = this.#values.get(extension) ?? new Map<string, Value>();
		if (value === undefined) values.delete(key);
		else if (!values.has(key) && values.size === mostKeys) return false;
		else values.set(key, value);
		this.#values.set(extension, values);
		return true;
	}

	drop(extension: string): void {
		this.#values.delete(extension);
	}
}
