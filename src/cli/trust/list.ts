// `hookline trust list` and `revoke`: what was decided, and taking it back.
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { readContent } from "../../extensions/project/content.ts";
import { findProject, projectIn, revokeTrust } from "../../extensions/project/project.ts";
import { type Decided, readDecisions } from "../../extensions/project/record.ts";
import { homeOf } from "../../system/home.ts";
import { CommandError, exitCodes } from "../exit.ts";
import { note, printJson, printTable, warn, when } from "../output.ts";

export async function list({ json }: { readonly json?: boolean }): Promise<number> {
	const { decisions, problem } = readDecisions(homeOf(process.env));
	if (problem !== undefined) throw new CommandError(problem);
	const folders = await Promise.all([...decisions].map(async ([folder, decided]) => ({ folder, state: await stateNow(folder, decided), hash: decided.trusted?.hash, at: decided.trusted?.at })));
	if (json) printJson(folders);
	else {
		const rows = folders.map(({ folder, state, hash, at }) => [folder, state, at === undefined ? "-" : when(at), hash ?? "-"]);
		printTable(["FOLDER", "NOW", "TRUSTED", "SHA-256"], rows, "You have trusted no folder. 'hookline trust' shows what this one would load.");
	}
	return exitCodes.fine;
}

async function stateNow(folder: string, decided: Decided): Promise<string> {
	const content = readContent(folder);
	if (content.files.length === 0) return "gone";
	return (await projectIn(folder, content, decided, { environment: process.env })).state;
}

export async function revoke(given: string | undefined): Promise<number> {
	const home = homeOf(process.env);
	const folder = resolve(given ?? ".");
	const { decisions } = readDecisions(home);
	// The folder itself may be gone, or no longer have anything to load.
	const project = await findProject(folder, { home, environment: process.env, warn });
	const meant = [folder, realPath(folder), project?.folder].find((candidate) => candidate !== undefined && decisions.has(candidate));
	if (meant === undefined || !(await revokeTrust(meant, home))) throw new CommandError(`You have decided nothing about ${folder}. 'hookline trust list' shows the folders you did.`);
	note(`${meant} is no longer trusted, and the copy of its extensions is removed.`);
	return exitCodes.fine;
}

function realPath(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined;
	}
}
