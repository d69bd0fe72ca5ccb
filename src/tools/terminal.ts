// The tool that runs shell commands.
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { ToolResult } from "../events/payloads/tool.ts";
import { BoundedOutput } from "../system/bounded-output.ts";
import { ProcessStartError, startProcess, type ProcessExit, type RunningProcess } from "../system/process.ts";
import { startInBackground } from "./background.ts";
import { cleanOutput, cutMiddle } from "./clean.ts";
import { toolEnvironment } from "./environment.ts";
import { explain, resolvePath } from "./path.ts";
import { failed, succeeded } from "./result.ts";
import type { BackgroundProcess, Tool, ToolContext } from "./tool.ts";

const defaultTimeoutS = 120;
const longestTimeoutS = 600;
const shownCharacters = 30_000;
/** At a time-out a program may tidy up; when the user stops the turn there is less patience. */
const graceMs = { "timed-out": 2_000, interrupted: 250 } as const;

interface TerminalArgs {
	readonly command: string;
	readonly cwd?: string;
	readonly timeout_s?: number;
	readonly background?: boolean;
	readonly process_id?: string;
}

export const terminal: Tool = {
	name: "terminal",
	description: [
		"Runs a shell command (bash) and gives its output, standard output and standard error in the order they came, and its exit code when it is not 0.",
		"Every call is a fresh shell in the working folder; nothing is typed into it (standard input is empty).",
		`Very long output is cut in the middle. After timeout_s the command and everything it started is killed.`,
		"With background: true it gives a process id at once and the command runs on, without a time limit, until it is ended or the session is over:",
		"call again with that process_id and the command 'read' for its new output, or 'end' to end it.",
	].join(" "),
	parameters: {
		type: "object",
		properties: {
			command: { type: "string", description: "The command, handed to the shell exactly as it is. With process_id: 'read' or 'end'." },
			cwd: { type: "string", description: "The folder to run in. Default: the working folder." },
			timeout_s: { type: "number", exclusiveMinimum: 0, maximum: longestTimeoutS, description: `Seconds, at most ${longestTimeoutS}. Default ${defaultTimeoutS}.` },
			background: { type: "boolean", description: "Start it and go on. For servers, watchers and anything that takes long." },
			process_id: { type: "string", description: "The background process that 'read' or 'end' is meant for." },
		},
		required: ["command"],
		additionalProperties: false,
	},
	async run(args, context) {
		const { command, cwd, timeout_s = defaultTimeoutS, background = false, process_id } = args as unknown as TerminalArgs;
		if (process_id !== undefined) return attend(process_id, command, context);
		if (command.trim() === "") return failed("The command is empty, so nothing ran. Give a shell command.");
		const nul = command.indexOf("\0");
		if (nul >= 0) return failed(`The command holds a NUL character (at position ${nul + 1}), which no program can be given, so nothing ran. Leave it out.`);
		const folder = await workingFolder(cwd ?? ".", context.cwd);
		if ("mistake" in folder) return failed(`${folder.mistake} Nothing ran.`);
		if (context.signal.aborted) return failed("[interrupted]", { interrupted: true });
		const start = { command, file: shell(), args: ["-c", command], cwd: folder.path, env: toolEnvironment() };
		try {
			return background ? await inBackground(start, context) : await inForeground(start, timeout_s * 1000, context);
		} catch (error) {
			if (!(error instanceof ProcessStartError)) throw error;
			if (error.code !== "E2BIG") return failed(`${error.message}. Nothing ran.`);
			return failed(`The command is too long for the system (${command.length} characters), so nothing ran. Write it to a file with write_file and run that.`);
		}
	},
};

interface Start {
	readonly command: string;
	readonly file: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
}

