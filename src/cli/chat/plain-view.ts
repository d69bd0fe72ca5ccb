// A conversation line by line: for pipes, for terminals that can do no more, for screen readers. On a terminal answers stream; in a pipe only
// answers are on stdout.
import { createInterface, type Interface } from "node:readline";
import type { Approver } from "../../agent/surface.ts";
import type { Ui } from "../../events/ui.ts";
import { visible, visibleLine } from "../../system/visible.ts";
import { complete, streaming } from "../answers.ts";
import { ms, note, whenReaderGone } from "../output.ts";
import type { ReadLine } from "../terminal-approver.ts";
import type { Activity } from "./activity.ts";
import { extensionUi, wordsOf } from "./ui/extension-ui.ts";
import { noticeInWords, Notices } from "./ui/notices.ts";
import { approverBefore, type ExtensionQuestion, Questions } from "./ui/questions.ts";
import type { ChatInput, ChatView, Opening, ShellView } from "./view.ts";
import { deedInWords } from "./words.ts";

export class PlainView implements ChatView {
	readonly output;
	readonly approver?: Approver;
	readonly keys: readonly string[] = [];
	readonly #terminal: boolean;
	readonly #reader: Interface;
	/** Lines that came before anybody asked for them. */
	#waiting: string[] | undefined = [];
	#answer: ((line: string | undefined) => void) | undefined;
	#input: ChatInput | undefined;
	#ended = false;
	readonly #notices = new Notices((...notice) => this.note(noticeInWords(...notice)));
	readonly #questions = new Questions((question) => this.#turnTo(question));
	/** Ends the reading of an answer for an extension. */
	#reading: AbortController | undefined;

	constructor(terminal: boolean) {
		this.#terminal = terminal;
		this.output = terminal ? streaming() : complete;
		if (terminal) this.approver = approverBefore(this.#questions, this.#read);
		this.#reader = createInterface({ input: process.stdin, ...(terminal && { output: process.stderr }), terminal, crlfDelay: Infinity });
		this.#reader.on("line", (line) => {
			if (this.#answer) this.#answer(line);
			else if (this.#waiting) this.#waiting.push(line);
			else this.#take(line);
		});
		this.#reader.on("close", () => {
			this.#ended = true;
			this.#questions.close();
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

	ui(extension: string): Ui {
		return extensionUi(extension, { notices: this.#notices, ...(this.#terminal && { questions: this.#questions }) });
	}

	dropUi(extension: string): void {
		this.#questions.dismiss(extension);
	}

	/** Lines have no keys, which is no fault of the extension's. */
	bind(): readonly string[] {
		return [];
	}

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
		this.#questions.open();
		this.changed();
	}

	changed(): void {
		if (!this.#terminal || this.#ended || this.#answer || this.#input?.status().workingSince !== undefined) return;
		this.#reader.setPrompt("> ");
		this.#reader.prompt();
	}

	async close(): Promise<void> {
		this.#questions.close();
		this.#notices.flush();
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
		const asked = this.#questions.shown !== undefined;
		this.#questions.dismiss();
		if (!this.#terminal || this.#input === undefined) this.#leave();
		else if (!asked || this.#input.status().workingSince !== undefined) this.#input.interrupt();
	}

	#leave(): void {
		if (this.#input === undefined) process.exit(130);
		this.#input.leave();
		this.#reader.close();
	}

	/** Puts the question of an extension, or stops reading its answer. */
	#turnTo(question: ExtensionQuestion | undefined): void {
		this.#reading?.abort();
		this.#reading = undefined;
		if (question === undefined) return this.changed();
		this.#reading = new AbortController();
		const { signal } = this.#reading;
		this.#ask(question, signal).then(
			(answer) => void (signal.aborted || this.#questions.answer(answer)),
			() => void (signal.aborted || this.#questions.answer(undefined)),
		);
	}

	async #ask(question: ExtensionQuestion, signal: AbortSignal): Promise<string | undefined> {
		const { extension, options, placeholder } = question;
		note(`The extension '${extension}' asks: ${wordsOf(question).replaceAll("\n", "\n  ")}`);
		options?.forEach((option, i) => note(`  ${i + 1}  ${visibleLine(option)}`));
		const hint = options === undefined ? (placeholder === undefined ? "" : ` [${visibleLine(placeholder)}]`) : ` [1 to ${options.length}]`;
		for (;;) {
			const line = (await this.#read(`${extension}${hint}, or nothing: `, signal)).trim();
			if (line === "") return undefined;
			if (options === undefined) return line;
			const chosen = options[/^\d+$/.test(line) ? Number(line) - 1 : options.indexOf(line)];
			if (chosen !== undefined) return chosen;
			note(`Please give a number from 1 to ${options.length}, or nothing.`);
		}
	}

	/** The answer to a question. What was typed before it was asked is no answer to it. */
	readonly #read: ReadLine = async (prompt, signal) => {
		const answer = Promise.withResolvers<string | undefined>();
		const take = (line: string | undefined) => {
			// One line: those that came with it are no answer.
			done();
			answer.resolve(line);
		};
		const over = () => {
			done();
			answer.reject(new Error("the question is over"));
		};
		const done = () => {
			if (this.#answer === take) this.#answer = undefined;
		};
		this.#reader.setPrompt(prompt);
		this.#dropTyped();
		this.#answer = take;
		signal.addEventListener("abort", over, { once: true });
		if (signal.aborted) over();
		if (this.#ended) take(undefined);
		else if (!signal.aborted) this.#reader.prompt();
		try {
			const line = await answer.promise;
			if (line === undefined) throw new Error("the input ended");
			return line;
		} finally {
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
