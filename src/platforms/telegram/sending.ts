// Texts on their way to Telegram, and what its refusals mean.
import { stat } from "node:fs/promises";
import type { InlineKeyboardMarkup } from "grammy/types";
import { type Chat, type OutboundFile, type OutboundText, RetryLaterError, type Sent, UndeliverableError } from "../../gateway/platform.ts";
import { type BotApi, CallError } from "./calls.ts";
import { render, type Rendered } from "./markup.ts";

/** In UTF-16 units, once the markup is taken out. */
export const maxText = 4096;
const maxCaption = 1024;
const maxPhotoBytes = 10_000_000;
const textMs = 30_000;
const fileMs = 300_000;
/** A preview would fetch any address a model was talked into writing, with whatever stands in it. */
const noPreview = { is_disabled: true } as const;

/** One call: a text, or a file with or without one. */
interface Part {
	readonly words: Rendered | undefined;
	readonly file: OutboundFile | undefined;
}

export class Sending {
	readonly #api: BotApi;
	/** What groups are called since they became supergroups. */
	readonly #moved = new Map<string, number>();
	/** Of texts that need several calls and were stopped in between: the ids of the messages that are there. */
	readonly #begun = new Map<string, string[]>();

	constructor(api: BotApi) {
		this.#api = api;
	}

	/** As `Platform.send`. */
	async send(text: OutboundText, signal: AbortSignal): Promise<Sent> {
		const parts = partsOf(text);
		const ids = this.#begun.get(text.key) ?? [];
		try {
			for (const [i, part] of parts.entries()) {
				if (i < ids.length) continue;
				if (i > 0) this.#begun.set(text.key, ids);
				ids.push(await this.#sendPart(text, part, i === 0, signal));
			}
		} catch (error) {
			const failure = failureOf(error);
			if (failure instanceof UndeliverableError) this.#begun.delete(text.key);
			throw failure;
		}
		this.#begun.delete(text.key);
		return { id: ids[0]! };
	}

	/** As `Platform.edit`. */
	async edit(id: string, text: OutboundText, signal: AbortSignal): Promise<void> {
		try {
			await formatted(text, render(text.text), ({ text: words, entities }) =>
				this.#at(text, ({ chat_id }) => this.#api.call("editMessageText", { chat_id, message_id: Number(id), text: words, entities: [...entities], link_preview_options: noPreview, reply_markup: keyboardOf(text) }, signal, textMs)),
			);
		} catch (error) {
			if (error instanceof CallError && /message is not modified/i.test(error.message)) return;
			throw failureOf(error);
		}
	}

	/** Takes the buttons under a text away. @throws CallError */
	async withoutButtons(chat: Chat, textId: number, signal: AbortSignal): Promise<void> {
		await this.#at(chat, ({ chat_id }) => this.#api.call("editMessageReplyMarkup", { chat_id, message_id: textId, reply_markup: { inline_keyboard: [] } }, signal, textMs));
	}

	/** Shows that the agent writes, for about 5 s. @throws CallError */
	async typing(chat: Chat, signal: AbortSignal): Promise<void> {
		await this.#at(chat, (at) => this.#api.call("sendChatAction", { ...at, action: "typing" }, signal, textMs));
	}

	async #sendPart(text: OutboundText, { words, file }: Part, isFirst: boolean, signal: AbortSignal): Promise<string> {
		// In a chat of two everybody sees what is meant. The id of a button that was pressed begins with that of its text.
		const [answered] = text.chatId.startsWith("-") && isFirst ? (/^\d+/.exec(text.replyTo ?? "") ?? []) : [];
		const extra = { ...(answered !== undefined && { reply_parameters: { message_id: Number(answered), allow_sending_without_reply: true } }), ...(isFirst && text.buttons !== undefined && { reply_markup: keyboardOf(text) }) };
		const { message_id: id } = await formatted(text, words, ({ text: shown, entities }) =>
			this.#at<{ readonly message_id: number }>(text, (at) =>
				file === undefined
					? this.#api.call("sendMessage", { ...at, ...extra, text: shown, entities: [...entities], link_preview_options: noPreview }, signal, textMs)
					: this.#sendFile(file, { ...at, ...extra, ...(shown !== "" && { caption: shown, caption_entities: [...entities] }) }, signal),
			),
		);
		return String(id);
	}

	async #sendFile(file: OutboundFile, payload: { readonly chat_id: number | string }, signal: AbortSignal) {
		const { path, name, mediaType } = file;
		const size = await stat(path).then(
			(stats) => stats.size,
			() => undefined,
		);
		if (size === undefined) throw new UndeliverableError(`the file '${name}' is not there any more`);
		// Telegram refuses empty ones.
		if (size === 0) throw new UndeliverableError(`the file '${name}' is empty`);
		if (/^image\/(?:jpeg|png|webp)$/.test(mediaType) && size <= maxPhotoBytes) {
			try {
				return await this.#api.call("sendPhoto", { ...payload, photo: this.#api.fileAt(path, name) }, signal, fileMs);
			} catch (error) {
				// It has more pixels, or is longer, than a photo may be.
				if (!(error instanceof CallError) || error.code !== 400 || !/photo|image/i.test(error.message.replace("sendPhoto", ""))) throw error;
			}
		}
		return this.#api.call("sendDocument", { ...payload, document: this.#api.fileAt(path, name) }, signal, fileMs);
	}

	/** Where the chat is now. */
	async #at<Result>({ chatId, threadId }: Chat, call: (at: { readonly chat_id: number | string; readonly message_thread_id?: number }) => Promise<Result>): Promise<Result> {
		const known = this.#moved.get(chatId) ?? (/^-?\d{1,15}$/.test(chatId) ? Number(chatId) : chatId);
		const thread = threadId === undefined ? {} : { message_thread_id: Number(threadId) };
		try {
			return await call({ chat_id: known, ...thread });
		} catch (error) {
			if (!(error instanceof CallError) || error.migratedTo === undefined) throw error;
			this.#moved.set(chatId, error.migratedTo);
			return call({ chat_id: error.migratedTo, ...thread });
		}
	}
}

