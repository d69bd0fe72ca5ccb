// What cannot be right about something an extension brings: where it registers it, and again where a process of extensions says that it did.
import { describe } from "../events/registration.ts";
import { isObject } from "./checks.ts";
import { providerMistake } from "./provider-check.ts";

const maxTimeoutMs = 3_600_000;
const longestSchema = 100_000;
/** Of each kind, in one extension. */
export const mostBrought = 200;

type Given = Readonly<Record<string, unknown>>;
type Kind = "tool" | "command" | "shortcut" | "flag" | "provider";

/** Why it can never work, as the end of a sentence; undefined when it can. Functions are the registrar's to look at. */
export const bringsMistake: Readonly<Record<Kind, (given: Given) => string | undefined>> = {
	tool({ name, description, parameters, overrides, timeoutMs }) {
		if (!isText(name, /^[A-Za-z0-9_-]{1,64}$/)) return "'name' must be 1 to 64 letters, digits, '_' or '-'.";
		if (typeof description !== "string" || description.trim() === "" || description.length > 10_000) return "'description' must be a text of 1 to 10,000 characters: it is all the model knows of the tool.";
		if (overrides !== undefined && overrides !== true) return `'overrides' is true or left out, not ${describe(overrides)}.`;
		if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs >= 1 && timeoutMs <= maxTimeoutMs)) return `'timeoutMs' must be 1 to ${maxTimeoutMs} milliseconds, not ${describe(timeoutMs)}.`;
		if (!isObject(parameters) || parameters["type"] !== "object") return "'parameters' must be a JSON Schema of an object, { type: \"object\", properties: { … } }, or a Standard Schema.";
		if (JSON.stringify(parameters).length > longestSchema) return `'parameters' must have at most ${longestSchema.toLocaleString("en-US")} characters as JSON.`;
		return undefined;
	},
	command({ name, summary, anytime }) {
		if (!isText(name, /^[A-Za-z0-9][\w-]{0,31}$/)) return "'name' must be 1 to 32 letters, digits, '_' or '-', without the slash.";
		if (anytime !== undefined && anytime !== true) return `'anytime' is true or left out, not ${describe(anytime)}.`;
		return summaryMistake(summary);
	},
	shortcut({ key, summary }) {
		if (!isText(key, /^(?=ctrl|alt|f\d)(?:ctrl\+)?(?:alt\+)?(?:shift\+)?(?:[a-z0-9]|f(?:[1-9]|1[0-2])|up|down|left|right|home|end|enter|tab|space|delete)$/)) {
			return "'key' must be like 'ctrl+g', 'alt+shift+x' or 'f5': modifiers first, at least one of ctrl and alt unless it is a function key.";
		}
		return summaryMistake(summary);
	},
	flag({ name, summary, type, default: chosen }) {
		if (!isText(name, /^[a-z][a-z0-9-]{0,31}$/)) return "'name' must be 1 to 32 lower-case letters, digits or '-'.";
		if (type !== "boolean" && type !== "string") return "'type' must be 'boolean' or 'string'.";
		if (chosen !== undefined && typeof chosen !== type) return `'default' must be a ${type}, not ${describe(chosen)}.`;
		return summaryMistake(summary);
	},
	provider: (given) => providerMistake(given) ?? summaryMistake(given["summary"]),
};

const isText = (value: unknown, pattern: RegExp): value is string => typeof value === "string" && pattern.test(value);

const summaryMistake = (summary: unknown): string | undefined =>
	isText(summary, /^(?=.*\S)[^\n\r]{1,200}$/) ? undefined : "'summary' must be one line of 1 to 200 characters.";
