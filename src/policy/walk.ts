// Follows a parsed command as a shell would, without running anything, and notes every act it comes to.
import { type Assignment, type Command, type CommandNode, type CompoundList, forEachChild, type Function as ShellFunction, parse, type PipelineNode, type AndOr, type Redirection, type Script, type Statement, type SyntaxNode, type While, type Word, type ArithmeticFor } from "unbash";
import { type Context, invoke, type Ran, type Runs } from "./commands.ts";
import { type Field, globMatches, isConstant, plain, quoted, unknown } from "./field.ts";
import type { Paths } from "./paths.ts";
import { assigned, fieldsOf, isSet, type Substitutions, textOf, textOfParts } from "./words.ts";
import { type Act, assign, change, distinct, nothing, type Text, TooMuch, type Value, type World } from "./world.ts";
import { withoutPlain } from "./wrappers.ts";

/** Far more than anybody writes on a command line. */
const mostSteps = 10_000;
/** Characters: the system takes no longer one. */
const longest = 131_072;
const deepest = 40;
const mostTurns = 16;

export class Walk implements Runs, Substitutions {
	readonly acts: Act[] = [];
	readonly paths: Paths;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly home: string;
	/** How each simple command of the outermost text reads in the normal form, by where it stands; undefined when it has several readings. */
	readonly readings = new Map<number, { readonly end: number; readonly text: string | undefined }>();
	readonly #processes: (string | undefined)[] = [];
	#steps = 0;
	#depth = 0;
	/** While a substitution is looked into, what it is in. */
	#context: Context = outermost;
	recursions = 0;

	constructor(paths: Paths, environment: Readonly<Record<string, string | undefined>>) {
		this.paths = paths;
		this.environment = environment;
		this.home = paths.home;
	}

	/** Everything the text would do, run by a fresh shell. Notes what cannot be parsed. */
	run(text: string, cwd: string): void {
		this.script(text, { vars: new Map(), functions: new Map(), aliases: new Map(), files: new Map(), cwd, args: ["bash"], opaque: false }, outermost);
	}

