// What a person means by what they want installed: an npm package, a git repository, an archive or a folder.
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { LockedSource } from "../lock.ts";
import { InstallError, type PackageFile } from "./content.ts";

export type Wanted =
	| { readonly kind: "npm"; readonly spec: string }
	| { readonly kind: "git"; readonly url: string; readonly ref?: string }
	| { readonly kind: "archive"; readonly file: string }
	| { readonly kind: "folder"; readonly folder: string };

export interface Fetched {
	readonly files: readonly PackageFile[];
	readonly source: Exclude<LockedSource, { readonly kind: "link" }>;
}

export interface FetchOptions {
	/** A folder of our own that is not there yet; it is removed in the end. */
	readonly folder: string;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly signal: AbortSignal;
}

const npmName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
/** A version, a range or a tag; nothing that npm would take for an address or a path. */
const npmRange = /^[\w.^~<>=|*+ -]{1,100}$/;
const isArchive = (text: string) => /\.(?:tgz|tar\.gz|tar)$/.test(text);

/** @throws InstallError that says what it could have been. */
export function wantedBy(text: string, cwd: string, environment: Readonly<Record<string, string | undefined>>): Wanted {
	if (text.startsWith("npm:")) return npm(text.slice("npm:".length), text);
	if (/^git\+|^git@|\.git(?:#.*)?$|^(?:ssh|git|file):\/\//.test(text)) return git(text.replace(/^git\+/, ""), cwd, environment);
	if (/^[a-z][a-z0-9+.-]*:/i.test(text)) throw new InstallError(`'${text}' is nothing that can be installed: an address must be that of a git repository (git+https://…). Download an archive first, and install the file.`);
	const path = resolve(cwd, text.replace(/^~(?=\/|$)/, environment["HOME"] || homedir()));
	const found = statSync(path, { throwIfNoEntry: false });
	if (found?.isDirectory() && (isPath(text) || !npmName.test(text))) return { kind: "folder", folder: path };
	if (found?.isFile() && isArchive(text)) return { kind: "archive", file: path };
	if (found?.isFile() && isPath(text)) throw new InstallError(`${path} is a single file. Copy it into the folder of extensions, or put it into a folder with an EXTENSION.yaml.`);
	if (isPath(text) || isArchive(text)) throw new InstallError(`There is no ${path}.`);
	return npm(text, text);
}

const isPath = (text: string) => /^(?:\.{1,2}(?:\/|$)|\/|~(?:\/|$))/.test(text);

function npm(spec: string, text: string): Wanted {
	const at = spec.indexOf("@", 1);
	const name = at < 0 ? spec : spec.slice(0, at);
	const range = at < 0 ? "latest" : spec.slice(at + 1);
	if (!npmName.test(name) || !npmRange.test(range)) throw new InstallError(`'${text}' is neither a package of npm (NAME or NAME@RANGE), nor a git repository (git+https://…), nor an archive (.tgz) or folder (./NAME).`);
	return { kind: "npm", spec: `${name}@${range}` };
}

function git(text: string, cwd: string, environment: Readonly<Record<string, string | undefined>>): Wanted {
	const hash = text.indexOf("#");
	const address = hash < 0 ? text : text.slice(0, hash);
	const ref = hash < 0 ? undefined : text.slice(hash + 1);
	if (ref !== undefined && !/^[A-Za-z0-9][\w./-]{0,200}$/.test(ref)) throw new InstallError(`'${ref}' is no branch, tag or commit.`);
	const named = { kind: "git", ...(ref !== undefined && { ref }) } as const;
	if (/^(?:https|ssh|file):\/\/[^-]/.test(address) || /^[\w.-]+@[\w.-]+:[^-:]/.test(address)) return { ...named, url: address };
	if (/^[a-z][a-z0-9+.-]*:/i.test(address)) throw new InstallError(`'${text}' is reached in a way that is not used: of git repositories those over https, ssh and file are taken.`);
	return { ...named, url: resolve(cwd, address.replace(/^~(?=\/|$)/, environment["HOME"] || homedir())) };
}

/** Where an extension came from, to be fetched again. */
export function wantedAgain(source: LockedSource): Wanted {
	switch (source.kind) {
		case "npm":
			return { kind: "npm", spec: source.spec };
		case "git":
			return { kind: "git", url: source.url, ...(source.ref !== undefined && { ref: source.ref }) };
		case "archive":
			return { kind: "archive", file: source.file };
		case "folder":
		case "link":
			return { kind: "folder", folder: source.folder };
	}
}

/** For people. */
export function sourceInWords(source: LockedSource): string {
	switch (source.kind) {
		case "npm":
			return `npm ${source.spec}`;
		case "git":
			return `git ${source.url}${source.ref === undefined ? "" : `#${source.ref}`} at ${source.commit.slice(0, 12)}`;
		case "archive":
			return `archive ${source.file}`;
		case "folder":
			return `folder ${source.folder}`;
		case "link":
			return `link to ${source.folder}`;
	}
}
