// A transcript for the terminal.
import { visible, visibleLine } from "../../system/visible.ts";
import { when } from "../output.ts";
import { headingOf, hookLines, imagesOf, type Judged, speakerOf, type Step, type Transcript } from "./transcript.ts";

export function* text({ session, steps }: Transcript): Generator<string> {
	for (const [what, value] of headingOf(session)) yield `${what.padEnd(12)} ${visibleLine(value)}\n`;
	for (const step of steps) yield `\n${lines(step).join("\n")}\n`;
}

function lines(step: Step): readonly string[] {
	const { number, at, message, judged, call } = step;
	const heading = `── ${number} · ${when(at)} · `;
	if (message.role === "tool") {
		const asked = call ? indented(`${message.name} ${call.arguments}`) : [];
		return [`${heading}${message.isError ? "failed result" : "result"} of ${visibleLine(message.name)}`, ...asked, ...hooksOf(judged), ...indented(message.text)];
	}
	const reasoning = message.role === "assistant" && message.reasoning !== undefined ? indented(message.reasoning).map((line) => `  ${line}`) : [];
	const calls = message.role === "assistant" ? (message.toolCalls ?? []).map(({ name }) => `    → calls ${visibleLine(name)}`) : [];
	return [`${heading}${speakerOf(step)}`, ...hooksOf(judged), ...reasoning, ...(message.text === "" ? [] : visible(message.text).split("\n")), ...imagesOf(step).map(({ line }) => `    ${visibleLine(line)}`), ...calls];
}

function hooksOf(judged: readonly Judged[]): readonly string[] {
	return judged.flatMap(hookLines).flatMap(({ who, reason, changes }) => [`  ⚑ ${visibleLine(who)}${reason === "" ? "" : `: ${visibleLine(reason)}`}`, ...changes.map((change) => `      ${visibleLine(change)}`)]);
}

const indented = (text: string) => visible(text).split("\n").map((line) => `    ${line}`);
