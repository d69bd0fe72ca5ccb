// What may cross to the agent: plain data. JSON would quietly make a text of a Date and nothing of a function, and the same handler would answer
// differently in different hosts.
const maxDepth = 64;

/** @throws TypeError that names the path of the first part that is no plain data. */
export function checkPlain(value: unknown, path: string, depth = 0): void {
	if (typeof value === "string" || typeof value === "boolean" || value === null) return;
	if (typeof value === "number") {
		if (!Number.isFinite(value)) throw new TypeError(`${path} is ${value}, which JSON cannot hold`);
		return;
	}
	if (typeof value !== "object") throw new TypeError(`${path} is a ${typeof value}, not plain data`);
	if (depth >= maxDepth) throw new TypeError(`${path} is nested more than ${maxDepth} levels deep, or contains itself`);
	if (Array.isArray(value)) {
		for (let i = 0; i < value.length; i++) checkPlain(value[i], `${path}[${i}]`, depth + 1);
		return;
	}
	const prototype: unknown = Object.getPrototypeOf(value);
	if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw new TypeError(`${path} is ${className(value)}, not plain data`);
	for (const [key, item] of Object.entries(value)) {
		if (key === "__proto__") throw new TypeError(`${path} has a key '__proto__'`);
		if (item !== undefined) checkPlain(item, `${path}.${key}`, depth + 1);
	}
}

function className(value: object): string {
	const { constructor } = value as { constructor?: unknown };
	return typeof constructor === "function" ? `an instance of ${constructor.name || "a class"}` : "an object with a prototype of its own";
}

/** Freezes what came as JSON, to the bottom: a handler must not believe that it can change a payload. */
export function freeze<Value>(value: Value): Value {
	if (typeof value !== "object" || value === null) return value;
	for (const key in value) freeze(value[key]);
	return Object.freeze(value);
}
