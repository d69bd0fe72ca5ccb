// Asking a person. The question carries the final value and its digest; whatever is not a clear yes is a no.
import { newId } from "../system/ids.ts";
import type { Session } from "./session.ts";
import type { ApprovalAnswer, ApprovalQuestion, Question } from "./surface.ts";

/** The engine's `ask` for one session: tells that a question is open, bounds the wait, tells how it was answered. */
export function askPerson(session: Session): (question: ApprovalQuestion) => Promise<ApprovalAnswer> {
	return async (question) => {
		const { engine } = session.parts;
		const { payload } = question;
		const began = Date.now();
		const about = session.parts.approvals?.about(payload);
		// With another hook's question among them a yes that lasts would answer that one as well.
		const isOwn = about !== undefined && question.reasons.every(({ hook }) => hook === session.parts.approvals?.hook);
		const patternKeys = [...(about?.rules ?? []), ...question.reasons.map(({ hook }) => hook).filter((hook) => about === undefined || hook !== session.parts.approvals?.hook)];
		const told = {
			...session.facts(),
			approvalId: newId("a"),
			event: question.event,
			args: question.value,
			reasons: question.reasons,
			digest: question.digest,
			command: about?.command ?? commandOf(question.value),
			description: question.reasons.map(({ reason }) => reason).join(" "),
			patternKey: patternKeys[0] ?? "",
			patternKeys,
			sessionKey: session.id,
			...("toolName" in payload && { toolName: payload.toolName }),
		};
		if (engine.has("approval.requested")) engine.tell("approval.requested", told);
		const answer = await answerInTime(session, { ...question, lasts: isOwn && about.lasts }, isOwn);
		const lasting = answer.approved && isOwn && about.lasts ? answer.remember : undefined;
		if (lasting !== undefined) await keep(session, payload, lasting);
		if (engine.has("approval.resolved")) {
			const { eventId: _, ...rest } = told;
			engine.tell("approval.resolved", { ...rest, eventId: newId("e"), approved: answer.approved, choice: answer.approved ? (lasting ?? "once") : answer.by === "timed-out" ? "timeout" : "deny", by: answer.by, waitedMs: Date.now() - began, ...(!answer.approved && { reason: answer.reason }) });
		}
		return answer;
	};
}

async function keep(session: Session, payload: object, scope: "session" | "always"): Promise<void> {
	try {
		await session.parts.approvals!.remember(payload, scope);
	} catch (error) {
		session.parts.warn(`Your yes holds for this session only: ${error instanceof Error ? error.message : String(error)}`);
	}
}

function commandOf(value: unknown): string {
	const { command } = (typeof value === "object" && value !== null ? value : {}) as { readonly command?: unknown };
	return typeof command === "string" ? command : typeof value === "string" ? value : JSON.stringify(value);
}

async function answerInTime(session: Session, question: Question, isOwn: boolean): Promise<ApprovalAnswer> {
	const { approver, approvals, limits } = session.parts;
	const why = question.reasons.map(({ reason }) => reason).join(" ");
	if (approver === undefined && isOwn && approvals?.unattended === "allow") return { approved: true, by: "unattended" };
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
