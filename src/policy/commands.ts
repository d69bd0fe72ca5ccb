// What one simple command is: a function, a builtin, a wrapper around another command, a shell, an interpreter, or an act.
import type { CommandNode, CompoundList } from "unbash";
import { carriedBy } from "./carriers.ts";
import { codeIn, readCode } from "./code.ts";
import { canBe, type Field, fieldOf, isConstant, isKnown, one, plain, star, unknown } from "./field.ts";
import { outputOf } from "./outputs.ts";
import type { Paths } from "./paths.ts";
import { peel } from "./wrappers.ts";
import { assign, change, distinct, nothing, type Text, type Value, type World } from "./world.ts";

/** Around a command that is run. */
export interface Context {
	/** What comes in. */
	readonly input: Text;
	/** It does not hold up what comes after it. */
	readonly concurrent: boolean;
	/** The functions being run. */
	readonly frames: readonly { readonly name: string; readonly concurrent: boolean }[];
	readonly within: readonly string[];
	/** Variables set for this command alone. */
	readonly set: ReadonlyMap<string, Value>;
}

/** The worlds a command may leave behind, and what it prints. */
export interface Ran {
	readonly worlds: readonly World[];
	readonly out: Text;
}

/** What is needed to follow a command into others. */
export interface Runs {
	readonly paths: Paths;
	recursions: number;
	script(text: string, world: World, context: Context): Ran;
	body(node: CommandNode | CompoundList, world: World, context: Context): Ran;
	note(name: string, args: readonly string[], world: World, context: Context, more?: { readonly shown?: string; readonly wraps?: boolean; readonly set?: ReadonlyMap<string, Value> }): void;
	processText(number: number): string | undefined;
	/** What a file holds, as far as this command made it. */
	fileText(target: string, world: World): Text;
	step(): void;
}

/** A script that lies in a file was not written in this command: only what nothing may do counts in it. */
export const inFile = "(file)";

const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish", "rbash"]);
/** Looked for where the command is a pattern, as in `/bin/r?`. */
const behindPatterns = ["rm", "dd", "shred", "tee", "cp", "mv", "find", "mkfs", "wipefs", "sh", "bash", "dash", "sudo", "env", "python3", "perl", "chmod", "ln", "truncate", "hookline"];
const mostItems = 64;

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const behindPattern = (path: string): string | undefined => (isKnown(path) ? behindPatterns.find((name) => canBe(baseName(path), name)) : undefined);
/** It takes commands from what comes in, and runs them later. */
const isSchedule = (name: string, args: readonly string[]): boolean => name === "at" || name === "batch" || (name === "crontab" && args.includes("-"));
/** Programs of the system are what they are called; any other may be a script. */
const mayBeScript = (path: string): boolean => path.includes("/") && !/^\/(?:usr|bin|sbin|opt)\//.test(path);

export function invoke(run: Runs, argv: readonly Field[], world: World, context: Context): Ran {
	run.step();
	const unchanged = (out: Text = nothing): Ran => ({ worlds: [world], out });
	const [first, ...args] = argv;
	if (first === undefined) return unchanged();
	let path = first.text;
	if (path.includes("\uE004")) return file(run, path, world, context, false);
	if (!isConstant(path)) {
		run.note("(unresolved)", [first.shown], world, context);
		const behind = behindPattern(path);
		if (behind === undefined) return { worlds: [change(world, { opaque: true })], out: { from: "elsewhere" } };
		path = behind;
	}
	const name = baseName(path);
	const body = path === name ? world.functions.get(name) : undefined;
	if (body !== undefined) return call(run, name, body, argv, world, context);
	const alias = world.aliases.get(path);
	if (alias !== undefined && !context.frames.some((frame) => frame.name === `alias ${name}`)) {
		const frames = [...context.frames, { name: `alias ${name}`, concurrent: false }];
		run.script([alias, ...args.map(({ shown }) => shown)].join(" "), world, { ...context, frames });
	}
	const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
	if (builtin !== undefined) return builtin(run, args, world, context);

	for (const { what, code } of carriedBy(name, args.map(({ text }) => text), context.set)) {
		run.note("(runs code)", [what, code], world, context);
		run.script(asCode(code), world, within(context, what));
	}
	const list = name === "xargs" ? args.findIndex(({ text }) => text === "-a" || text === "--arg-file") : -1;
	const peeled = peel(name, args, list < 0 ? context.input : run.fileText(args[list + 1]?.text ?? "", world));
	if (peeled !== undefined) return unwrapped(run, name, peeled, world, context);
	const texts = args.map(({ text }) => text);
	// `git -C` works elsewhere, and only git does.
	const there = name === "git" ? texts.reduce((before, text, i) => (texts[i - 1] === "-C" ? change(before, { cwd: run.paths.resolve(text, before.cwd) }) : before), world) : world;
	const note = (wraps = false) => run.note(name, texts, there, context, { shown: [fieldOf(path).shown, ...args.map(({ shown }) => shown)].join(" "), wraps });
	if (shells.has(name)) return shell(run, name, texts, world, context, note);
	if (name === "find" || name === "gfind" || name === "fd") return found(run, name, args, world, context);
	const code = codeIn(name, texts);
	if (code !== undefined) {
		note();
		interpret(run, name, code, texts, world, context);
		return unchanged(outputOf(name, texts, context.input));
	}
	if (mayBeScript(path)) file(run, path, world, context, false, texts, true);
	if (isSchedule(name, texts) && "text" in context.input) run.script(context.input.text, world, within(context, name));
	note();
	return { worlds: [files(run, name, texts, world, context)], out: outputOf(name, texts, context.input) };
}

