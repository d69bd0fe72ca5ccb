// Text on its way to a person. Every text goes through `send`, so that `message.sending` is fired on every path.
import type { MessagePurpose } from "../events/payloads/conversation.ts";
import type { AgentParts } from "./parts.ts";
import type { Session } from "./session.ts";
import { nobodyReads } from "./surface.ts";

/** Whether text may be shown while it arrives: not when a hook wants to see all of it first. */
export function mayStream({ engine }: AgentParts): boolean {
	return !engine.has("turn.answering") && !engine.has("message.sending");
}

/** Sends a text to the person, where there is one, and gives what was really sent. */
export async function send(session: Session, text: string, purpose: MessagePurpose, signal?: AbortSignal): Promise<string> {
	const { engine, output } = session.parts;
	if (output === nobodyReads) return text;
	const { text: final } = await worded(session, text, purpose, signal);
	output.message(final, purpose);
	if (output.tellsSent !== true && engine.has("message.sent")) engine.tell("message.sent", { ...session.facts(), text: final, purpose });
	return final;
}

/** A text as the hooks of `message.sending` leave it, for who sends it on another way. */
export async function worded(session: Session, text: string, purpose: MessagePurpose, signal?: AbortSignal): Promise<{ readonly text: string; readonly isWithheld: boolean }> {
	const { engine } = session.parts;
	if (!engine.has("message.sending")) return { text, isWithheld: false };
	const outcome = await engine.dispatch("message.sending", { ...session.facts(), text, purpose }, signal ? { signal } : {});
	if (outcome.kind === "go") return { text: outcome.payload.text, isWithheld: false };
	return { text: `[This message was withheld: ${outcome.kind === "blocked" ? outcome.reason : outcome.text}]`, isWithheld: true };
}
