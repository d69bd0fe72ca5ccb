// `plugin.yaml`, versions 1 and 2, read and checked.
import { readFileSync } from "node:fs";
import { didYouMean } from "../../system/nearest.ts";
import { describe } from "../../events/registration.ts";
import { isObject } from "./decisions.ts";

/** The Hermes whose contracts are carried here: what `requires_hermes` is held against. */
export const hermesVersion = "0.21.5";

export interface Manifest {
	readonly name: string;
	readonly version?: string;
	readonly description?: string;
	/** Names of environment variables, with what each is for where that is said. */
	readonly requiresEnv: readonly Variable[];
	readonly optionalEnv: readonly Variable[];
	/** Ids of plugins that are loaded before it. */
	readonly requiresPlugins: readonly string[];
	/** As pip writes them. */
	readonly dependencies: readonly string[];
	readonly requiresHermes?: string;
	/** Names of its settings, with whether each has to be there; undefined when it does not say which it has. */
	readonly settings?: Readonly<Record<string, { readonly required: boolean }>>;
	/** Sentences about what is wrong in it and does not keep it from being loaded. */
	readonly mistakes: readonly string[];
}

interface Variable {
	readonly name: string;
	readonly description?: string;
}

const known = [
	"name", "version", "description", "author", "requires_env", "provides_tools", "provides_hooks", "kind", "hooks", "label", "optional_env", "manifest_version", "api_version", "requires_plugins", "python_dependencies",
	"config_schema", "license", "homepage", "tags", "capabilities", "emits", "listens", "requires_hermes", "provides_middleware", "provides_commands",
];

/** `named` is what it is called when it does not say so itself. */
export async function readManifest(file: string, named: string): Promise<Manifest | { readonly mistake: string }> {
	let value: unknown;
	try {
		const { parse } = await import("yaml");
		value = parse(readFileSync(file, "utf8"), { uniqueKeys: false }) ?? {};
	} catch (error) {
		return { mistake: `it cannot be read: ${(error instanceof Error ? error.message : String(error)).split("\n")[0]}` };
	}
	if (!isObject(value)) return { mistake: `it must be a map, such as 'name: ${named}', not ${describe(value)}.` };
	const mistakes: string[] = [];
	const whole = value;
	/** A list, its entries texts or maps with the text under one of some names. */
	const entries = (key: string, ...names: readonly string[]): readonly Variable[] => {
		const given = whole[key] ?? [];
		const list: readonly unknown[] = Array.isArray(given) ? given : [given];
		return list.flatMap((entry) => {
			const name = isObject(entry) ? names.map((one) => entry[one]).find((one) => typeof one === "string") : entry;
			if (typeof name !== "string" || name === "") {
				mistakes.push(`an entry of '${key}' is ${describe(entry)} and was left out; it must be a text${names.length > 0 ? ` or a map with '${names[0]}'` : ""}.`);
				return [];
			}
			const description = isObject(entry) ? entry["description"] : undefined;
			return [{ name: name as string, ...(typeof description === "string" && { description }) }];
		});
	};
	if (Number(whole["manifest_version"]) >= 2) {
		for (const key of Object.keys(whole)) if (!known.includes(key)) mistakes.push(`'${key}' is no field of a plugin.yaml and means nothing.${didYouMean(key, known)}`);
	}
	const text = (key: string) => (typeof whole[key] === "string" || typeof whole[key] === "number" ? String(whole[key]) : undefined);
	const [version, description, requiresHermes] = [text("version"), text("description"), text("requires_hermes")];
	const schema = whole["config_schema"];
	const requiresEnv = entries("requires_env", "name");
	const optionalEnv = entries("optional_env", "name");
	const requiresPlugins = entries("requires_plugins", "id", "name").map(({ name }) => name);
	const dependencies = entries("python_dependencies").map(({ name }) => name);
	return {
		name: text("name") ?? named,
		...(version !== undefined && { version }),
		...(description !== undefined && { description }),
		...(requiresHermes !== undefined && { requiresHermes }),
		requiresEnv, optionalEnv, requiresPlugins, dependencies, mistakes,
		...(isObject(schema) && { settings: Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, { required: isObject(one) && one["required"] === true }])) }),
	};
}

/** Whether a version is in a range such as `>=0.20, <1`; undefined for a range that cannot be read. */
export function fits(version: string, range: string): boolean | undefined {
	let all = true;
	for (const part of range.split(",")) {
		const [, operator = "==", wanted] = /^\s*(>=|<=|==|!=|~=|>|<|\^)?\s*v?(\d+(?:\.\d+)*)(?:\.\*)?\s*$/.exec(part) ?? [];
		if (wanted === undefined) return undefined;
		all &&= holds[operator]!(compare(version, wanted), begins(version, wanted, operator));
	}
	return all;
}

/** `order` is how the version stands to the wanted one; `near` whether it is of the same line. */
const holds: Readonly<Record<string, (order: number, near: boolean) => boolean>> = {
	">=": (order) => order >= 0,
	"<=": (order) => order <= 0,
	">": (order) => order > 0,
	"<": (order) => order < 0,
	"==": (_, near) => near,
	"!=": (_, near) => !near,
	"~=": (order, near) => order >= 0 && near,
	"^": (order, near) => order >= 0 && near,
};

const numbers = (version: string) => version.split(".").map(Number);

function compare(a: string, b: string): number {
	const [left, right] = [numbers(a), numbers(b)];
	for (let i = 0; i < Math.max(left.length, right.length); i++) {
		const difference = (left[i] ?? 0) - (right[i] ?? 0);
		if (difference !== 0) return difference;
	}
	return 0;
}

/** `==0.21` is any 0.21, `~=0.21.3` as well, `^0.21.3` any 0. */
function begins(version: string, wanted: string, operator: string): boolean {
	const all = numbers(wanted);
	const same = operator === "~=" ? all.slice(0, -1) : operator === "^" ? all.slice(0, 1) : all;
	return same.every((number, i) => numbers(version)[i] === number);
}