const within = (context: Context, ...names: readonly string[]): Context => ({ ...context, within: [...context.within, ...names] });
/** A text with marks as code again: a pattern is a pattern, what is unknown stays so. */
const asCode = (text: string): string => text.replaceAll(star, "*").replaceAll(one, "?").replaceAll(/[\uE003\uE004]/g, " ");

function call(run: Runs, name: string, body: CommandNode | CompoundList, argv: readonly Field[], world: World, context: Context): Ran {
	const at = context.frames.findIndex((frame) => frame.name === name);
	if (at >= 0) {
		run.recursions++;
		const concurrent = context.concurrent || context.frames.slice(at + 1).some((frame) => frame.concurrent);
		if (concurrent && argv.length === 1) run.note("(fork bomb)", [], world, context);
		return { worlds: [world], out: { from: "elsewhere" } };
	}
	const frames = [...context.frames, { name, concurrent: context.concurrent }];
	const ran = run.body(body, change(world, { args: [world.args[0] ?? "bash", ...argv.slice(1).map(({ text }) => text)] }), { ...context, frames, concurrent: false });
	return { worlds: ran.worlds.map((after) => change(after, { args: world.args })), out: ran.out };
}

function unwrapped(run: Runs, name: string, peeled: NonNullable<ReturnType<typeof peel>>, world: World, context: Context): Ran {
	const { own, commands, code, reads, set, plain: isPlain, remote } = peeled;
	run.note(name, own.map(({ text }) => text), world, context, { shown: [name, ...own.map(({ shown }) => shown)].join(" "), wraps: true });
	const inner = { ...within(context, ...(isPlain ? [] : [remote ? "(remote)" : name])), set: new Map([...context.set, ...set]) };
	const chdir = own.findIndex(({ text }) => (name === "env" && text === "-C") || (name === "sudo" && text === "-D") || text === "--chdir");
	const place = chdir >= 0 ? change(world, { cwd: run.paths.resolve(own[chdir + 1]?.text ?? ".", world.cwd) }) : world;
	if (code !== undefined) return unread(run, code, place, inner);
	if (reads) return readIn(run, name, place, inner);
	const rans = (commands ?? []).map((command) => invoke(run, command, place, inner));
	if (name === "exec" || name === "command" || name === "builtin") return rans[0] ?? { worlds: [world], out: nothing };
	return { worlds: [world], out: rans.length === 1 ? rans[0]!.out : { from: "elsewhere" } };
}

/** Runs text as code in a shell of its own; notes it when a part of it is not known. */
function unread(run: Runs, code: string, world: World, context: Context): Ran {
	if (!isKnown(code) || code.includes("\uE004")) run.note("(unread code)", [plain(code)], world, context);
	return { worlds: [world], out: run.script(asCode(code), world, context).out };
}

/** A shell that runs what comes in. */
function readIn(run: Runs, name: string, world: World, context: Context): Ran {
	if (!("text" in context.input)) run.note("(unread code)", [`what ${name} reads (${context.input.from})`], world, context);
	else return unread(run, context.input.text, world, { ...context, input: nothing });
	return { worlds: [world], out: { from: "elsewhere" } };
}

