// Do these arguments fit the tool? Answered with a sentence a model can act on.
import { mistakesIn, SchemaError } from "../system/schema.ts";
import type { Tool } from "./tool.ts";

const mostMistakes = 10;

/**
 * Undefined when the arguments fit the tool's schema; otherwise a sentence that names every mistake with its path. Never throws: a schema that is broken
 * itself (tools come from extensions too) gives a sentence as well.
 */
export function checkArguments(tool: Pick<Tool, "name" | "parameters">, args: unknown): string | undefined {
	try {
		const mistakes = mistakesIn(tool.parameters, args);
		if (mistakes.length === 0) return undefined;
		const more = mistakes.length > mostMistakes ? `; and ${mistakes.length - mostMistakes} more` : "";
		return `The arguments do not fit the tool '${tool.name}': ${mistakes.slice(0, mostMistakes).map(({ message }) => message).join("; ")}${more}.`;
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		if (error.about === "value") return `The arguments of the tool '${tool.name}' could not be checked (${error.message}). Make them simpler.`;
		return `The tool '${tool.name}' cannot be called: its schema is broken (${error.message}). That is a defect of the tool, to be mended by who made it, not of these arguments.`;
	}
}
