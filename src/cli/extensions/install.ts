// `hookline extensions install`: fetched, shown, agreed to, put in its place. Nothing of it runs before the next start.
import { statSync } from "node:fs";
import type { Examined } from "../../extensions/examine.ts";
import { type Candidate, fetchCandidate, type InstallPlace, linkCandidate, putInPlace } from "../../extensions/install/install.ts";
import { InstallError } from "../../extensions/install/content.ts";
import { wantedBy } from "../../extensions/install/source.ts";
import { ensureHome } from "../../system/home.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note } from "../output.ts";
import { stopOnSignals } from "../signals.ts";
import { askToInstall, grantBy, type GrantOptions } from "./grant.ts";
import { known, type Known, refuseBroken } from "./known.ts";

export interface InstallOptions extends GrantOptions {
	readonly link?: boolean;
}

export async function install(source: string, { link, ...options }: InstallOptions): Promise<number> {
	grantBy(options);
	const all = await known();
	refuseBroken(all);
	const wanted = wantedBy(source, process.cwd(), process.env);
	if (link && wanted.kind !== "folder") throw new UsageError("--link is for a folder: what lies elsewhere is copied.");
	ensureHome(all.home);
	return stoppable(async (signal) => {
		const place = { home: all.home, environment: process.env, signal };
		const candidate = link && wanted.kind === "folder" ? await linkCandidate(wanted.folder, all.extensions) : await fetchCandidate(wanted, place, all.extensions);
		refuseTaken(candidate, all);
		return grantAndPut(candidate, options, place);
	});
}

/** Runs something that Ctrl-C stops. */
export async function stoppable(run: (signal: AbortSignal) => Promise<number>): Promise<number> {
	using stop = stopOnSignals();
	try {
		return await run(stop.signal);
	} catch (error) {
		if (!stop.signal.aborted) throw error;
		note("Stopped; nothing was changed.");
		return exitCodes.interrupted;
	}
}

async function grantAndPut(candidate: Candidate, options: GrantOptions, place: InstallPlace): Promise<number> {
	const { name, version, permissions } = candidate.manifest;
	const granted = await askToInstall(candidate, options, place.signal);
	if (granted === undefined) {
		note("Nothing was installed.");
		return exitCodes.problems;
	}
	await putInPlace(candidate, granted, undefined, place);
	note(`${name} ${version} is installed, and is loaded from the next start on.${granted === permissions ? "" : ` 'hookline extensions info ${name}' shows what you granted it.`}`);
	return exitCodes.fine;
}

/** @throws CommandError, InstallError */
function refuseTaken({ manifest: { name } }: Candidate, { extensions }: Known): void {
	const other: Examined | undefined = extensions.find((one) => one.name === name);
	if (other?.locked !== undefined) throw new CommandError(`'${name}' ${other.locked.version} is installed already. 'hookline extensions update ${name}' brings a newer version; remove it first to install it from somewhere else.`);
	if (other !== undefined && statSync(other.file, { throwIfNoEntry: false })) throw new InstallError(`You have an extension '${name}' of your own (${other.file}), so no other of that name is installed. Rename yours.`);
}
