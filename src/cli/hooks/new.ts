// `hookline hooks new`: a shell hook that works, with the types of what it reads and a test, ready to be changed.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { hasTool, knownNames } from "../../dialects/hermes-shell/events.ts";
import { ensureHome, homeOf } from "../../system/home.ts";
import { didYouMean } from "../../system/nearest.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note, print } from "../output.ts";
import { sampleOf } from "./new/payload.ts";
import { type Language, languages, templateFor } from "./new/scripts.ts";

export interface NewOptions {
	readonly lang: string;
	readonly name?: string;
}

export function create(written: string, { lang, name = written.replaceAll(/[^A-Za-z0-9]+/g, "-") }: NewOptions): number {
	const sample = sampleOf(written);
	if (sample === undefined) throw new UsageError(`There is no event '${written}'.${didYouMean(written, knownNames)} 'hookline hooks events' lists them all.`);
	if (!isLanguage(lang)) throw new UsageError(`There is no language '${lang}'.${didYouMean(lang, languages)} They are ${languages.join(", ")}.`);
	if (!/^[A-Za-z][\w-]{0,63}$/.test(name)) throw new UsageError(`--name must be 1 to 64 letters, digits, '-' or '_', a letter first, not '${name}'.`);
	const home = homeOf(process.env);
	const folder = join(home.path, "hooks", name);
	if (statSync(folder, { throwIfNoEntry: false })) throw new CommandError(`${folder} is there already, and is left as it is. Give the new hook another name with --name.`);
	ensureHome(home);
	const { files, test } = templateFor(lang, name, sample);
	try {
		mkdirSync(join(home.path, "hooks"), { recursive: true, mode: 0o700 });
		// Without `recursive` it fails where somebody made it in the meantime.
		mkdirSync(folder, { mode: 0o700 });
		for (const file of files) writeFileSync(join(folder, file.name), file.text, { mode: file.executable ? 0o700 : 0o600, flag: "wx" });
	} catch (error) {
		throw new CommandError(`${folder} cannot be written: ${error instanceof Error ? error.message : String(error)}. Make its folder writable, or give another --name.`);
	}
	note(`Written, with a test ('${test}' in that folder):`);
	for (const file of files) note(`    ${join(folder, file.name)}`);
	note(`Everything in ${folder} belongs to the hook. Change it as you like, then put this into ${home.config}; you will be asked once whether it may run:`);
	print(configLines(written, commandFor(lang, join(folder, files[0]!.name)), hasTool(sample.event)));
	return exitCodes.fine;
}

/** A script is started by its first line; TypeScript by the Node that Hookline itself runs in, which can. */
function commandFor(lang: Language, file: string): string {
	if (lang === "ts") return [process.execPath, file].map(word).join(" ");
	const home = `${process.env["HOME"] || homedir()}/`;
	return file.startsWith(home) && word(file) === file ? `~/${file.slice(home.length)}` : word(file);
}

const word = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function configLines(written: string, command: string, tool: boolean): string {
	return ["hooks:", `  ${written}:`, `    - command: ${JSON.stringify(command)}`, ...(tool ? [`      matcher: "terminal"`] : []), "      timeout: 10"].join("\n");
}

function isLanguage(lang: string): lang is Language {
	return (languages as readonly string[]).includes(lang);
}
