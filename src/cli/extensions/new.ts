// `hookline extensions new`: an extension that works, with its manifest and a test, ready to be changed.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { manifestSchema } from "../../extensions/manifest/schema.ts";
import { didYouMean } from "../../system/nearest.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note, print } from "../output.ts";
import { filesOf, type Language, languages } from "./new/files.ts";

export function create(name: string, { lang }: { readonly lang: string }): number {
	if (!isLanguage(lang)) throw new UsageError(`There is no language '${lang}'.${didYouMean(lang, languages)} They are ${languages.join(", ")}.`);
	if (!new RegExp(manifestSchema.properties.name.pattern).test(name)) throw new UsageError(`An extension is called by 1 to 64 letters, digits, '.', '_' and '-', a letter or digit first, not '${name}'.`);
	const folder = resolve(name);
	if (statSync(folder, { throwIfNoEntry: false })) throw new CommandError(`${folder} is there already, and is left as it is. Give the new extension another name.`);
	const files = filesOf(name, lang);
	try {
		// Without `recursive` it fails where somebody made it in the meantime.
		mkdirSync(folder);
		for (const { path, text } of files) {
			mkdirSync(dirname(join(folder, path)), { recursive: true });
			writeFileSync(join(folder, path), text, { flag: "wx" });
		}
	} catch (error) {
		throw new CommandError(`${folder} cannot be written: ${error instanceof Error ? error.message : String(error)}. Make its folder writable, or go to another.`);
	}
	note(`Written, with a test ('npm test' in that folder):`);
	for (const { path } of files) if (!path.startsWith("node_modules/")) note(`    ${join(folder, path)}`);
	note(`Load it from where it lies with 'hookline extensions install ${folder} --link'; 'hookline extensions pack ${folder}' makes an archive of it for others.`);
	print(folder);
	return exitCodes.fine;
}

function isLanguage(lang: string): lang is Language {
	return (languages as readonly string[]).includes(lang);
}
