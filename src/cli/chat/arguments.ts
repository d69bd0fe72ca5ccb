// What the arguments of a command could become, asked of whoever brought the command.
import type { Command, Conversation } from "../../agent/conversation.ts";
import { visibleLine } from "../../system/visible.ts";

/** Somebody is typing: what comes later than that is of no use, in ms. */
const longestMs = 500;

/** Never rejects, and never takes long. What could not stand in the editor as it is is left out. */
export async function completionsOf(conversation: Conversation, command: Command, args: string, signal: AbortSignal): Promise<readonly string[]> {
	const stop = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
	const late = new Promise<undefined>((resolve) => stop.addEventListener("abort", () => resolve(undefined), { once: true }));
	try {
		const found: unknown = await Promise.race([command.complete?.(conversation, args, stop), late]);
		return Array.isArray(found) ? found.filter((one): one is string => typeof one === "string" && one !== "" && one === visibleLine(one)) : [];
	} catch {
		return [];
	}
}
