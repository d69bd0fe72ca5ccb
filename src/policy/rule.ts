// What a rule is, and the words in which rules speak of an act.
import type { Paths } from "./paths.ts";
import { isKnown, unknown } from "./field.ts";
import type { Act } from "./world.ts";

/** `floor`: nothing can approve it. `dangerous`: a person is asked. */
export interface Rule {
	readonly id: string;
	readonly class: "floor" | "dangerous";
	/** Why it stops, as part of a sentence: "it …". */
	readonly reason: string;
	readonly when: (act: Act, scene: Scene) => boolean;
	/** Commands it stops, run in /projects/app by a user whose home is /home/me; and look-alikes it does not. */
	readonly stops: readonly string[];
	readonly passes: readonly string[];
}

/** What an act is judged against. */
export interface Scene {
	readonly paths: Paths;
	/** The working folder of the conversation. */
	readonly folder: string;
}

/** Words of an act that are no options; what follows `--` is none either. `valued` are short options that take the next word. */
export function operands({ args }: Act, valued = ""): readonly string[] {
	const found: string[] = [];
	let over = false;
	for (let i = 0; i < args.length; i++) {
		const arg = args[i]!;
		if (over || !arg.startsWith("-") || arg === "-") found.push(arg);
		else if (arg === "--") over = true;
		else if (/^-[a-zA-Z]+$/.test(arg) && valued.includes(arg.at(-1)!)) i++;
	}
	return found;
}

/** Whether an option is given, by one of its letters or its long names. */
export function has({ args }: Act, letters: string, ...long: readonly string[]): boolean {
	const end = args.indexOf("--");
	return (end < 0 ? args : args.slice(0, end)).some((arg) => (/^-[a-zA-Z0-9]/.test(arg) ? [.../^-([a-zA-Z0-9]+)/.exec(arg)![1]!].some((letter) => letters.includes(letter)) : long.some((name) => arg === name || arg.startsWith(`${name}=`))));
}

/** The value of an option, in the next word or glued to it. */
export function valueOf({ args }: Act, ...names: readonly string[]): string | undefined {
	for (const [i, arg] of args.entries()) {
		for (const name of names) {
			if (arg === name) return args[i + 1];
			if (arg.startsWith(`${name}=`)) return arg.slice(name.length + 1);
			if (/^-[a-zA-Z]$/.test(name) && arg.startsWith(name) && arg.length > 2) return arg.slice(2);
		}
	}
	return undefined;
}

export const is = (act: Act, names: RegExp | readonly string[]): boolean => (names instanceof RegExp ? names.test(act.name) : names.includes(act.name));

/** Absolute paths, as far as they are known. */
export const resolved = (paths: readonly string[], act: Act, scene: Scene): readonly string[] => paths.map((path) => scene.paths.resolve(path, act.cwd)).filter((path): path is string => path !== undefined);

/** Everything in a word that may be a path: the word itself, what follows `=`, `@`, `:` or a short option. */
export function pathsIn(word: string): readonly string[] {
	const found = [word];
	for (const mark of ["=", "@", ":", ","]) if (word.includes(mark)) found.push(...word.split(mark).slice(1).map((_, i) => word.split(mark).slice(i + 1).join(mark)), word.slice(0, word.indexOf(mark)));
	if (/^-[a-zA-Z]./.test(word)) found.push(word.slice(2));
	return found.filter((path) => path !== "" && path !== unknown);
}

export const known = (words: readonly string[]): boolean => words.every(isKnown);
