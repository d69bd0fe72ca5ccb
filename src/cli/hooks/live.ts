// The live configuration, as the commands below look at it: everything loaded as a conversation would have it, but nobody to talk to.
import type { HookSummary } from "../../events/record.ts";
import { projectPrefix } from "../../extensions/project/load.ts";
import { openRuntime, type Runtime } from "../../runtime.ts";
import { nearest } from "../../system/nearest.ts";
import { silent } from "../answers.ts";
import { CommandError } from "../exit.ts";
import { keepStdoutForAnswers, note, warn } from "../output.ts";

export function openLive(): Promise<Runtime> {
	keepStdoutForAnswers();
	return openRuntime({ environment: process.env, cwd: process.cwd(), surface: "test", hooks: true, output: silent, warn, log: (hook, message) => note(`[${hook}] ${message}`) });
}

/**
 * The hooks an id means: one, at each of its events; `extension` alone means all of that extension.
 * @throws CommandError with the nearest id, or why its extension is not loaded.
 */
export function findHooks({ engine, extensions, project }: Runtime, id: string): readonly HookSummary[] {
	const hooks = engine.hooks();
	const found = hooks.filter((hook) => hook.id === id || hook.source.extension === id);
	if (found.length > 0) return found;
	const extension = id.split(/[#/]/, 1)[0]!;
	const failed = extensions.failed.find(({ name }) => name === extension);
	if (failed) throw new CommandError(`The hook '${id}' does not run: its extension is not loaded. ${failed.message}`);
	if (extensions.disabled.includes(extension)) throw new CommandError(`The hook '${id}' does not run: config.yaml says extensions.${extension.replace(projectPrefix, "")}.enabled: false.`);
	if (extension.startsWith(projectPrefix) && project.state !== "trusted") throw new CommandError(`The hook '${id}' does not run. ${project.message}`);
	const near = nearest(id, [...new Set(hooks.flatMap((hook) => [hook.id, hook.source.extension]))]);
	throw new CommandError(`There is no hook '${id}'.${near === undefined ? "" : ` Did you mean '${near}'?`} 'hookline hooks list' lists them.`);
}

export function placeOf({ source: { file, line } }: { readonly source: Pick<HookSummary["source"], "file" | "line"> }): string {
	return file === undefined ? "-" : `${file}${line === undefined ? "" : `:${line}`}`;
}

export function matcherWords({ matcher }: Pick<HookSummary, "matcher">): string {
	const words = Object.entries(matcher).map(([field, patterns]) => `${field} ${patterns.join(" | ")}`);
	return words.length === 0 ? "all" : words.join(", ");
}
