// What an extension brings beside its hooks, as it registers it: tools, commands, shortcuts, flags.
import type { CommandDefinition, FlagDefinition, ShortcutDefinition, ToolDefinition } from "../events/api.ts";
import type { Brings, CallPlace, ExtensionCommand, ExtensionFlag, ExtensionShortcut, ExtensionTool } from "../events/brings.ts";
import { HookFailure } from "../events/failure.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { ToolResult } from "../events/payloads/tool.ts";
import type { ExtensionProvider, ProviderDefinition } from "../events/providers.ts";
import { describe, RegistrationError } from "../events/registration.ts";
import { isStandardSchema, issuesInWords, jsonSchemaOf, type StandardSchema } from "../events/standard-schema.ts";
import { copyPlain } from "../system/plain.ts";
import { bringsMistake, mostBrought } from "./brings-check.ts";
import type { Enter } from "./calling.ts";
import { isObject } from "./checks.ts";
import { providerFrom } from "./provider.ts";

export interface BringingOptions {
	readonly extension: string;
	readonly enter: Enter;
	/** Something was registered, or taken back. */
	readonly onChange: () => void;
}

/** All take back what they registered by what they give. @throws RegistrationError, all of them. */
export class Bringing {
	readonly #options: BringingOptions;
	readonly #tools = new Map<string, ExtensionTool>();
	readonly #commands = new Map<string, ExtensionCommand>();
	readonly #shortcuts = new Map<string, ExtensionShortcut>();
	readonly #flags = new Map<string, ExtensionFlag>();
	readonly #providers = new Map<string, ExtensionProvider>();

	constructor(options: BringingOptions) {
		this.#options = options;
	}

