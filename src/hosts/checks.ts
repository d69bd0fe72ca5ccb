// Small checks of what may have been written by anybody, put together into shapes.
export type Check = (value: unknown) => boolean;

export const number: Check = (value) => Number.isSafeInteger(value);
export const string: Check = (value) => typeof value === "string";
export const boolean: Check = (value) => typeof value === "boolean";
export const anything: Check = () => true;

export const oneOf =
	(...known: readonly unknown[]): Check =>
	(value) =>
		known.includes(value);
export const optional =
	(check: Check): Check =>
	(value) =>
		value === undefined || check(value);
export const listOf =
	(check: Check, most = Number.POSITIVE_INFINITY): Check =>
	(value) =>
		Array.isArray(value) && value.length <= most && value.every(check);
export const fields =
	(checks: Readonly<Record<string, Check>>): Check =>
	(value) =>
		isObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]));

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
