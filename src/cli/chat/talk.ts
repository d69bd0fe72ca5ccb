// One conversation with a person: what they send off becomes a turn, joins the one that runs, or waits for its end.
import { performance } from "node:perf_hooks";
import { commandIn, type Conversation } from "../../agent/conversation.ts";
import { ImageRefused } from "../../agent/images.ts";
import { runShell } from "../../agent/shell.ts";
import type { TurnResult } from "../../agent/turn.ts";
import type { InputReceiving } from "../../events/payloads/conversation.ts";
import { exitCodes } from "../exit.ts";
import { imagesIn, namesImages } from "./mentions.ts";
import type { Meter } from "./meter.ts";
import type { ChatInput, ChatStatus, ChatView } from "./view.ts";

export interface TalkOptions {
	readonly origin: InputReceiving["origin"];
	readonly meter: Meter;
	/** Hooks that are not the command line's own. */
	readonly hooks: () => number;
	/** Told of what the person typed, to be offered to them again. */
	readonly remember: (text: string) => void;
}

/** What waits for what is under way. */
interface Waiting {
	readonly text: string;
	readonly origin: InputReceiving["origin"];
}

export class Talk implements ChatInput {
	readonly #conversation: Conversation;
	readonly #view: ChatView;
	readonly #options: TalkOptions;
	readonly #over = Promise.withResolvers<void>();
	#queue: Waiting[] = [];
	/** What was sent into the turn, and is shown as that until it joins. */
	#steered: readonly string[] = [];
	#work: { readonly since: number; readonly stop: AbortController; readonly kind: "turn" | "other" } | undefined;
	#ended = false;
	#warned = false;
	/** The last message did not come to its end. */
	failed = false;
	/** A signal ended the conversation before its input did. */
	interrupted = false;

	constructor(conversation: Conversation, view: ChatView, options: TalkOptions) {
		this.#conversation = conversation;
		this.#view = view;
		this.#options = options;
	}

	/** Resolves when nothing is under way and nothing more can come. Rejects with a defect of ours. */
	get over(): Promise<void> {
		return this.#over.promise;
	}

