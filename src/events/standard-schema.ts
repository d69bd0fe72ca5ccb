// The part of the Standard Schema and Standard JSON Schema specifications (standardschema.dev) that we read: any library that follows them will do.
import type { JsonObject } from "./payloads/facts.ts";

/** A schema of some library (Zod, Valibot, ArkType …). `Output` is what its `validate` gives. */
export interface StandardSchema<Output = unknown> {
	readonly "~standard": {
		readonly version: 1;
		readonly vendor: string;
		readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
		validate(value: unknown): SchemaResult<Output> | Promise<SchemaResult<Output>>;
		/** Where the library can tell the model what it takes. May throw for what JSON Schema cannot say. */
		readonly jsonSchema?: { input(options: { readonly target: "draft-2020-12" }): Record<string, unknown> };
	};
}

export type SchemaResult<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
	readonly message: string;
	readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Arktype's schemas are functions, others are objects. */
export function isStandardSchema(value: unknown): value is StandardSchema {
	return ((typeof value === "object" && value !== null) || typeof value === "function") && "~standard" in value && typeof value["~standard"] === "object";
}

/** `'path.to.field': message`, an issue each. */
export function issuesInWords(issues: readonly SchemaIssue[]): string {
	const keys = ({ path = [] }: SchemaIssue) => path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
	return issues.map((issue) => (keys(issue) === "" ? issue.message : `'${keys(issue)}': ${issue.message}`)).join("; ");
}

/** What the library says of it as JSON Schema; undefined when it says nothing. Throws what the library throws. */
export const jsonSchemaOf = (schema: StandardSchema): JsonObject | undefined => schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