	script(text: string, world: World, context: Context): Ran {
		this.step();
		if (this.#depth >= deepest || text.length > longest) throw new TooMuch();
		this.#depth++;
		try {
			const script = parse(text);
			if (script.errors !== undefined && script.errors.length > 0) this.note("(unparsable)", [script.errors[0]!.message], world, context);
			return this.#list(script.commands, [inherited(world, context)], { ...context, set: new Map() });
		} finally {
			this.#depth--;
		}
	}

	body(node: CommandNode | CompoundList, world: World, context: Context): Ran {
		if (this.#depth >= deepest) throw new TooMuch();
		this.#depth++;
		try {
			const [inner, around] = [inherited(world, context), { ...context, set: new Map() }];
			return node.type === "CompoundList" ? this.#list(node.commands, [inner], around) : this.#node(node, inner, around);
		} finally {
			this.#depth--;
		}
	}

	note(name: string, args: readonly string[], world: World, context: Context, more: { readonly shown?: string; readonly wraps?: boolean; readonly set?: ReadonlyMap<string, Value> } = {}): void {
		const variable = (wanted: string) => more.set?.get(wanted) ?? context.set.get(wanted) ?? world.vars.get(wanted) ?? this.environment[wanted];
		this.acts.push({ name, args, shown: more.shown ?? [name, ...args.map((arg) => (isConstant(arg) ? quoted(arg) : plain(arg)))].join(" "), cwd: world.cwd, input: context.input, within: context.within, variable, wraps: more.wraps ?? false });
	}

	output(script: Script | undefined, world: World): string | undefined {
		if (script === undefined) return undefined;
		const { out } = this.#list(script.commands, [world], { ...this.#context, input: nothing });
		return "text" in out ? out.text.replaceAll("\0", "") : undefined;
	}

	process(script: Script | undefined, world: World): number {
		return this.#processes.push(this.output(script, world)) - 1;
	}

	processText(number: number): string | undefined {
		return this.#processes[number];
	}

	step(): void {
		if (++this.#steps > mostSteps) throw new TooMuch();
	}

	#list(statements: readonly Statement[], worlds: readonly World[], context: Context): Ran {
		let out: Text = nothing;
		for (const { command, background } of statements) {
			this.step();
			const ran = worlds.map((world) => this.#andOr(command, world, background ? { ...context, concurrent: true } : context));
			out = put(out, same(ran.map((one) => one.out)));
			if (!background) worlds = distinct(ran.flatMap((one) => one.worlds));
		}
		return { worlds, out };
	}

	#andOr(command: PipelineNode | AndOr, world: World, context: Context): Ran {
		if (command.type !== "AndOr") return this.#pipeline(command, world, context);
		let ran = this.#pipeline(command.commands[0]!, world, context);
		let { out } = ran;
		const seen = [...ran.worlds];
		command.operators.forEach((operator, i) => {
			// After && the left side is known to have worked; after || either may have happened.
			const from = operator === "&&" ? ran.worlds : distinct(seen);
			const next = from.map((one) => this.#pipeline(command.commands[i + 1]!, one, context));
			ran = { worlds: distinct(next.flatMap(({ worlds }) => worlds)), out: same(next.map((one) => one.out)) };
			out = operator === "&&" ? put(out, ran.out) : { from: "elsewhere" };
			seen.push(...ran.worlds);
		});
		return { worlds: distinct(seen), out };
	}

	#pipeline(node: PipelineNode, world: World, context: Context): Ran {
		if (node.type !== "Pipeline") return this.#node(node, world, context);
		if (node.commands.length === 1) return this.#node(node.commands[0]!, world, context);
		const before = this.recursions;
		let input = context.input;
		for (const stage of node.commands) input = this.#node(stage, world, { ...context, input, concurrent: true }).out;
		if (this.recursions - before >= 2) this.note("(fork bomb)", [], world, context);
		// Each stage has a shell of its own; but what one wrote, the next may read.
		return { worlds: [world], out: input };
	}

	#node(node: CommandNode, world: World, context: Context): Ran {
		this.step();
		switch (node.type) {
			case "Command":
				return this.#command(node, world, context);
			case "Redirected": {
				const { input, out } = this.#redirects(node.redirects, world, context);
				const ran = this.#node(node.command, world, input === undefined ? context : { ...context, input });
				return { worlds: ran.worlds, out: out ? nothing : ran.out };
			}
			case "Subshell":
				return { worlds: [world], out: this.#list(node.body.commands, [world], context).out };
			case "BraceGroup":
				return this.#list(node.body.commands, [world], context);
			case "Function":
				return { worlds: [this.#define(node, world)], out: nothing };
			case "Coproc":
				return { worlds: [world], out: this.body(node.body, world, { ...context, concurrent: true }).out };
			case "If": {
				const clause = this.#list(node.clause.commands, [world], context);
				const arms: Ran[] = [this.#list(node.then.commands, clause.worlds, context)];
				let otherwise = clause.worlds;
				for (const elif of node.elif) {
					otherwise = this.#list(elif.clause.commands, otherwise, context).worlds;
					arms.push(this.#list(elif.then.commands, otherwise, context));
				}
				arms.push(node.else === undefined ? { worlds: otherwise, out: nothing } : this.#list(node.else.commands, otherwise, context));
				return { worlds: distinct(arms.flatMap(({ worlds }) => worlds)), out: put(clause.out, same(arms.map(({ out }) => out))) };
			}
			case "For":
			case "Select": {
				const items = node.wordlist === undefined ? world.args.slice(1) : node.wordlist.flatMap((word) => fieldsOf(word, world, this.#in(context)).map(({ text }) => text));
				const few = items.length <= mostTurns ? items : [...items.slice(0, mostTurns - 1), unknown];
				return this.#turns(few.map((item) => (one: World) => this.#list(node.body.commands, [assign(one, node.name.value, item === unknown ? null : item)], context)), world);
			}
			case "While": {
				if (multiplies(node)) this.note("(fork bomb)", [], world, context);
				const turn = (one: World) => {
					const clause = this.#list(node.clause.commands, [one], context);
					const body = this.#list(node.body.commands, clause.worlds, context);
					return { worlds: distinct([...clause.worlds, ...body.worlds]), out: body.out };
				};
				// Twice: the second time what the first has set counts.
				return this.#turns([turn, turn], world, true);
			}
			case "ArithmeticFor": {
				if (multiplies(node)) this.note("(fork bomb)", [], world, context);
				this.#inside(node, world, context);
				const turn = (one: World) => this.#list(node.body.commands, [one], context);
				return this.#turns([turn, turn], world, true);
			}
			case "Case": {
				const word = textOf(node.word, world, this.#in(context));
				const arms = node.items
					.filter(({ pattern }) => !isConstant(word) || pattern.some((one) => matches(textOf(one, world, this.#in(context)), word)))
					.map(({ body }) => this.#list(body.commands, [world], context));
				return { worlds: distinct([world, ...arms.flatMap(({ worlds }) => worlds)]), out: arms.length === 1 ? arms[0]!.out : { from: "elsewhere" } };
			}
			default:
				this.#inside(node, world, context);
				return { worlds: [world], out: nothing };
		}
	}

	#turns(turns: readonly ((world: World) => Ran)[], world: World, unsure = false): Ran {
		let worlds: readonly World[] = [world];
		const seen: World[] = [world];
		let out: Text = nothing;
		for (const turn of turns) {
			const ran = worlds.map(turn);
			out = put(out, same(ran.map((one) => one.out)));
			worlds = distinct(ran.flatMap((one) => one.worlds));
			seen.push(...worlds);
		}
		return { worlds: distinct(seen), out: unsure && !("text" in out && out.text === "") ? { from: "elsewhere" } : out };
	}

	#define({ name, body }: ShellFunction, world: World): World {
		return change(world, { functions: new Map(world.functions).set(name.value, body) });
	}

	/** Substitutions that stand in conditions and sums. */
	#inside(node: SyntaxNode, world: World, context: Context): void {
		forEachChild(node, (child) => {
			if (child.type === "CompoundList") return;
			if (child.type === "CommandExpansion" || child.type === "ArithmeticCommandExpansion" || child.type === "ProcessSubstitution") {
				this.#in(context).output(child.script, world);
			} else this.#inside(child, world, context);
		});
	}

	#in(context: Context): this {
		this.#context = context;
		return this;
	}

	#command(node: Command, world: World, context: Context): Ran {
		const sub = this.#in(context);
		const set = new Map(context.set);
		for (const item of node.prefix) {
			if (item.type !== "Assignment") continue;
			if (node.name === undefined) world = assigned(item, world, sub);
			else set.set(item.name, assigned(item, world, sub).vars.get(item.name) ?? null);
		}
		this.#sums(node, world, context);
		const name = node.name === undefined ? [] : fieldsOf(node.name, world, sub);
		const args = node.args.flatMap((arg) => (arg.type === "Word" ? fieldsOf(arg, world, sub) : this.#assignment(arg, world, context)));
		const { input, out, writes } = this.#redirects(node.redirects, world, context);
		const inner: Context = { ...context, set, ...(input !== undefined && { input }) };
		if (node.name !== undefined && (name.length === 0 || isUnset(node.name, world, sub))) this.note("(unresolved)", [node.name.text], world, inner);
		const ran = invoke(this, [...name, ...args], world, inner);
		this.#read(node, [...name, ...args], context);
		if (!out) return ran;
		return { worlds: ran.worlds.map((one) => writes.reduce((before, { path, appends }) => written(before, path, appends, ran.out), one)), out: nothing };
	}

	/** Sums in words hold substitutions as well. */
	#sums(node: Command, world: World, context: Context): void {
		const look = (child: SyntaxNode): void => {
			if (child.type === "ArithmeticExpansion") this.#inside(child, world, context);
			else if (child.type !== "CommandExpansion" && child.type !== "ProcessSubstitution") forEachChild(child, look);
		};
		forEachChild(node, look);
	}

	#assignment(assignment: Assignment, world: World, context: Context): Field[] {
		const value = assigned(assignment, world, this.#in(context)).vars.get(assignment.name) ?? null;
		const text = `${assignment.name}=${value === null ? unknown : typeof value === "string" ? value : value.join(" ")}`;
		return [{ text, shown: isConstant(text) ? quoted(text) : assignment.text }];
	}

	/** Notes what is written. `input` is what comes in by one of them; `out` says that what is printed goes into a file. */
	#redirects(redirects: readonly Redirection[], world: World, context: Context): { readonly input: Text | undefined; readonly out: boolean; readonly writes: readonly { path: string; appends: boolean }[] } {
		let input: Text | undefined;
		let out = false;
		const writes: { path: string; appends: boolean }[] = [];
		const sub = this.#in(context);
		for (const redirect of redirects) {
			if (redirect.type === "HereDoc") {
				const { delimiter, body } = redirect;
				const text = delimiter?.quoted || body.parts === undefined ? body.text : textOfParts(body.parts, world, sub);
				input = { text: redirect.operator === "<<-" ? text.replace(/^\t+/gm, "") : text };
			} else if (redirect.type === "HereString") input = { text: `${textOf(redirect.target, world, sub)}\n` };
			else {
				const target = textOf(redirect.target, world, sub);
				const { operator, descriptor } = redirect;
				if (operator === "<" || operator === "<&") {
					if (operator === "<" && descriptor === undefined) input = this.fileText(target, world);
					if (/^\/dev\/(?:tcp|udp)\//.test(target)) this.note("(socket)", [target], world, context);
					continue;
				}
				if (/^(?:\d+-?|-)$/.test(target) && operator === ">&") {
					if (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1)) out = true;
					continue;
				}
				this.note(/^\/dev\/(?:tcp|udp)\//.test(target) ? "(socket)" : ">", [target], world, context, { shown: `${operator} ${isConstant(target) ? quoted(target) : plain(target)}` });
				if (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1)) {
					out = true;
					const path = this.paths.resolve(target, world.cwd);
					if (path !== undefined && isConstant(path)) writes.push({ path, appends: operator === ">>" || operator === "&>>" });
				}
			}
		}
		return { input, out, writes };
	}

	fileText(target: string, world: World): Text {
		const inner = /\uE004(\d+)\uE004/.exec(target);
		if (inner !== null) {
			const text = this.processText(Number(inner[1]));
			return text === undefined ? { from: "elsewhere" } : { text };
		}
		if (target === "/dev/null") return nothing;
		const path = this.paths.resolve(target, world.cwd);
		const text = path === undefined ? undefined : world.files.get(path);
		return text === undefined || text === null ? { from: text === null ? "network" : "elsewhere" } : { text };
	}

	/** Keeps how a command of the outermost text reads. */
	#read(node: Command, fields: readonly Field[], context: Context): void {
		if (this.#depth !== 1 || context.frames.length > 0 || node.name === undefined) return;
		const text = withoutPlain(fields).map(({ shown }) => shown).join(" ");
		const known = this.readings.get(node.name.pos);
		const last = node.args.at(-1) ?? node.name;
		// A here-document or a redirection may stand between the words: then the text stays as it is.
		const between = node.redirects.some(({ pos }) => pos > node.name!.pos && pos < last.end);
		this.readings.set(node.name.pos, { end: last.end, text: between || (known !== undefined && known.text !== text) ? undefined : text });
	}
}

const outermost: Context = { input: nothing, concurrent: false, frames: [], within: [], set: new Map() };

/** What was set for a command alone is set for everything in it. */
const inherited = (world: World, { set }: Context): World => (set.size === 0 ? world : change(world, { vars: new Map([...world.vars, ...set]) }));
const put = (before: Text, after: Text): Text => ("text" in before && "text" in after ? { text: before.text + after.text } : "text" in before ? after : before);
const same = (texts: readonly Text[]): Text => (texts.length > 0 && texts.every((text) => "text" in text && "text" in texts[0]! && text.text === texts[0].text) ? texts[0]! : (texts.find((text) => "from" in text) ?? (texts.length === 0 ? nothing : { from: "elsewhere" })));

function matches(pattern: string, word: string): boolean {
	return !isConstant(pattern) || globMatches(pattern, word);
}

function written(world: World, path: string, appends: boolean, out: Text): World {
	const known = appends ? world.files.get(path) : "";
	const before = known === undefined ? "" : known;
	const text = "text" in out && typeof before === "string" ? before + out.text : null;
	// What other programs print is mostly harmless, so only what came from the network is noted as unread.
	if (text === null && !("from" in out && out.from !== "elsewhere")) return world;
	return change(world, { files: new Map(world.files).set(path, text) });
}

/** `$x` where a command is expected, and x is nowhere. */
function isUnset(name: Word, world: World, sub: Substitutions): boolean {
	return /^(?:\$\{?(\w+)\}?|"\$\{?(\w+)\}?")$/.test(name.text) && !isSet(/\w+/.exec(name.text)![0], world, sub);
}

/** A loop without end that starts something beside itself each time, and waits for nothing. */
function multiplies(loop: While | ArithmeticFor): boolean {
	const clause = loop.type === "While" ? loop.clause.commands : [];
	const endless = loop.type === "While" ? clause.length === 1 && /^(?:true|:|\(\(\s*1\s*\)\)|\[ 1 \])$/.test(nameIn(clause[0]!) ?? "") !== (loop.kind === "until") : loop.test === undefined;
	if (!endless) return false;
	let starts = false;
	let waits = false;
	const look = (node: SyntaxNode): void => {
		if (node.type === "Statement" && node.background) {
			// What it waits for itself holds up nothing.
			starts = true;
			return;
		}
		if (node.type === "Command" && /^(?:sleep|wait|read|break|exit|return|flock|inotifywait)$/.test(node.name?.value ?? "")) waits = true;
		forEachChild(node, look);
	};
	forEachChild(loop.body, look);
	return starts && !waits;
}

const nameIn = ({ command }: Statement): string | undefined => (command.type === "Command" ? [command.name?.value, ...command.args.map((arg) => arg.text)].join(" ") : command.type === "ArithmeticCommand" ? `((${command.body}))` : undefined);
