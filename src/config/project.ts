// What a project's own `.hookline/config.yaml` may say: settings of its own extensions, shell hooks, and limits that are tighter than the user's.
import { mistakesIn, type Mistake } from "../system/schema.ts";
import { findSetting } from "./key.ts";
import { parseConfig, type ReadFile } from "./read.ts";
import { configSchema } from "./schema.ts";

/** The settings a project gave; each limit counts only where it is lower than the user's. */
export interface ProjectConfig {
	readonly agent?: { readonly max_steps?: number; readonly max_attempts?: number; readonly max_parallel_tools?: number };
	/** Checked by their dialect, as the user's own are. */
	readonly hooks?: unknown;
	/** Of the project's own extensions; they never run inline. */
	readonly extensions?: Readonly<Record<string, { readonly enabled?: boolean; readonly required?: boolean; readonly host?: "node"; readonly config?: Readonly<Record<string, unknown>> }>>;
}

const { agent, extensions, hooks } = configSchema.properties;
const { max_steps, max_attempts, max_parallel_tools } = agent.properties;
const { enabled, required, host, config } = extensions.additionalProperties.properties;

/** The part of the schema that a project may use: whatever is added to the whole is the user's alone until it is named here. */
export const projectSchema = {
	type: "object",
	additionalProperties: false,
	properties: {
		agent: { ...agent, properties: { max_steps, max_attempts, max_parallel_tools } },
		// Whom the user's conversations are told to is not for a project to say.
		hooks: { ...hooks, properties: {} },
		extensions: { ...extensions, additionalProperties: { ...extensions.additionalProperties, properties: { enabled, required, host: { ...host, enum: ["node"] }, config } } },
	},
} as const;

/** What stands below `hooks` is for its dialect to check. */
const checkedSchema = { ...projectSchema, properties: { ...projectSchema.properties, hooks: {} } };

/** The text of a project's config.yaml, with everything in it that is wrong or not for a project to say. */
export function parseProjectConfig(text: string): Promise<Omit<ReadFile, "text">> {
	return parseConfig(text, projectMistakes);
}

function projectMistakes(value: unknown): readonly Mistake[] {
	return mistakesIn(checkedSchema, value).map((mistake) => {
		const key = mistake.path.join(".");
		const isUsers = mistake.path.length > 0 && mistake.message.includes("is unknown") && !("mistake" in findSetting(key));
		return isUsers ? { path: mistake.path, message: `'${key}' cannot be set by a project, only in the user's own config.yaml` } : mistake;
	});
}
