// Texts as Teams takes them.
import type { Button } from "../../gateway/platform.ts";
import { type Card, type OutboundActivity, UnreadableError } from "./connector.ts";
import { markupOf } from "./markup.ts";

/** As markup; plain where Teams does not take that. Errors as `send`. */
export async function sendText<T>(text: string, send: (message: OutboundActivity & { readonly type: "message" }) => Promise<T>): Promise<T> {
	try {
		return await send({ type: "message", text: markupOf(text), textFormat: "xml" });
	} catch (error) {
		if (!(error instanceof UnreadableError)) throw error;
		return send({ type: "message", text, textFormat: "plain" });
	}
}

/** Shown below the text. */
export function cardOf(buttons: readonly Button[]): Card {
	const actions = buttons.map(({ label, says }) => ({ type: "Action.Submit", title: label, data: { hookline: { says } } }));
	return { contentType: "application/vnd.microsoft.card.adaptive", content: { $schema: "http://adaptivecards.io/schemas/adaptive-card.json", type: "AdaptiveCard", version: "1.4", body: [], actions } };
}
