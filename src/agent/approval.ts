// Asking a person. The question carries the final value and its digest; whatever is not a clear yes is a no.
import { newId } from "../system/ids.ts";
import type { Session } from "./session.ts";
import type { ApprovalAnswer, ApprovalQuestion } from "./surface.ts";

/** The engine's `ask` for one session: tells that a question is open, bounds the wait, tells how it was answered. */
export function askPerson(session: Session): (question: ApprovalQuestion) => Promise<ApprovalAnswer> {
	return async (question) => {
		const { engine } = session.parts;
		const { payload } = question;
		const began = Date.now();
		const told = {
			...session.facts(),
			approvalId: newId("a"),
			event: question.event,
			args: question.value,
			reasons: question.reasons,
			digest: question.digest,
			...("toolName" in payload && { toolName: payload.toolName }),
		};
		if (engine.has("approval.requested")) engine.tell("approval.requested", told);
		const answer = await answerInTime(session, question);
		if (engine.has("approval.resolved")) {
			const { eventId: _, ...rest } = told;
			engine.tell("approval.resolved", { ...rest, eventId: newId("e"), approved: answer.approved, by: answer.by, waitedMs: Date.now() - began, ...(!answer.approved && { reason: answer.reason }) });
		}
		return answer;
	};
}

async function answerInTime(session: Session, question: ApprovalQuestion): Promise<ApprovalAnswer> {
	const { approver, limits } = session.parts;
	const why = question.reasons.map(({ reason }) => reason).join(" ");
	if (approver === undefined) return { approved: false, by: "nobody-there", reason: `This needs a person's approval (${why}), and nobody is there to give it.` };
	const over = new AbortController();
	const stop = () => over.abort();
	question.signal.addEventListener("abort", stop, { once: true });
	const timer = setTimeout(stop, limits.approvalTimeoutMs);
	const ended = new Promise<ApprovalAnswer>((resolve) => {
		const end = () =>
			resolve(
				question.signal.aborted
					? { approved: false, by: "interrupted", reason: "Stopped by the user." }
					: { approved: false, by: "timed-out", reason: `This needs a person's approval (${why}), and nobody answered within ${limits.approvalTimeoutMs / 1000} s.` },
			);
		over.signal.addEventListener("abort", end, { once: true });
		if (question.signal.aborted) stop();
	});
	try {
		return await Promise.race([approver.ask(question, over.signal), ended]);
	} catch (error) {
		return { approved: false, by: "engine", reason: `This needs a person's approval (${why}), and asking failed: ${error instanceof Error ? error.message : String(error)}` };
	} finally {
		clearTimeout(timer);
		question.signal.removeEventListener("abort", stop);
	}
}