function partsOf({ text, files = [] }: OutboundText): readonly Part[] {
	const words = text.trim() === "" ? undefined : render(text);
	const [only] = files;
	if (files.length === 1 && text.length <= maxCaption) return [{ words, file: only }];
	return [...(words === undefined && files.length > 0 ? [] : [{ words, file: undefined }]), ...files.map((file) => ({ words: undefined, file }))];
}

function keyboardOf({ buttons = [] }: OutboundText): InlineKeyboardMarkup {
	return { inline_keyboard: buttons.map(({ label, says }) => [{ text: label, callback_data: says }]) };
}

/** Once more without the formatting where that is what is refused: no text is lost to its markup. */
async function formatted<Result>({ text }: OutboundText, words: Rendered | undefined, call: (words: Rendered) => Promise<Result>): Promise<Result> {
	const plain = { text: words === undefined ? "" : text, entities: [] };
	// Where nothing but markup is.
	if (words === undefined || words.text.trim() === "") return call(plain);
	try {
		return await call(words);
	} catch (error) {
		if (!(error instanceof CallError) || error.code !== 400 || !/entit/i.test(error.message)) throw error;
		return call(plain);
	}
}

const remedies: readonly (readonly [RegExp, string])[] = [
	[/blocked by the user/i, "they can let the bot write again by unblocking it"],
	[/can't initiate conversation|PEER_ID_INVALID/i, "a bot cannot write first: that person has to"],
	[/user is deactivated/i, "that account is gone"],
	[/thread not found|TOPIC_/i, "the topic is closed or gone"],
	[/kicked|not a member|chat not found|CHANNEL_PRIVATE/i, "add the bot to that chat, or correct the chat's id"],
	[/not enough rights|have no rights|CHAT_WRITE_FORBIDDEN|_FORBIDDEN/i, "give the bot the right to write there"],
];

/** What a failed call means to who delivers texts. */
function failureOf(error: unknown): unknown {
	if (!(error instanceof CallError)) return error;
	if (error.retryAfterMs !== undefined) return new RetryLaterError(error.message, error.retryAfterMs);
	if (error.code !== 400 && error.code !== 403 && error.code !== 413) return error;
	const [, remedy] = remedies.find(([pattern]) => pattern.test(error.message)) ?? [];
	return new UndeliverableError(remedy === undefined ? error.message : `${error.message}: ${remedy}`);
}
