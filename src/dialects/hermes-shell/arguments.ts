// Names of tools are the same in Hermes Agent and here; some of their arguments are called otherwise there. A script reads and answers either.
import type { JsonObject } from "../../events/payloads/facts.ts";

/** Theirs to ours, by tool. */
const theirNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	terminal: { workdir: "cwd", timeout: "timeout_s" },
	patch: { old_string: "old", new_string: "new", replace_all: "all" },
	search_files: { target: "mode", file_glob: "glob" },
	web_extract: { urls: "url" },
};

/** The arguments of a call as a script is shown them: ours, and theirs where they are called otherwise. */
export function shownArguments(toolName: string, args: JsonObject): JsonObject {
	const shown: Record<string, unknown> = { ...args };
	for (const [theirs, ours] of Object.entries(theirNames[toolName] ?? {})) {
		if (Object.hasOwn(args, ours) && !Object.hasOwn(args, theirs)) shown[theirs] = theirs === "urls" ? [args[ours]] : args[ours];
	}
	return shown;
}

/**
 * The arguments after a script's answer, which is laid over those it was shown; undefined when nothing changes. What it gives back as it was shown changes
 * nothing, so a script may change `old_string` and leave `old` as it stands.
 */
export function changedArguments(toolName: string, args: JsonObject, answer: JsonObject): JsonObject | undefined {
	const shown = shownArguments(toolName, args);
	const theirs = theirNames[toolName] ?? {};
	const changed = Object.entries(answer).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(shown[name]));
	if (changed.length === 0) return undefined;
	const result: Record<string, unknown> = { ...args };
	// Ours last: where both were changed, the name the tool itself has is meant.
	for (const [name, value] of changed) if (Object.hasOwn(theirs, name)) result[theirs[name]!] = name === "urls" && Array.isArray(value) && value.length === 1 ? value[0] : value;
	for (const [name, value] of changed) if (!Object.hasOwn(theirs, name)) result[name] = value;
	return result;
}

/** The arguments after an answer that takes the place of all of them, so that one it leaves out is gone. Either name of an argument will do; undefined when nothing changes. */
export function replacedArguments(toolName: string, args: JsonObject, value: JsonObject): JsonObject | undefined {
	const isKept = (name: string) => Object.keys(shownArguments(toolName, { [name]: args[name] })).some((shown) => Object.hasOwn(value, shown));
	const kept = Object.fromEntries(Object.entries(args).filter(([name]) => isKept(name)));
	const changed = changedArguments(toolName, kept, value);
	return changed ?? (Object.keys(kept).length === Object.keys(args).length ? undefined : kept);
}
