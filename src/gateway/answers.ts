// `/approve` and `/deny`: an owner's answer to a question. They only note it down; the turn then goes on with it.
import { type Command, CommandRefused, type Conversation } from "../agent/conversation.ts";
import { isQuestionId, type ParkedCall } from "../agent/parked.ts";
import { type Answering, speaking } from "./speaking.ts";

const scopes = ["once", "session", "always"] as const;
type Scope = (typeof scopes)[number];
const isScope = (word: string): word is Scope => (scopes as readonly string[]).includes(word);

export const answerCommands: readonly Command[] = [
	{
		name: "approve",
		summary: "answer a question with yes: /approve [ID] [once|session|always]; the oldest one without an ID",
		run(conversation, args) {
			const words = args.toLowerCase().split(/\s+/).filter(Boolean);
			const scope = isScope(words.at(-1) ?? "") ? (words.pop() as Scope) : "once";
			if (words.length > 1) throw new CommandRefused("Nothing is approved: write /approve, and behind it the ID of the question and once, session or always if you like.");
			const [id] = words;
			const answering = answeringNow();
			const call = askedIn(conversation, id, answering);
			if (scope !== "once" && !call.lasts) throw new CommandRefused(`Question ${call.approvalId} can only be approved once: /approve ${call.approvalId}`);
			answering.answers.set(call.approvalId, { approved: true, by: "person", ...(scope !== "once" && { remember: scope }) });
			return undefined;
		},
	},
	{
		name: "deny",
		summary: "answer a question with no: /deny [ID] [REASON]; the oldest one without an ID",
		run(conversation, args) {
			const [, first = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
			const id = isQuestionId(first.toLowerCase()) ? first.toLowerCase() : undefined;
			const reason = id === undefined ? args : rest;
			const answering = answeringNow();
			const call = askedIn(conversation, id, answering);
			answering.answers.set(call.approvalId, { approved: false, by: "person", reason: reason === "" ? "The user said no." : `The user said no: ${reason}` });
			return undefined;
		},
	},
];

function answeringNow(): Answering {
	const answering = speaking.getStore()?.answering;
	if (answering === undefined) throw new CommandRefused("This cannot be answered while a turn runs. Write it again when that is over.");
	return answering;
}

/** The question that is meant. Somebody may have written before they could see it, or after its time. */
function askedIn({ waiting }: Conversation, id: string | undefined, { at }: Answering): ParkedCall {
	const open = waiting?.calls ?? [];
	const call = id === undefined ? open[0] : open.find(({ approvalId }) => approvalId === id);
	if (call === undefined) {
		const others = open.length === 0 ? "No question is open here." : `Open here: ${open.map(({ approvalId }) => approvalId).join(", ")}.`;
		throw new CommandRefused(id === undefined ? others : `There is no question ${id} here that is open: it was answered, its time was up, or it was asked in another chat. ${others}`);
	}
	if (at >= call.expiresAt) throw new CommandRefused(`The time for question ${call.approvalId} was up when you answered.`);
	if (id === undefined && at < call.askedAt) throw new CommandRefused(`Question ${call.approvalId} was asked after you wrote this. Answer it by its ID.`);
	return call;
}
