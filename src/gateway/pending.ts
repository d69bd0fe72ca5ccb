// A turn that waits for an owner's answer: what is kept of it, and how its questions are put.
import { worded } from "../agent/output.ts";
import type { ParkedCall, WaitingTurn } from "../agent/parked.ts";
import type { Session } from "../agent/session.ts";
import type { Sender } from "../events/payloads/facts.ts";
import { visible } from "../system/visible.ts";
import type { Button } from "./platform.ts";
import type { Said } from "./speaking.ts";

/** In the state of the engine's session, as long as there are open questions. */
export interface Pending {
	readonly turn: WaitingTurn;
	/** The message whose turn it is, and who sent it. */
	readonly messageId: string;
	readonly sender: Sender;
	/** What was said since; it joins the turn when that goes on. */
	readonly said: readonly string[];
	/** Who of those who said something knows that a question is open. */
	readonly told: readonly string[];
}

/** Characters of a call that are shown. */
const mostShown = 2_000;

export interface Shown {
	readonly hasButtons: boolean;
	/** Whether it is the only question that is open. */
	readonly isOnlyOne: boolean;
}

/** A question as a chat shows it, past the hooks of `message.sending`. One that they withheld can only be answered by its id. */
export async function question(session: Session, call: ParkedCall, how: Shown): Promise<Said> {
	const purpose = "question";
	const { hasButtons } = how;
	const { text, isWithheld } = await worded(session, questionText(call, how), purpose);
	return { text, purpose, facts: session.facts(), ...(hasButtons && !isWithheld && { buttons: buttonsFor(call) }) };
}

const scopesOf = ({ lasts }: ParkedCall) => (lasts ? (["once", "session", "always"] as const) : (["once"] as const));

function buttonsFor(call: ParkedCall): readonly Button[] {
	const yes = scopesOf(call).map((scope) => ({ label: `${scope[0]!.toUpperCase()}${scope.slice(1)}`, says: `/approve ${call.approvalId} ${scope}` }));
	return [...yes, { label: "No", says: `/deny ${call.approvalId}` }];
}

function waysToAnswer(call: ParkedCall, isOnlyOne: boolean): string {
	const id = isOnlyOne ? "" : ` ${call.approvalId}`;
	const yes = scopesOf(call).map((scope) => `/approve${id}${scope === "once" ? "" : ` ${scope}`}`);
	return `Answer ${yes.join(", ")}, or /deny${id} with a reason.`;
}

export function questionText(call: ParkedCall, { hasButtons, isOnlyOne }: Shown): string {
	const { approvalId, toolName, args, reasons, changed, askedAt, expiresAt } = call;
	return [
		`Question ${approvalId}: ${changed ? "what you approved has become another call. " : ""}May I call ${toolName}?`,
		inBlock(shown(args)),
		// Marked to its end: a reason may quote what the model wrote.
		...reasons.map(({ hook, reason }) => `${hook} asks: ${visible(reason).replaceAll("\n", "\n> ")}`),
		`Without an answer in ${duration(expiresAt - askedAt)} it is a no.`,
		...(hasButtons ? [] : [waysToAnswer(call, isOnlyOne)]),
	].join("\n");
}

/** Exactly what would run. */
function shown(args: unknown): string {
	const { command, ...others } = (typeof args === "object" && args !== null ? args : {}) as { readonly command?: unknown };
	return visible(typeof command === "string" && Object.keys(others).length === 0 ? command : JSON.stringify(args, undefined, 2));
}

function inBlock(text: string): string {
	const left = text.length - mostShown;
	const beginning = left > 0 ? text.slice(0, mostShown).replace(/[\ud800-\udbff]$/, "") : text;
	// What is shown must not be able to end its own block.
	const fence = "`".repeat(Math.max(3, ...(beginning.match(/`+/g) ?? []).map(({ length }) => length + 1)));
	return `${fence}\n${beginning}\n${fence}${left > 0 ? `\n[cut: ${left} more characters]` : ""}`;
}

function duration(ms: number): string {
	const seconds = Math.round(ms / 1000);
	return seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
}
