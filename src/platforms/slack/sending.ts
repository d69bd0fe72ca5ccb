// Texts and files on their way into a chat, as Slack takes them.
import { openAsBlob } from "node:fs";
import type { Button, Chat, OutboundFile, OutboundText } from "../../gateway/platform.ts";
import { RetryLaterError } from "../../gateway/platform.ts";
import { split } from "../../gateway/split.ts";
import { type Api, SlackRefusal } from "./api.ts";
import { buttonPrefix, type Json } from "./events.ts";
import { escape, mrkdwn } from "./markup.ts";

/** Characters of a text as Slack counts them, escapes included; more of them go as blocks. */
export const maxText = 4_000;
const maxSection = 3_000;
const longestNotification = 300;
/** What Slack says when it is the form that it does not take, and not the words. */
const formCodes = new Set(["invalid_blocks", "invalid_blocks_format", "invalid_block", "msg_blocks_too_long", "msg_too_long", "block_mismatch", "invalid_arguments"]);
/** The largest file over a slow line, in ms. */
const longestUploadMs = 3_600_000;

interface Content {
	readonly text: string;
	readonly blocks: readonly Json[];
}

/** @returns the `ts` of what was posted, where Slack says it. */
export async function post(api: Api, outbound: OutboundText, signal: AbortSignal): Promise<string | undefined> {
	const { chatId, threadId, text, files = [] } = outbound;
	const into = threadId === undefined ? {} : { thread_ts: threadId };
	if (files.length > 0) {
		const uploaded: Json[] = [];
		for (const file of files) uploaded.push(await upload(api, file, signal));
		await formatted(outbound, ({ text: comment, blocks }) =>
			// One call for all of it, so that a second try never says the text twice.
			api.deliver("files.completeUploadExternal", { files: uploaded, channel_id: chatId, ...into, ...(blocks.length > 0 ? { blocks } : text !== "" && { initial_comment: comment }) }),
		);
		return undefined;
	}
	// Slack would fetch the addresses in what a model writes, and so tell others what stands in them.
	const answer = await formatted(outbound, (content) => api.deliver("chat.postMessage", { channel: chatId, ...into, ...content, unfurl_links: false, unfurl_media: false }));
	return typeof answer["ts"] === "string" ? answer["ts"] : undefined;
}

export async function change(api: Api, ts: string, outbound: OutboundText): Promise<void> {
	// Blocks that are not named would stay.
	await formatted(outbound, (content) => api.deliver("chat.update", { channel: outbound.chatId, ts, ...content }));
}

/** Takes the buttons away from under a text. */
export async function withoutButtons(api: Api, { channel, ts, text, blocks }: { readonly channel: string; readonly ts: string; readonly text: string; readonly blocks: readonly Json[] }): Promise<void> {
	await api.call("chat.update", { channel, ts, text, blocks: blocks.filter(({ type }) => type !== "actions") });
}

export async function showTyping(api: Api, { chatId, threadId }: Chat): Promise<void> {
	await api.call("assistant.threads.setStatus", { channel_id: chatId, thread_ts: threadId, status: "is working…" });
}

/** Goes plain when Slack does not take the formatting. */
async function formatted<Answer>({ text, buttons = [] }: OutboundText, send: (content: Content) => Promise<Answer>): Promise<Answer> {
	try {
		return await send(contentOf(text, buttons));
	} catch (error) {
		const refused = error instanceof Error ? (error.cause ?? error) : error;
		if (!(refused instanceof SlackRefusal && formCodes.has(refused.code))) throw error;
		const choices = buttons.map(({ label, says }) => `\n${label}: ${says}`).join("");
		return send({ text: escape(text + choices), blocks: [] });
	}
}

/** With blocks only where they are needed: Slack folds long ones up, and what stands in them is not found by its search. */
function contentOf(text: string, buttons: readonly Button[]): Content {
	const whole = mrkdwn(text);
	if (buttons.length === 0 && whole.length <= maxText) return { text: whole, blocks: [] };
	const blocks: Json[] = (text === "" ? [] : sections(text, maxSection)).map((piece) => ({ type: "section", text: { type: "mrkdwn", text: piece } }));
	if (buttons.length > 0) blocks.push({ type: "actions", elements: buttons.map(({ label, says }, i) => ({ type: "button", text: { type: "plain_text", text: label.slice(0, 75) }, action_id: `${buttonPrefix}${i}`, value: says })) });
	// Shown in notifications, in the place of the blocks.
	return { text: escape(text.slice(0, longestNotification)), blocks };
}

/** The escapes of a text full of angle brackets make it longer than it was when it was cut. */
function sections(text: string, max: number): readonly string[] {
	return split(text, max).flatMap((piece) => {
		const rendered = mrkdwn(piece);
		return rendered.length <= maxSection ? [rendered] : sections(piece, Math.max(64, Math.floor(Math.min(max, piece.length) / 2)));
	}).filter((piece) => piece.trim() !== "");
}

/** What it gives has no place yet, and nobody sees it. */
async function upload(api: Api, { path, name, mediaType }: OutboundFile, signal: AbortSignal): Promise<Json> {
	const content = await openAsBlob(path, { type: mediaType });
	const { upload_url: url, file_id: id } = await api.deliver("files.getUploadURLExternal", { filename: name, length: content.size });
	const answer = await fetch(String(url), { method: "POST", body: content, signal: AbortSignal.any([signal, AbortSignal.timeout(longestUploadMs)]) });
	await answer.body?.cancel();
	if (answer.status === 429) throw new RetryLaterError("Slack wants a pause before more files", 1000 * (Number(answer.headers.get("retry-after")) || 1));
	if (!answer.ok) throw new Error(`Slack answers the upload of ${name} with status ${answer.status}`);
	return { id, title: name };
}
