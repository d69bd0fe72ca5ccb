// The extensions in Python of a folder: packages, so folders with an `__init__.py`. One with an index file of ours beside it is not one of them.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

export interface ExtensionPackage {
	readonly name: string;
	/** Its `__init__.py`, absolute. */
	readonly file: string;
}

/** The packages of a folder, sorted by name, and those that cannot be loaded. A folder that is not there, or cannot be read, has none. */
export function findPackages(folder: string): { readonly found: readonly ExtensionPackage[]; readonly problems: readonly (ExtensionPackage & { readonly message: string })[] } {
	const all = namesIn(folder)
		.filter((name) => isPackage(join(folder, name)))
		.map((name) => ({ name, file: join(folder, name, "__init__.py") }));
	const isValid = ({ name }: ExtensionPackage) => /^[\w.-]{1,64}$/.test(name);
	const message = "the name of an extension is letters, digits, '.', '_' and '-' only. Rename the folder.";
	return { found: all.filter(isValid), problems: all.filter((one) => !isValid(one)).map((one) => ({ ...one, message })) };
}

/** Whether a folder is an extension in Python. */
export function isPackage(folder: string): boolean {
	if (!existsSync(join(folder, "__init__.py"))) return false;
	return !["ts", "mts", "js", "mjs"].some((ending) => existsSync(join(folder, `index.${ending}`)));
}

function namesIn(folder: string): readonly string[] {
	// A folder that cannot be read is a problem that is told of where the other extensions in it are looked for.
	if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
	try {
		return readdirSync(folder).filter((name) => !/^[._]/.test(name) && name !== "node_modules").toSorted((a, b) => (a < b ? -1 : 1));
	} catch {
		return [];
	}
}
