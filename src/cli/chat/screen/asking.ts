// What stands in the place of the editor while somebody asks: the agent for approval, or an extension. The editor keeps what is typed in it.
import { type Component, Input, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Approver } from "../../../agent/surface.ts";
import { visible } from "../../../system/visible.ts";
import { wordsOf } from "../ui/extension-ui.ts";
import { approverBefore, type ExtensionQuestion, Questions } from "../ui/questions.ts";
import { Choice } from "./choice.ts";
import { questionLines } from "./foot.ts";
import type { Look } from "./items.ts";

/** Of the words of an extension's question. */
const mostLines = 10;

export interface AskingPlace {
	readonly look: Look;
	/** Something else takes the keys now: that, or the editor when it is nothing. */
	readonly focus: (field: Component | undefined) => void;
	/** Puts a text into the conversation. */
	readonly say: (text: string, kind: "plain" | "faint") => void;
}

export class Asking {
	readonly #place: AskingPlace;
	/** Those of extensions. */
	readonly questions = new Questions((question) => this.#turnTo(question));
	readonly approver: Approver;
	#approval: { readonly prompt: string; readonly field: Input } | undefined;
	#asked: { readonly question: ExtensionQuestion; readonly field: Component } | undefined;

	constructor(place: AskingPlace) {
		this.#place = place;
		const { ask } = approverBefore(this.questions, (prompt, signal) => this.#readLine(prompt, signal), (text) => place.say(text, "plain"));
		this.approver = {
			async ask(...question) {
				// The call itself is told of by an observer: it is to stand above the question about it.
				await new Promise((resolve) => setImmediate(resolve));
				return ask(...question);
			},
		};
	}

	/** Who asks; undefined when nobody does. */
	get by(): "agent" | "extension" | undefined {
		return this.#approval !== undefined ? "agent" : this.#asked !== undefined ? "extension" : undefined;
	}

	/** What stands there now; undefined when that is the editor. */
	lines(width: number): readonly string[] | undefined {
		const { theme } = this.#place.look;
		if (this.#approval !== undefined) return [...questionLines(this.#approval.prompt, width, theme), ...this.#approval.field.render(width)];
		if (this.#asked === undefined) return undefined;
		const { question, field } = this.#asked;
		const words = visible(wordsOf(question)).replaceAll("\n", "\n  ");
		const lines = wrapTextWithAnsi(`${theme.accent(theme.strong(`The extension '${question.extension}' asks:`))} ${words}`, width);
		const shown = lines.length > mostLines ? [...lines.slice(0, mostLines), theme.faint("  …")] : lines;
		const how = question.options === undefined ? "Enter answers, Esc does not" : "↑↓ and Enter choose, typing finds, Esc leaves it";
		return [...shown, ...field.render(width), theme.faint(how)];
	}

	#turnTo(question: ExtensionQuestion | undefined): void {
		this.#asked = question && { question, field: this.#fieldFor(question) };
		if (this.#approval === undefined) this.#place.focus(this.#asked?.field);
	}

	#fieldFor(question: ExtensionQuestion): Component {
		const { look } = this.#place;
		const done = (answer: string | undefined) => {
			if (answer !== undefined) this.#place.say(`${question.extension} asked: ${question.title.slice(0, 200)} → ${answer}`, "faint");
			this.questions.answer(answer);
		};
		if (question.options !== undefined) return new Choice(look, question.options, done);
		const field = new Input({ prompt: "❯ ", ...(question.placeholder !== undefined && { placeholder: visible(question.placeholder), placeholderStyle: (text) => look.theme.faint(text) }) });
		field.onSubmit = done;
		field.onEscape = () => done(undefined);
		return field;
	}

	/** Reads one line for an approval. */
	async #readLine(prompt: string, signal: AbortSignal): Promise<string> {
		signal.throwIfAborted();
		const field = new Input({ prompt: "❯ " });
		const answer = Promise.withResolvers<string>();
		field.onSubmit = answer.resolve;
		const over = () => answer.reject(new Error("the question is over"));
		signal.addEventListener("abort", over, { once: true });
		this.#approval = { prompt, field };
		this.#place.focus(field);
		try {
			return await answer.promise;
		} finally {
			signal.removeEventListener("abort", over);
			this.#approval = undefined;
			this.#place.focus(this.#asked?.field);
		}
	}
}
