// `hookline extensions pack`: a folder as an archive that `install` takes.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { contentOf, readFolder } from "../../extensions/install/content.ts";
import { manifestIn } from "../../extensions/install/install.ts";
import { packed } from "../../extensions/install/pack.ts";
import { CommandError, exitCodes } from "../exit.ts";
import { note, print } from "../output.ts";

export async function pack(given: string | undefined, { out }: { readonly out?: string }): Promise<number> {
	const folder = resolve(given ?? ".");
	const files = readFolder(folder);
	// Refused here what would be refused where it is installed.
	const { name, version } = await manifestIn(files);
	const archive = join(resolve(out ?? "."), `${name}-${version}.tgz`);
	const bytes = await packed(files);
	try {
		mkdirSync(resolve(out ?? "."), { recursive: true });
		writeFileSync(archive, bytes);
	} catch (error) {
		throw new CommandError(`${archive} cannot be written: ${error instanceof Error ? error.message : String(error)}.`);
	}
	note(`${files.length} files, ${bytes.length} bytes, content SHA-256 ${contentOf(files).hash}. Install it with 'hookline extensions install ${archive}'.`);
	print(archive);
	return exitCodes.fine;
}
