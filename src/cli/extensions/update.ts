// `hookline extensions update`: the newest version from where each came; what changes is shown, permissions first.
import { join } from "node:path";
import type { Examined } from "../../extensions/examine.ts";
import { InstallError, installedContent } from "../../extensions/install/content.ts";
import { acceptInPlace, editedCandidate, fetchCandidate, type InstallPlace, putInPlace } from "../../extensions/install/install.ts";
import { wantedAgain } from "../../extensions/install/source.ts";
import type { Locked } from "../../extensions/lock.ts";
import { listOf, setOf } from "../../extensions/permissions.ts";
import { ManifestError } from "../../extensions/manifest/read.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note, warn } from "../output.ts";
import { askToUpdate, grantBy, type GrantOptions } from "./grant.ts";
import { stoppable } from "./install.ts";
import { known, type Known, named, refuseBroken } from "./known.ts";

export interface UpdateOptions extends GrantOptions {
	readonly accept?: boolean;
}

interface Installed extends Examined {
	readonly locked: Locked;
}

/** @returns 1 when one of them is not as it should be in the end. */
export async function update(name: string | undefined, { accept, ...options }: UpdateOptions): Promise<number> {
	grantBy(options);
	const all = await known();
	refuseBroken(all);
	const isInstalled = (one: Examined): one is Installed => one.locked !== undefined;
	const chosen = name === undefined ? all.extensions : [named(name, all)];
	const installed = chosen.filter(isInstalled);
	if (accept && name === undefined) throw new UsageError("--accept is for one extension: name it.");
	if (name !== undefined && installed.length === 0) throw new CommandError(`'${name}' is your own and was not installed from anywhere, so there is nothing to update it from.`);
	if (installed.length === 0) note("Nothing is installed that could be updated.");
	return stoppable(async (signal) => {
		const place = { home: all.home, environment: process.env, signal };
		let code: number = exitCodes.fine;
		for (const one of installed) {
			try {
				if (!(await (accept ? acceptOne(one, all, options, place) : updateOne(one, all, options, place)))) code = exitCodes.problems;
			} catch (error) {
				// One whose registry does not answer keeps no other from being updated.
				if (!(error instanceof InstallError || error instanceof ManifestError) || name !== undefined) throw error;
				warn(`${one.name}: ${error.message}`);
				code = exitCodes.problems;
			}
		}
		return code;
	});
}

async function updateOne({ name, locked, manifest }: Installed, { extensions }: Known, options: GrantOptions, place: InstallPlace): Promise<boolean> {
	if (locked.source.kind === "link") return updateLink(name, locked, { extensions }, options, place);
	const candidate = await fetchCandidate(wantedAgain(locked.source), place, extensions);
	if (candidate.manifest.name !== name) throw new InstallError(`What was '${name}' calls itself '${candidate.manifest.name}' now, so it is not updated. Remove '${name}' and install the other.`);
	const now = installedContent(join(place.home.extensions, name));
	const isSound = "hash" in now && now.hash === locked.content;
	if (isSound && candidate.content.hash === locked.content) {
		note(`${name} ${locked.version} is the newest.`);
		return true;
	}
	// What was refused before is not asked again; a manifest that was edited says nothing about that.
	const asked = setOf([...listOf(locked.granted), ...(isSound && manifest !== undefined ? listOf(manifest.permissions) : [])]);
	const there = { ...locked, ...("hash" in now && { files: now.files }) };
	const granted = await askToUpdate(candidate, there, asked, options, place.signal);
	if (granted === undefined) {
		note(`${name} ${locked.version} stays as it is.`);
		return false;
	}
	await putInPlace(candidate, granted, locked, place);
	note(`${name} ${candidate.manifest.version} is installed, and is loaded from the next start on.`);
	return true;
}

/** There is nothing to fetch; it may ask for more by now. */
async function updateLink(name: string, locked: Locked, { extensions }: Pick<Known, "extensions">, options: GrantOptions, place: InstallPlace): Promise<boolean> {
	const candidate = { ...(await fetchCandidate(wantedAgain(locked.source), place, extensions)), source: locked.source };
	if (candidate.manifest.name !== name) throw new InstallError(`${name}: the folder it is linked to calls itself '${candidate.manifest.name}' now. Remove '${name}' and install the other.`);
	const granted = await askToUpdate(candidate, locked, locked.granted, options, place.signal);
	if (granted === undefined) return false;
	await putInPlace(candidate, granted, locked, place);
	return true;
}

async function acceptOne({ name, locked }: Installed, { home, extensions }: Known, options: GrantOptions, place: InstallPlace): Promise<boolean> {
	if (locked.source.kind === "link") throw new CommandError(`'${name}' is a link: what lies there is loaded as it is, and there is nothing to accept.`);
	const candidate = await editedCandidate(home, name, locked, extensions);
	if (candidate.content.hash === locked.content) {
		note(`${name} is as it was installed.`);
		return true;
	}
	const granted = await askToUpdate(candidate, locked, locked.granted, options, place.signal);
	if (granted === undefined) {
		note(`${name} stays left out.`);
		return false;
	}
	await acceptInPlace(candidate, granted, place);
	note(`${name} is accepted as it is now, and is loaded from the next start on.`);
	return true;
}