function shell(run: Runs, name: string, args: readonly string[], world: World, context: Context, note: (wraps: boolean) => void): Ran {
	note(true);
	let at = 0;
	let isCode = false;
	let reads = false;
	for (; at < args.length && /^[-+]/.test(args[at]!) && args[at] !== "-"; at++) {
		const arg = args[at]!;
		if (arg === "--") {
			at++;
			break;
		}
		if (["--rcfile", "--init-file"].includes(arg) || /^[-+][a-zA-Z]*[oO]$/.test(arg)) at++;
		if (!arg.startsWith("--") && /c/.test(arg.slice(1))) isCode = true;
		else if (!arg.startsWith("--") && /s/.test(arg.slice(1))) reads = true;
	}
	const [script, ...rest] = args.slice(at);
	const fresh = (zero: string) => change(world, { args: [zero, ...rest] });
	if (isCode) return script === undefined ? { worlds: [world], out: nothing } : { worlds: [world], out: unread(run, script, change(world, { args: rest.length === 0 ? [name] : rest }), context).out };
	if (reads || script === undefined || script === "-" || script === "/dev/stdin") {
		// A shell without a terminal and without input ends at once.
		return readIn(run, name, fresh(name), context);
	}
	return { worlds: [world], out: file(run, script, fresh(script), context, false).out };
}

/** Runs what lies in a file, as far as it can be read. `here` is in this very shell, `program` when it need not be a script at all. */
function file(run: Runs, name: string, world: World, context: Context, here: boolean, args: readonly string[] = [], program = false): Ran {
	const inner = /\uE004(\d+)\uE004/.exec(name);
	const unseen: Ran = { worlds: here ? [change(world, { opaque: true })] : [world], out: { from: "elsewhere" } };
	if (inner !== null) {
		const text = run.processText(Number(inner[1]));
		if (text === undefined) run.note("(unread code)", [name], world, context);
		return text === undefined ? unseen : run.script(text, world, context);
	}
	const path = run.paths.resolve(name, world.cwd);
	if (path === undefined || !isConstant(path)) return unseen;
	const text = world.files.get(path);
	if (text === null) {
		run.note("(unread code)", [`${name}, which this command wrote`], world, context);
		return unseen;
	}
	const inPlace = program ? change(world, { args: [name, ...args] }) : world;
	if (text !== undefined) {
		const ran = run.script(text, inPlace, context);
		return here ? ran : { worlds: [world], out: ran.out };
	}
	if (context.within.includes(inFile)) return unseen;
	const kept = run.paths.scriptAt(path, program);
	if (kept !== undefined) run.script(kept, inPlace, within(context, inFile));
	return unseen;
}

