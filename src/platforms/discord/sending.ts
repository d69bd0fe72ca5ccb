// Texts on their way out, as Discord takes them.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type APIMessageTopLevelComponent, ButtonStyle, ComponentType, type RESTPostAPIChannelMessageJSONBody } from "discord-api-types/v10";
import type { Button, OutboundFile, OutboundText } from "../../gateway/platform.ts";
import { discordMarkdown } from "./markup.ts";

/** Characters of one text. Discord counts code points, of which there are never more. */
export const maxText = 2_000;
/** What every server takes, in bytes. */
export const maxFileBytes = 10 * 1024 * 1024;
export const mostFiles = 10;
const longestLabel = 80;
const buttonsInRow = 5;
const mostRows = 5;

/** Nobody is called by what a model writes. */
const callsNobody = { parse: [] };

/** @param replyTo a message of this channel; one that is gone does no harm */
export function bodyOf({ key, text, buttons }: OutboundText, replyTo?: string): RESTPostAPIChannelMessageJSONBody {
	return {
		...plainBodyOf(key, shownAs(text)),
		...(replyTo !== undefined && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
		...(buttons !== undefined && buttons.length > 0 && { components: rowsOf(buttons) }),
	};
}

/** Nothing in it but the text: for where Discord refuses the rest. */
export function plainBodyOf(key: string, content: string): RESTPostAPIChannelMessageJSONBody {
	// Discord takes 25 characters, and drops for some minutes what comes again with the same ones.
	const nonce = createHash("sha256").update(key).digest("base64url").slice(0, 25);
	return { content, nonce, enforce_nonce: true, allowed_mentions: callsNobody };
}

/** What takes its place; buttons go. */
export const changedBodyOf = (text: string) => ({ content: shownAs(text), components: [], allowed_mentions: callsNobody });

/** Markup for Discord, unless it makes the text too long. */
function shownAs(text: string): string {
	const shown = discordMarkdown(text);
	return shown.length <= maxText ? shown : text;
}

function rowsOf(buttons: readonly Button[]): APIMessageTopLevelComponent[] {
	const rows = Array.from({ length: Math.min(mostRows, Math.ceil(buttons.length / buttonsInRow)) }, (_, i) => buttons.slice(i * buttonsInRow, (i + 1) * buttonsInRow));
	return rows.map((row) => ({
		type: ComponentType.ActionRow,
		components: row.map(({ label, says }) => ({ type: ComponentType.Button, style: ButtonStyle.Secondary, label: label.slice(0, longestLabel), custom_id: says })),
	}));
}

export async function readFiles(files: readonly OutboundFile[]): Promise<{ readonly name: string; readonly content: Blob }[]> {
	return Promise.all(files.map(async ({ path, name, mediaType }) => ({ name, content: new Blob([await readFile(path)], { type: mediaType }) })));
}
