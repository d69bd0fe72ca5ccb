// A text of the gateway as the messages that Meta takes.
import type { Button, OutboundFile, OutboundText } from "../../gateway/platform.ts";
import { rendered } from "./markup.ts";

export type Part =
	/** `plain` says the same where Meta refuses the other one. */
	| { readonly kind: "message"; readonly content: object; readonly plain?: object }
	| { readonly kind: "file"; readonly file: OutboundFile };

export const maxText = 4096;
const mostButtons = 3;
const longestButton = 20;
const longestRow = 24;
/** With buttons under it; with a list it may be as long as any text. */
const longestAboveButtons = 1024;

/** What to send, in its order. */
export function partsOf({ text, buttons = [], files = [] }: OutboundText): readonly Part[] {
	const words = rendered(text);
	return [...(text === "" ? [] : [wordsPart(words, buttons)]), ...files.map((file): Part => ({ kind: "file", file }))];
}

export const textContent = (body: string): object => ({ type: "text", text: { body } });

function wordsPart(body: string, buttons: readonly Button[]): Part {
	if (buttons.length === 0) return { kind: "message", content: textContent(body) };
	const choices = `\n\n${buttons.map(({ label, says }) => `${label}: ${says}`).join("\n")}`;
	const plain = textContent(body.length + choices.length <= maxText ? body + choices : body);
	const asButtons = buttons.length <= mostButtons && body.length <= longestAboveButtons;
	const action = asButtons
		? { buttons: buttons.map(({ label, says }) => ({ type: "reply", reply: { id: says, title: cut(label, longestButton) } })) }
		: { button: "Choose", sections: [{ rows: buttons.map(({ label, says }) => ({ id: says, title: cut(label, longestRow) })) }] };
	return { kind: "message", content: { type: "interactive", interactive: { type: asButtons ? "button" : "list", body: { text: body }, action } }, plain };
}

function cut(text: string, max: number): string {
	const characters = [...text];
	return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

const phone = /^\+?\d+$/;
/** Of a person who hides their number: the country, and what Meta calls them for this business. */
const named = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]+$/;

export const isGroup = (chatId: string): boolean => !phone.test(chatId) && !named.test(chatId);

export function recipientOf(chatId: string): object {
	if (isGroup(chatId)) return { recipient_type: "group", to: chatId };
	return { recipient_type: "individual", ...(named.test(chatId) ? { recipient: chatId } : { to: chatId.replace("+", "") }) };
}

const documents = /^application\/(?:pdf|msword|vnd\.ms-(?:excel|powerpoint)|vnd\.openxmlformats-officedocument\.(?:wordprocessingml\.document|spreadsheetml\.sheet|presentationml\.presentation))$/;
const textual = /^text\/|^application\/(?:.*\+)?(?:json|xml|yaml|javascript|typescript|toml)$/;

/** As what WhatsApp takes a file, undefined when it does not. Its kinds are few; other text goes as plain text under its own name. */
export function kindOf(mediaType: string): { readonly type: "image" | "video" | "audio" | "document"; readonly mediaType: string } | undefined {
	const bare = mediaType.split(";")[0]!.trim().toLowerCase();
	if (/^image\/(?:jpeg|png)$/.test(bare)) return { type: "image", mediaType: bare };
	if (/^video\/(?:mp4|3gpp)$/.test(bare)) return { type: "video", mediaType: bare };
	if (/^audio\/(?:aac|mp4|mpeg|amr|ogg)$/.test(bare)) return { type: "audio", mediaType: bare };
	if (documents.test(bare)) return { type: "document", mediaType: bare };
	return textual.test(bare) ? { type: "document", mediaType: "text/plain" } : undefined;
}
