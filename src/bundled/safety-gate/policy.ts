// A policy as it is written, read and checked. What it does not know it refuses: a rule that silently does nothing is worse than none.
import { readFileSync, statSync } from "node:fs";
import { type CommandRule, commandRule } from "./commands.ts";
import { type HostRule, hostRule } from "./hosts.ts";
import { type PathRule, pathRule } from "./paths.ts";
import type { Rule } from "./rule.ts";

/** A policy that can be judged by. */
export interface Policy {
	readonly paths: { readonly deny_write: readonly PathRule[]; readonly deny_read: readonly PathRule[]; readonly ask_write: readonly PathRule[] };
	readonly commands: { readonly deny: readonly CommandRule[]; readonly ask: readonly CommandRule[] };
	/** With `allow` no other host may be reached. */
	readonly hosts: { readonly allow: readonly HostRule[] | undefined; readonly deny: readonly HostRule[] };
	readonly budgets: Readonly<Partial<Record<Budget, number>>>;
}

const budgets = ["tool_calls_per_turn", "terminal_seconds_per_turn", "tokens_per_session"] as const;
export type Budget = (typeof budgets)[number];

/** Every key there is, with what it holds. */
const sections = {
	paths: { deny_write: pathRule, deny_read: pathRule, ask_write: pathRule },
	commands: { deny: commandRule, ask: commandRule },
	hosts: { allow: hostRule, deny: hostRule },
} as const;

/** @throws Error that says what is wrong with it, a sentence each. */
export function policyIn(value: unknown): Policy {
	const mistakes: string[] = [];
	const whole = objectIn("a policy", value ?? {}, [...Object.keys(sections), "budgets"], mistakes);
	const read = Object.fromEntries(
		Object.entries(sections).map(([name, lists]) => {
			const section = objectIn(`'${name}'`, whole[name] ?? {}, Object.keys(lists), mistakes);
			return [name, Object.fromEntries(Object.entries(lists).map(([list, make]) => [list, section[list] === undefined && list !== "allow" ? [] : rulesIn(`${name}.${list}`, section[list], make, mistakes)]))];
		}),
	);
	const limits = objectIn("'budgets'", whole["budgets"] ?? {}, budgets, mistakes);
	for (const [name, limit] of Object.entries(limits)) if (typeof limit !== "number" || !(limit >= 0)) mistakes.push(`'budgets.${name}' must be a number from 0 on.`);
	if (mistakes.length > 0) throw new Error(mistakes.join(" "));
	return { ...read, budgets: limits } as unknown as Policy;
}

function objectIn(what: string, value: unknown, known: readonly string[], mistakes: string[]): Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		mistakes.push(`${what} must have the keys ${known.join(", ")}.`);
		return {};
	}
	for (const key of Object.keys(value)) if (!known.includes(key)) mistakes.push(`${what} has no '${key}'; there are ${known.join(", ")}.`);
	return value as Record<string, unknown>;
}

function rulesIn<Made>(where: string, value: unknown, make: (rule: Rule) => Made, mistakes: string[]): readonly Made[] | undefined {
	if (value === undefined) return undefined;
	if (!Array.isArray(value)) mistakes.push(`'${where}' must be a list.`);
	return (Array.isArray(value) ? value : []).flatMap((one: unknown, i): Made[] => {
		const { rule, reason } = typeof one === "string" ? { rule: one, reason: undefined } : objectIn(`'${where}', entry ${i + 1},`, one, ["rule", "reason"], mistakes);
		if (typeof rule !== "string" || rule.trim() === "" || (reason !== undefined && typeof reason !== "string")) {
			mistakes.push(`'${where}', entry ${i + 1}, must be a text, or have a text as 'rule' and one as 'reason'.`);
			return [];
		}
		try {
			return [make({ rule, reason })];
		} catch (error) {
			mistakes.push(`'${where}', entry ${i + 1}: ${(error as Error).message}`);
			return [];
		}
	});
}

const mostBytes = 1024 * 1024;

/** The policy in a file, which may change while the agent runs. */
export class PolicyFile {
	readonly #file: string;
	readonly #parse: (text: string) => unknown;
	#stamp: string | undefined;
	#policy: Policy | undefined;

	constructor(file: string, parse: (text: string) => unknown) {
		this.#file = file;
		this.#parse = parse;
	}

	/** As the file is now. @throws Error where it cannot be read as a policy. */
	get policy(): Policy {
		try {
			const { mtimeMs, ctimeMs, size, ino } = statSync(this.#file);
			const stamp = [mtimeMs, ctimeMs, size, ino].join(" ");
			if (this.#policy !== undefined && stamp === this.#stamp) return this.#policy;
			this.#policy = undefined;
			if (size > mostBytes) throw new Error("it is larger than 1 MB.");
			this.#policy = policyIn(this.#parse(readFileSync(this.#file, "utf8")));
			this.#stamp = stamp;
			return this.#policy;
		} catch (error) {
			throw new Error(`The policy in ${this.#file} cannot be used, so nothing is allowed: ${(error as Error).message}`, { cause: error });
		}
	}
}
