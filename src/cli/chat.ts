// `hookline`: a conversation, line by line. On a terminal answers stream; in a pipe every line is one message and only answers are on stdout.
import { createInterface, type Interface } from "node:readline";
import { basicCommands } from "../agent/commands.ts";
import { Conversation } from "../agent/conversation.ts";
import { openRuntime, type Runtime } from "../runtime.ts";
import { complete, streaming } from "./answers.ts";
import { exitCodes } from "./exit.ts";
import { keepStdoutForAnswers, note, warn, whenReaderGone } from "./output.ts";
import { announceNoHooks, findSession } from "./run.ts";
import { exportCommand } from "./sessions/export-command.ts";
import { type ReadLine, terminalApprover } from "./terminal-approver.ts";
import { ownSource, showToolCalls } from "./tool-lines.ts";

export interface ChatOptions {
	readonly model?: string;
	readonly session?: string;
	readonly continue?: boolean;
	readonly hooks: boolean;
}

/** @returns the exit code. */
export async function chat(options: ChatOptions, version: string): Promise<number> {
	keepStdoutForAnswers();
	if (!options.hooks) announceNoHooks();
	const terminal = process.stdin.isTTY;
	const input = new Lines(terminal);
	await using runtime = await openRuntime({
		environment: process.env,
		cwd: process.cwd(),
		surface: "terminal",
		model: options.model,
		hooks: options.hooks,
		output: terminal ? streaming() : complete,
		warn,
		log: (hook, message) => note(`[${hook}] ${message}`),
		...(terminal && { approver: terminalApprover(input.read), prepare: showToolCalls }),
	});
	const agent = runtime.agent();
	const conversation = await Conversation.open(agent, runtime.place, [...basicCommands, exportCommand], findSession(runtime.store, options, runtime.place.cwd));
	if (terminal) note(banner(runtime, conversation, version));
	let failed = false;
	try {
		while (!conversation.over) {
			const text = await input.next(terminal ? "> " : "");
			if (text === undefined) break;
			if (text.trim() === "") continue;
			const stop = input.untilStopped();
			const result = await conversation.submit(text, terminal ? "typed" : "piped", stop);
			failed = !result.completed;
			// What observers print about this turn comes before the next prompt.
			await new Promise((resolve) => setImmediate(resolve));
			if (result.interrupted) note("Stopped.");
			else if (result.error !== undefined && result.error !== result.text) warn(result.error);
		}
	} finally {
		input.close();
		await conversation.close("quit");
	}
	if (input.interrupted) return exitCodes.interrupted;
	return failed && !terminal ? exitCodes.problems : exitCodes.fine;
}

function banner({ engine, extensions, store }: Runtime, { session, parts }: Conversation, version: string): string {
	const hooks = new Set(engine.hooks().flatMap(({ id, source }) => (source === ownSource ? [] : [id]))).size;
	const extensionsText = `${extensions.loaded.length} extension${extensions.loaded.length === 1 ? "" : "s"}${extensions.failed.length > 0 ? `, ${extensions.failed.length} NOT LOADED` : ""}`;
	return [
		`hookline ${version} · model ${parts.model.name} · ${hooks} hook${hooks === 1 ? "" : "s"} from ${extensionsText} · session ${session.id}${store.durable ? "" : " (kept in memory only)"}`,
		parts.model.name === "rehearsal" ? `The rehearsal model is offline and does what you write, for example: CALL terminal {"command":"date"}. Set another with --model or HOOKLINE_MODEL.` : "",
		"/help lists the commands. Ctrl-C stops a turn, Ctrl-D leaves.",
	]
		.filter((line) => line !== "")
		.join("\n");
}

/** The person's lines, the answers to questions, and Ctrl-C, from one reader: two would take each other's input. */
class Lines {
	readonly #terminal: boolean;
	readonly #reader: Interface;
	#waiting: string[] = [];
	#take: ((line: string | undefined) => void) | undefined;
	#ended = false;
	#turn: AbortController | undefined;
	#warned = false;
	/** A signal ended the conversation before its lines did. */
	interrupted = false;

