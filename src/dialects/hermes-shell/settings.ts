// `hooks:` in config.yaml. Where Hermes Agent warns and leaves a hook out, so that a guard is silently not there, this is a mistake that stops the start; what is
// only out of range is put right, with a warning.
import { ConfigError, type ConfigMistake } from "../../config/read.ts";
import { didYouMean } from "../../system/nearest.ts";
import { targetsIn } from "../hermes-outbound/settings.ts";
import type { OutboundTarget } from "../hermes-outbound/target.ts";
import { type HookSettings, type Notes, readEntry } from "./entry.ts";
import { eventOf, knownNames, notCarried } from "./events.ts";
import type { ShellHook } from "./hook.ts";

/** A configuration as it was read. */
export interface ReadSettings {
	readonly value: unknown;
	/** Line and column of what a path leads to, from 1; of what comes nearest where it leads nowhere. */
	readonly placeOf: (path: readonly string[]) => { readonly line: number; readonly column: number };
}

export interface ShellHooks {
	readonly hooks: readonly ShellHook[];
	/** The receivers of `hooks.outbound`. */
	readonly outbound: readonly OutboundTarget[];
	/** A sentence each, with file, line and column. */
	readonly warnings: readonly string[];
}

/** @throws ConfigError with a line for each mistake: file, line, column, what is wrong, what to do. */
export function readShellHooks(read: ReadSettings, settings: HookSettings): ShellHooks {
	const { mistakes, ...found } = shellHooksIn(read, settings);
	if (mistakes.length > 0) throw new ConfigError(mistakes.map((mistake) => inFile(settings.file, mistake)).join("\n"));
	return found;
}

/** The same with its mistakes as data; `hooks` are those without one. A project has no receivers: what happens in a conversation is told to whom the user says. */
export function shellHooksIn({ value, placeOf }: ReadSettings, settings: HookSettings): ShellHooks & { readonly mistakes: readonly ConfigMistake[] } {
	const hooks: ShellHook[] = [];
	const warnings: string[] = [];
	const mistakes: ConfigMistake[] = [];
	const notes: Notes = {
		mistake: (path, message) => void mistakes.push({ ...placeOf(path), message: sentence(message) }),
		warning: (path, message) => void warnings.push(inFile(settings.file, { ...placeOf(path), message: sentence(message) })),
	};
	let number = 0;
	for (const { event, index, entry } of entriesIn(value, notes)) {
		const path = ["hooks", event, String(index)];
		const hook = readEntry(entry, { written: event, number: ++number, path, place: placeOf(path), settings, notes });
		if (hook === undefined) continue;
		const twin = hooks.find((other) => other.event === hook.event && other.command === hook.command && other.matcher === hook.matcher);
		if (hooks.some(({ id }) => id === hook.id)) notes.mistake([...path, "name"], `there are two hooks of the name '${hook.id.slice(hook.id.indexOf("/") + 1)}': give one of them another`);
		else if (twin === undefined) hooks.push(hook);
		else notes.warning(path, `this hook is there already, in line ${twin.line}; it runs once, as it is set there`);
	}
	const receivers = outboundIn(value);
	if (settings.trust === "project" && receivers !== undefined && receivers !== null) notes.warning(["hooks", "outbound"], "'hooks.outbound' counts in the user's own config.yaml alone; it was left out");
	const outbound = settings.trust === "project" ? [] : targetsIn(receivers, { ...settings, placeOf, warn: notes.warning });
	return { hooks, outbound, warnings, mistakes };
}

const inFile = (file: string, { line, column, message }: ConfigMistake) => `${file}:${line}:${column}: ${message}`;
// Behind lines that can be copied a full stop would be copied along.
const sentence = (message: string) => (/[.?]$|\n/.test(message) ? message : `${message}.`);
const shape = "write it as\n  hooks:\n    pre_tool_call:\n      - matcher: terminal\n        command: ~/.hookline/agent-hooks/check.sh";

function outboundIn(value: unknown): unknown {
	const { hooks } = (typeof value === "object" && value !== null ? value : {}) as { readonly hooks?: { readonly outbound?: unknown } };
	return hooks?.outbound;
}

function* entriesIn(value: unknown, { mistake, warning }: Notes): Generator<{ readonly event: string; readonly index: number; readonly entry: unknown }> {
	const { hooks } = (typeof value === "object" && value !== null ? value : {}) as { readonly hooks?: unknown };
	if (hooks === undefined || hooks === null) return;
	if (typeof hooks !== "object" || Array.isArray(hooks)) {
		mistake(["hooks"], `'hooks' must be a map from events to lists of hooks, and is ${Array.isArray(hooks) ? "a list" : `'${String(hooks)}'`}: ${shape}`);
		return;
	}
	for (const [event, entries] of Object.entries(hooks)) {
		const path = ["hooks", event];
		if (event === "outbound") continue;
		if (event === "output_spill") {
			warning(path, `'hooks.${event}' is a setting of Hermes Agent that Hookline does not have; it was left out`);
		} else if (Object.hasOwn(notCarried, event)) {
			warning(path, `'${event}' is an event of Hermes Agent that Hookline does not have; its hooks were left out`);
		} else if (eventOf(event) === undefined) {
			mistake(path, `there is no event '${event}'.${didYouMean(event, knownNames) || " 'hookline hooks events' lists them, docs/shell-hooks.md has the names of Hermes Agent for them"}`);
		} else if (Array.isArray(entries)) {
			// An entry of which nothing is written, as a whole event of which nothing is, sets nothing.
			for (const [index, entry] of (entries as readonly unknown[]).entries()) if (entry !== null) yield { event, index, entry };
		} else if (entries !== null) {
			mistake(path, `'hooks.${event}' must be a list of hooks, even for one: put '- ' before its first line`);
		}
	}
}
