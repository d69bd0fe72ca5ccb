// The search by ripgrep, told to see the same files as our own.
import { access, constants, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { ProcessStartError, startProcess } from "../system/process.ts";
import { toolEnvironment } from "./environment.ts";
import { surroundingRules } from "./ignore-rules.ts";
import { withinTime } from "./pattern.ts";
import { batchMs, findingOf, largestFile, Findings, type Search, type SearchResult } from "./search.ts";

/** Gives the path of the program, or undefined where there is none. */
export type RipgrepFinder = () => Promise<string | undefined>;

let found: Promise<string | undefined> | undefined;

/** Looks along PATH, once. */
export const findRipgrep: RipgrepFinder = () => (found ??= findOnPath("rg", process.env["PATH"] ?? ""));

export async function findOnPath(name: string, path: string): Promise<string | undefined> {
	for (const folder of path.split(":")) {
		// A relative entry would run whatever lies in the folder the agent works on.
		if (!isAbsolute(folder)) continue;
		const file = join(folder, name);
		const usable = await access(file, constants.X_OK).then(async () => (await stat(file)).isFile()).catch(() => false);
		if (usable) return file;
	}
	return undefined;
}

/** Undefined when ripgrep could not do it: an expression that only JavaScript knows, a version that is too old. `expression` is for the names of files. */
export async function searchByRipgrep(program: string, search: Search, expression: RegExp | undefined): Promise<SearchResult | undefined> {
	const findings = new Findings(search.limit);
	if (search.mode === "files" && (!expression || search.file !== undefined)) return undefined;
	const reading = expression && search.mode === "files" ? readPaths(search, expression, findings) : readMatches(search, findings);
	let rest = Buffer.alloc(0);
	const running = await startProcess({
		file: program,
		args: [...(await flags(search)), "--", search.file === undefined ? "." : `./${search.file}`],
		cwd: search.folder,
		env: toolEnvironment(),
		onOutput: (chunk) => {
			const end = chunk.lastIndexOf(reading.separator);
			rest = Buffer.concat([rest, end < 0 ? chunk : chunk.subarray(0, end)]);
			if (end < 0) return;
			take(reading, rest.toString().split(reading.separator));
			rest = Buffer.from(chunk.subarray(end + 1));
		},
		onError: () => {},
	}).catch((error: unknown) => {
		if (error instanceof ProcessStartError) return undefined;
		throw error;
	});
	if (!running) return undefined;
	const stop = () => void running.end(250);
	search.signal.addEventListener("abort", stop, { once: true });
	if (search.signal.aborted) stop();
	const { exitCode } = await running.exited;
	search.signal.removeEventListener("abort", stop);
	if (search.signal.aborted) return { ending: "stopped", findings };
	// It also exits with 2 when some file could not be read, after a complete search.
	if (reading.state === "unreadable" || (exitCode !== 0 && exitCode !== 1 && reading.state !== "summed-up")) return undefined;
	return { ending: reading.state === "too-slow" ? "too-slow" : "complete", findings };
}

/** How the output is read, a number of whole records at a time. */
interface Reading {
	readonly separator: "\n" | "\0";
	readonly read: (records: readonly string[]) => void;
	state: "reading" | "summed-up" | "too-slow" | "unreadable";
}

/** Runs inside a data event: what is thrown here would end the agent, and a slow expression would stop it. */
function take(reading: Reading, records: readonly string[]): void {
	if (reading.state === "too-slow" || reading.state === "unreadable") return;
	try {
		if (!withinTime(batchMs, () => reading.read(records))) reading.state = "too-slow";
	} catch {
		reading.state = "unreadable";
	}
}

function readPaths(search: Search, expression: RegExp, findings: Findings): Reading {
	return {
		separator: "\0",
		state: "reading",
		read: (records) => {
			for (const path of records.map(relative)) if (search.wanted(path) && expression.test(path)) findings.add(path);
		},
	};
}

/** The records of `rg --json` that are looked at. */
type RgRecord =
	| { readonly type: "begin" | "summary" | "context" }
	| { readonly type: "match"; readonly data: RgMatch }
	| { readonly type: "end"; readonly data: { readonly path: RgText; readonly binary_offset: number | null } };
interface RgMatch {
	readonly path: RgText;
	readonly lines: RgText;
	readonly line_number: number;
	readonly submatches: readonly { readonly start: number }[];
}
/** `bytes` (base64) when it is no UTF-8. */
type RgText = { readonly text: string } | { readonly bytes: string };

function readMatches(search: Search, findings: Findings): Reading {
	let ofThisFile: RgMatch[] = [];
	const reading: Reading = {
		separator: "\n",
		state: "reading",
		read: (records) => {
			for (const record of records.map((line) => JSON.parse(line) as RgRecord)) {
				if (record.type === "match") ofThisFile.push(record.data);
				else if (record.type === "summary") reading.state = "summed-up";
				else if (record.type === "end") {
					// Only at its end a file is known to be binary.
					const path = relative(textOf(record.data.path));
					if (record.data.binary_offset === null && search.wanted(path)) for (const match of ofThisFile) findings.add(shown(path, match));
					ofThisFile = [];
				}
			}
		},
	};
	return reading;
}

function shown(path: string, match: RgMatch): string {
	const text = textOf(match.lines);
	// Positions are in bytes.
	const at = Buffer.from(text).subarray(0, match.submatches[0]?.start ?? 0).toString().length;
	return findingOf(path, match.line_number, text, at);
}

const textOf = (value: RgText) => ("text" in value ? value.text : Buffer.from(value.bytes, "base64").toString());
const relative = (path: string) => path.replace(/^\.\//, "");

async function flags(search: Search): Promise<string[]> {
	const { inRepository, named } = await surroundingRules(search.folder);
	// Globs are left to us: ripgrep's would bring back files that .gitignore leaves out.
	const files = ["--no-config", "--hidden", "--glob=!.git", "--sort=path", "--no-ignore-dot", "--no-ignore-global", "--no-ignore-exclude"];
	if (!inRepository) files.push("--no-require-git");
	if (!inRepository || named) files.push("--no-ignore-parent");
	if (search.mode === "files") return [...files, "--files", "--null"];
	const letters = search.ignoreCase ? "--ignore-case" : "--case-sensitive";
	return [...files, "--json", "--no-messages", "--encoding=none", `--max-filesize=${largestFile}`, letters, `--regexp=${search.pattern}`];
}
