// Judges a command by what it does: parsed, followed as a shell would follow it, and each act held against the rules.
import { parse } from "unbash";
import { inFile } from "./commands.ts";
import { globMatches, isKnown, quoted } from "./field.ts";
import type { Paths } from "./paths.ts";
import type { Rule, Scene } from "./rule.ts";
import { rules } from "./rules/all.ts";
import { Walk } from "./walk.ts";
import { type Act, nothing, TooMuch } from "./world.ts";

export interface Finding {
	readonly rule: Pick<Rule, "id" | "class" | "reason">;
	/** The act it is about, in its normal form. */
	readonly about: string;
}

export interface Verdict {
	readonly class: "floor" | "dangerous" | "fine";
	/** Those of the class, one for each rule. */
	readonly findings: readonly Finding[];
	/** The command with its quoting made one and plain wrappers taken off: what an approval that lasts is bound to. */
	readonly normal: string;
	/** False where a part is known only when it runs: then an approval cannot last. */
	readonly constant: boolean;
}

/** `cwd` is where it runs, `folder` the working folder of the conversation, both absolute; `deny` are globs of normal forms the user has denied. */
export function judge(command: string, cwd: string, paths: Paths, deny: readonly string[] = [], folder = cwd): Verdict {
	const walk = new Walk(paths, paths.environment);
	let endless = false;
	try {
		walk.run(command, cwd);
	} catch (error) {
		if (!(error instanceof TooMuch || error instanceof RangeError)) throw error;
		endless = true;
	}
	const normal = normalForm(command, walk);
	const constant = walk.acts.every(({ args, name }) => args.every(isKnown) && name !== "(unread code)" && name !== "(unresolved)");
	return verdict(walk.acts, { paths, folder }, { normal, constant, deny, first: endless ? [{ rule: tooMuch, about: "the whole command" }] : [] });
}

/** The same for a tool that writes one file, given by its absolute path. */
export function judgeWrite(tool: string, path: string, paths: Paths, deny: readonly string[] = [], folder = "/"): Verdict {
	const normal = `${tool} ${quoted(path)}`;
	const act: Act = { name: ">", args: [path], shown: normal, cwd: folder, input: nothing, within: [], variable: () => undefined, wraps: false };
	return verdict([act], { paths, folder }, { normal, constant: true, deny, first: [] });
}

function verdict(acts: readonly Act[], scene: Scene, { normal, constant, deny, first }: { readonly normal: string; readonly constant: boolean; readonly deny: readonly string[]; readonly first: readonly Finding[] }): Verdict {
	const found = new Map(first.map((finding) => [finding.rule.id, finding]));
	const add = (rule: Finding["rule"], about: string) => {
		if (!found.has(rule.id)) found.set(rule.id, { rule, about });
	};
	for (const glob of deny) {
		const denied = [normal, ...acts.map(({ shown }) => shown)].find((text) => globMatches(glob, text));
		if (denied !== undefined) add({ id: "denied", class: "floor", reason: `the user has denied '${glob}' in config.yaml` }, denied);
	}
	for (const act of acts) for (const rule of rules) if (counts(rule, act) && rule.when(act, scene)) add(rule, act.shown);
	const findings = [...found.values()];
	const floor = findings.filter(({ rule }) => rule.class === "floor");
	return { class: floor.length > 0 ? "floor" : findings.length > 0 ? "dangerous" : "fine", findings: floor.length > 0 ? floor : findings, normal, constant };
}

const tooMuch = { id: "too-much", class: "floor", reason: "it is too long or too deeply nested to be judged; say it in smaller commands" } as const;

/** In a script that lies in a file only the floor counts: it was there before, and much in it hangs on what it is given. */
const counts = (rule: Rule, { within }: Act): boolean => rule.class === "floor" || !within.includes(inFile);

function normalForm(command: string, { readings, acts }: Walk): string {
	let text = "";
	let at = 0;
	for (const [from, { end, text: reading }] of [...readings].toSorted(([a], [b]) => a - b)) {
		// A command inside another one, in a substitution, is part of its text.
		if (reading === undefined || from < at) continue;
		text += `${command.slice(at, from)}${reading}`;
		at = end;
	}
	text += command.slice(at);
	// A here-document and a text in quotes keep their lines and spaces.
	const tidy = parse(text).errors === undefined && !/['"\n\\]|<</.test(text) ? text.replace(/\s+/g, " ").trim() : text.trim();
	// What is left of variables and substitutions may mean something else another time: then all it does now belongs to it.
	return /[$`]/.test(tidy) ? `${tidy} → ${acts.map(({ shown }) => shown).join("; ")}` : tidy;
}
