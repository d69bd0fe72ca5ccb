// Does a value fit a JSON Schema? Every mistake comes with its path, worded for who has to mend it.
import { createRequire } from "node:module";
import type { AnySchemaObject, ErrorObject, ValidateFunction } from "ajv";
import { didYouMean } from "./nearest.ts";

type Schema = { readonly [key: string]: unknown };

export interface Mistake {
	/** From the top of the value to what is wrong. */
	readonly path: readonly string[];
	/** Names the place itself: `'edits[0].old' is missing`. */
	readonly message: string;
}

/** The schema itself is broken, or a value cannot be checked against it. */
export class SchemaError extends Error {
	override readonly name = "SchemaError";
	/** Whose fault it is. */
	readonly about: "schema" | "value";

	constructor(about: "schema" | "value", cause: unknown) {
		super(cause instanceof Error ? cause.message : String(cause), { cause });
		this.about = about;
	}
}

const checks = new WeakMap<Schema, ValidateFunction | SchemaError>();

/**
 * What does not fit, each mistake once; empty when all is well. Schemas are compiled once, so pass the same object each time.
 * @throws SchemaError
 */
export function mistakesIn(schema: Schema, value: unknown): readonly Mistake[] {
	let check = checks.get(schema);
	if (check === undefined) checks.set(schema, (check = compile(schema)));
	if (check instanceof SchemaError) throw check;
	try {
		if (check(value)) return [];
	} catch (error) {
		throw new SchemaError("value", error);
	}
	const mistakes = (check.errors ?? []).map((error) => ({ path: pathOf(error), message: worded(error) }));
	return mistakes.filter(({ message }, i) => mistakes.findIndex((other) => other.message === message) === i);
}

// The compiler finds what is wrong with a schema by itself; validating it first would compile the schema of schemas, which takes 50 ms.
// - `unicode: false`: it would count the characters of every text in full, for tools that only want it not to be empty.
const options = { unicode: false, validateSchema: false, meta: false, allErrors: true, strict: false, verbose: true, validateFormats: false, logger: false } as const;
const require = createRequire(import.meta.url);
/** A compiler for each schema (0.1 ms), so that two with the same id do not meet. Loading ajv takes 16 ms, so not before the first check; and at once then, because the engine asks in the middle of a dispatch. */
function compile(given: Schema): ValidateFunction | SchemaError {
	// Left out for the compiler, which would look for the dialect's own schema: tools of older making name a draft it does not carry.
	const { $schema, ...schema } = given;
	try {
		if (/draft-0?[3-7]/.test(String($schema))) {
			const { Ajv } = require("ajv") as typeof import("ajv");
			return new Ajv(options).compile(schema as AnySchemaObject);
		}
		const { Ajv2020 } = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
		return new Ajv2020(options).compile(schema as AnySchemaObject);
	} catch (error) {
		return new SchemaError("schema", error);
	}
}

function worded(error: ErrorObject): string {
	const place = placeOf(error.instancePath);
	const params = error.params as Record<string, unknown>;
	switch (error.keyword) {
		case "required":
		case "dependentRequired":
			return `${inside(place, String(params["missingProperty"]))} is missing`;
		case "additionalProperties":
		case "unevaluatedProperties": {
			const name = String(params["additionalProperty"] ?? params["unevaluatedProperty"]);
			const known = Object.keys((error.parentSchema as { properties?: Schema } | undefined)?.properties ?? {});
			const list = known.length > 0 && known.length <= 20 ? ` (known: ${known.join(", ")})` : "";
			return `${inside(place, name)} is unknown${didYouMean(name, known).replace(/\?$/, "").replace(" Did", ": did")}${list}`;
		}
		case "enum": {
			const allowed = (params["allowedValues"] as unknown[]).map(String);
			const guess = typeof error.data === "string" ? didYouMean(error.data, allowed).replace(/\?$/, "").replace(" Did", ", did") : "";
			return `${place} must be one of ${allowed.join(", ")}, and is ${shown(error.data)}${guess}`;
		}
		case "const":
			return `${place} must be ${JSON.stringify(params["allowedValue"])}, and is ${shown(error.data)}`;
		case "type":
		case "minimum":
		case "maximum":
		case "exclusiveMinimum":
		case "exclusiveMaximum":
		case "multipleOf":
			return `${place} ${error.message ?? "does not fit"}, and is ${shown(error.data)}`;
		default:
			return `${place} ${error.message ?? `does not fit '${error.keyword}'`}`;
	}
}

/** An unknown property is its own place: that is where its line is. */
function pathOf({ instancePath, keyword, params }: ErrorObject): readonly string[] {
	const parts = partsOf(instancePath);
	const unknown = keyword === "additionalProperties" ? (params as { additionalProperty: string }).additionalProperty : undefined;
	return unknown === undefined ? parts : [...parts, unknown];
}

const partsOf = (pointer: string) => pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/** `/edits/0/old~1name` as a person writes it: `'edits[0].old/name'`. */
function placeOf(pointer: string): string {
	const parts = partsOf(pointer);
	return parts.length === 0 ? "the whole" : `'${parts.map((part, i) => (/^\d+$/.test(part) ? `[${part}]` : i === 0 ? part : `.${part}`)).join("")}'`;
}

const inside = (place: string, name: string) => (place === "the whole" ? `'${name}'` : `${place.slice(0, -1)}.${name}'`);

function shown(value: unknown): string {
	if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
	if (Array.isArray(value)) return "an array";
	if (typeof value === "object") return "an object";
	if (typeof value !== "string") return typeof value;
	return value.length > 60 ? `the string ${JSON.stringify(value.slice(0, 60))}...` : `the string ${JSON.stringify(value)}`;
}
