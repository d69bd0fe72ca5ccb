// Gets the files of what is to be installed. No code of a package runs for that: no install scripts, no git hooks, no filters of its own.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { readRegular, sha256Of } from "../../system/regular-file.ts";
import { readArchive } from "./archive.ts";
import { InstallError, mostBytes, readFolder } from "./content.ts";
import { fetchGit } from "./git.ts";
import { runProgram } from "./program.ts";
import type { Fetched, FetchOptions, Wanted } from "./source.ts";

/** @throws InstallError; the signal's reason. */
export async function fetchPackage(wanted: Wanted, options: FetchOptions): Promise<Fetched> {
	if (wanted.kind === "folder") return { files: readFolder(wanted.folder), source: wanted };
	if (wanted.kind === "archive") return fetchArchive(wanted.file, options);
	await mkdir(options.folder, { recursive: true, mode: 0o700 });
	try {
		return wanted.kind === "npm" ? await fetchNpm(wanted.spec, options) : await fetchGit(wanted, options);
	} finally {
		await rm(options.folder, { recursive: true, force: true });
	}
}

async function fetchArchive(file: string, { signal }: FetchOptions): Promise<Fetched> {
	const files = await readArchive(file, file, signal);
	const read = readRegular(file, mostBytes * 2);
	if (read === "too long") throw new InstallError(`${file} is too large for an extension.`);
	return { files, source: { kind: "archive", file, sha256: sha256Of(read.bytes) } };
}

/** Somebody waits: by itself it pauses for minutes before it tries again. */
const npmSettings = { npm_config_ignore_scripts: "true", npm_config_update_notifier: "false", npm_config_fetch_retry_mintimeout: "500", npm_config_fetch_retry_maxtimeout: "2000" };

/** The `npm` program gets it: it knows the person's registry, proxy and credentials, and compares the archive with the hash the registry has of it. */
async function fetchNpm(spec: string, { folder, environment, signal }: FetchOptions): Promise<Fetched> {
	// npm looks upwards for a package and settings that belong to it: it ends here.
	await writeFile(join(folder, "package.json"), "{}\n");
	const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder, "--", spec];
	const { exitCode, output, errors } = await runProgram("npm", args, { cwd: folder, env: { ...environment, ...npmSettings }, signal });
	if (exitCode !== 0) throw new InstallError(`npm could not get '${spec}': ${npmError(errors, output)}`);
	const { filename, integrity } = packed(output, spec);
	const file = join(folder, basename(filename));
	const hash = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
	if (hash !== integrity) throw new InstallError(`The archive that npm got for '${spec}' is not the one it tells of (${integrity}), so it is not installed.`);
	return { files: await readArchive(file, `The package ${spec}`, signal), source: { kind: "npm", spec, integrity } };
}

/** @throws InstallError */
function packed(output: string, spec: string): { readonly filename: string; readonly integrity: string } {
	try {
		const parsed: unknown = JSON.parse(output);
		// A list for one package; an object by name in newer ones.
		const [first] = Object.values(parsed as Record<string, { filename?: unknown; integrity?: unknown }>);
		if (typeof first?.filename === "string" && typeof first.integrity === "string") return { filename: first.filename, integrity: first.integrity };
	} catch {
		// Said below.
	}
	throw new InstallError(`npm got '${spec}', and said nothing that is understood about it: ${output.slice(0, 200)}`);
}

/** With --json npm writes what went wrong to both, in its own words. */
function npmError(errors: string, output: string): string {
	try {
		const { error } = JSON.parse(output) as { readonly error?: { readonly summary?: string } };
		if (error?.summary) return error.summary.trim();
	} catch {
		// It ended before it wrote that.
	}
	const lines = errors.split("\n").map((line) => line.replace(/^npm (?:error|ERR!) ?/, "").trim()).filter((line) => line !== "" && !/complete log|^code /i.test(line));
	return lines.slice(0, 4).join(" ") || "it did not say why.";
}
