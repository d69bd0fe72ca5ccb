// The tool that replaces a piece of text in a file.
import { readFile, stat } from "node:fs/promises";
import type { ToolResult } from "../events/payloads/tool.ts";
import { describeNearest } from "./nearest-lines.ts";
import { explain, resolvePath } from "./path.ts";
import { inTurn, replaceFile } from "./replace-file.ts";
import { counted, failed, sized, succeeded } from "./result.ts";
import type { Tool } from "./tool.ts";

const mostBytes = 16 * 1024 * 1024;

interface PatchArgs {
	readonly path: string;
	readonly old: string;
	readonly new: string;
	readonly all?: boolean;
}

export const patch: Tool = {
	name: "patch",
	description: [
		"Replaces text in a file: 'old' must stand there exactly, including indentation, and only once unless all is true.",
		"Take enough lines around the change to make it unique. Line endings are kept as the file has them.",
	].join(" "),
	parameters: {
		type: "object",
		properties: {
			path: { type: "string", description: "The file. Relative paths start at the working folder, ~ is the home folder." },
			old: { type: "string", minLength: 1, description: "The text to replace, without line numbers." },
			new: { type: "string", description: "What stands there afterwards; empty to delete." },
			all: { type: "boolean", description: "Replace every occurrence. Default false." },
		},
		required: ["path", "old", "new"],
		additionalProperties: false,
	},
	async run(args, context) {
		const wanted = args as unknown as PatchArgs;
		const resolved = resolvePath(wanted.path, context.cwd);
		if ("mistake" in resolved) return failed(resolved.mistake);
		const { path } = resolved;
		if (wanted.old === "") return failed("'old' is empty, so nothing was changed. Give the text to replace; write_file creates a file.");
		if (wanted.old === wanted.new) return failed("'old' and 'new' are the same, so there is nothing to change.");
		try {
			return await inTurn(path, (target) => change(target, wanted, context.signal));
		} catch (error) {
			return failed(`Nothing was changed. ${await explain(error, path, wanted.path)}`);
		}
	},
};

async function change(target: string, wanted: PatchArgs, signal: AbortSignal): Promise<ToolResult> {
	const name = wanted.path;
	const { size } = await stat(target);
	if (size > mostBytes) return failed(`'${name}' is too large to be patched (${sized(size)}, at most ${sized(mostBytes)}). Use the terminal tool.`);
	const text = decode(await readFile(target));
	if (text === undefined) return failed(`'${name}' is no UTF-8 text (${sized(size)}), so nothing was changed.`);

	const { old, new: replacement } = inEndingsOf(text, wanted);
	const places = occurrences(text, old);
	if (places.length === 0) return failed(`'old' does not stand in '${name}', so nothing was changed. ${describeNearest(text, wanted.old)}`, { path: target });
	const lines = lineNumbers(text, places);
	if (places.length > 1 && wanted.all !== true) {
		const where = lines.slice(0, 20).join(", ") + (lines.length > 20 ? ", ..." : "");
		const advice = "Take more of the lines around the one you mean, or set all to true.";
		return failed(`'old' stands in '${name}' ${places.length} times (lines ${where}), so nothing was changed. ${advice}`, { path: target, occurrences: places.length });
	}
	if (signal.aborted) return failed("[interrupted] Nothing was changed.", { interrupted: true });
	const { bytes } = await replaceFile(target, text.split(old).join(replacement));
	const where = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", ..." : ""}`;
	return succeeded(`Replaced ${counted(places.length, "occurrence")} in '${name}' (${where}).`, { path: target, replacements: places.length, bytes });
}

/** Keeps a byte order mark as a character, so that it is written back. */
function decode(bytes: Buffer): string | undefined {
	if (bytes.includes(0)) return undefined;
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

/** Models write line feeds whatever the file has. The text is taken as it stands when it is found so, and in the file's endings otherwise. */
function inEndingsOf(text: string, wanted: PatchArgs): { readonly old: string; readonly new: string } {
	const unix = { old: wanted.old.replaceAll("\r\n", "\n"), new: wanted.new.replaceAll("\r\n", "\n") };
	const lineFeeds = text.split("\n").length - 1;
	const pairs = text.split("\r\n").length - 1;
	const dos = { old: unix.old.replaceAll("\n", "\r\n"), new: unix.new.replaceAll("\n", "\r\n") };
	if (pairs > 0 && pairs === lineFeeds) return dos;
	if (text.includes(wanted.old)) return wanted;
	return text.includes(unix.old) ? unix : dos;
}

function occurrences(text: string, old: string): number[] {
	const places: number[] = [];
	for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) places.push(at);
	return places;
}

function lineNumbers(text: string, places: readonly number[]): number[] {
	let line = 1;
	let from = 0;
	return places.map((place) => {
		for (let at = text.indexOf("\n", from); at >= 0 && at < place; at = text.indexOf("\n", from)) {
			line++;
			from = at + 1;
		}
		return line;
	});
}
