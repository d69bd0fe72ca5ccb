// What a shell knows at one point of a command. A command that can go several ways is followed in several worlds.
import type { CommandNode, CompoundList } from "unbash";

/** Null: set, but to what is not known. */
export type Value = string | readonly string[] | null;

export interface World {
	readonly vars: ReadonlyMap<string, Value>;
	readonly functions: ReadonlyMap<string, CommandNode | CompoundList>;
	readonly aliases: ReadonlyMap<string, string>;
	/** Files this command wrote, by absolute path: what is in them, or null when that is not known. */
	readonly files: ReadonlyMap<string, string | null>;
	/** Absolute; undefined when not known. */
	readonly cwd: string | undefined;
	/** `$0`, `$1` … */
	readonly args: readonly string[];
	/** Something unread was run in this shell: what is not set may be set all the same. */
	readonly opaque: boolean;
}

/** Text on its way between commands: what it is, or where it comes from. */
export type Text = { readonly text: string } | { readonly from: "network" | "decoded" | "elsewhere" };

/** A simple command that is run, wrappers taken off; or, with a name in parentheses or a redirection's operator, something else that happens. */
export interface Act {
	/** Without its folder. */
	readonly name: string;
	/** With marks, see field.ts. */
	readonly args: readonly string[];
	/** As it reads in a normal form. */
	readonly shown: string;
	readonly cwd: string | undefined;
	readonly input: Text;
	/** The wrappers it runs in, the outermost first. */
	readonly within: readonly string[];
	/** A variable in its environment. */
	readonly variable: (name: string) => Value | undefined;
	/** It starts another command, which is an act of its own. */
	readonly wraps: boolean;
}

export const nothing: Text = { text: "" };

const mostWorlds = 12;
const mostVariables = 1000;

/** A command that nobody writes, made to take for ever: it is not judged but refused. */
export class TooMuch extends Error {}

export function change(world: World, changes: Partial<World>): World {
	return { ...world, ...changes };
}

export function assign(world: World, name: string, value: Value): World {
	if (world.vars.size >= mostVariables) throw new TooMuch();
	return change(world, { vars: new Map(world.vars).set(name, value) });
}

/** The different ones. Where there are too many, they become one in which whatever differs is unknown. */
export function distinct(worlds: readonly World[]): readonly World[] {
	const found = new Map<string, World>();
	for (const world of worlds) found.set(keyOf(world), world);
	const different = [...found.values()];
	if (different.length <= mostWorlds) return different;
	const [first, ...others] = different as [World, ...World[]];
	const vars = new Map(first.vars);
	for (const other of others) for (const name of new Set([...vars.keys(), ...other.vars.keys()])) if (String(other.vars.get(name)) !== String(vars.get(name))) vars.set(name, null);
	const cwd = others.every((other) => other.cwd === first.cwd) ? first.cwd : undefined;
	return [change(first, { vars, cwd, opaque: true, functions: new Map(different.flatMap((one) => [...one.functions])), aliases: new Map(different.flatMap((one) => [...one.aliases])), files: new Map(different.flatMap((one) => [...one.files])) })];
}

function keyOf({ vars, functions, aliases, files, cwd, args, opaque }: World): string {
	return JSON.stringify([[...vars], [...functions].map(([name, body]) => [name, body.pos, body.end]), [...aliases], [...files], cwd, args, opaque]);
}
