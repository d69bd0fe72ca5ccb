// `hookline config set` and `unset`.
import { findSetting, type SettingSchema } from "../../config/key.ts";
import { readConfigFile } from "../../config/read.ts";
import { changeConfig } from "../../config/write.ts";
import { ensureHome, homeOf } from "../../system/home.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note } from "../output.ts";

export async function set(key: string, text: string): Promise<number> {
	const setting = findSetting(key);
	if ("mistake" in setting) throw new UsageError(setting.mistake);
	const value = await valueOf(key, text, setting.schema);
	const home = homeOf(process.env);
	ensureHome(home);
	const wrote = await writing(home.config, [{ path: setting.path, value }]);
	note(wrote ? `${home.config}: ${key} is now ${JSON.stringify(value)}.` : `${home.config} says so already.`);
	return exitCodes.fine;
}

export async function unset(key: string): Promise<number> {
	const { config: file } = homeOf(process.env);
	const setting = findSetting(key);
	const { value } = await readConfigFile(file);
	// What is no setting may stand in the file by mistake, and then this is how it gets out of it.
	const path = [key.split("."), ...("mistake" in setting ? [] : [setting.path])].find((candidate) => isIn(value, candidate));
	if (path === undefined) {
		if ("mistake" in setting) throw new UsageError(setting.mistake);
		note(`'${key}' is not set in ${file}.`);
		return exitCodes.fine;
	}
	await writing(file, [{ path, value: undefined }]);
	note(`${file}: ${key} is no longer set.`);
	return exitCodes.fine;
}

/** @throws CommandError instead of the file system's own error. */
export async function writing(file: string, changes: Parameters<typeof changeConfig>[1]): Promise<boolean> {
	try {
		return await changeConfig(file, changes);
	} catch (error) {
		if (error instanceof Error && "code" in error && "syscall" in error) throw new CommandError(`${file} cannot be written (${error.message}). Make it and its folder writable.`);
		throw error;
	}
}

/** Whether it fits is for the schema to say; this only finds out what was meant by the characters. */
async function valueOf(key: string, text: string, { type }: SettingSchema): Promise<unknown> {
	if (type === "string") return text;
	if (type === "integer" || type === "number") return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
	if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
	const { parse } = await import("yaml");
	try {
		return parse(text, { maxAliasCount: 0 });
	} catch (error) {
		throw new UsageError(`The value for '${key}' is not YAML: ${error instanceof Error ? error.message.split("\n", 1)[0] : String(error)}`);
	}
}

function isIn(value: unknown, path: readonly string[]): boolean {
	let at = value;
	for (const part of path) {
		if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return false;
		at = (at as Record<string, unknown>)[part];
	}
	return true;
}
