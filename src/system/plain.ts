// Plain data that nobody can change any more. What a guard has seen is what runs: so values are frozen to the bottom before hooks see
// them, and a value a hook hands in is copied, which leaves its accessors, proxies and later changes behind.

/**
 * Objects that were sealed: frozen to the bottom, and known to be. Object.isFrozen would not do: a hook can freeze the top and keep the rest.
 * Only what is shown to hooks again and again is worth an entry (messages): adding one costs more than freezing a small object anew.
 */
const sealed = new WeakSet<object>();

export const maxDepth = 64;
/** Far above anything a parser of ours lets through; there to end a cycle. */
const maxOwnDepth = 1000;

/** Freezes a value of our own to the bottom and remembers that, so that later looks at it cost one look-up. */
export function seal<Value extends object>(value: Value): Value {
	if (sealed.has(value)) return value;
	deepFreeze(value);
	sealed.add(value);
	return value;
}

/** Seals a new list whose items are all sealed, without looking at each: a conversation of 10,000 messages is shown to hooks at every step. */
export function sealList<Item extends object>(items: Item[]): readonly Item[] {
	sealed.add(Object.freeze(items));
	return items;
}

/**
 * Freezes a value of our own in place, to the bottom.
 * @throws RangeError for a value that contains itself.
 */
export function deepFreeze<Value>(value: Value): Value {
	if (typeof value === "object" && value !== null) freezeObject(value, 0);
	return value;
}

function freezeObject(value: object, depth: number): void {
	if (depth > 0 && sealed.has(value)) return;
	if (depth > maxOwnDepth) throw new RangeError("a payload contains itself");
	if (ArrayBuffer.isView(value)) return;
	Object.freeze(value);
	if (Array.isArray(value)) {
		for (const item of value) if (typeof item === "object" && item !== null) freezeObject(item, depth + 1);
		return;
	}
	for (const key in value) {
		const item = (value as Record<string, unknown>)[key];
		if (typeof item === "object" && item !== null) freezeObject(item, depth + 1);
	}
}

/**
 * A frozen copy of what a hook handed in, as JSON could hold it; sealed parts are taken as they are.
 * @throws TypeError that names the path of what is no plain data: a function, a class instance, a cycle, more than 64 levels, a key `__proto__`.
 */
export function copyPlain(value: unknown, path = "value", depth = 0): unknown {
	if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
	if (typeof value === "number") {
		if (Number.isFinite(value)) return value;
		throw new TypeError(`${path} is ${value}, which JSON cannot hold`);
	}
	if (typeof value !== "object") throw new TypeError(`${path} is a ${typeof value}, not plain data`);
	if (sealed.has(value)) return value;
	if (depth >= maxDepth) throw new TypeError(`${path} is nested more than ${maxDepth} levels deep, or contains itself`);
	const copy = Array.isArray(value) ? copyList(value, path, depth) : copyObject(value, path, depth);
	return Object.freeze(copy);
}

function copyList(list: readonly unknown[], path: string, depth: number): unknown[] {
	const copy: unknown[] = [];
	for (let i = 0; i < list.length; i++) copy.push(copyPlain(list[i], `${path}[${i}]`, depth + 1));
	return copy;
}

function copyObject(value: object, path: string, depth: number): Record<string, unknown> {
	const prototype: unknown = Object.getPrototypeOf(value);
	if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw new TypeError(`${path} is ${className(value)}, not plain data`);
	const copy: Record<string, unknown> = {};
	for (const key of Object.keys(value)) {
		if (key === "__proto__") throw new TypeError(`${path} has a key '__proto__'`);
		const item = (value as Record<string, unknown>)[key];
		// As JSON does: a field that is undefined is not there.
		if (item !== undefined) copy[key] = copyPlain(item, `${path}.${key}`, depth + 1);
	}
	return copy;
}

function className(value: object): string {
	const { constructor } = value as { constructor?: unknown };
	return typeof constructor === "function" ? `an instance of ${constructor.name || "a class"}` : "an object with a prototype of its own";
}
