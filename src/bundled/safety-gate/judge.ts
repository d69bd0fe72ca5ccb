// What a policy says of one call with its final arguments.
import { globSync } from "node:fs";
import { ask, block, type GuardDecision, type JsonObject } from "hookline";
import { type Segment, segmentsOf } from "./commands.ts";
import { hostsIn } from "./hosts.ts";
import { absolute, type PathRule, placesOf } from "./paths.ts";
import type { Policy } from "./policy.ts";
import type { Rule } from "./rule.ts";

export interface Judged {
	readonly toolName: string;
	/** Absolute. */
	readonly cwd: string;
	readonly args: JsonObject;
}

type Verdict = Extract<GuardDecision<"tool.calling">, { kind: "ask" | "block" }>;

/** The strongest of all that the policies say; undefined when they say nothing. */
export function judge(policies: readonly Policy[], call: Judged): Verdict | undefined {
	const said = policies.flatMap((policy) => [...pathVerdicts(policy, call), ...commandVerdicts(policy, call), ...hostVerdicts(policy, call)]);
	return said.find(({ kind }) => kind === "block") ?? said[0];
}

const because = (where: string, { rule, reason }: Rule, what: string): string => `${what} (${where}: ${rule}).${reason === undefined ? "" : ` ${reason}`}`;

/** Names of arguments that are paths, in whatever tool. */
const pathArguments = /^(?:(?:file|dir|old|new|source|src|target|dest|destination|input|output)_?)?(?:path|paths|file|files|filename|folder|directory|dir)$|^(?:source|destination|cwd)$/i;

/** The paths a call names, with what it may do there. */
function pathsIn({ toolName, args }: Judged): readonly { readonly path: string; readonly reads: boolean; readonly writes: boolean }[] {
	if (toolName === "terminal") return [];
	const named = Object.entries(args).filter(([name]) => pathArguments.test(name)).flatMap(([, value]) => value).filter((value) => typeof value === "string");
	// A tool that is not known may do both.
	const reads = toolName !== "write_file";
	const writes = toolName !== "read_file" && toolName !== "search_files";
	return named.map((path) => ({ path, reads, writes }));
}

function pathVerdicts({ paths }: Policy, call: Judged): readonly Verdict[] {
	if (paths.deny_read.length + paths.deny_write.length + paths.ask_write.length === 0) return [];
	const first = (rules: readonly PathRule[], places: readonly string[]) => rules.find((rule) => rule.covers(places, call.cwd));
	const verdicts: Verdict[] = [];
	for (const { path, reads, writes } of pathsIn(call)) {
		const places = placesOf(path, call.cwd);
		const [unreadable, unwritable, asked] = [reads && first(paths.deny_read, places), writes && first(paths.deny_write, places), writes && first(paths.ask_write, places)];
		if (unreadable) verdicts.push(block(because("paths.deny_read", unreadable, `${path} may not be read`)));
		if (unwritable) verdicts.push(block(because("paths.deny_write", unwritable, `${path} may not be written`)));
		if (asked) verdicts.push(ask(because("paths.ask_write", asked, `${path} is to be written`)));
	}
	const folders = foldersIn(call);
	for (const word of wordsIn(call)) {
		const places = folders.flatMap((folder) => [word, ...meantBy(word, folder)].flatMap((one) => placesOf(one, folder)));
		const unreadable = first(paths.deny_read, places);
		const unwritable = first([...paths.deny_write, ...paths.ask_write], places);
		if (unreadable) verdicts.push(block(because("paths.deny_read", unreadable, `The command names ${word}, which may not be read`)));
		// Whether it would write there cannot be told from its text.
		if (unwritable) verdicts.push(ask(because("paths", unwritable, `The command names ${word}, and may write there`)));
	}
	return verdicts;
}

/** Characters; a longer command is not taken apart. */
const mostCommand = 20_000;

const commandOf = ({ toolName, args }: Judged): string => (toolName === "terminal" && typeof args["command"] === "string" ? args["command"] : "");
const segmentsIn = (call: Judged): readonly Segment[] => (commandOf(call).length > mostCommand ? [] : segmentsOf(commandOf(call)));

/** The words of a command that could be paths; of `--file=a`, `-fa` and `@a` also what follows. */
function wordsIn(call: Judged): readonly string[] {
	const words = [...segmentsIn(call).flat(), ...(call.toolName === "terminal" && typeof call.args["cwd"] === "string" ? [call.args["cwd"]] : [])];
	return [...new Set(words.flatMap((word) => [word, word.replace(/^[^=]*=/, ""), word.replace(/^-\w/, ""), word.replace(/^@/, "")]))].filter((word) => word !== "");
}

/** What a shell would put in a word's place. Of a word with wildcards in more than two of its folders that could take for ever. */
function meantBy(word: string, folder: string): readonly string[] {
	const wild = word.split("/").filter((piece) => /[*?[{]/.test(piece)).length;
	return wild === 0 || wild > 2 ? [] : globSync(word.replace(/\*+/g, "*"), { cwd: folder });
}

/** The folders a command works in: where it begins, and where it says it goes. */
function foldersIn(call: Judged): readonly string[] {
	const folders = [absolute(String(call.args["cwd"] ?? "."), call.cwd)];
	for (const segment of segmentsIn(call)) {
		for (const [i, word] of segment.entries()) {
			const to = segment[i + 1];
			if (to !== undefined && (/^(?:cd|pushd)$/.test(word) || word === "-C")) folders.push(absolute(to, folders.at(-1)!));
		}
	}
	return [...new Set(folders)];
}

function commandVerdicts({ commands, paths }: Policy, call: Judged): readonly Verdict[] {
	const length = commandOf(call).length;
	if (length > mostCommand && [...Object.values(commands), ...Object.values(paths)].some((rules) => rules.length > 0)) return [ask(`The command has ${length} characters, too many to be looked through.`)];
	const segments = segmentsIn(call);
	const denied = commands.deny.find((rule) => rule.covers(segments));
	const asked = commands.ask.find((rule) => rule.covers(segments));
	return [...(denied ? [block(because("commands.deny", denied, "That command is not allowed"))] : []), ...(asked ? [ask(because("commands.ask", asked, "That command is asked about"))] : [])];
}

function hostVerdicts({ hosts: { allow, deny } }: Policy, call: Judged): readonly Verdict[] {
	if (allow === undefined && deny.length === 0) return [];
	const { toolName, args } = call;
	const reached = toolName === "terminal" ? hostsIn(commandOf(call)) : hostsIn(Object.entries(args).flatMap(([name, value]) => (/^(?:urls?|uri|endpoint|address|href)$/i.test(name) ? [value] : [])));
	return reached.flatMap((host): Verdict[] => {
		const denied = deny.find((rule) => rule.covers(host));
		if (denied) return [block(because("hosts.deny", denied, `${host} may not be reached`))];
		return allow === undefined || allow.some((rule) => rule.covers(host)) ? [] : [block(`${host} may not be reached: it is not in hosts.allow.`)];
	});
}
