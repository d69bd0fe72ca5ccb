// `hookline config get`, `path` and `check`.
import { homedir } from "node:os";
import { delegateTask } from "../../agent/delegate.ts";
import { findSetting } from "../../config/key.ts";
import { readConfigFile } from "../../config/read.ts";
import { shellHooksIn } from "../../dialects/hermes-shell/settings.ts";
import { homeOf } from "../../system/home.ts";
import { builtInTools } from "../../tools/built-in.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note, print, printJson } from "../output.ts";

/** What stands in the file, not the defaults: those are in docs/configuration.md, each with its setting. */
export async function get(key: string | undefined, { json }: { readonly json?: boolean }): Promise<number> {
	const setting = key === undefined ? undefined : findSetting(key);
	if (setting && "mistake" in setting) throw new UsageError(setting.mistake);
	const { config: file } = homeOf(process.env);
	const { value: all, mistakes } = await readConfigFile(file);
	if (mistakes.length > 0) note(`hookline: ${file} has mistakes; 'hookline config check' lists them.`);
	let value = all;
	for (const part of setting?.path ?? []) value = typeof value === "object" && value !== null && Object.hasOwn(value, part) ? (value as Record<string, unknown>)[part] : undefined;
	if (value === undefined) throw new CommandError(`'${key}' is not set in ${file}.${setting?.schema.description === undefined ? "" : ` ${setting.schema.description}`}`);
	if (json) printJson(value);
	else if (typeof value === "object" && value !== null) {
		if (Object.keys(value).length === 0) note(`Nothing is set${setting ? ` below '${key}'` : ""} in ${file}.`);
		else print((await import("yaml")).stringify(value, { lineWidth: 0 }));
	} else print(String(value));
	return exitCodes.fine;
}

export function path(): number {
	print(homeOf(process.env).config);
	return exitCodes.fine;
}

/** @returns 1 when there are mistakes; they are the answer, so they go to stdout. */
export async function check({ json }: { readonly json?: boolean }): Promise<number> {
	const { config: file } = homeOf(process.env);
	const { text, ...read } = await readConfigFile(file);
	const hooks = read.mistakes.length > 0 ? { mistakes: [], warnings: [] } : shellHooksIn(read, { file, userHome: process.env["HOME"] || homedir(), toolNames: [...builtInTools(), delegateTask].map(({ name }) => name) });
	const mistakes = [...read.mistakes, ...hooks.mistakes];
	for (const warning of hooks.warnings) note(warning);
	if (json) printJson({ file, exists: text !== undefined, mistakes });
	else if (mistakes.length > 0) for (const { line, column, message } of mistakes) print(`${file}:${line}:${column}: ${message}`);
	else print(text === undefined ? `There is no ${file}, so every setting has its default.` : `${file} has no mistakes.`);
	return mistakes.length > 0 ? exitCodes.problems : exitCodes.fine;
}