let found: string | undefined;
const shell = () => (found ??= existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh");

async function workingFolder(cwd: string, base: string): Promise<{ readonly path: string } | { readonly mistake: string }> {
	const resolved = resolvePath(cwd, base);
	if ("mistake" in resolved) return resolved;
	try {
		return (await stat(resolved.path)).isDirectory() ? resolved : { mistake: `The working folder '${cwd}' is a file, not a folder.` };
	} catch (error) {
		return { mistake: `The working folder cannot be used. ${await explain(error, resolved.path, cwd)}` };
	}
}

async function inForeground(start: Start, timeoutMs: number, context: ToolContext): Promise<ToolResult> {
	const output = new BoundedOutput(256 * 1024, 768 * 1024);
	let over = false;
	const onOutput = (chunk: Buffer) => {
		if (over) return;
		output.push(chunk);
		context.onOutput?.(chunk);
	};
	const running = await startProcess({ ...start, onOutput });
	const { ending, exit } = await ended(running, timeoutMs, context.signal);
	over = true;

	const exitCode = ending === "exited" ? exit.exitCode : null;
	const notes: string[] = [];
	if (ending === "timed-out") notes.push(`[timed out after ${timeoutMs / 1000} s; the process group was killed]`);
	else if (ending === "interrupted") notes.push("[interrupted]");
	else if (exit.signal !== null) notes.push(`[ended by signal ${exit.signal}]`);
	if (ending === "exited" && exit.leftRunning) notes.push("[something it started still runs; its further output is not shown]");
	if (exitCode !== null && exitCode !== 0) notes.push(`[exit code ${exitCode}]`);
	const details = { exitCode, signal: exit.signal, timedOut: ending === "timed-out", interrupted: ending === "interrupted", outputBytes: output.totalBytes };
	return told({ command: start.command, output: output.text(), exitCode }, notes, exitCode !== 0, details, context);
}

type Ending = "exited" | keyof typeof graceMs;

/** How it came to its end. Settles within time-out and grace whatever the process does. */
async function ended(running: RunningProcess, timeoutMs: number, signal: AbortSignal): Promise<{ readonly ending: Ending; readonly exit: ProcessExit }> {
	let ending: Ending = "exited";
	const lost = Promise.withResolvers<ProcessExit>();
	const stop = async (why: keyof typeof graceMs) => {
		if (ending !== "exited") return;
		ending = why;
		await running.end(graceMs[why]);
		// Even SIGKILL does not end a process that hangs in the system itself.
		setTimeout(() => lost.resolve({ exitCode: null, signal: null, leftRunning: true }), 1_500).unref();
	};
	const onAbort = () => void stop("interrupted");
	const timer = setTimeout(() => void stop("timed-out"), timeoutMs);
	signal.addEventListener("abort", onAbort, { once: true });
	if (signal.aborted) onAbort();
	try {
		const exit = await Promise.race([running.exited, lost.promise]);
		return { ending, exit };
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", onAbort);
	}
}

/** The hooks see the raw output first; what they give is cleaned and cut for the model. */
async function told(
	raw: { readonly command: string; readonly output: string; readonly exitCode?: number | null },
	notes: readonly string[],
	isError: boolean,
	details: Record<string, unknown>,
	context: ToolContext,
): Promise<ToolResult> {
	let passed: string;
	try {
		passed = await context.onTerminalOutput(raw);
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		return failed([`The command ran, but its output is withheld: ${why}`, ...notes].join("\n"), { ...details, withheld: true });
	}
	// Escape sequences could part a secret, and so could the cut.
	const clean = cleanOutput(passed).trimEnd();
	const text = cutMiddle(context.settings.redact?.(clean) ?? clean, shownCharacters);
	return { text: [text === "" ? "(no output)" : text, ...notes].join("\n"), isError, details };
}

async function inBackground(start: Start, context: ToolContext): Promise<ToolResult> {
	const process = await startInBackground({ ...start, id: `bg${context.processes.all.length + 1}` });
	context.processes.add(process);
	const { id, pid } = process;
	const next = `{"command": "read", "process_id": "${id}"}`;
	const text = `Started in the background as ${id} (process ${pid}), without a time limit. Its output: ${next}; with "end" in place of "read" it is ended.`;
	return succeeded(text, { processId: id, pid });
}

async function attend(id: string, what: string, context: ToolContext): Promise<ToolResult> {
	const process = context.processes.get(id);
	if (!process) {
		const known = context.processes.all.map((one) => one.id).join(", ") || "none";
		return failed(`There is no background process '${id}'. Known: ${known}.`);
	}
	if (what !== "read" && what !== "end") {
		return failed(`With process_id the command must be 'read' or 'end', so nothing was done. To run '${what}', leave process_id out.`);
	}
	const ranBefore = process.exitCode === undefined;
	if (what === "end") await process.end();
	return report(process, what === "end" && ranBefore, context);
}

async function report(process: BackgroundProcess, endedNow: boolean, context: ToolContext): Promise<ToolResult> {
	const { id, command, exitCode } = process;
	const note = exitCode === undefined ? "[still running]" : endedNow ? "[ended]" : exitCode === null ? "[ended by a signal]" : `[exit code ${exitCode}]`;
	const output = { command, output: process.read(), ...(exitCode !== undefined && { exitCode }) };
	const isError = !endedNow && exitCode !== undefined && exitCode !== 0;
	return told(output, [note], isError, { processId: id, running: exitCode === undefined, ...(exitCode !== undefined && { exitCode }) }, context);
}
