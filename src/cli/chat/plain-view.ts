// A conversation line by line: for pipes, for terminals that can do no more, for screen readers. On a terminal answers stream; in a pipe only
// answers are on stdout.
import { createInterface, type Interface } from "node:readline";
import type { Approver } from "../../agent/surface.ts";
import { visible, visibleLine } from "../../system/visible.ts";
import { complete, streaming } from "../answers.ts";
import { ms, note, whenReaderGone } from "../output.ts";
import { type ReadLine, terminalApprover } from "../terminal-approver.ts";
import type { Activity } from "./activity.ts";
import type { ChatInput, ChatView, Opening, ShellView } from "./view.ts";
import { deedInWords } from "./words.ts";

export class PlainView implements ChatView {
	readonly output;
	readonly approver?: Approver;
	readonly #terminal: boolean;
	readonly #reader: Interface;
	/** Lines that came before anybody asked for them. */
	#waiting: string[] | undefined = [];
	#answer: ((line: string | undefined) => void) | undefined;
	#input: ChatInput | undefined;
	#ended = false;

	constructor(terminal: boolean) {
		this.#terminal = terminal;
		this.output = terminal ? streaming() : complete;
		if (terminal) this.approver = terminalApprover(this.#read);
		this.#reader = createInterface({ input: process.stdin, ...(terminal && { output: process.stderr }), terminal, crlfDelay: Infinity });
		this.#reader.on("line", (line) => {
			if (this.#answer) this.#answer(line);
			else if (this.#waiting) this.#waiting.push(line);
			else this.#take(line);
		});
		this.#reader.on("close", () => {
			this.#ended = true;
			this.#answer?.(undefined);
			if (this.#waiting === undefined) this.#endInput();
		});
		// A terminal that was closed under us cannot be set back to its usual mode; its 'close' comes as well.
		this.#reader.on("error", () => {});
		this.#reader.on("SIGINT", () => this.#interrupt());
		process.on("SIGINT", () => this.#interrupt());
		for (const name of ["SIGTERM", "SIGHUP"] as const) process.on(name, () => this.#leave());
		whenReaderGone(() => this.#leave());
	}

	note(text: string): void {
		note(text);
		if (this.#terminal && this.#input?.status().workingSince === undefined && this.#waiting === undefined && !this.#ended) this.#reader.prompt();
	}

	log(from: string, message: string): void {
		note(`[${from}] ${message}`);
	}

	show(activity: Activity): void {
		if (!this.#terminal) return;
		if (activity.kind === "tool-ended") note(toolLine(activity));
		else if (activity.kind === "hook") note(`  ${deedInWords(activity.by)}`);
	}

	said(): void {}

	shell(): ShellView {
		let shown = false;
		return {
			output: (chunk) => {
				shown = true;
				process.stdout.write(visible(chunk.toString("utf8")));
			},
			ended: (text) => {
				if (!shown) note(text);
				else for (const line of text.split("\n")) if (/^\[.*\]$/.test(line)) note(line);
			},
		};
	}

	giveBack(texts: readonly string[]): void {
		for (const text of texts) note(`Not sent: ${visibleLine(text)}`);
	}

	moved(): void {}

	clear(): void {
		if (this.#terminal) process.stderr.write("\u001b[H\u001b[J");
	}

	open(input: ChatInput, { banner }: Opening): void {
		this.#input = input;
		if (this.#terminal) note(banner);
		const lines = this.#waiting ?? [];
		this.#waiting = undefined;
		for (const line of lines) this.#take(line);
		if (this.#ended) this.#endInput();
		this.changed();
	}

	changed(): void {
		if (!this.#terminal || this.#ended || this.#answer || this.#input?.status().workingSince !== undefined) return;
		this.#reader.setPrompt("> ");
		this.#reader.prompt();
	}

	async close(): Promise<void> {
		this.#input = undefined;
		this.#reader.close();
	}

	#take(line: string): void {
		if (line.trim() === "") this.changed();
		// A line is the next message, whatever is under way; a person's command may be about that (/stop, /status).
		else this.#input?.submit(line, this.#terminal && line.startsWith("/") ? "now" : "after");
	}

	#endInput(): void {
		// In a pipe the end of the input stops nothing: the lines that have come have their turns.
		if (this.#terminal) this.#input?.stop();
		this.#input?.end();
	}

	#interrupt(): void {
		if (this.#terminal) this.#input?.interrupt();
		else this.#leave();
	}

	#leave(): void {
		if (this.#input === undefined) process.exit(130);
		this.#input.leave();
		this.#reader.close();
	}

	/** The answer to a question. What was typed before it was asked is no answer to it. */
	readonly #read: ReadLine = async (prompt, signal) => {
		const answer = Promise.withResolvers<string | undefined>();
		const over = () => answer.reject(new Error("the question is over"));
		signal.addEventListener("abort", over, { once: true });
		if (signal.aborted) over();
		this.#reader.setPrompt(prompt);
		this.#dropTyped();
		this.#answer = (line) => {
			// One line: those that came with it are no answer.
			this.#answer = undefined;
			answer.resolve(line);
		};
		if (this.#ended) answer.resolve(undefined);
		else this.#reader.prompt();
		try {
			const line = await answer.promise;
			if (line === undefined) throw new Error("the input ended");
			return line;
		} finally {
			this.#answer = undefined;
			signal.removeEventListener("abort", over);
			// Nor must what was typed of an answer begin the next message.
			if (signal.aborted) this.#dropTyped();
		}
	};

	/** Empties the line that is being typed. */
	#dropTyped(): void {
		if (this.#ended || this.#reader.line === "") return;
		this.#reader.write(null, { ctrl: true, name: "u" });
		// With TERM=dumb the reader knows no keys.
		if (this.#reader.line !== "") Object.assign(this.#reader, { line: "", cursor: 0 });
	}
}

function toolLine({ toolName, args, status, blockedBy, durationMs, text }: Extract<Activity, { kind: "tool-ended" }>): string {
	const what = `${toolName} ${short(visibleLine(JSON.stringify(args)))}`;
	if (status === "blocked") return `· ${what} → blocked by ${blockedBy}`;
	return `· ${what} → ${status === "ok" ? `ok, ${ms(durationMs)}` : `failed: ${short(visibleLine(text.split("\n", 1)[0]!))}`}`;
}

const short = (text: string) => (text.length > 90 ? `${text.slice(0, 90)}…` : text);
