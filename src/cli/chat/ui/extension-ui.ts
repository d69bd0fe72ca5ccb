// What an extension holds of the place a person is at. Its mistakes are told to its author, as an error that names the call.
import type { Ui, UiPart } from "../../../events/ui.ts";
import type { NoticeKind, Notices } from "./notices.ts";
import type { ExtensionQuestion, Questions } from "./questions.ts";
import type { Shelf } from "./shelf.ts";

export interface UiParts {
	readonly notices: Notices;
	/** Absent where nobody can be asked. */
	readonly questions?: Questions;
	/** Absent where nothing can be kept in sight. */
	readonly shelf?: Shelf;
}

const mostOptions = 1_000;
const mostCharacters = 2_000;
const kinds: readonly NoticeKind[] = ["info", "warning", "error"];
const [no, yes] = ["No", "Yes"];

/** @throws TypeError (its calls do) when what is given is not what it takes. */
export function extensionUi(extension: string, { notices, questions, shelf }: UiParts): Ui {
	const canAsk = () => questions !== undefined && !questions.isOver;
	const canKeep = () => shelf !== undefined;
	const canDo: Readonly<Record<UiPart, () => boolean>> = { notify: () => true, select: canAsk, confirm: canAsk, input: canAsk, status: canKeep, widget: canKeep };
	const ask = async (question: Omit<ExtensionQuestion, "extension">, signal: AbortSignal | undefined): Promise<string | undefined> => {
		if (questions?.isFull(extension)) notices.notify(extension, "It has too many questions waiting, so one more was not asked.", "warning");
		return questions?.ask({ ...question, extension }, signal);
	};
	return {
		can: (part) => canDo[part]?.() ?? false,
		notify(text, kind = "info") {
			if (!kinds.includes(kind)) throw new TypeError(`ui.notify: the kind is one of ${kinds.join(", ")}, not ${told(kind)}.`);
			notices.notify(extension, string("ui.notify", "text", text), kind);
		},
		async select(title, options, signal) {
			const given = strings("ui.select", "options", options);
			if (given.length > mostOptions) throw new TypeError(`ui.select: ${given.length} options are too many for a person; ${mostOptions} at most.`);
			const words = string("ui.select", "title", title);
			return given.length === 0 ? undefined : ask({ title: words, options: given }, signal);
		},
		async confirm(title, text, signal) {
			return (await ask({ title: string("ui.confirm", "title", title), text: string("ui.confirm", "text", text), options: [no, yes] }, signal)) === yes;
		},
		input: async (title, placeholder, signal) => ask({ title: string("ui.input", "title", title), ...(placeholder !== undefined && { placeholder: string("ui.input", "placeholder", placeholder) }) }, signal),
		status: (key, text) => shelf?.status(extension, string("ui.status", "key", key), text === undefined ? undefined : string("ui.status", "text", text)),
		widget(key, lines, place = "above") {
			if (place !== "above" && place !== "below") throw new TypeError(`ui.widget: the place is 'above' or 'below', not ${told(place)}.`);
			shelf?.widget(extension, string("ui.widget", "key", key), lines === undefined ? undefined : strings("ui.widget", "lines", lines), place);
		},
	};
}

function string(call: string, what: string, value: unknown): string {
	if (typeof value !== "string") throw new TypeError(`${call}: the ${what} is a text, not ${told(value)}.`);
	return value;
}

function strings(call: string, what: string, value: unknown): readonly string[] {
	if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) throw new TypeError(`${call}: the ${what} are a list of texts, not ${told(value)}.`);
	return value;
}

const told = (value: unknown) => (typeof value === "string" ? `'${value.slice(0, 100)}'` : value === null ? "null" : Array.isArray(value) ? "a list of other things" : typeof value === "undefined" ? "nothing" : `a ${typeof value}`);

/** A question's words, with no more of them than a person reads. */
export const wordsOf = ({ title, text = "" }: ExtensionQuestion): string => [title, text].filter((part) => part !== "").map((part) => (part.length > mostCharacters ? `${part.slice(0, mostCharacters)}…` : part)).join("\n");
