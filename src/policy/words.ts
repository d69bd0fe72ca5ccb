// Words to fields, as bash expands them, as far as what stands there is constant.
import { type Assignment, parse, type ParameterExpansionPart, type ParameterOperation, type Script, type Word, type WordPart } from "unbash";
import { type Field, fieldBreak, isConstant, one, processMark, quoted, star, unknown } from "./field.ts";
import { assign, type Value, type World } from "./world.ts";

/** Runs what stands in substitutions. */
export interface Substitutions {
	/** What `$(…)` gives; undefined when that is not known. */
	output(script: Script | undefined, world: World): string | undefined;
	/** The number under which a `<(…)` or `>(…)` is known. */
	process(script: Script | undefined, world: World): number;
	/** What the shell inherited. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly home: string;
}

/** A stretch of a word. What came from an unquoted expansion is split into fields. */
interface Piece {
	readonly text: string;
	readonly splits?: true;
}

const mostBraces = 64;
const defaultIfs = " \t\n";

/** The fields of a word. */
export function fieldsOf(word: Word, world: World, sub: Substitutions): readonly Field[] {
	if (word.parts?.some(({ type }) => type === "BraceExpansion")) {
		let words: readonly Word[] = [word];
		// One pair of braces after the other, all alternatives of each.
		for (let i = 0; i < mostBraces && words.length <= mostBraces; i++) {
			const next = words.flatMap((one) => bracesOf(one) ?? [one]);
			if (next.length === words.length && next.every((one, j) => one === words[j])) return words.flatMap((one) => fieldOfParts(one, world, sub));
			words = next;
		}
		return [{ text: unknown, shown: word.text }];
	}
	return fieldOfParts(word, world, sub);
}

function fieldOfParts(word: Word, world: World, sub: Substitutions): readonly Field[] {
	const texts = split(piecesOf(word, world, sub), ifsOf(world));
	return texts.map((text) => ({ text, shown: isConstant(text) ? quoted(text) : word.text }));
}

/** A word where no splitting happens: an assignment's value, the target of a redirection, the word of a case. */
export function textOf(word: Word | undefined, world: World, sub: Substitutions): string {
	return word === undefined ? "" : joined(piecesOf(word, world, sub));
}

/** The text of parts that stand in double quotes or in a here-document. */
export function textOfParts(parts: readonly WordPart[], world: World, sub: Substitutions): string {
	return joined(parts.flatMap((part) => partOf(part, world, sub, true)));
}

export function valueOf({ value }: Assignment, world: World, sub: Substitutions): Value {
	if (value.type === "ArrayValue") return value.elements.flatMap((word) => fieldsOf(word, world, sub).map(({ text }) => text));
	const text = textOf(value, world, sub);
	return text.includes(unknown) && text.length === 1 ? null : text;
}

/** The world after an assignment. */
export function assigned(assignment: Assignment, world: World, sub: Substitutions): World {
	const given = valueOf(assignment, world, sub);
	const before = world.vars.get(assignment.name);
	if (assignment.index !== undefined) {
		const at = Number(textOf(assignment.index, world, sub));
		const list = Array.isArray(before) ? [...(before as readonly string[])] : typeof before === "string" ? [before] : [];
		if (!Number.isInteger(at) || at < 0 || at > 1000) return assign(world, assignment.name, null);
		list[at] = typeof given === "string" ? given : unknown;
		return assign(world, assignment.name, Array.from(list, (item) => item ?? ""));
	}
	if (!assignment.append) return assign(world, assignment.name, given);
	if (Array.isArray(before) && Array.isArray(given)) return assign(world, assignment.name, [...(before as readonly string[]), ...(given as readonly string[])]);
	return assign(world, assignment.name, `${asText(before === undefined ? inherited(assignment.name, world, sub) : before)}${asText(given)}`);
}

const joined = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join("").replaceAll(fieldBreak, " ");
const asText = (value: Value) => (value === null ? unknown : typeof value === "string" ? value : (value[0] ?? ""));

function ifsOf({ vars }: World): string {
	const ifs = vars.get("IFS");
	return typeof ifs === "string" && isConstant(ifs) ? ifs : defaultIfs;
}

function split(pieces: readonly Piece[], ifs: string): string[] {
	const fields: string[] = [];
	let field: string | undefined;
	for (const { text, splits } of pieces) {
		// An unquoted expansion that is empty makes no field; anything else, also '', does.
		if (!splits) {
			const [first = "", ...rest] = text.split(fieldBreak);
			field = (field ?? "") + first;
			for (const next of rest) {
				fields.push(field);
				field = next;
			}
			continue;
		}
		for (const character of text) {
			if (ifs.includes(character) || character === fieldBreak) {
				if (field !== undefined) fields.push(field);
				field = undefined;
			} else field = (field ?? "") + character;
		}
	}
	if (field !== undefined) fields.push(field);
	return fields;
}

function piecesOf(word: Word, world: World, sub: Substitutions): Piece[] {
	if (word.parts === undefined) return [{ text: tilde(clean(word.value), word.text, world, sub) }];
	return word.parts.flatMap((part, i) => {
		const pieces = partOf(part, world, sub, false);
		return i === 0 && part.type === "Literal" ? [{ text: tilde(pieces[0]!.text, part.text, world, sub) }] : pieces;
	});
}

/** Characters of the text itself that look like our marks are as good as unknown. */
const clean = (text: string) => text.replace(/[\uE000-\uE004]/g, unknown);

function tilde(value: string, written: string, { cwd }: World, { home }: Substitutions): string {
	if (!written.startsWith("~")) return value;
	const [prefix = ""] = /^~[^/]*/.exec(value)!;
	const folder = prefix === "~" ? home : prefix === "~+" ? (cwd ?? unknown) : prefix === "~root" ? "/root" : prefix === `~${home.split("/").at(-1)}` ? home : undefined;
	return folder === undefined ? value : folder + value.slice(prefix.length);
}

function partOf(part: WordPart, world: World, sub: Substitutions, isQuoted: boolean): Piece[] {
	const expansion = (text: string): Piece[] => [isQuoted ? { text } : { text: globbed(text), splits: true }];
	switch (part.type) {
		case "Literal":
		case "SingleQuoted":
		case "AnsiCQuoted":
			return [{ text: clean(part.value) }];
		case "DoubleQuoted":
		case "LocaleString":
			return part.parts.length === 0 ? [{ text: "" }] : part.parts.flatMap((inner) => partOf(inner, world, sub, true));
		case "Glob":
			return [{ text: part.kind === "star" ? star : one }];
		case "ExtendedGlob":
			return [{ text: star }];
		case "SimpleExpansion":
			return expansion(parameter(part.text.slice(1), world, sub));
		case "ParameterExpansion":
			return expansion(expanded(part, world, sub));
		case "CommandExpansion":
			return expansion(sub.output(part.script, world)?.replace(/\n+$/, "") ?? unknown);
		case "ProcessSubstitution":
			return [{ text: `/dev/fd/${processMark}${sub.process(part.script, world)}${processMark}` }];
		default:
			return [{ text: unknown }];
	}
}

/** The result of an unquoted expansion is a pattern as well. */
const globbed = (text: string) => text.replaceAll("*", star).replaceAll("?", one);

function parameter(name: string, world: World, sub: Substitutions): string {
	if (name === "@" || name === "*") return world.args.slice(1).join(fieldBreak);
	if (name === "#") return String(Math.max(0, world.args.length - 1));
	if (/^\d+$/.test(name)) return world.args[Number(name)] ?? (world.opaque ? unknown : "");
	const value = world.vars.get(name);
	return asText(value === undefined ? inherited(name, world, sub) : value);
}

/** Set by the shell itself, or changing: nobody can know them. */
const changing = /^(?:[?!$_-]|RANDOM|SRANDOM|SECONDS|LINENO|PPID|BASHPID|EPOCH\w*|OLDPWD|REPLY|BASH\w*|HOST\w*|OPT\w+|PIPESTATUS|DIRSTACK|FUNCNAME|GROUPS|MACHTYPE|OSTYPE|SHELLOPTS|COMP_\w+|MAPFILE|TMPDIR)$/;

/** Of a variable this command has not set. One that is nowhere is empty, unless something unread may have set it. */
function inherited(name: string, { cwd, opaque }: World, { environment, home }: Substitutions): Value {
	if (name === "IFS") return defaultIfs;
	if (name === "HOME") return home;
	if (name === "PWD") return cwd ?? null;
	const text = environment[name];
	if (text !== undefined) return clean(text);
	return opaque || changing.test(name) ? null : "";
}

/** Whether a name means anything at all: an unset variable in the place of a command is a mistake, or a trick. */
export function isSet(name: string, world: World, sub: Substitutions): boolean {
	return /^\d+$/.test(name) ? Number(name) < world.args.length : world.vars.has(name) || inherited(name, world, sub) !== "";
}

function expanded(part: ParameterExpansionPart, world: World, sub: Substitutions): string {
	const { parameter: name, operation, prefix, index } = part;
	if (prefix === "#") return unknown;
	let text = index === undefined ? parameter(name, world, sub) : element(name, textOf(index, world, sub), world);
	if (prefix === "!") {
		if (text === "" || text.includes(unknown) || operation?.type === "Names") return unknown;
		text = parameter(text, world, sub);
	}
	if (operation === undefined) return text;
	const operand = (word: Word) => textOf(word, world, sub);
	if (operation.type === "Default") {
		// What may be empty or not can be either: the more telling of the two is what is written.
		const other = operand(operation.operand);
		if (operation.operator.endsWith("+")) return text === "" ? "" : other;
		if (operation.operator.endsWith("?")) return text;
		return text === "" || text === unknown ? other : text;
	}
	return isConstant(text) ? changed(text, operation, operand) : unknown;
}

/** A constant text after `${x:0:2}`, `${x/a/b}` and the like. */
function changed(text: string, operation: ParameterOperation, operand: (word: Word) => string): string {
	switch (operation.type) {
		case "Slice": {
			const from = Number(operand(operation.offset).trim());
			const length = operation.length === undefined ? Infinity : Number(operand(operation.length).trim());
			if (!Number.isInteger(from) || Number.isNaN(length)) return unknown;
			const start = from < 0 ? text.length + from : from;
			return text.slice(start, length < 0 ? length : start + length);
		}
		case "Replace": {
			const pattern = operand(operation.pattern);
			const by = operand(operation.replacement);
			if (!isConstant(pattern) || !isConstant(by) || (operation.operator !== "/" && operation.operator !== "//")) return unknown;
			return operation.operator === "//" ? text.replaceAll(pattern, () => by) : text.replace(pattern, () => by);
		}
		case "Remove": {
			const pattern = operand(operation.operand);
			if (!isConstant(pattern)) return unknown;
			if (operation.operator.startsWith("#")) return text.startsWith(pattern) ? text.slice(pattern.length) : text;
			return text.endsWith(pattern) ? text.slice(0, text.length - pattern.length) : text;
		}
		case "CaseModification": {
			const turn = (some: string) => (operation.operator.startsWith("^") ? some.toUpperCase() : some.toLowerCase());
			return operation.operand !== undefined ? unknown : operation.operator.length === 2 ? turn(text) : turn(text.slice(0, 1)) + text.slice(1);
		}
		default:
			return unknown;
	}
}

function element(name: string, index: string, { vars }: World): string {
	const value = vars.get(name);
	if (value === undefined) return "";
	const list = value === null ? [unknown] : typeof value === "string" ? [value] : value;
	if (index === "@" || index === "*" || index === star) return list.join(fieldBreak);
	return /^-?\d+$/.test(index) ? (list.at(Number(index)) ?? "") : unknown;
}

/** `a{b,c}` as the words it stands for; undefined when the braces mean nothing. */
function bracesOf(word: Word): readonly Word[] | undefined {
	const part = word.parts?.find(({ type }) => type === "BraceExpansion");
	if (part === undefined) return undefined;
	const alternatives = alternativesOf(part.text);
	if (alternatives === undefined) return undefined;
	const at = word.text.indexOf(part.text);
	const texts = alternatives.slice(0, mostBraces).map((text) => `${word.text.slice(0, at)}${text}${word.text.slice(at + part.text.length)}`);
	return texts.flatMap((text) => {
		const [statement] = parse(`: ${text}`).commands;
		return statement?.command.type === "Command" ? statement.command.args.filter((arg): arg is Word => arg.type === "Word") : [];
	});
}

function alternativesOf(braces: string): string[] | undefined {
	const inner = braces.slice(1, -1);
	const range = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])$/.exec(inner);
	if (range !== null) {
		const [from, to] = [range[1]!, range[2]!].map((end) => (/\d/.test(end) ? Number(end) : end.charCodeAt(0))) as [number, number];
		const count = Math.min(Math.abs(to - from) + 1, mostBraces);
		return Array.from({ length: count }, (_, i) => (/\d/.test(range[1]!) ? String(from + i * Math.sign(to - from)) : String.fromCharCode(from + i * Math.sign(to - from))));
	}
	const found: string[] = [];
	let depth = 0;
	let quote = "";
	let current = "";
	for (const character of inner) {
		if (quote !== "") quote = character === quote ? "" : quote;
		else if (character === "'" || character === '"') quote = character;
		else if (character === "{") depth++;
		else if (character === "}") depth--;
		if (character === "," && depth === 0 && quote === "") {
			found.push(current);
			current = "";
		} else current += character;
	}
	return found.length === 0 ? undefined : [...found, current];
}
