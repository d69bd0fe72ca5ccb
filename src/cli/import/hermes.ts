// `hookline import hermes`, and its report.
import { homedir } from "node:os";
import { delegateTask } from "../../agent/delegate.ts";
import { importHermes } from "../../extensions/import-hermes/import.ts";
import type { Report } from "../../extensions/import-hermes/report.ts";
import { homeOf } from "../../system/home.ts";
import { visible } from "../../system/visible.ts";
import { builtInTools } from "../../tools/built-in.ts";
import { exitCodes, UsageError } from "../exit.ts";
import { note, print, printJson } from "../output.ts";
import { stopOnSignals } from "../signals.ts";

export interface HermesOptions {
	readonly from?: string;
	readonly dryRun?: boolean;
	readonly json?: boolean;
}

/** @returns 1 when something was in the way or could not be read. */
export async function hermes({ from, dryRun = false, json }: HermesOptions): Promise<number> {
	if (from?.trim() === "") throw new UsageError("--from names no folder. Give the home of Hermes, or leave it out.");
	using stop = stopOnSignals();
	const toolNames = [...builtInTools(), delegateTask].map(({ name }) => name);
	try {
		const report = await importHermes({ from, home: homeOf(process.env), environment: process.env, userHome: process.env["HOME"] || homedir(), toolNames, dryRun, signal: stop.signal });
		if (json) printJson(report);
		else print(visible(inWords(report)));
		return report.problems.length > 0 ? exitCodes.problems : exitCodes.fine;
	} catch (error) {
		if (!stop.signal.aborted) throw error;
		note("Stopped. What was copied until then is whole; the same command goes on from there.");
		return exitCodes.interrupted;
	}
}

function inWords({ from, home, dryRun, copied, present, problems, changes, leftOut, next }: Report): string {
	const nothing = copied.length === 0 && problems.length === 0;
	const head = `From ${from} to ${home}${dryRun ? ": what would be done. Nothing was written." : "."}`;
	const part = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)]);
	const width = Math.max(0, ...[...copied, ...problems].map(({ kind }) => kind.length));
	return [
		head,
		...part(dryRun ? "Would be copied" : "Copied", copied.map(({ kind, name, to }) => `${kind.padEnd(width)}  ${name} → ${to}`)),
		...(nothing ? ["", present.length > 0 ? "There is nothing to do: everything is here already." : "There is nothing in it that could be imported."] : []),
		...(present.length > 0 && !nothing ? ["", `Here already: ${present.length}.`] : []),
		...part("Not copied", problems.map(({ kind, name, message }) => `${kind.padEnd(width)}  ${name}: ${message}`)),
		...part("What changes meaning", changes.map(({ message, see }) => `- ${message} (${see})`)),
		...part("Not carried over", leftOut.map((message) => `- ${message}`)),
		...(nothing ? [] : part("Next", next.map((message) => `- ${message}`))),
	].join("\n");
}
