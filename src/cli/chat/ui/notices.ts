// Lines of extensions beside the conversation. One that floods is cut short, and what was left out is counted and said.

export type NoticeKind = "info" | "warning" | "error";

const mostAtOnce = 20;
/** For how long that many are enough, in ms: twice as long each time they were not. */
const spanMs = { first: 1_000, longest: 60_000 } as const;
const mostLines = 20;
const mostCharacters = 2_000;

export class Notices {
	readonly #show: (extension: string, text: string, kind: NoticeKind) => void;
	readonly #spans = new Map<string, { shown: number; left: number; readonly ms: number; readonly end: NodeJS.Timeout }>();

	constructor(show: (extension: string, text: string, kind: NoticeKind) => void) {
		this.#show = show;
	}

	notify(extension: string, text: string, kind: NoticeKind = "info"): void {
		const span = this.#spans.get(extension) ?? this.#begin(extension, spanMs.first);
		if (span.shown === mostAtOnce) span.left++;
		else {
			span.shown++;
			this.#show(extension, shortened(text), kind);
		}
	}

	/** Says now what was left out. */
	flush(): void {
		for (const extension of [...this.#spans.keys()]) this.#end(extension);
	}

	#begin(extension: string, ms: number) {
		const span = { shown: 0, left: 0, ms, end: setTimeout(() => this.#end(extension), ms).unref() };
		this.#spans.set(extension, span);
		return span;
	}

	#end(extension: string): void {
		const { left, ms, end } = this.#spans.get(extension)!;
		clearTimeout(end);
		this.#spans.delete(extension);
		if (left === 0) return;
		this.#show(extension, `${left} more notice${left === 1 ? "" : "s"} left out: it writes too many.`, "warning");
		this.#begin(extension, Math.min(ms * 2, spanMs.longest));
	}
}

/** A notice as it is written. Further lines are set in: none of them can pass for another's. */
export function noticeInWords(extension: string, text: string, kind: NoticeKind): string {
	return `[${extension}] ${kind === "info" ? "" : `${kind}: `}${text.replaceAll("\n", "\n  ")}`;
}

function shortened(text: string): string {
	const lines = text.slice(0, mostCharacters).split("\n").slice(0, mostLines).join("\n");
	return lines.length < text.length ? `${lines} … (${text.length - lines.length} more characters)` : text;
}
