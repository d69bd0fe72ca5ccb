// Making room: a summary takes the place of the older messages in what the model is sent. The transcript keeps them all.
import type { Message } from "../events/payloads/model.ts";
import { ModelError } from "../models/model.ts";
import { callModel, type ModelCallResult } from "./model-call.ts";
import type { Session } from "./session.ts";

/** The part of the window that may be used before room is made. What is left has to hold the summary and the next answer. */
const fullAt = 0.8;
/** With fewer messages since the last summary there is nothing to win by another. */
const fewestMessages = 4;

const defaultInstructions = [
	"Summarise this conversation so that the work can go on without it. Write what the user wants, what was decided and why, what was done and found",
	"(files, commands, results, names and numbers exactly), what is still to do, and what was refused. No greeting, no opinion.",
].join(" ");

/** What came of it; `refused` and `failed` say why, for the person. */
export type Compaction = { readonly kind: "done"; readonly before: number; readonly after: number } | { readonly kind: "refused" | "failed"; readonly why: string };

/** Whether the next request might not fit any more. */
export function isFull({ usedTokens, sinceSummary, parts: { model } }: Session): boolean {
	const window = model.facts?.contextTokens;
	return window !== undefined && usedTokens > window * fullAt && sinceSummary >= fewestMessages;
}

/**
 * Replaces what the model is sent by a summary, of hooks or of the model itself. The messages of the turn under way stay as they are.
 * Never throws for a hook or a model; the signal's reason when stopped; StoreError when the summary cannot be kept.
 */
export async function compact(session: Session, why: "full" | "asked", asked: string, signal: AbortSignal): Promise<Compaction> {
	const { engine } = session.parts;
	const conversation = session.conversation(session.systemPrompt);
	const butKeeps = messagesOfTurn(session);
	const older = conversation.slice(1, conversation.length - butKeeps);
	if (older.length === 0) return { kind: "refused", why: "There is nothing to summarise yet." };
	let instructions = asked === "" ? defaultInstructions : `${defaultInstructions} ${asked}`;
	let summary: string | undefined;
	if (engine.has("session.compacting")) {
		const outcome = await engine.dispatch("session.compacting", { ...session.facts(), messages: older, instructions, why }, { signal });
		if (outcome.kind !== "go") return { kind: "refused", why: outcome.kind === "blocked" ? outcome.reason : outcome.text };
		({ summary, instructions } = outcome.payload);
	}
	try {
		if (summary === undefined) {
			const called = await summaryByModel(session, older, instructions, signal);
			if ("blocked" in called) return { kind: "refused", why: called.blocked };
			summary = called.answer.text;
		}
	} catch (error) {
		if (!(error instanceof ModelError)) throw error;
		return { kind: "failed", why: `The conversation could not be summarised: ${error.message}` };
	}
	if (summary.trim() === "") return { kind: "failed", why: "The conversation could not be summarised: the summary is empty." };
	session.append({ role: "user", text: `<summary of="the conversation so far">\n${summary}\n</summary>`, summarises: { butKeeps } });
	session.usedTokens = 0;
	const after = session.conversation(session.systemPrompt).length - 1;
	const before = conversation.length - 1;
	if (engine.has("session.compacted")) engine.tell("session.compacted", { ...session.facts(), summary, before, after });
	return { kind: "done", before, after };
}

/** Messages since the user's last word, when a turn is under way. A summary made between turns stands for all. */
function messagesOfTurn({ turnId, messages }: Session): number {
	return turnId === undefined ? 0 : messages.length - messages.findLastIndex(({ role }) => role === "user");
}

/** Asked of the same model with the same beginning, which its provider has in its cache. Without tools: it is to answer in words. */
function summaryByModel(session: Session, older: readonly Message[], instructions: string, signal: AbortSignal): Promise<ModelCallResult> {
	const messages: readonly Message[] = [{ role: "system", text: session.systemPrompt }, ...older, { role: "user", text: instructions }];
	return callModel(session, { messages, tools: [] }, "nobody", signal);
}
