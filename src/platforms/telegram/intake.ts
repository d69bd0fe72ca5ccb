// Updates on their way to the door: in order in each chat, side by side across chats, and tried again while they cannot be kept.
import { setTimeout as pause } from "node:timers/promises";
import type { Accepted, Door, InboundFile } from "../../gateway/platform.ts";
import { type Me, type News, newsOf } from "./updates.ts";

export interface IntakeOptions {
	readonly door: Door;
	readonly read: (fileId: string) => InboundFile["read"];
	/** A button was pressed, and the door has said what becomes of that. */
	readonly pressed: (press: News & { readonly kind: "press" }, accepted: Accepted) => void;
	/** The pause after the first, second, … failure, in ms; undefined where whoever brings an update brings it again. */
	readonly pauseMs: ((failures: number) => number) | undefined;
	readonly warn: (message: string) => void;
}

export class Intake {
	readonly #options: IntakeOptions;
	/** The last piece of news of each chat: the next one waits for it. It never rejects. */
	readonly #lines = new Map<string, Promise<void>>();
	#failing = false;
	#toldUnreadable = false;

	constructor(options: IntakeOptions) {
		this.#options = options;
	}

	/** Resolves when the update is done with, and need not come again. @throws the door's error, or the signal's reason */
	async take(update: unknown, me: Me, signal: AbortSignal): Promise<void> {
		let news: News;
		try {
			news = newsOf(update, me, this.#options.read);
		} catch (error) {
			return this.unreadable(error instanceof Error ? error.message : String(error));
		}
		if (news.kind === "nothing") return;
		const chat = news.kind === "reactions" ? news.chatId : news.message.chatId;
		const work = (this.#lines.get(chat) ?? Promise.resolve()).then(() => this.#hand(news, signal));
		const leave = () => {
			if (this.#lines.get(chat) === line) this.#lines.delete(chat);
		};
		const line: Promise<void> = work.then(leave, leave);
		this.#lines.set(chat, line);
		return work;
	}

	/** Says once that there is an update nobody can read. */
	unreadable(why: string): void {
		if (!this.#toldUnreadable) this.#options.warn(`telegram: an update cannot be read and is passed over: ${why}. More of the kind are not told.`);
		this.#toldUnreadable = true;
	}

	/** Waits until nothing is under way. */
	async idle(): Promise<void> {
		while (this.#lines.size > 0) await Promise.all(this.#lines.values());
	}

	async #hand(news: Exclude<News, { readonly kind: "nothing" }>, signal: AbortSignal): Promise<void> {
		const { door, pressed } = this.#options;
		signal.throwIfAborted();
		if (news.kind === "reactions") {
			for (const reaction of news.reactions) door.reacted(reaction);
			return;
		}
		const accepted = await this.#insist(news, signal);
		if (news.kind === "press") pressed(news, accepted);
	}

	async #insist({ message }: News & { readonly kind: "message" | "press" }, signal: AbortSignal): Promise<Accepted> {
		const { door, pauseMs, warn } = this.#options;
		for (let failures = 1; ; failures++) {
			try {
				const accepted = await door.accept(message);
				this.#failing = false;
				return accepted;
			} catch (error) {
				if (!this.#failing) warn(`telegram: a message cannot be taken now, and is tried again: ${error instanceof Error ? error.message : String(error)}`);
				this.#failing = true;
				if (pauseMs === undefined) throw error;
			}
			await pause(pauseMs(failures), undefined, { signal });
		}
	}
}
