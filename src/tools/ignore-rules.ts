// Which files git does not keep, from the .gitignore files above and inside a folder.
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Ignore } from "ignore";

/** The rules of one folder and, through `above`, of those around it. */
export interface IgnoreRules {
	readonly folder: string;
	readonly rules: Ignore;
	readonly above: IgnoreRules | undefined;
}

export interface Surroundings {
	/** Whether the folder lies in a git repository; rules above it count only there. */
	readonly inRepository: boolean;
	readonly rules: IgnoreRules | undefined;
	/** The folder itself is ignored: who names it means it, so the rules above it do not count. */
	readonly named: boolean;
}

/** What holds for `folder` from the folders above it, up to the root of the repository. */
export async function surroundingRules(folder: string): Promise<Surroundings> {
	const above: string[] = [];
	for (let at = folder; ; at = dirname(at)) {
		if (at !== folder) above.unshift(at);
		if (await stat(join(at, ".git")).catch(() => undefined)) break;
		if (at === dirname(at)) return { inRepository: false, rules: undefined, named: false };
	}
	let rules: IgnoreRules | undefined;
	for (const one of above) rules = await withRulesOf(one, rules);
	return isIgnored(rules, folder, "folder") ? { inRepository: true, rules: undefined, named: true } : { inRepository: true, rules, named: false };
}

/** With the folder's own .gitignore, when it has one. */
export async function withRulesOf(folder: string, above: IgnoreRules | undefined): Promise<IgnoreRules | undefined> {
	const text = await readFile(join(folder, ".gitignore"), "utf8").catch(() => undefined);
	if (text === undefined) return above;
	const { default: ignore } = await import("ignore");
	return { folder, rules: ignore({ ignorecase: false }).add(text), above };
}

/** The nearest folder that has a rule for the path decides. */
export function isIgnored(rules: IgnoreRules | undefined, path: string, kind: "file" | "folder"): boolean {
	for (let level = rules; level; level = level.above) {
		const prefix = level.folder.endsWith("/") ? level.folder : `${level.folder}/`;
		const { ignored, unignored } = level.rules.test(path.slice(prefix.length) + (kind === "folder" ? "/" : ""));
		if (ignored || unignored) return ignored;
	}
	return false;
}
