// A transcript as Markdown. Every text of a person, a model or a tool stands in a fence: as Markdown of its own it could load images from
// elsewhere, or pass for a heading of ours.
import { visible, visibleLine } from "../../system/visible.ts";
import { argumentsOf, headingOf, hookLines, imagesOf, type Judged, speakerOf, type Step, type Transcript } from "./transcript.ts";

export function* markdown({ session, steps }: Transcript): Generator<string> {
	yield `# ${plain(session.name ?? session.title ?? `Session ${session.id}`)}\n\n`;
	for (const [what, value] of headingOf(session)) yield `- ${what}: ${plain(value)}\n`;
	for (const step of steps) yield part(step);
}

function part(step: Step): string {
	const { number, at, message, judged, call } = step;
	const time = new Date(at).toISOString();
	if (message.role === "tool") {
		const heading = `\n### ${number}. ${plain(message.name)}: ${message.isError ? "failed" : "result"} · ${time}\n\n`;
		return `${heading}${call ? fenced(argumentsOf(call), "json") : ""}${hooks(judged)}${fenced(message.text)}`;
	}
	const speaker = speakerOf(step);
	const reasoning = message.role === "assistant" && message.reasoning !== undefined ? `Reasoning:\n\n${fenced(message.reasoning)}` : "";
	const calls = message.role === "assistant" && message.toolCalls?.length ? `Calls ${message.toolCalls.map(({ name }) => plain(name)).join(", ")}.\n\n` : "";
	return `\n## ${number}. ${speaker[0]!.toUpperCase()}${speaker.slice(1)} · ${time}\n\n${hooks(judged)}${reasoning}${message.text === "" ? "" : fenced(message.text, "markdown")}${imagesOf(step).map(({ line }) => `${plain(line)}\n\n`).join("")}${calls}`;
}

function hooks(judged: readonly Judged[]): string {
	const lines = judged.flatMap(hookLines).flatMap(({ who, reason, changes }) => [`- Hook ${plain(who)}${reason === "" ? "" : `: ${plain(reason)}`}\n`, ...changes.map((change) => `  - ${plain(change)}\n`)]);
	return lines.length === 0 ? "" : `${lines.join("")}\n`;
}

/** A block that no text can end: its fence is longer than any in the text. */
function fenced(text: string, language = "text"): string {
	const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${visible(text)}\n${fence}\n\n`;
}

/** Words on one line, with everything that Markdown or HTML would take for itself escaped. */
function plain(text: string): string {
	return visibleLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replace(/[\\`*_{}[\]()#+!|~>]/g, "\\$&");
}
