// The tool that keeps notes beyond a session: one small file about the user, one about each project.
import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ToolResult } from "../events/payloads/tool.ts";
import { writeAtomically } from "../system/files.ts";
import { visible } from "../system/visible.ts";
import { inTurn } from "./replace-file.ts";
import { counted, failed, succeeded } from "./result.ts";
import type { Tool } from "./tool.ts";

/** Of one file, in bytes. It is meant to be read whole. */
export const mostMemoryBytes = 8 * 1024;
const longestNote = 1000;

interface MemoryArgs {
	readonly action: "read" | "add" | "remove" | "replace";
	readonly scope: "user" | "project";
	readonly text?: string;
	readonly old?: string;
}

/** A line of the file: a note, or what somebody wrote around the notes by hand. */
interface Line {
	readonly text: string;
	readonly isNote: boolean;
}

export const memory: Tool = {
	name: "memory",
	description: [
		"Keeps short notes for later sessions: scope 'user' is about the user and holds everywhere, 'project' is about the working folder.",
		"'add' keeps 'text' as a note, 'remove' and 'replace' change the one note in which 'old' stands, 'read' shows all. Keep what will matter again (preferences, conventions, decisions), never secrets.",
	].join(" "),
	parameters: {
		type: "object",
		properties: {
			action: { type: "string", enum: ["read", "add", "remove", "replace"] },
			scope: { type: "string", enum: ["user", "project"] },
			text: { type: "string", minLength: 1, maxLength: longestNote, description: "For 'add' and 'replace': the note, one line." },
			old: { type: "string", minLength: 1, maxLength: longestNote, description: "For 'remove' and 'replace': words that stand in exactly one note." },
		},
		required: ["action", "scope"],
		additionalProperties: false,
	},
	async run(args, { settings, cwd, signal }) {
		const wanted = args as unknown as MemoryArgs;
		const { action, scope } = wanted;
		const folder = settings.memoryFolder;
		if (folder === undefined) return failed("There is no place to keep notes here, so nothing can be remembered.");
		if ((action === "add" || action === "replace") && noteOf(wanted.text ?? "") === "") return failed(`'text' is missing: '${action}' needs the note.`);
		if ((action === "remove" || action === "replace") && noteOf(wanted.old ?? "") === "") return failed(`'old' is missing: '${action}' needs words of the note that is meant.`);
		const file = memoryFile(folder, scope, cwd);
		try {
			return await inTurn(file, async () => {
				const lines = await read(file);
				if (lines === undefined) return failed(`The notes cannot be used: ${file} is no UTF-8 text. Tell the user, who may mend it or move it away.`);
				if (action === "read") return shown(scope, lines, file);
				const changed = change(lines, wanted);
				if ("mistake" in changed) return failed(`Nothing was changed. ${changed.mistake}`);
				const content = changed.lines.map((line) => (line.isNote ? `- ${line.text}\n` : `${line.text}\n`)).join("");
				const bytes = Buffer.byteLength(content);
				// Taking something away is always allowed, or a file that is too large by hand could not be mended.
				if (bytes > mostMemoryBytes && action !== "remove") return failed(`Nothing was changed: the notes (${scope}) would have ${bytes} bytes, and ${mostMemoryBytes} is the most. Remove what is not needed any more, or say it shorter.`);
				if (signal.aborted) return failed("[interrupted] Nothing was changed.", { interrupted: true });
				await mkdir(dirname(file), { recursive: true, mode: 0o700 });
				await writeAtomically(file, content, { until: "disk" });
				return shown(scope, changed.lines, file);
			});
		} catch (error) {
			return failed(`The notes could not be ${action === "read" ? "read" : "written"}: ${error instanceof Error ? error.message : String(error)}. Tell the user.`);
		}
	},
};

/** Where the notes of a scope are kept. A project's file is named after its folder, so that a person finds it, and by a hash, so that two are never one. */
export function memoryFile(folder: string, scope: "user" | "project", cwd: string): string {
	if (scope === "user") return join(folder, "user.md");
	const name = basename(cwd).replace(/[^\w.-]+/g, "-").replace(/^[.-]+/, "").slice(0, 40) || "folder";
	return join(folder, "projects", `${name}-${createHash("sha256").update(cwd).digest("hex").slice(0, 16)}.md`);
}

/** Undefined when it is no text. */
async function read(file: string): Promise<readonly Line[] | undefined> {
	let bytes: Buffer;
	try {
		bytes = await readFile(file);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
		throw error;
	}
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
	if (text.includes("\0")) return undefined;
	const lines = text.replaceAll("\r\n", "\n").split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines.map((line) => (line.startsWith("- ") ? { text: line.slice(2), isNote: true } : { text: line, isNote: false }));
}

function change(lines: readonly Line[], { action, text = "", old = "" }: MemoryArgs): { readonly lines: readonly Line[] } | { readonly mistake: string } {
	const note: Line = { text: noteOf(text), isNote: true };
	if (action === "add") {
		return lines.some((line) => line.isNote && line.text === note.text) ? { mistake: "This note is there already." } : { lines: [...lines, note] };
	}
	const wanted = noteOf(old);
	const places = lines.flatMap((line, i) => (line.isNote && line.text.includes(wanted) ? [i] : []));
	// A note that is short may stand inside another; said in full it is meant itself.
	const exact = places.filter((i) => lines[i]!.text === wanted);
	const [place, ...others] = exact.length === 1 ? exact : places;
	if (place === undefined) return { mistake: `'${wanted}' stands in no note. 'read' shows them all.` };
	if (others.length > 0) return { mistake: `'${wanted}' stands in ${counted(places.length, "note")}. Take more words of the one that is meant.` };
	return { lines: action === "remove" ? lines.toSpliced(place, 1) : lines.with(place, note) };
}

/** One line, with everything in it to be seen: it will be read again in other sessions and on terminals. */
const noteOf = (text: string): string => visible(text.toWellFormed().replace(/\s+/g, " ").trim());

function shown(scope: MemoryArgs["scope"], lines: readonly Line[], file: string): ToolResult {
	const notes = lines.filter(({ isNote }) => isNote).length;
	const about = scope === "user" ? "about the user" : "about this project";
	const whole = visible(lines.map((line) => (line.isNote ? `- ${line.text}` : line.text)).join("\n")).trim();
	const details = { scope, notes, path: file };
	if (whole === "") return succeeded(`There are no notes ${about} yet.`, details);
	const cut = whole.length > mostMemoryBytes ? `${whole.slice(0, mostMemoryBytes).toWellFormed()}\n[... the file is larger than ${mostMemoryBytes} bytes; the rest is not shown]` : whole;
	return succeeded(`${counted(notes, "note")} ${about}:\n${cut}`, details);
}
