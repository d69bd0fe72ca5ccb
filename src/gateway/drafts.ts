// Answers that grow before a person's eyes, on platforms where a text can be changed: the beginning is sent, then changed, and the whole answer
// takes its place.
import { newId } from "../system/ids.ts";
import { type Chat, type Platform, RetryLaterError } from "./platform.ts";

interface Draft {
	readonly platform: Platform;
	readonly chat: Chat;
	readonly replyTo: string;
	text: string;
	/** As much of it as was shown, and how. */
	shown: string;
	showed: string;
	/** Once it was sent. */
	id: string | undefined;
	timer: NodeJS.Timeout | undefined;
	/** The sending or changing that is under way. */
	working: Promise<void>;
	over: boolean;
}

export class Drafts {
	readonly #open = new Map<string, Draft>();
	readonly #stop = new AbortController();

	/** More of an answer has come. What is done in less than one pause between two changes is sent as a whole by others. */
	add(platform: Platform, chat: Chat, replyTo: string, text: string): void {
		if (platform.editEveryMs === undefined || this.#stop.signal.aborted) return;
		const key = keyOf(platform.name, chat, replyTo);
		let draft = this.#open.get(key);
		if (draft === undefined) this.#open.set(key, (draft = { platform, chat, replyTo, text: "", shown: "", showed: "", id: undefined, timer: undefined, working: Promise.resolve(), over: false }));
		draft.text += text;
		this.#wait(draft, platform.editEveryMs);
	}

	/** What was added is void. */
	discard(platform: Platform, chat: Chat, replyTo: string): void {
		const draft = this.#open.get(keyOf(platform.name, chat, replyTo));
		if (draft !== undefined) draft.text = "";
	}

	/** The platform's id of what stands there, for the text that takes its place; undefined when nothing does. Nothing is added to it any more. */
	async take(platform: string, chat: Chat, replyTo: string): Promise<string | undefined> {
		const key = keyOf(platform, chat, replyTo);
		const draft = this.#open.get(key);
		if (draft === undefined) return undefined;
		this.#open.delete(key);
		draft.over = true;
		clearTimeout(draft.timer);
		await draft.working;
		return draft.id;
	}

	close(): void {
		this.#stop.abort();
		for (const { timer } of this.#open.values()) clearTimeout(timer);
		this.#open.clear();
	}

	#wait(draft: Draft, ms: number): void {
		if (draft.over || draft.timer !== undefined) return;
		draft.timer = setTimeout(() => {
			draft.working = this.#show(draft).then((pauseMs) => {
				draft.timer = undefined;
				if (draft.text !== draft.shown) this.#wait(draft, pauseMs);
			});
		}, ms);
		draft.timer.unref();
	}

	/** How long to wait for the next one. */
	async #show(draft: Draft): Promise<number> {
		const { platform, chat, replyTo } = draft;
		const everyMs = platform.editEveryMs!;
		const text = beginning(draft.text, platform.maxText);
		const all = draft.text;
		if (text === draft.showed || text.trim() === "") {
			draft.shown = all;
			return everyMs;
		}
		const outbound = { ...chat, key: newId("draft"), text, purpose: "answer", replyTo } as const;
		try {
			if (draft.id === undefined) draft.id = (await platform.send(outbound, this.#stop.signal)).id;
			else await platform.edit!(draft.id, outbound, this.#stop.signal);
			draft.shown = all;
			draft.showed = text;
			// One that cannot be found again cannot be changed.
			draft.over ||= draft.id === undefined;
			return everyMs;
		} catch (error) {
			if (error instanceof RetryLaterError) return Math.max(error.afterMs || 0, everyMs);
			// The whole text goes its own way, which tells of what is wrong.
			draft.over = true;
			return everyMs;
		}
	}
}

/** As much as one text takes; a block of code that is not at its end yet is closed. */
function beginning(text: string, most: number): string {
	const shown = text.slice(0, most - 8);
	const isOpen = (shown.match(/^```/gm)?.length ?? 0) % 2 === 1;
	return `${shown.trimEnd()}${isOpen ? "\n```" : ""}${shown.length < text.length ? " …" : ""}`;
}

const keyOf = (platform: string, { chatId, threadId }: Chat, replyTo: string) => JSON.stringify([platform, chatId, threadId, replyTo]);
