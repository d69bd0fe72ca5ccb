// A shell hook as a person is shown it before they decide: everything that would run, and how.
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import type { Examined } from "../../extensions/consent/consent.ts";
import type { Taken } from "../../extensions/consent/copy.ts";
import { piecesOf } from "../../extensions/consent/definition.ts";
import type { Piece, Program } from "../../extensions/consent/program.ts";
import { visible, visibleLine } from "../../system/visible.ts";

/** Lines of a script that a question shows. */
export const firstLines = 12;

/** What a hook does when it fails, as lists and questions say it. */
export function ifItFails({ failClosed, async }: ShellHook): string {
	if (async) return "nobody waits for it";
	return failClosed ? "blocks" : "goes on without it";
}

/** The whole definition with resolved paths, and so many lines of each script. */
export function describeHook({ hook, state, reason, digest }: Examined, { program, bytes }: Taken, mostLines: number): string {
	const scripts = [...bytes].filter(([{ as }]) => as !== "beside" || mostLines === Infinity);
	const beside = program.beside.length;
	return [
		state === "changed" ? `${visibleLine(reason ?? "")}\nThis would run:` : "This would run:",
		...definitionLines(hook, program),
		`    SHA-256     ${digest ?? "-"}`,
		...(beside > 0 ? [`Everything in its folder belongs to it: ${beside} more file${beside === 1 ? "" : "s"}.`] : []),
		...scripts.map(([piece, content]) => textOf(piece, content, mostLines)),
	].join("\n");
}

/** All settings of a hook and the files it runs, a line each. */
export function definitionLines(hook: ShellHook, program: Program): readonly string[] {
	const lines: readonly (readonly [string, string])[] = [
		["hook", `${hook.id}, ${hook.file}:${hook.line}`],
		["event", `${hook.written}${hook.written === hook.event ? "" : ` (${hook.event})`}, ${hook.matcher === undefined ? "each of them" : `for tools that match ${hook.matcher}`}`],
		["command", hook.command],
		...piecesOf(program).map((piece) => [piece.as, fileWords(piece)] as const),
		["time-out", `${hook.timeoutMs / 1000} s`],
		["if it fails", ifItFails(hook)],
		["environment", hook.env.length === 0 ? "no names beyond the usual ones" : hook.env.join(", ")],
		["sandbox", hook.sandbox === "auto" ? "auto: in bubblewrap where that is installed, else none" : hook.sandbox],
		["mode", hook.mode],
		...(hook.priority === undefined ? [] : [["priority", String(hook.priority)] as const]),
	];
	return lines.map(([name, value]) => `    ${name.padEnd(11)} ${visibleLine(value)}`);
}

/** Every copied file in full, indented, so that no file can look like the beginning of the next. */
export function wholeText({ bytes }: Taken): string {
	return [...bytes].map(([piece, content]) => textOf(piece, content, Infinity)).join("\n");
}

function fileWords({ path, root, hashed }: Piece): string {
	const real = hashed.real === path ? "" : `, a link to ${hashed.real}`;
	return `${path}${real} (${hashed.bytes} bytes, ${root === undefined ? "runs in its place" : "a copy of it runs"})`;
}

function textOf({ path }: Piece, content: Buffer, most: number): string {
	const lines = inWords(content).split("\n");
	const shown = lines.slice(0, most);
	const more = lines.length > most ? [`… ${lines.length - most} more lines`] : [];
	return [`${visibleLine(path)}:`, ...[...shown, ...more].map((line) => `    ${line}`)].join("\n");
}

function inWords(content: Buffer): string {
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
		if (!text.includes("\0")) return visible(text).replace(/\n$/, "");
	} catch {
		// Said below, in one way for both.
	}
	return `(no text, ${content.length} bytes)`;
}
