// `hookline extensions list`: what lies there, without running any of it.
import { sourceInWords } from "../../extensions/install/source.ts";
import type { Examined } from "../../extensions/examine.ts";
import { exitCodes } from "../exit.ts";
import { printJson, printTable, warn } from "../output.ts";
import { bundledBeside, known, stateOf } from "./known.ts";

export async function list({ json }: { readonly json?: boolean }): Promise<number> {
	const all = await known();
	const { extensions, strays, problem, home, config } = all;
	const bundled = bundledBeside(all).map((name) => ({ name, state: config.extensions?.[name]?.enabled === true ? "enabled" : "disabled", source: "bundled" }));
	const sorted = extensions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
	if (json) printJson([...sorted.map(rowOf), ...bundled]);
	else {
		const rows = sorted.map((one) => [one.name, one.manifest?.version ?? one.locked?.version ?? "-", stateOf(one), fromOf(one), one.problems[0] ?? one.manifest?.description ?? ""]);
		printTable(["NAME", "VERSION", "STATE", "FROM", "ABOUT"], [...rows, ...bundled.map(({ name, state }) => [name, "-", state, "Hookline", ""])], `There are no extensions in ${home.extensions}. 'hookline extensions install' brings one, 'hookline extensions new' writes one.`);
	}
	for (const { file, message } of strays) warn(`${file}: ${message}`);
	if (problem !== undefined) warn(problem);
	return exitCodes.fine;
}

/** The user's own, or where it was installed from. */
export const fromOf = ({ locked }: Examined): string => (locked === undefined ? "yours" : sourceInWords(locked.source));

export function rowOf(one: Examined): object {
	const { name, file, language, manifest, locked, needs, problems, notes, granted } = one;
	return { name, version: manifest?.version ?? locked?.version, description: manifest?.description, state: stateOf(one), file, language, source: locked?.source ?? "yours", installedAt: locked?.at, content: locked?.content, needs, granted, problems, notes };
}
