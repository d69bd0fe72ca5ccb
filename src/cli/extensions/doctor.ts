// `hookline extensions doctor`: whether each could be loaded, told without running any.
import { borderOf, sandboxHere } from "../../extensions/border.ts";
import { sourceInWords } from "../../extensions/install/source.ts";
import type { Examined } from "../../extensions/examine.ts";
import { holesOf } from "../../extensions/permissions.ts";
import { didYouMean } from "../../system/nearest.ts";
import type { Check } from "../doctor/check.ts";
import { exitCodes } from "../exit.ts";
import { note, printJson, printTable } from "../output.ts";
import { bundledBeside, known } from "./known.ts";

/** @returns 1 when there is a problem. */
export async function doctor({ json }: { readonly json?: boolean }): Promise<number> {
	const all = await known();
	const { extensions, strays, problem, home, config } = all;
	const names = [...extensions.map(({ name }) => name), ...bundledBeside(all)];
	const checks: readonly Check[] = [
		...(problem === undefined ? [] : [{ name: "lock file", state: "problem", message: problem } as const]),
		...strays.map(({ name, file, message }): Check => ({ name: `extension ${name}`, state: "problem", message: `${file}: ${message}` })),
		...extensions.flatMap(checksOf),
		...(await borderChecks(extensions)),
		...Object.keys(config.extensions ?? {})
			.filter((name) => !names.includes(name))
			.map((name): Check => ({ name: `extension ${name}`, state: "warning", message: `${home.config} has settings for it, and there is none in ${home.extensions}.${didYouMean(name, names)}` })),
	];
	const count = (state: Check["state"]) => checks.filter((check) => check.state === state).length;
	if (json) printJson(checks);
	else {
		printTable(["CHECK", "STATE", "FOUND"], checks.map(({ name, state, message }) => [name, state, message]), `There are no extensions in ${home.extensions}.`);
		note(`Problems: ${count("problem")}, warnings: ${count("warning")}, ok: ${count("ok")}.`);
	}
	return count("problem") > 0 ? exitCodes.problems : exitCodes.fine;
}

/** What holds those that were installed. */
async function borderChecks(extensions: readonly Examined[]): Promise<readonly Check[]> {
	const installed = extensions.filter(({ locked, enabled, problems }) => locked !== undefined && enabled && problems.length === 0);
	if (installed.length === 0) return [];
	const sandbox = await sandboxHere(process.env);
	return [...Map.groupBy(installed, ({ language, locked }) => borderOf(language, locked!.granted, sandbox).inWords)].map(([inWords, some]): Check => {
		const { border } = borderOf(some[0]!.language, some[0]!.locked!.granted, sandbox);
		return { name: "permissions", state: border === "seat belt" ? "warning" : "ok", message: `${some.map(({ name }) => name).join(", ")}: ${inWords} ${holesOf(border).join(" ")}` };
	});
}

function checksOf({ name, enabled, problems, notes, file, manifest, locked }: Examined): readonly Check[] {
	const check = (state: Check["state"], message: string): Check => ({ name: `extension ${name}`, state, message });
	if (!enabled) return [check("ok", "Not loaded: config.yaml says enabled: false.")];
	if (problems.length > 0) return problems.map((problem) => check("problem", `Not loaded: ${problem}`));
	const what = manifest === undefined ? file : `${manifest.version}, ${file}`;
	const kept = locked === undefined ? "your own" : locked.source.kind === "link" ? `${sourceInWords(locked.source)}, so nothing holds its content` : "as it was installed";
	return [...notes.map((text) => check("warning", text)), check("ok", `${what}: ${kept}.`)];
}
