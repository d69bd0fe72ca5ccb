// What extensions ask the person, one after the other. Approvals are the agent's own: they come before, and a question that was on show steps back for them.
import type { Approver } from "../../../agent/surface.ts";
import { type ReadLine, terminalApprover } from "../../terminal-approver.ts";

export interface ExtensionQuestion {
	readonly extension: string;
	readonly title: string;
	/** What may be chosen; any text is an answer when absent. */
	readonly options?: readonly string[];
	/** More words about it. */
	readonly text?: string;
	readonly placeholder?: string;
}

interface Asked {
	readonly question: ExtensionQuestion;
	/** Once; nothing happens after that. */
	settle(answer: string | undefined): void;
}

/** Of one extension; it asks a person, who takes them one at a time. */
const mostWaiting = 5;

export class Questions {
	readonly #show: (question: ExtensionQuestion | undefined) => void;
	readonly #waiting: Asked[] = [];
	#shown: ExtensionQuestion | undefined;
	/** Approvals under way. */
	#holds = 0;
	#isOpen = false;
	#isOver = false;

	/** `show` is called with the question that is to be on show, and with nothing when none is. */
	constructor(show: (question: ExtensionQuestion | undefined) => void) {
		this.#show = show;
	}

	get shown(): ExtensionQuestion | undefined {
		return this.#shown;
	}

	/** From now on there is somebody to ask; until then questions wait. */
	open(): void {
		this.#isOpen = true;
		this.#next();
	}

	/** Nobody is there any more. */
	close(): void {
		this.#isOver = true;
		this.dismiss();
	}

	get isOver(): boolean {
		return this.#isOver;
	}

	/** Undefined when the person did not answer, and when the extension has too many questions waiting already. */
	ask(question: ExtensionQuestion, signal: AbortSignal | undefined): Promise<string | undefined> {
		if (this.#isOver || signal?.aborted || this.isFull(question.extension)) return Promise.resolve(undefined);
		const { promise, resolve } = Promise.withResolvers<string | undefined>();
		const asked: Asked = {
			question,
			settle: (answer) => {
				const at = this.#waiting.indexOf(asked);
				if (at >= 0) this.#waiting.splice(at, 1);
				signal?.removeEventListener("abort", over);
				resolve(answer);
				this.#next();
			},
		};
		const over = () => asked.settle(undefined);
		signal?.addEventListener("abort", over, { once: true });
		this.#waiting.push(asked);
		this.#next();
		return promise;
	}

	isFull(extension: string): boolean {
		return this.#waiting.filter(({ question }) => question.extension === extension).length >= mostWaiting;
	}

	/** The person answered the question on show, or left it. */
	answer(answer: string | undefined): void {
		if (this.#shown !== undefined) this.#waiting[0]!.settle(answer);
	}

	/** Nobody will answer: all of them, or those of one extension. */
	dismiss(extension?: string): void {
		for (const { question, settle } of [...this.#waiting]) if (extension === undefined || question.extension === extension) settle(undefined);
	}

	/** Steps back until `release`. True when a question was on show: the person may be in the middle of an answer. */
	hold(): boolean {
		const was = this.#shown !== undefined;
		this.#holds++;
		this.#next();
		return was;
	}

	release(): void {
		this.#holds--;
		this.#next();
	}

	#next(): void {
		const next = this.#isOpen && this.#holds === 0 ? this.#waiting[0]?.question : undefined;
		if (next === this.#shown) return;
		this.#shown = next;
		this.#show(next);
	}
}

/** Asks for approval before anything else. What was being typed for a question of an extension is no answer to it. */
export function approverBefore(questions: Questions, readLine: ReadLine, say?: (text: string) => void): Approver {
	let typing = false;
	const { ask } = terminalApprover(async (prompt, signal) => {
		if (typing) await readLine("The agent asks this before the extension does. Enter brings you to it. ", signal);
		typing = false;
		return readLine(prompt, signal);
	}, say);
	return {
		async ask(...question) {
			if (questions.hold()) typing = true;
			try {
				return await ask(...question);
			} finally {
				questions.release();
			}
		},
	};
}
