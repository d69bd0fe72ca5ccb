// A chat anywhere, as people write it: `telegram:123`, with a thread `slack:C024#1700000000.000100`.
import type { Chat } from "./platform.ts";

export interface Target extends Chat {
	readonly platform: string;
}

/** The chat a text names, or undefined when it names none. */
export function targetIn(text: string): Target | undefined {
	const found = /^([a-z]+):([^#]+)(?:#(.+))?$/s.exec(text.trim());
	if (found === null) return undefined;
	const [, platform, chatId, threadId] = found;
	return { platform: platform!, chatId: chatId!, ...(threadId !== undefined && { threadId }) };
}

export const targetText = ({ platform, chatId, threadId }: Target): string => `${platform}:${chatId}${threadId === undefined ? "" : `#${threadId}`}`;