	constructor(terminal: boolean) {
		this.#terminal = terminal;
		this.#reader = createInterface({ input: process.stdin, ...(terminal && { output: process.stderr }), terminal, crlfDelay: Infinity });
		this.#reader.on("line", (line) => {
			this.#warned = false;
			if (this.#take) this.#take(line);
			else this.#waiting.push(line);
		});
		this.#reader.on("close", () => {
			this.#ended = true;
			// In a pipe the end of the input stops nothing: the lines that have come have their turns.
			if (terminal) this.#turn?.abort(new Error("The terminal closed."));
			this.#take?.(undefined);
		});
		// A terminal that was closed under us cannot be set back to its usual mode; its 'close' comes as well.
		this.#reader.on("error", () => {});
		this.#reader.on("SIGINT", () => this.#interrupt());
		process.on("SIGINT", () => this.#interrupt());
		for (const name of ["SIGTERM", "SIGHUP"] as const) process.on(name, () => this.#leaveOrEnd());
		whenReaderGone(() => this.#leave());
	}

	/** The next line; undefined when there are no more. */
	next(prompt: string): Promise<string | undefined> {
		this.#turn = undefined;
		const line = this.#waiting.shift();
		return line === undefined ? this.#ask(prompt) : Promise.resolve(line);
	}

	/** The answer to a question. What was typed before it was asked is no answer to it. */
	readonly read: ReadLine = async (prompt, signal) => {
		const stopped = new Promise<never>((_, reject) => {
			signal.addEventListener("abort", () => reject(new Error("the question is over")), { once: true });
		});
		this.#reader.setPrompt(prompt);
		this.#dropTyped();
		try {
			const line = await Promise.race([this.#ask(prompt), stopped]);
			if (line === undefined) throw new Error("the input ended");
			return line;
		} finally {
			this.#take = undefined;
			// Nor must what was typed of an answer begin the next message.
			if (signal.aborted) this.#dropTyped();
		}
	};

	/** Aborted by Ctrl-C until the next line is asked for. */
	untilStopped(): AbortSignal {
		this.#turn = new AbortController();
		return this.#turn.signal;
	}

	close(): void {
		this.#reader.close();
	}

	/** Empties the line that is being typed. */
	#dropTyped(): void {
		if (!this.#ended && this.#reader.line !== "") this.#reader.write(null, { ctrl: true, name: "u" });
	}

	#ask(prompt: string): Promise<string | undefined> {
		if (this.#ended) return Promise.resolve(undefined);
		if (this.#terminal) {
			this.#reader.setPrompt(prompt);
			this.#reader.prompt();
		}
		return new Promise((resolve) => {
			this.#take = (taken) => {
				this.#take = undefined;
				resolve(taken);
			};
		});
	}

	#interrupt(): void {
		if (!this.#terminal) return this.#leaveOrEnd();
		if (this.#turn !== undefined && !this.#turn.signal.aborted) return this.#turn.abort(new Error("Stopped by the user."));
		if (this.#warned) {
			if (this.#turn !== undefined) process.exit(exitCodes.interrupted);
			this.#reader.close();
			return;
		}
		this.#warned = true;
		note("\nPress Ctrl-C once more to leave.");
		if (this.#turn === undefined) this.#reader.prompt();
	}

	/** The second time nothing is waited for. */
	#leaveOrEnd(): void {
		if (this.interrupted) process.exit(exitCodes.interrupted);
		this.#leave();
	}

	/** Stops the turn and takes no more lines. */
	#leave(): void {
		this.interrupted = true;
		this.#waiting = [];
		this.#turn?.abort(new Error("Stopped by the user."));
		this.#reader.close();
	}
}