	submit(text: string, when: "now" | "after"): void {
		this.#warned = false;
		if (text.trim() === "" || this.#ended) return;
		if (this.#options.origin === "typed") this.#options.remember(text);
		const working = this.#work;
		if (working === undefined) return this.#begin(text);
		const command = commandIn(text);
		const joins = command === undefined ? !this.#isShell(text) && !this.#hasImages(text) && working.kind === "turn" : this.#conversation.commands.get(command.name)?.anytime === true;
		if (when === "now" && joins) this.#steer(text, working.stop.signal);
		else {
			this.#queue.push({ text, origin: this.#options.origin });
			this.#view.changed();
		}
	}

	/** A turn with a text that an extension says in the person's place, as soon as nothing else is under way. */
	beginTurn(text: string): void {
		if (this.#ended) return;
		if (this.#work === undefined) return this.#begin(text, "extension");
		this.#queue.push({ text, origin: "extension" });
		this.#view.changed();
	}

	/** The first stops what is under way; without that, or again, it warns; then it leaves. */
	interrupt(): void {
		if (this.stop()) return;
		if (this.#warned) {
			if (this.#work === undefined) return this.end();
			void this.#view.close().finally(() => process.exit(exitCodes.interrupted));
			return;
		}
		this.#warned = true;
		this.#view.note("Press Ctrl-C once more to leave.");
	}

	stop(): boolean {
		if (this.#work === undefined || this.#work.stop.signal.aborted) return false;
		this.#work.stop.abort(new Error("Stopped by the user."));
		this.#view.giveBack(this.#queue.splice(0).flatMap(({ text, origin }) => (origin === "extension" ? [] : [text])));
		this.#view.changed();
		return true;
	}

	end(): void {
		this.#ended = true;
		if (this.#work === undefined) this.#over.resolve();
	}

	/** The second time nothing is waited for. */
	leave(): void {
		if (this.interrupted) process.exit(exitCodes.interrupted);
		this.interrupted = true;
		this.#queue = [];
		this.#work?.stop.abort(new Error("Stopped by the user."));
		this.end();
	}

	status(): ChatStatus {
		const { session, parts } = this.#conversation;
		const { meter, hooks } = this.#options;
		return {
			workingSince: this.#work?.since,
			stopping: this.#work?.stop.signal.aborted ?? false,
			steered: this.#steered,
			queued: this.#queue.map(({ text }) => text),
			pending: parts.engine.pending(),
			model: parts.model.name,
			usedTokens: session.usedTokens,
			windowTokens: parts.model.facts?.contextTokens,
			costUsd: meter.costUsd,
			session: session.id,
			hooks: hooks(),
		};
	}

	/** A step has begun: what was sent into the turn before it is in the conversation now. */
	joined(): void {
		if (this.#steered.length === 0 || this.#conversation.session.steered.length > 0) return;
		for (const text of this.#steered) this.#view.said(text);
		this.#steered = [];
	}

	#begin(text: string, origin = this.#options.origin): void {
		void this.#run(text, origin).then(
			() => this.#next(),
			(defect: unknown) => this.#over.reject(defect),
		);
	}

	#next(): void {
		const next = this.#queue.shift();
		if (this.#conversation.over) this.#over.resolve();
		else if (next !== undefined) this.#begin(next.text, next.origin);
		else if (this.#ended) this.#over.resolve();
		this.#view.changed();
	}

	async #run(text: string, origin: InputReceiving["origin"]): Promise<void> {
		const stop = new AbortController();
		const isTurn = commandIn(text) === undefined && !this.#isShell(text);
		this.#work = { since: performance.now(), stop, kind: isTurn ? "turn" : "other" };
		const before = this.#conversation.session;
		this.#view.said(text);
		this.#view.changed();
		try {
			if (this.#isShell(text)) await this.#shell(text, stop.signal);
			else this.#tell(await this.#conversation.submit(text, origin, stop.signal, this.#hasImages(text) ? await imagesIn(text, before.place.cwd) : []));
		} catch (error) {
			if (!(error instanceof ImageRefused)) throw error;
			this.#view.note(`Not sent. ${error.message}`);
			this.#view.giveBack([text]);
		} finally {
			// What observers print about this turn comes before whatever is next.
			await new Promise((resolve) => setImmediate(resolve));
			this.#conversation.parts.engine.recent(1);
			this.#steered = [];
			const unsaid = this.#conversation.takeUnsaid();
			if (unsaid.length > 0) this.#view.giveBack(unsaid);
			this.#work = undefined;
			if (this.#conversation.session !== before) this.#view.moved(this.#conversation.session.messages);
		}
	}

	#steer(text: string, stop: AbortSignal): void {
		if (commandIn(text) === undefined) this.#steered = [...this.#steered, text];
		else this.#view.said(text);
		this.#view.changed();
		this.#conversation.steer(text, this.#options.origin, stop).then(
			(result) => {
				// A hook or a command answered: it is not on its way into the turn any more.
				if (result !== undefined) {
					this.#steered = this.#steered.filter((steered) => steered !== text);
					if (result.error !== undefined && result.error !== result.text) this.#view.note(result.error);
				}
				this.#view.changed();
			},
			(defect: unknown) => this.#over.reject(defect),
		);
	}

	#tell(result: TurnResult): void {
		this.failed = !result.completed;
		if (result.interrupted) this.#view.note("Stopped.");
		else if (result.error !== undefined && result.error !== result.text) this.#view.note(`hookline: ${result.error}`);
	}

	/** These two only for what a person types: a text that comes through a pipe may be anybody's. */
	#hasImages(text: string): boolean {
		return this.#options.origin === "typed" && namesImages(text);
	}

	#isShell(text: string): boolean {
		return this.#options.origin === "typed" && /^!\s*[^\s!]|^!!\s*\S/.test(text);
	}

	async #shell(text: string, stop: AbortSignal): Promise<void> {
		const kept = !text.startsWith("!!");
		const typed = text.slice(kept ? 1 : 2).trim();
		const view = this.#view.shell(typed);
		const { result } = await runShell(this.#conversation.session, typed, { kept, stop, onOutput: (chunk) => view.output(chunk) });
		view.ended(result.text, result.isError);
		this.failed = false;
	}
}
