// The `hooks` a factory is given. Every registration is checked at once, so that a mistake points at the author's own line.
import { getCallSites } from "node:util";
import type { Stage } from "../events/catalog.ts";
import type { Hooks } from "../events/hooks.ts";
import { checkRegistration, describe, type HookDefinition, type HookOptions, type HostName, RegistrationError } from "../events/registration.ts";
import { type ExtensionFile, LoadError } from "./host.ts";
import { isOf, type Place, toPath } from "./place.ts";
import { originalLine } from "./typescript.ts";

export interface Registrar {
	readonly hooks: Hooks;
	/** Registers one hook in the author's name. */
	define(hook: Omit<HookDefinition, "source" | "host">): void;
	/**
	 * Runs what registers something else. What it refuses is known with the author's line, and is an error of the load while the factory runs.
	 * @throws RegistrationError what `register` throws, with the line once the factory has returned.
	 */
	take<Result>(register: () => Result): Result;
	/**
	 * The hooks registered so far; from now on no more are taken.
	 * @throws LoadError for the first registration that was refused, also when the author caught the error: a guard that is missing must not
	 *   pass for one that is there.
	 */
	close(): readonly HookDefinition[];
}

export function createRegistrar(extension: ExtensionFile, host: HostName): Registrar {
	const definitions: HookDefinition[] = [];
	let refused: LoadError | undefined;
	let closed = false;

	const add = (place: Place | undefined, hook: Omit<HookDefinition, "source" | "host">): void => {
		const where = `${extension.name}: ${hook.stage}(${quoted(hook.event)})`;
		if (closed) throw new RegistrationError(`${where}: hooks can be registered only until the factory has returned. Register it there, and decide inside the handler.`);
		const source = { extension: extension.name, file: place?.file ?? extension.file, ...(place && { line: place.line }), trust: extension.trust, dialect: "native", rank: 0 };
		const definition: HookDefinition = { ...hook, source, host };
		checkRegistration(definition);
		const { name } = definition.options;
		if (name !== undefined && definitions.some(({ options }) => options.name === name)) {
			throw new RegistrationError(`${where}: there is a hook named '${name}' already. Give this one another name.`);
		}
		definitions.push(definition);
	};
	const placed = <Result>(register: (place: Place | undefined) => Result): Result => {
		const place = callerOf(extension);
		try {
			return register(place);
		} catch (error) {
			if (!(error instanceof RegistrationError)) throw error;
			if (closed) throw new RegistrationError(place === undefined ? error.message : `${error.message} (${place.file}:${place.line})`, { cause: error });
			refused ??= new LoadError(extension.name, place ?? extension, error.message, error);
			throw error;
		}
	};
	const verb =
		(stage: Stage) =>
		(...given: readonly unknown[]): void =>
			placed((place) => add(place, toHook(extension, stage, given)));

	return {
		hooks: Object.freeze({ transform: verb("transform"), guard: verb("guard"), wrap: verb("wrap"), observe: verb("observe") }) as Hooks,
		define: (hook) => placed((place) => add(place, hook)),
		take: (register) => placed(register),
		close() {
			closed = true;
			if (refused !== undefined) throw refused;
			return definitions;
		},
	};
}

function toHook(extension: ExtensionFile, stage: Stage, given: readonly unknown[]): Omit<HookDefinition, "source" | "host"> {
	const refuse = (why: string): never => {
		throw new RegistrationError(`${extension.name}: ${stage}(${quoted(given[0])}): ${why} The call is ${stage}(event, handler) or ${stage}(event, options, handler).`);
	};
	const [event, second, third] = given;
	if (typeof event !== "string") refuse(`the event must be a name, such as 'tool.calling', not ${describe(event)}.`);
	if (given.length < 2) refuse("the handler is missing.");
	if (given.length > 3) refuse(`it takes two or three arguments, not ${given.length}.`);
	if (given.length === 2 && typeof second !== "function") {
		refuse(typeof second === "object" && second !== null ? "the handler is missing: it comes after the options." : `the handler must be a function, not ${describe(second)}.`);
	}
	if (typeof second === "function" && given.length === 3) {
		refuse(typeof third === "object" ? "the options come before the handler." : `it takes one handler, and here is ${describe(third)} after it.`);
	}
	const options = given.length === 3 ? second : {};
	const handler = given.length === 3 ? third : second;
	return {
		event: event as string,
		stage,
		handler: handler as HookDefinition["handler"],
		// A copy: what the author changes in the object later must not change the hook.
		options: (typeof options === "object" && options !== null && !Array.isArray(options) ? { ...options } : options) as HookOptions,
	};
}

const ourFolder = new URL(".", import.meta.url).href;

/** The line of the author that called a verb: the innermost in the extension's own files, otherwise in what it imported. */
function callerOf(extension: ExtensionFile): Place | undefined {
	const places = getCallSites(20)
		.filter(({ scriptName }) => !scriptName.startsWith(ourFolder) && !scriptName.startsWith("node:") && scriptName !== "")
		.map((site) => ({ file: toPath(site.scriptName.replace(/\?hookline=\d+$/, "")), line: originalLine(site.scriptName, site.lineNumber, site.columnNumber) }));
	return places.find(({ file }) => isOf(extension, file)) ?? places[0];
}

const quoted = (event: unknown): string => (typeof event === "string" ? `'${event}'` : "");
