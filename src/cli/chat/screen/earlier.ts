// The end of a conversation that is taken up again.
import { shellIn } from "../../../agent/shell.ts";
import type { Message } from "../../../events/payloads/model.ts";
import { argumentsOf } from "../activity.ts";
import { Answer } from "./answer.ts";
import type { Item } from "./flat-screen.ts";
import type { Highlighter } from "./highlight.ts";
import { gap, type Look, NoteItem, SaidItem, ShellItem, ToolItem } from "./items.ts";

/** More is in the session: `hookline sessions show`. */
const mostMessages = 40;

export function earlierItems(look: Look, highlighter: Highlighter, messages: readonly Message[]): readonly Item[] {
	const items: Item[] = [];
	const calls = new Map<string, ToolItem>();
	const left = messages.length - mostMessages;
	if (left > 0) items.push(gap, new NoteItem(look, `${left} earlier messages`, "faint"));
	for (const message of messages.slice(-mostMessages)) {
		switch (message.role) {
			case "user":
				items.push(gap, message.summarises ? new NoteItem(look, "The conversation before this was summarised.", "faint") : saidBefore(look, message.text));
				break;
			case "assistant": {
				if (message.text.trim() !== "") {
					items.push(gap);
					const answer = new Answer(look, highlighter, (item) => items.push(item));
					answer.write(`${message.text}\n`);
					answer.end();
				}
				if (message.toolCalls !== undefined) items.push(gap);
				for (const { id, name, arguments: text } of message.toolCalls ?? []) {
					const item = new ToolItem(look, name, argumentsOf(text), false);
					calls.set(id, item);
					items.push(item);
				}
				break;
			}
			case "tool":
				calls.get(message.callId)?.gave(message.text, message.isError === true);
		}
	}
	return items;
}

function saidBefore(look: Look, text: string): Item {
	const shell = shellIn(text);
	if (shell === undefined) return new SaidItem(look, text);
	const item = new ShellItem(look, shell.command);
	item.end(shell.output, false);
	return item;
}
