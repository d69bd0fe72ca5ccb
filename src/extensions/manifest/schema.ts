// Every field of EXTENSION.yaml, once: the check, its messages and docs/extension.schema.json derive from it.

/** The version of the format that this Hookline knows. */
export const manifestVersion = 1;

const list = (description: string, pattern = "^\\S(?:.{0,254}\\S)?$") => ({ type: "array", maxItems: 200, items: { type: "string", pattern }, description }) as const;
const range = (description: string) => ({ type: "string", minLength: 1, maxLength: 200, description }) as const;
const line = (maxLength: number, description: string) => ({ type: "string", minLength: 1, maxLength, pattern: "^[^\\n\\r]*$", description }) as const;
const variable = "^[A-Za-z_][A-Za-z0-9_]*$";
const place = "^(?!.*(?:^|/)\\.\\.(?:/|$))(?:\\.$|\\./|/|~/)[^\\n]*$";

/** JSON Schema (2020-12) of EXTENSION.yaml. */
export const manifestSchema = {
	type: "object",
	additionalProperties: false,
	required: ["name", "version"],
	properties: {
		manifest: { type: "integer", minimum: 1, description: `The version of this format; ${manifestVersion}.` },
		name: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", description: "What it is called everywhere: letters, digits, '.', '_' and '-'." },
		version: { type: "string", minLength: 1, maxLength: 100, description: "Its version as semver has it: 1.2.0." },
		description: line(200, "One line for lists."),
		author: line(200, "Who wrote it."),
		license: line(100, "Its licence, as SPDX names it."),
		hookline: range("The versions of Hookline it works with, as a semver range: `>=0.1.0`; all."),
		main: { type: "string", pattern: "^(?!/)(?!.*(?:^|/)\\.\\.(?:/|$))[^\\\\]+\\.(?:m?[jt]s|py)$", maxLength: 200, description: "The file that is loaded; index.ts, .mts, .js or .mjs, or __init__.py." },
		events: list("The events it hooks: names, `tool.*`, `*`."),
		permissions: {
			type: "object",
			description: "What it may do beyond that; the user is asked.",
			additionalProperties: false,
			properties: {
				tools: {
					type: "object",
					description: "Tools for the model.",
					additionalProperties: false,
					properties: { register: list("Those it brings; `*` is a wildcard."), override: list("Built-in ones it takes the place of.") },
				},
				paths: {
					type: "object",
					description: "Files and folders with all below them: absolute, from `~/` on, or from `.`, the working folder, on.",
					additionalProperties: false,
					properties: { read: list("Those it reads: `/…`, `~/…`, `.` or `./…`, with no `..`.", place), write: list("Those it writes, in the same way.", place) },
				},
				hosts: list("Hosts it connects to: `api.example.com`, `*.example.com`, `*`."),
				env: list("Environment variables it reads.", variable),
				exec: list("Programs it starts, by name; `*` for any."),
				inline: { type: "boolean", description: "true: it runs in Hookline's own process, where nothing can hold it." },
			},
		},
		config: { type: "object", description: "JSON Schema of its settings (`extensions.NAME.config` in config.yaml), an object, with defaults." },
		dependencies: { type: "object", description: "Extensions it needs, which are loaded before it, with the versions it works with: `base: ^1.0.0`.", additionalProperties: range("A semver range.") },
		conflicts: list("Extensions it is not loaded beside, by name."),
	},
} as const;
