// `hookline trust`: shows what a folder would load, and lets the person decide.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { definitionOf } from "../../extensions/consent/definition.ts";
import { findProject, type Project, statusOf, trustProject } from "../../extensions/project/project.ts";
import { type Home, homeOf } from "../../system/home.ts";
import { didYouMean } from "../../system/nearest.ts";
import { visible } from "../../system/visible.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note, print, printJson, warn } from "../output.ts";
import { ask, personHere } from "./ask.ts";
import { describeProject } from "./describe.ts";

export interface TrustOptions {
	readonly show?: boolean;
	readonly hash?: string;
	readonly json?: boolean;
}

export async function trust(given: string | undefined, { show, hash, json }: TrustOptions): Promise<number> {
	if (show && hash !== undefined) throw new UsageError("--show and --hash contradict each other. Give one of them.");
	if (json && !show) throw new UsageError("--json goes with --show. 'hookline trust list --json' prints what you have decided.");
	const home = homeOf(process.env);
	const folder = existing(given);
	const project = await findProject(folder, { home, environment: process.env, warn });
	if (show) return shown(project, json === true);
	if (project === undefined) throw new CommandError(`There is nothing to trust: neither ${folder} nor a folder above it in the same repository has extensions or a config.yaml in .hookline.`);
	if (project.state === "refused") throw new CommandError(statusOf(project).message);
	if (hash !== undefined) return byHash(project, hash, home);
	if (project.state === "trusted") {
		note(`${statusOf(project).message} 'hookline trust revoke' forgets that.`);
		return exitCodes.fine;
	}
	const readLine = personHere();
	if (readLine === undefined) throw new UsageError(`There is no terminal to ask on. Look at it with 'hookline trust --show', then trust exactly that: hookline trust --hash ${project.hash}`);
	const answer = await ask(project, readLine);
	note({ trusted: `${project.folder} is trusted, as it is now.`, "not now": "Nothing was changed.", declined: `You will not be asked about this content of ${project.folder} again.` }[answer]);
	return exitCodes.fine;
}

async function byHash(project: Project, hash: string, home: Home): Promise<number> {
	if (!/^[0-9a-f]{64}$/i.test(hash)) throw new UsageError(`--hash must be a SHA-256, 64 hexadecimal digits, as 'hookline trust --show' prints it.`);
	if (hash.toLowerCase() !== project.hash) throw new CommandError(`The content of ${project.folder} has another hash (${project.hash}), so nothing was trusted. 'hookline trust --show' shows what is there now.`);
	await trustProject(project, home);
	note(`${project.folder} is trusted, as it is now.`);
	return exitCodes.fine;
}

function shown(project: Project | undefined, json: boolean): number {
	const { state, folder, message } = statusOf(project);
	if (json) {
		const { content, hooks = [], hash, config, problems, changes } = project ?? {};
		const files = content?.files.map(({ path, bytes, sha256 }) => ({ path, bytes: bytes.length, sha256 })) ?? [];
		const { hooks: _, ...settings } = config ?? {};
		const run = hooks.map((one) => ({ id: one.hook.id, ...definitionOf(one.hook), files: one.files.map(([path, { as, hashed: { sha256, bytes } }]) => ({ as, path, sha256, bytes })) }));
		printJson({ folder, state, hash, files, settings, hooks: run, changes, problems: problems ?? [] });
	} else {
		if (project !== undefined) print(describeProject(project));
		print(visible(message));
	}
	return exitCodes.fine;
}

function existing(given: string | undefined): string {
	const folder = resolve(given ?? ".");
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new CommandError(`There is no folder ${folder}.${given === undefined ? "" : didYouMean(given, ["list", "revoke"])}`);
	return folder;
}