/** find: its own words are an act, what it runs and deletes are others. */
function found(run: Runs, name: string, args: readonly Field[], world: World, context: Context): Ran {
	const texts = args.map(({ text }) => text);
	const isFd = name === "fd";
	const firstTest = texts.findIndex((text) => /^[-(!]/.test(text) && !/^-[HLPO]/.test(text));
	const runs = texts.findIndex((text) => /^(?:-x|-X|--exec|--exec-batch)$/.test(text));
	const words = isFd ? texts.slice(0, runs < 0 ? texts.length : runs).filter((text) => !text.startsWith("-")) : [];
	const given = isFd ? words.slice(1) : texts.slice(0, firstTest < 0 ? texts.length : firstTest).filter((text) => !text.startsWith("-"));
	const roots = given.length === 0 ? ["."] : given;
	const filtered = (isFd && words[0] !== "." && words[0] !== "") || texts.some((text, i) => !/^(?:!|-not)$/.test(texts[i - 1] ?? "") && ((/^-(?:i?name|i?path|i?wholename|i?regex|inum|samefile)$/.test(text) && !/^[*\uE001.]*$/.test(texts[i + 1] ?? "")) || text === "-empty"));
	const items = filtered ? roots.map((root) => `${root.replace(/\/$/, "")}/${unknown}`) : roots;
	const own: string[] = [];
	let execs = 0;
	for (let i = 0; i < texts.length; i++) {
		const text = texts[i]!;
		if (/^-(?:exec|execdir|ok|okdir)$/.test(text) || (isFd && /^(?:-x|-X|--exec|--exec-batch)$/.test(text))) {
			const end = texts.findIndex((word, j) => j > i && (word === ";" || (word === "+" && texts[j - 1] === "{}")));
			const command = args.slice(i + 1, end < 0 ? args.length : end);
			execs++;
			const isPlaced = command.some((field) => field.text.includes("{}"));
			for (const item of items.slice(0, mostItems)) invoke(run, [...command.map((field) => (field.text.includes("{}") ? fieldOf(field.text.replaceAll("{}", () => item)) : field)), ...(isFd && !isPlaced ? [fieldOf(item)] : [])], world, within(context, name));
			i = end < 0 ? texts.length : end;
			own.push(text);
		} else {
			own.push(text);
			if (text === "-delete") run.note("rm", ["-r", "--", ...items], world, within(context, name), { shown: `find ${texts.map(plain).join(" ")}` });
			if (/^-f(?:print|printf|print0|ls)$/.test(text)) run.note(">", [texts[i + 1] ?? ""], world, context);
		}
	}
	run.note(name, own, world, context, { shown: [name, ...args.map(({ shown }) => shown)].join(" "), wraps: execs > 0 });
	// Of all it lists, the folders it begins with are certain; all else is below them.
	return { worlds: [world], out: { text: filtered ? items.join("\n") : [...roots, ...roots.map((root) => `${root}/${unknown}`)].join("\n") } };
}

function interpret(run: Runs, name: string, given: NonNullable<ReturnType<typeof codeIn>>, args: readonly string[], world: World, context: Context): void {
	let code: string;
	if ("none" in given) return;
	if ("code" in given) code = given.code;
	else if ("reads" in given) {
		if (!("text" in context.input)) {
			run.note("(unread code)", [`what ${name} reads (${context.input.from})`], world, context);
			return;
		}
		code = context.input.text;
	} else {
		const path = run.paths.resolve(given.file, world.cwd);
		const text = path === undefined ? undefined : world.files.get(path);
		if (text === null || given.file.includes("\uE004")) run.note("(unread code)", [given.file], world, context);
		if (/(?:^|\/)(?:hookline(?:\.m?js)?|cli\/main\.(?:ts|js))$/.test(given.file)) run.note("hookline", args.slice(args.indexOf(given.file) + 1), world, context);
		if (typeof text !== "string") return;
		code = text;
	}
	// Another language is not followed: what it could do is told by its words, with every text in it taken for a path.
	const { literals: texts, shell: lines, handsOver, writes, deletes, multiplies, runsText } = readCode(code);
	const literals = /\bHOOKLINE_HOME\b/.test(code) ? [...texts, run.paths.hookline] : texts;
	for (const line of lines) run.script(asCode(line), world, within(context, name));
	if (multiplies) run.note("(fork bomb)", [], world, context);
	if (deletes) run.note("(code deletes)", literals, world, context);
	if (writes || deletes || handsOver) run.note("(code writes)", literals, world, context);
	if (!isKnown(code) || runsText) run.note("(unread code)", [`${name} code`], world, context);
}

/** The world after a command that writes files whose content may be run later. */
function files(run: Runs, name: string, args: readonly string[], world: World, { input }: Context): World {
	const put = (target: string | undefined, text: string | null) => {
		const path = target === undefined ? undefined : run.paths.resolve(target, world.cwd);
		return path === undefined || !isConstant(path) ? world : change(world, { files: new Map(world.files).set(path, text) });
	};
	if (name === "curl" || name === "wget") {
		const at = args.findIndex((arg) => /^(?:-[a-zA-Z]*[oO]|--output|--output-document)$/.test(arg));
		const url = args.find((arg) => /^https?:/.test(arg));
		if (at >= 0 && args[at] !== "-O") return put(args[at + 1], null);
		if (name === "wget" && at >= 0) return put(args[at + 1], null);
		if (name === "wget" || at >= 0) return put(url?.split(/[?#]/)[0]!.split("/").at(-1), null);
	}
	const operands = args.filter((arg) => !arg.startsWith("-"));
	if (name === "tee") return operands.length === 0 ? world : put(operands[0], "text" in input ? input.text : null);
	if ((name === "cp" || name === "mv" || name === "ln") && operands.length === 2) {
		const from = run.paths.resolve(operands[0]!, world.cwd);
		const text = from === undefined ? undefined : world.files.get(from);
		if (text !== undefined) return put(operands[1], text);
	}
	return world;
}

type Builtin = (run: Runs, args: readonly Field[], world: World, context: Context) => Ran;

const quiet = (world: World): Ran => ({ worlds: [world], out: nothing });

const declares: Builtin = (run, args, world, context) => {
	run.note("export", args.map(({ text }) => text), world, context);
	const set = new Map(args.map(({ text }) => [text.split("=")[0]!, text.slice(text.indexOf("=") + 1)] as const));
	for (const { what, code } of carriedBy("export", [], set)) {
		run.note("(runs code)", [what, code], world, context);
		run.script(asCode(code), world, within(context, what));
	}
	return quiet(
		args.reduce((before, { text }) => {
			const found = /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(text);
			return found === null ? before : assign(before, found[1]!, found[2] === unknown ? null : found[2]!);
		}, world),
	);
};

const goes: Builtin = (run, args, world, context) => {
	const target = args.find(({ text }) => !/^-[LPe@]+$/.test(text) && text !== "--")?.text ?? run.paths.home;
	run.note("cd", [target], world, context);
	return quiet(change(world, { cwd: target === "-" || !isConstant(target) ? undefined : run.paths.resolve(target, world.cwd) }));
};

const sources: Builtin = (run, args, world, context) => {
	const name = args[0]?.text;
	if (name === undefined) return quiet(world);
	run.note(".", [name], world, context);
	if (name === "/dev/stdin" || name === "-") return readIn(run, "source", world, context);
	return file(run, name, world, context, true);
};

const builtins: Readonly<Record<string, Builtin>> = {
	cd: goes,
	pushd: goes,
	popd: (_, __, world) => quiet(change(world, { cwd: undefined })),
	pwd: (_, __, world) => ({ worlds: [world], out: world.cwd === undefined ? { from: "elsewhere" } : { text: `${world.cwd}\n` } }),
	export: declares,
	declare: declares,
	typeset: declares,
	local: declares,
	readonly: declares,
	unset(_, args, world) {
		const vars = new Map(world.vars);
		const functions = new Map(world.functions);
		for (const { text } of args) {
			vars.set(text, "");
			functions.delete(text);
		}
		return quiet(change(world, { vars, functions }));
	},
	set(_, args, world) {
		const at = args.findIndex(({ text }) => text === "--");
		const given = at >= 0 ? args.slice(at + 1) : args[0] !== undefined && !/^[-+]/.test(args[0].text) ? args : undefined;
		return quiet(given === undefined ? world : change(world, { args: [world.args[0] ?? "bash", ...given.map(({ text }) => text)] }));
	},
	shift(_, args, world) {
		const by = Number(args[0]?.text ?? 1);
		return quiet(change(world, { args: [world.args[0] ?? "bash", ...world.args.slice(1 + (Number.isInteger(by) ? by : 0))] }));
	},
	eval(run, args, world, context) {
		const code = args.map(({ text }) => text).join(" ");
		if (!isKnown(code)) run.note("(unread code)", [plain(code)], world, context);
		return run.script(asCode(code), world, context);
	},
	source: sources,
	".": sources,
	alias(_, args, world) {
		const aliases = new Map(world.aliases);
		for (const { text } of args) {
			const found = /^([^=]+)=(.*)$/s.exec(text);
			if (found !== null) aliases.set(found[1]!, asCode(found[2]!));
		}
		return quiet(change(world, { aliases }));
	},
	hash(_, args, world) {
		const at = args.findIndex(({ text }) => text === "-p");
		const [path, name] = at < 0 ? [] : args.slice(at + 1);
		return quiet(path === undefined || name === undefined ? world : change(world, { aliases: new Map(world.aliases).set(name.text, path.shown) }));
	},
	trap(run, args, world, context) {
		const code = args.find(({ text }) => text !== "--")?.text ?? "";
		if (args.length > 1 && code !== "-" && code !== "") run.script(asCode(code), world, context);
		return quiet(world);
	},
	read: readsVariables,
	mapfile: readsVariables,
	readarray: readsVariables,
	getopts: (_, args, world) => quiet(args[1] === undefined ? world : assign(world, args[1].text, null)),
};

/** `read`: what comes in, line by line, in as many worlds. */
function readsVariables(_: Runs, args: readonly Field[], world: World, { input }: Context): Ran {
	const names = args.filter(({ text }, i) => !text.startsWith("-") && !/^-[a-zA-Z]*[dinNptu]$/.test(args[i - 1]?.text ?? "")).map(({ text }) => text);
	const wanted = names.length === 0 ? ["REPLY"] : names;
	const lines = "text" in input ? input.text.split("\n").filter((line) => line !== "") : [unknown];
	const worlds = lines.slice(0, mostItems).map((line) => {
		const words = line.trim().split(/\s+/);
		return wanted.reduce((before, name, i) => assign(before, name, line === unknown ? null : i === wanted.length - 1 ? words.slice(i).join(" ") : (words[i] ?? "")), world);
	});
	return { worlds: distinct(worlds.length === 0 ? [world] : worlds), out: nothing };
}
