// The tool that searches the contents or the names of files.
import { readdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { ToolResult } from "../events/payloads/tool.ts";
import { globTest } from "./glob.ts";
import { explain, resolvePath } from "./path.ts";
import { compilePattern } from "./pattern.ts";
import { counted, failed, sized, succeeded } from "./result.ts";
import { findRipgrep, searchByRipgrep, type RipgrepFinder } from "./search-ripgrep.ts";
import { searchByWalk } from "./search-walk.ts";
import { largestFile, type Search, type SearchResult } from "./search.ts";
import type { Tool, ToolContext } from "./tool.ts";

const longestMs = 30_000;
const usualLimit = 200;
const mostFindings = 2_000;

interface SearchArgs {
	readonly pattern: string;
	readonly path?: string;
	readonly glob?: string;
	readonly mode?: "content" | "files";
	readonly ignore_case?: boolean;
	readonly limit?: number;
}

/** The tool, with ripgrep where `ripgrep` finds it. Without, the walk of our own gives the same findings, more slowly. */
export function searchFilesWith(ripgrep: RipgrepFinder): Tool {
	return {
		name: "search_files",
		description: [
			"Searches a folder by a regular expression: mode 'content' gives matching lines as path:line: text, mode 'files' the files whose path matches.",
			`Files that .gitignore leaves out, .git, binary files and files over ${sized(largestFile)} are passed over. Sorted by path.`,
		].join(" "),
		parameters: {
			type: "object",
			properties: {
				pattern: { type: "string", minLength: 1, description: "Regular expression, for one line or (mode 'files') for the path. '.' means any." },
				path: { type: "string", description: "The folder, or one file. Default: the working folder." },
				glob: { type: "string", minLength: 1, description: "Only files like this, for example *.ts, src/**/*.{js,ts} or !*.min.js." },
				mode: { type: "string", enum: ["content", "files"], description: "Default 'content'." },
				ignore_case: { type: "boolean", description: "Default false." },
				limit: { type: "integer", minimum: 1, maximum: mostFindings, description: `The most findings to give. Default ${usualLimit}.` },
			},
			required: ["pattern"],
			additionalProperties: false,
		},
		async run(args, context) {
			const { pattern, path: name = ".", glob, mode = "content", ignore_case: ignoreCase = false, limit = usualLimit } = args as unknown as SearchArgs;
			if (/\0/.test(pattern)) return failed("The pattern holds a NUL character, which no line of text has. Leave it out.");
			const wanted = glob === undefined ? () => true : globTest(glob);
			if ("mistake" in wanted) return failed(wanted.mistake);
			const place = await placeOf(name, context.cwd);
			if ("mistake" in place) return failed(place.mistake);
			return withDeadline(context, async (signal) => {
				const search: Search = { mode, pattern, ignoreCase, limit, wanted, signal, ...place };
				return told(await searched(search, await ripgrep()), context);
			});
		},
	};
}

export const searchFiles: Tool = searchFilesWith(findRipgrep);

async function placeOf(name: string, cwd: string): Promise<{ readonly folder: string; readonly file?: string } | { readonly mistake: string }> {
	const resolved = resolvePath(name, cwd);
	if ("mistake" in resolved) return resolved;
	const { path } = resolved;
	try {
		const found = await stat(path);
		if (found.isFile()) return { folder: dirname(path), file: basename(path) };
		if (!found.isDirectory()) return { mistake: `'${name}' is neither a folder nor a regular file, so it cannot be searched.` };
		await readdir(path);
		return { folder: path };
	} catch (error) {
		return { mistake: await explain(error, path, name) };
	}
}

/** The two sorts of regular expression differ a little: what ripgrep does not take may be one of ours, and the other way round. */
async function searched(search: Search, program: string | undefined): Promise<SearchResult | { readonly mistake: string }> {
	const compiled = compilePattern(search.pattern, search.ignoreCase);
	const expression = "expression" in compiled ? compiled.expression : undefined;
	const byRipgrep = program === undefined ? undefined : await searchByRipgrep(program, search, expression);
	if (byRipgrep) return byRipgrep;
	return "mistake" in compiled ? compiled : searchByWalk(search, compiled.expression);
}

async function withDeadline(context: ToolContext, work: (signal: AbortSignal) => Promise<ToolResult>): Promise<ToolResult> {
	const late = new AbortController();
	const timer = setTimeout(() => late.abort(), longestMs);
	try {
		return await work(AbortSignal.any([context.signal, late.signal]));
	} finally {
		clearTimeout(timer);
	}
}

function told(result: SearchResult | { readonly mistake: string }, context: ToolContext): ToolResult {
	if ("mistake" in result) return failed(result.mistake);
	if (context.signal.aborted) return failed("[interrupted]", { interrupted: true });
	const { ending, findings } = result;
	const { lines, leftOut } = findings;
	const notes: string[] = [];
	if (leftOut > 0) notes.push(`[${counted(leftOut, "more finding")} left out; narrow the pattern, the path or the glob, or raise limit]`);
	if (ending === "stopped") notes.push(`[stopped after ${longestMs / 1000} s; what was not reached by then is missing here]`);
	if (ending === "too-slow") notes.push("[stopped: the pattern takes too long (repetition inside repetition, like (a+)+, does that); make it simpler]");
	const text = [lines.length === 0 && ending === "complete" ? "Nothing found." : lines.join("\n"), ...notes].filter((part) => part !== "").join("\n");
	const details = { findings: lines.length, leftOut, complete: ending === "complete" };
	return ending === "too-slow" ? failed(text, details) : succeeded(text, details);
}