	/** All that is registered now, in the order of registration. */
	get brings(): Brings {
		const all = { tools: [...this.#tools.values()], commands: [...this.#commands.values()] };
		return { ...all, ...(this.#shortcuts.size > 0 && { shortcuts: [...this.#shortcuts.values()] }), ...(this.#flags.size > 0 && { flags: [...this.#flags.values()] }), ...(this.#providers.size > 0 && { providers: [...this.#providers.values()] }) };
	}

	tool(given: ToolDefinition<never>): () => void {
		const refuse = this.#refusing("registerTool", given, "name");
		const { name, description, overrides, timeoutMs, run } = given;
		if (typeof run !== "function") refuse(`'run' must be a function, not ${describe(run)}.`);
		const { enter } = this.#options;
		const schema = isStandardSchema(given.parameters) ? given.parameters : undefined;
		const tool: ExtensionTool = {
			name,
			description,
			parameters: parametersOf(given, refuse),
			...(overrides !== undefined && { overrides }),
			...(timeoutMs !== undefined && { timeoutMs }),
			run: async (args, call) =>
				enter(call, async () => {
					const checked = schema === undefined ? { args } : await argumentsBy(schema, args);
					if ("mistake" in checked) return { text: `The arguments do not fit: ${checked.mistake}`, isError: true };
					// What the author declared `args` to be is what the schema gives.
					return toResult(await run.call(given, checked.args as never, call));
				}),
		};
		refuseIf(bringsMistake.tool({ ...tool }), refuse);
		return this.#add(this.#tools, name, tool, "tool", refuse);
	}

	command(given: CommandDefinition): () => void {
		const refuse = this.#refusing("registerCommand", given, "name");
		const { name, summary, anytime, run, complete } = given;
		if (typeof run !== "function") refuse(`'run' must be a function, not ${describe(run)}.`);
		if (complete !== undefined && typeof complete !== "function") refuse(`'complete' must be a function, not ${describe(complete)}.`);
		const { enter } = this.#options;
		const command: ExtensionCommand = {
			name,
			summary,
			...(anytime !== undefined && { anytime }),
			run: async (args, call) => enter(call, async () => toText(await run.call(given, args, call))),
			...(complete && { complete: async (args: string, call: CallPlace) => enter(call, async () => toTexts(await complete.call(given, args, call))) }),
		};
		refuseIf(bringsMistake.command({ ...command }), refuse);
		return this.#add(this.#commands, name, command, "command", refuse);
	}

	shortcut(given: ShortcutDefinition): () => void {
		const refuse = this.#refusing("registerShortcut", given, "key");
		const { summary, run } = given;
		if (typeof run !== "function") refuse(`'run' must be a function, not ${describe(run)}.`);
		const key = normalKey(given.key);
		const shortcut: ExtensionShortcut = { key, summary, run: async (call) => this.#options.enter(call, async () => void (await run.call(given, call))) };
		refuseIf(bringsMistake.shortcut({ ...shortcut }), refuse);
		return this.#add(this.#shortcuts, key, shortcut, "shortcut", refuse);
	}

	flag(given: FlagDefinition): () => void {
		const refuse = this.#refusing("registerFlag", given, "name");
		const { name, summary, type, default: chosen } = given;
		const flag: ExtensionFlag = { name, summary, type, ...(chosen !== undefined && { default: chosen }) };
		refuseIf(bringsMistake.flag({ ...flag }), refuse);
		return this.#add(this.#flags, name, flag, "flag", refuse);
	}

	provider(given: ProviderDefinition): () => void {
		const refuse = this.#refusing("registerProvider", given, "name");
		const provider = providerFrom(given, this.#options.enter, refuse);
		refuseIf(bringsMistake.provider({ ...provider }), refuse);
		return this.#add(this.#providers, provider.name, provider, "provider", refuse);
	}

	flagNamed(name: string): ExtensionFlag | undefined {
		return this.#flags.get(name);
	}

	#refusing(verb: string, given: unknown, field: string): (why: string) => never {
		const name: unknown = isObject(given) ? given[field] : undefined;
		const refuse = (why: string): never => {
			throw new RegistrationError(`${this.#options.extension}: ${verb}(${typeof name === "string" ? `'${name.slice(0, 80)}'` : ""}): ${why}`);
		};
		return isObject(given) ? refuse : refuse(`it takes an object, not ${describe(given)}.`);
	}

	#add<Value>(all: Map<string, Value>, name: string, value: Value, kind: string, refuse: (why: string) => never): () => void {
		if (all.has(name)) refuse(`there is a ${kind} of that name already. Take the other one back first, or give this one another name.`);
		if (all.size >= mostBrought) refuse(`an extension can have ${mostBrought} of its kind.`);
		all.set(name, value);
		this.#options.onChange();
		return () => {
			if (all.get(name) !== value) return;
			all.delete(name);
			this.#options.onChange();
		};
	}
}

function refuseIf(mistake: string | undefined, refuse: (why: string) => never): void {
	if (mistake !== undefined) refuse(mistake);
}

/** The JSON Schema for the model, a copy of its own: the model's provider caches it. */
function parametersOf({ parameters, jsonSchema }: ToolDefinition<never>, refuse: (why: string) => never): JsonObject {
	const given: unknown = isStandardSchema(parameters) ? (jsonSchema ?? fromLibrary(parameters, refuse)) : parameters;
	if (given === undefined) return refuse(`the library of its 'parameters' (${vendorOf(parameters)}) gives no JSON Schema. Add one as 'jsonSchema'.`);
	try {
		// Plain data is an object here; what is none is refused with the rest of the tool.
		return copyPlain(given, "'parameters'") as JsonObject;
	} catch (error) {
		return refuse(`${error instanceof Error ? error.message : String(error)}.`);
	}
}

function fromLibrary(schema: StandardSchema, refuse: (why: string) => never): JsonObject | undefined {
	try {
		// Through JSON: some libraries hide notes of their own in it, in ways that are no plain data.
		return JSON.parse(JSON.stringify(jsonSchemaOf(schema) ?? null)) ?? undefined;
	} catch (error) {
		return refuse(`the library of its 'parameters' (${vendorOf(schema)}) cannot say them as JSON Schema: ${error instanceof Error ? error.message : String(error)}`);
	}
}

const vendorOf = (schema: unknown): string => (isStandardSchema(schema) ? String(schema["~standard"].vendor) : "");

async function argumentsBy(schema: StandardSchema, args: JsonObject): Promise<{ readonly args: unknown } | { readonly mistake: string }> {
	const result = await schema["~standard"].validate(args);
	return result.issues === undefined ? { args: result.value } : { mistake: issuesInWords(result.issues) };
}

/** @throws HookFailure for what is neither text nor result. */
function toResult(given: unknown): ToolResult {
	if (typeof given === "string") return { text: given, isError: false };
	const { text, isError = false, details } = isObject(given) ? given : {};
	if (typeof text !== "string" || typeof isError !== "boolean") throw new HookFailure("bad-answer", `it gave ${describe(given)}, and a tool gives a text or { text, isError }`);
	if (details !== undefined && !isObject(details)) throw new HookFailure("bad-answer", `the details of its result are ${describe(details)}, not an object`);
	return { text, isError, ...(details !== undefined && { details: plain(details, "the details of its result") as JsonObject }) };
}

function plain(value: unknown, what: string): unknown {
	try {
		return copyPlain(value, what);
	} catch (error) {
		throw new HookFailure("bad-answer", error instanceof Error ? error.message : String(error));
	}
}

function toText(given: unknown): string | undefined {
	if (given === undefined || typeof given === "string") return given;
	throw new HookFailure("bad-answer", `it gave ${describe(given)}, and a command gives the text to show, or nothing`);
}

function toTexts(given: unknown): readonly string[] {
	if (Array.isArray(given) && given.every((one) => typeof one === "string")) return given as readonly string[];
	throw new HookFailure("bad-answer", `it gave ${describe(given)}, and a completion is a list of texts`);
}

const modifiers = ["ctrl", "alt", "shift"];

function normalKey(key: unknown): string {
	const parts = String(key).toLowerCase().split("+");
	const last = parts.pop() ?? "";
	return [...parts.toSorted((a, b) => modifiers.indexOf(a) - modifiers.indexOf(b)), last].join("+");
}
