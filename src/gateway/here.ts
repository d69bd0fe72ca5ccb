// The chat that a turn is part of.
import type { Session } from "../agent/session.ts";
import type { Target } from "./target.ts";

/** For a job the chat that its answer goes to; undefined where there is none. */
export function chatHere(session: Pick<Session, "facts">): Target | undefined {
	const { platform, chatId, threadId } = session.facts();
	return platform === undefined || chatId === undefined ? undefined : { platform, chatId, ...(threadId !== undefined && { threadId }) };
}
