// A command the user runs in the conversation themselves. Its guards are those of `shell.running`; the model reads what came of it.
import type { ToolResult } from "../events/payloads/tool.ts";
import { newId } from "../system/ids.ts";
import { terminal } from "../tools/terminal.ts";
import type { Session } from "./session.ts";
import { toolContextFor } from "./tool-context.ts";

export interface ShellOptions {
	/** Whether the model is to know of it. */
	readonly kept: boolean;
	readonly stop: AbortSignal;
	/** Pieces of the output as they come. Not called while a hook wants to see all of it first. */
	readonly onOutput: (chunk: Buffer) => void;
}

/** The command after the hooks, and what came of it. */
export interface ShellResult {
	readonly command: string;
	readonly result: ToolResult;
}

/** A day: somebody is there to stop it. */
const longestS = 86_400;

/**
 * Runs a command for the user, without a time limit. Never throws for what a hook or the command does.
 * @throws StoreError when what it gave cannot be kept.
 */
export async function runShell(session: Session, typed: string, { kept, stop, onOutput }: ShellOptions): Promise<ShellResult> {
	const { engine } = session.parts;
	let command = typed;
	if (engine.has("shell.running")) {
		const outcome = await engine.dispatch("shell.running", { ...session.facts(), command }, { signal: stop });
		if (outcome.kind === "blocked") return { command, result: { text: `[Blocked by ${outcome.by}] ${outcome.reason}`, isError: true } };
		if (outcome.kind === "responded") return answered(session, command, { text: outcome.text, isError: false }, kept);
		({ command } = outcome.payload);
	}
	const context = toolContextFor(session, newId("shell"), stop);
	const live = engine.has("terminal.returning") ? {} : { onOutput };
	return answered(session, command, await terminal.run({ command, timeout_s: longestS }, { ...context, ...live }), kept);
}

function answered(session: Session, command: string, result: ToolResult, kept: boolean): ShellResult {
	if (kept) session.append({ role: "user", text: `${beginning}${JSON.stringify(command)}>\n${result.text.replaceAll("</shell>", "<\\/shell>")}\n</shell>` });
	return { command, result };
}

const beginning = "I ran a command in my shell.\n<shell command=";

/** What a message tells of such a command, when it is one. */
export function shellIn(text: string): { readonly command: string; readonly output: string } | undefined {
	const end = text.indexOf(">\n");
	if (!text.startsWith(beginning) || end < 0) return undefined;
	const output = text.slice(end + 2).replace(/\n<\/shell>$/, "");
	return { command: JSON.parse(text.slice(beginning.length, end)) as string, output };
}
