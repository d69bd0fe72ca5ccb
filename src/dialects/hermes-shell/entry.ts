// One entry of `hooks:`.
import type { Source } from "../../events/registration.ts";
import type { SandboxMode } from "../../hosts/shell/job.ts";
import { didYouMean } from "../../system/nearest.ts";
import { shellExtensionOf } from "./definitions.ts";
import { decides, eventOf, hasTool, isHermesName } from "./events.ts";
import type { ShellHook } from "./hook.ts";
import { matchesNothing, readMatcher } from "./matcher.ts";
import { shellWords, splitCommand } from "./words.ts";

export interface HookSettings {
	/** Absolute. */
	readonly file: string;
	/** What `~` at the beginning of a command is. */
	readonly userHome: string;
	/** The tools there are before any MCP server has started. */
	readonly toolNames: readonly string[];
	/** `user` when left out. Hooks of a project run in the sandbox unless they say otherwise. */
	readonly trust?: Source["trust"];
}

/** Where what is wrong goes, with or without its full stop. */
export interface Notes {
	readonly mistake: (path: readonly string[], message: string) => void;
	readonly warning: (path: readonly string[], message: string) => void;
}

interface Place {
	/** An event there is. */
	readonly written: string;
	/** From 1, in the order of the file. */
	readonly number: number;
	readonly path: readonly string[];
	readonly place: { readonly line: number; readonly column: number };
	readonly settings: HookSettings;
	readonly notes: Notes;
}

const keys = ["name", "matcher", "command", "timeout", "fail_closed", "failClosed", "env", "priority", "async", "sandbox", "mode"] as const;
type Key = (typeof keys)[number];

const usualTimeoutS = 60;
const longestTimeoutS = 300;

/** The hook, or undefined when something in it is wrong, which `notes` then has. */
export function readEntry(given: unknown, at: Place): ShellHook | undefined {
	const { written, path, place, settings, notes } = at;
	if (typeof given !== "object" || given === null || Array.isArray(given)) {
		notes.mistake(path, `a hook of ${written} must be a map with a 'command', and is ${Array.isArray(given) ? "a list" : `'${String(given)}'`}`);
		return undefined;
	}
	const entry = new Entry(given as Readonly<Record<string, unknown>>, at);
	const event = eventOf(written)!;
	const command = entry.text("command");
	const words = command === undefined ? undefined : entry.words(command);
	const matcher = entry.matcher(event);
	const failClosed = entry.closed(event);
	const { trust = "user" } = settings;
	const asynchronous = entry.truth("async") ?? false;
	if (asynchronous && decides(event)) entry.mistake("async", `is for events that have happened: ${written} waits for an answer, and this one would count for nothing`);
	const hook = {
		id: `${shellExtensionOf(trust)}/${entry.name() ?? at.number}`,
		written,
		event,
		timeoutMs: entry.timeout() * 1000,
		failClosed,
		env: entry.env(),
		async: asynchronous,
		sandbox: entry.oneOf<SandboxMode>("sandbox", ["off", "auto", "required"]) ?? (trust === "project" ? "auto" : "off"),
		mode: entry.mode(),
		trust,
		file: settings.file,
		line: place.line,
		column: place.column,
		...(matcher !== undefined && { matcher }),
		...entry.priority(),
	} satisfies Omit<ShellHook, "command" | "words">;
	entry.unknownKeys();
	return command === undefined || words === undefined || entry.isWrong ? undefined : { ...hook, command: command.trim(), words };
}

class Entry {
	readonly #given: Readonly<Record<string, unknown>>;
	readonly #at: Place;
	isWrong = false;

	constructor(given: Readonly<Record<string, unknown>>, at: Place) {
		this.#given = given;
		this.#at = at;
	}

	mistake(key: string, message: string): undefined {
		this.isWrong = true;
		this.#at.notes.mistake([...this.#at.path, key], `'${key}' of this hook of ${this.#at.written} ${message}`);
	}

	text(key: "command"): string | undefined {
		const value = this.#value(key);
		if (typeof value === "string" && value.trim() !== "") return value;
		this.mistake(key, value === undefined ? "is missing: it names the program to run" : "must be a text that is not empty: it names the program to run");
		return undefined;
	}

