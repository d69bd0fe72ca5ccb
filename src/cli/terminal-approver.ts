// Puts a question to the person at the terminal: what will run, exactly, who asks and why.
import type { ApprovalAnswer, ApprovalQuestion, Approver, Question } from "../agent/surface.ts";
import { visible } from "../system/visible.ts";
import { note } from "./output.ts";

/** Reads one line; rejects when the input ends or the signal is aborted. */
export type ReadLine = (prompt: string, signal: AbortSignal) => Promise<string>;

/** `say` shows the question, and what was wrong with an answer. */
export function terminalApprover(readLine: ReadLine, say: (text: string) => void = note): Approver {
	// Two questions at once would mix their answers.
	let before: Promise<unknown> = Promise.resolve();
	return {
		ask(question, signal) {
			const answer = before.then(() => askOne(question, signal, readLine, say));
			before = answer.catch(() => {});
			return answer;
		},
	};
}

async function askOne(question: Question, signal: AbortSignal, readLine: ReadLine, say: (text: string) => void): Promise<ApprovalAnswer> {
	signal.throwIfAborted();
	say(`\n${describeQuestion(question)}`);
	for (;;) {
		const line = (await readLine(`Allow this? [y = yes, once${question.lasts ? " / s = for this session / a = always" : ""} / n = no, or n REASON] `, signal)).trim();
		const [word = "", ...rest] = line.split(/\s+/);
		if (/^y(es)?$/i.test(word) && rest.length === 0) return { approved: true, by: "person" };
		if (question.lasts && rest.length === 0 && /^(?:s(?:ession)?|a(?:lways)?)$/i.test(word)) return { approved: true, by: "person", remember: word.toLowerCase().startsWith("s") ? "session" : "always" };
		if (/^no?$/i.test(word)) return { approved: false, by: "person", reason: rest.length > 0 ? `The user said no: ${rest.join(" ")}` : "The user said no." };
		say(`Please answer y${question.lasts ? ", s, a" : ""} or n.`);
	}
}

/** The question as text, with everything that will run. */
export function describeQuestion({ event, payload, value, reasons }: ApprovalQuestion): string {
	const what = "toolName" in payload ? `The agent wants to call ${payload.toolName} with` : `${event} wants to go on with`;
	const shown = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
	return [`${what}`, ...visible(shown).split("\n").map((line) => `    ${line}`), ...reasons.map(({ hook, reason }) => `${hook} asks: ${visible(reason)}`)].join("\n");
}
