// A key that an extension brings, for the conversation that is open.
import type { ExtensionShortcut } from "../../events/brings.ts";
import type { Conversation } from "../../agent/conversation.ts";
import type { Shortcut } from "./view.ts";

/** How long what a key does may take, in ms. */
const longestMs = 600_000;

/** `conversation` gives nothing before one is open; a key does nothing then. */
export function shortcutOf({ key, summary, run }: ExtensionShortcut, conversation: () => Conversation | undefined): Shortcut {
	return {
		key,
		summary,
		async run() {
			const session = conversation()?.session;
			if (session !== undefined) await run({ signal: AbortSignal.timeout(longestMs), cwd: session.place.cwd, sessionId: session.id });
		},
	};
}
