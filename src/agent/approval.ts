// Asking a person. The question carries the final value and its digest; whatever is not a clear yes is a no.
import type { Facts } from "../events/payloads/facts.ts";
import type { ApprovalRequested } from "../events/payloads/tool.ts";
import { newId } from "../system/ids.ts";
import { newQuestionId, type ParkedCall } from "./parked.ts";
import type { Session } from "./session.ts";
import type { ApprovalAnswer, ApprovalQuestion, Question } from "./surface.ts";

/** The engine's `ask` for one session. */
export type Ask = (question: ApprovalQuestion) => Promise<ApprovalAnswer>;

/** What is told of a question, and whether a yes can be kept. */
interface Asked {
	readonly about: Omit<ApprovalRequested, keyof Facts>;
	/** Nobody but Hookline's own guard asks: with another hook's question among them a yes that lasts would answer that one as well. */
	readonly isOwn: boolean;
	readonly lasts: boolean;
}

/** Tells that a question is open, bounds the wait, tells how it was answered. */
export function askPerson(session: Session): Ask {
	return async (question) => {
		const began = Date.now();
		const asked = askedIn(session, question, newId("a"));
		tellRequested(session, asked.about);
		const answer = await answerInTime(session, { ...question, lasts: asked.lasts }, asked.isOwn);
		await keep(session, question.payload, asked, answer);
		tellResolved(session, { ...asked.about, lasts: asked.lasts, askedAt: began }, answer);
		return answer;
	};
}

/** Tells that a question is open and hands it over with the call that it is about. The answer is then a no which only says that the call waits. */
export function parkQuestion(session: Session, callId: string, park: (call: ParkedCall) => void, changed?: true): Ask {
	return async (question) => {
		const { about, lasts } = askedIn(session, question, newQuestionId());
		tellRequested(session, about);
		const askedAt = Date.now();
		park({ ...about, callId, cwd: session.place.cwd, lasts, askedAt, expiresAt: askedAt + session.parts.limits.approvalTimeoutMs, ...(changed && { changed }) });
		return { approved: false, by: "nobody-yet", reason: "A person was asked, and the call waits for their answer." };
	};
}

/** Takes a yes to what was asked for one to the same question; any other is asked anew. */
export function askWithYes(session: Session, call: ParkedCall, yes: ApprovalAnswer & { readonly approved: true }, askAnew: Ask): Ask {
	return async (question) => {
		const asked = askedIn(session, question, call.approvalId);
		const { digest, toolName, patternKeys } = asked.about;
		const isSame = digest === call.digest && toolName === call.toolName && session.place.cwd === call.cwd && patternKeys.every((key) => call.patternKeys.includes(key));
		if (!isSame) return askAnew(question);
		await keep(session, question.payload, { ...asked, lasts: asked.lasts && call.lasts }, yes);
		return yes;
	};
}

function askedIn(session: Session, question: ApprovalQuestion, approvalId: string): Asked {
	const { approvals } = session.parts;
	const { payload, reasons } = question;
	const own = approvals?.about(payload);
	const isOwn = own !== undefined && reasons.every(({ hook }) => hook === approvals?.hook);
	const patternKeys = [...(own?.rules ?? []), ...reasons.map(({ hook }) => hook).filter((hook) => own === undefined || hook !== approvals?.hook)];
	const about = {
		approvalId,
		event: question.event,
		args: question.value,
		reasons,
		digest: question.digest,
		command: own?.command ?? commandOf(question.value),
		description: reasons.map(({ reason }) => reason).join(" "),
		patternKey: patternKeys[0] ?? "",
		patternKeys,
		sessionKey: session.id,
		...("toolName" in payload && { toolName: payload.toolName }),
	};
	return { about, isOwn, lasts: isOwn && own.lasts };
}

function tellRequested(session: Session, about: Asked["about"]): void {
	const { engine } = session.parts;
	if (engine.has("approval.requested")) engine.tell("approval.requested", { ...session.facts(), ...about });
}

/** Tells how a question was answered, which may have been asked by another process. */
export function tellResolved(session: Session, { lasts, askedAt, ...call }: Asked["about"] & Pick<ParkedCall, "lasts" | "askedAt"> & Partial<ParkedCall>, answer: ApprovalAnswer): void {
	const { engine } = session.parts;
	if (!engine.has("approval.resolved")) return;
	const { callId: _callId, cwd: _cwd, expiresAt: _expiresAt, changed: _changed, ...about } = call;
	const { approved, by } = answer;
	const choice = answer.approved ? ((lasts ? answer.remember : undefined) ?? "once") : by === "timed-out" ? "timeout" : "deny";
	engine.tell("approval.resolved", { ...session.facts(), ...about, approved, choice, by, waitedMs: Date.now() - askedAt, ...(!answer.approved && { reason: answer.reason }) });
}

async function keep(session: Session, payload: object, { lasts }: Asked, answer: ApprovalAnswer): Promise<void> {
	if (!answer.approved || !lasts || answer.remember === undefined) return;
	try {
		await session.parts.approvals!.remember(payload, answer.remember);
	} catch (error) {
		session.parts.warn(`Your yes holds for this session only: ${error instanceof Error ? error.message : String(error)}`);
	}
}

function commandOf(value: unknown): string {
	const { command } = (typeof value === "object" && value !== null ? value : {}) as { readonly command?: unknown };
	return typeof command === "string" ? command : typeof value === "string" ? value : JSON.stringify(value);
}

/** A no because nobody answered within the time there was, in ms. */
export function timedOut(why: string, afterMs: number): ApprovalAnswer {
	return { approved: false, by: "timed-out", reason: `This needs a person's approval (${why}), and nobody answered within ${afterMs / 1000} s.` };
}

const stoppedByUser = { approved: false, by: "interrupted", reason: "Stopped by the user." } as const;

/** Tells that nobody will be asked about these any more. */
export function withdraw(session: Session, calls: readonly ParkedCall[], why: string = stoppedByUser.reason): void {
	for (const call of calls) tellResolved(session, call, { ...stoppedByUser, reason: why });
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
		over.signal.addEventListener("abort", () => resolve(question.signal.aborted ? stoppedByUser : timedOut(why, limits.approvalTimeoutMs)), { once: true });
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
