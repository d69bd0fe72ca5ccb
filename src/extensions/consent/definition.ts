// What an approval is bound to: the whole definition of a hook, and the hash of everything it runs.
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import { sha256Of } from "../../system/regular-file.ts";
import type { Part, Piece, Program } from "./program.ts";

/** The settings of a hook, as they are approved. */
export type Definition = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A file as it was approved. */
export interface ApprovedFile {
	readonly as: Part;
	/** Absolute, as the command names it. */
	readonly path: string;
	/** SHA-256, hexadecimal. */
	readonly sha256: string;
	/** Of what is not copied: as long as the file system says the same, its hash is the same. */
	readonly identity?: string;
}

/** In words, as lists and questions show it. */
export const settingWords: Readonly<Record<string, string>> = {
	event: "event",
	command: "command",
	matcher: "matcher",
	env: "environment names",
	timeout_ms: "time-out",
	fail_closed: "what happens when it fails",
	priority: "priority",
	async: "whether it is waited for",
	sandbox: "sandbox",
	mode: "mode",
	trust: "whose it is",
};

export function definitionOf(hook: ShellHook): Definition {
	return {
		event: hook.written,
		command: hook.command.trim(),
		...(hook.matcher !== undefined && { matcher: hook.matcher }),
		env: hook.env.toSorted(),
		timeout_ms: hook.timeoutMs,
		fail_closed: hook.failClosed,
		...(hook.priority !== undefined && { priority: hook.priority }),
		async: hook.async,
		sandbox: hook.sandbox,
		mode: hook.mode,
		trust: hook.trust,
	};
}

export const piecesOf = ({ words, beside }: Program): readonly Piece[] => [...words.filter((word) => typeof word !== "string"), ...beside];

export function filesOf(program: Program): readonly ApprovedFile[] {
	return piecesOf(program).map(({ as, path, root, hashed }) => ({ as, path, sha256: hashed.sha256, ...(root === undefined && hashed.identity !== undefined && { identity: hashed.identity }) }));
}

/** SHA-256 over a definition and what it runs, hexadecimal: equal exactly when the same would run in the same way. */
export function digestOf(definition: Definition, files: readonly ApprovedFile[]): string {
	return sha256Of(`hookline shell hook 1\n${JSON.stringify([sorted(definition), files.map(({ as, path, sha256 }) => [as, path, sha256])])}`);
}

export const sameDefinition = (a: Definition, b: Definition): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

const sorted = (definition: Definition) => Object.entries(definition).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** What is another than was approved, a sentence's part each: `the script /x.sh has changed`. */
export function filesChanged(before: readonly ApprovedFile[], now: readonly ApprovedFile[]): readonly string[] {
	const was = (file: ApprovedFile) => before.find(({ as, path }) => as === file.as && path === file.path);
	const is = (file: ApprovedFile) => now.find(({ as, path }) => as === file.as && path === file.path);
	return [
		...now.filter((file) => was(file) !== undefined && was(file)?.sha256 !== file.sha256).map((file) => `${named(file)} has changed${isSystems(file.as) ? ", as an update of the system does" : ""}`),
		...now.filter((file) => was(file) === undefined).map((file) => `${named(file)} is new`),
		...before.filter((file) => is(file) === undefined).map((file) => `${named(file)} is not used any more`),
	];
}

export function settingsChanged(before: Definition, now: Definition): readonly string[] {
	const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
	return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name])).map((name) => `${settingWords[name] ?? name} was ${shown(before[name])} and is ${shown(now[name])}`);
}

const isSystems = (as: Part) => as === "interpreter" || as === "tool";
const partWords: Readonly<Record<Part, string>> = { script: "the script", program: "the program", interpreter: "the interpreter", tool: "the program", argument: "the file", beside: "the file" };
const named = ({ as, path }: ApprovedFile) => `${partWords[as]} ${path}`;
const shown = (value: unknown) => (value === undefined ? "not set" : JSON.stringify(value));