	words(command: string): ShellHook["words"] | undefined {
		const split = splitCommand(command, this.#at.settings.userHome);
		if ("mistake" in split) return this.mistake("command", `${split.mistake}: ${JSON.stringify(command)}`);
		const foreign = shellWords(split.words);
		if (foreign.length > 0) this.#warn("command", `has ${foreign.map((word) => `'${word}'`).join(" and ")}, which the program gets as it stands: no shell reads a command. For one that does, write sh -c '…'`);
		return split.words;
	}

	matcher(event: ShellHook["event"]): string | undefined {
		const value = this.#value("matcher");
		if (value === undefined) return undefined;
		if (typeof value !== "string") return this.mistake("matcher", "must be a text: a regular expression for the whole name of a tool");
		const text = value.trim();
		if (text === "") return undefined;
		if (!hasTool(event)) {
			this.#warn("matcher", `was left out: ${this.#at.written} is not about one tool, so the hook runs each time`);
			return undefined;
		}
		const read = readMatcher(text);
		if ("mistake" in read) return this.mistake("matcher", `${read.mistake}: ${JSON.stringify(text)}`);
		const nothing = matchesNothing(text, read.tool, this.#at.settings.toolNames);
		if (nothing?.near) return this.mistake("matcher", `${nothing.message}: ${JSON.stringify(text)}`);
		if (nothing !== undefined) this.#warn("matcher", `${nothing.message}, so the hook never runs: ${JSON.stringify(text)}`);
		return text;
	}

	/** As in Hermes: what is no number of seconds is the usual one, what is too long is cut. */
	timeout(): number {
		const value = this.#value("timeout");
		if (value === undefined) return usualTimeoutS;
		const seconds = typeof value === "boolean" ? Number.NaN : typeof value === "string" ? (/^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : Number.NaN) : typeof value === "number" ? Math.trunc(value) : Number.NaN;
		if (!(seconds >= 1)) this.#warn("timeout", `must be a whole number of seconds from 1 on, and is ${JSON.stringify(value)}; it is ${usualTimeoutS} s now`);
		else if (seconds > longestTimeoutS) this.#warn("timeout", `is ${seconds} s, and at most ${longestTimeoutS} s are waited; it is ${longestTimeoutS} s now`);
		return seconds >= 1 ? Math.min(seconds, longestTimeoutS) : usualTimeoutS;
	}

	closed(event: ShellHook["event"]): boolean {
		const [ours, theirs] = [this.truth("fail_closed"), this.truth("failClosed")];
		const closed = ours ?? theirs ?? false;
		const faithful = this.#value("mode") === "faithful" && this.#at.written !== "pre_tool_call";
		if (!closed || (decides(event) && !faithful)) return closed;
		if (decides(event)) {
			this.#warn("fail_closed", "has no effect with mode: faithful, since Hermes Agent closes hooks of pre_tool_call alone");
			return false;
		}
		this.#warn("fail_closed", `has no effect: nobody waits for a hook of ${this.#at.written}, so there is nothing it could hold back`);
		return false;
	}

	/** The words of YAML 1.1 as well: Hermes reads `fail_closed: yes` as true, and a guard must not be open here for that. */
	truth(key: "fail_closed" | "failClosed" | "async"): boolean | undefined {
		const value = this.#value(key);
		if (value === undefined || typeof value === "boolean") return value;
		const word = typeof value === "string" ? value.toLowerCase() : "";
		if (["yes", "on", "true"].includes(word)) return true;
		if (["no", "off", "false"].includes(word)) return false;
		return this.mistake(key, `must be true or false, and is ${JSON.stringify(value)}`);
	}

	env(): readonly string[] {
		const value = this.#value("env");
		if (value === undefined) return [];
		const isName = (name: unknown): name is string => typeof name === "string" && /^[A-Za-z_]\w*$/.test(name);
		if (Array.isArray(value) && value.every(isName)) return value;
		this.mistake("env", "must be a list of names of environment variables that the hook gets, such as [GITHUB_TOKEN]; values do not stand in this file");
		return [];
	}

	priority(): { readonly priority?: number } {
		const value = this.#value("priority");
		if (value === undefined) return {};
		if (typeof value === "number" && Number.isFinite(value)) return { priority: value };
		this.mistake("priority", `must be a number (lower runs earlier, 100 when not given), and is ${JSON.stringify(value)}`);
		return {};
	}

	name(): string | undefined {
		const value = this.#value("name");
		if (value === undefined) return undefined;
		// A number alone is what hooks without a name are called.
		if (typeof value === "string" && /^(?!\d+$)[\w.-]{1,64}$/.test(value)) return value;
		return this.mistake("name", "must be 1 to 64 letters, digits, '.', '_' or '-', and not a number alone");
	}

	mode(): ShellHook["mode"] {
		const mode = this.oneOf<ShellHook["mode"]>("mode", ["strict", "faithful"]) ?? "strict";
		if (mode === "faithful" && !isHermesName(this.#at.written)) this.mistake("mode", `faithful is what Hermes Agent does, and it has no event ${this.#at.written}`);
		return mode;
	}

	oneOf<Word extends string>(key: Key, words: readonly Word[]): Word | undefined {
		const value = this.#value(key);
		if (value === undefined) return undefined;
		const found = words.find((word) => word === value);
		return found ?? this.mistake(key, `must be ${words.join(", ")}, and is ${JSON.stringify(value)}`);
	}

	/** Hermes passes over keys it does not know. One that is nearly a key of ours is a guard that is not as it was meant. */
	unknownKeys(): void {
		for (const key of Object.keys(this.#given)) {
			if ((keys as readonly string[]).includes(key)) continue;
			const guess = didYouMean(key, keys);
			if (guess !== "") this.mistake(key, `is unknown.${guess}`);
			else this.#warn(key, `is unknown and was left out (known: ${keys.filter((known) => known !== "failClosed").join(", ")})`);
		}
	}

	/** Null stands for what is not written. */
	#value(key: Key): unknown {
		return Object.hasOwn(this.#given, key) ? (this.#given[key] ?? undefined) : undefined;
	}

	#warn(key: string, message: string): void {
		this.#at.notes.warning([...this.#at.path, key], `'${key}' of this hook of ${this.#at.written} ${message}`);
	}
}
