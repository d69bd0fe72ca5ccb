// A transcript as one HTML page that needs nothing else and loads nothing: what models and tools wrote is text in it, never markup.
import { visible } from "../../system/visible.ts";
import { argumentsOf, headingOf, hookLines, type HookLine, imagesOf, type Judged, speakerOf, type Step, type Transcript } from "./transcript.ts";

/** Texts longer than this, in characters, are folded. */
const foldedFrom = 1500;

export function* page({ session, steps, image }: Transcript): Generator<string> {
	const title = escaped(session.name ?? session.title ?? `Session ${session.id}`);
	const facts = headingOf(session).map(([what, value]) => `<dt>${what}</dt><dd>${escaped(value)}</dd>`);
	yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<dl>${facts.join("")}</dl>
</header>
<main>
`;
	for (const step of steps) yield article(step, image);
	yield "</main>\n</body>\n</html>\n";
}

function article(step: Step, image: Transcript["image"]): string {
	const { number, at, message, judged, call } = step;
	const time = new Date(at).toISOString();
	const open = (kind: string, label: string) => `<article class="${kind}" id="m${number}">\n<h2><a href="#m${number}">${number}</a> ${label} <time datetime="${time}">${time.slice(0, 19).replace("T", " ")}</time></h2>\n`;
	if (message.role === "tool") {
		const label = `${escaped(message.name)} <span class="${message.isError ? "failed" : "fine"}">${message.isError ? "failed" : "ok"}</span>`;
		// Beside each other where there is room: what was asked, and what hooks made of it.
		const asked = call ? `<div class="asked"><h3>Asked</h3>${block(argumentsOf(call))}</div>` : "";
		return `${open("call", label)}<div class="columns">${asked}${hooks(judged)}</div>\n${block(message.text)}</article>\n`;
	}
	const reasoning = message.role === "assistant" && message.reasoning !== undefined ? `<details><summary>Reasoning</summary>${block(message.reasoning)}</details>\n` : "";
	const text = message.text === "" ? "" : block(message.text);
	const calls = message.role === "assistant" && message.toolCalls?.length ? `<p class="calls">Calls ${message.toolCalls.map(({ name }) => escaped(name)).join(", ")}</p>\n` : "";
	return `${open(message.role, speakerOf(step))}${hooks(judged)}${reasoning}${text}${figures(step, image)}${calls}</article>\n`;
}

function figures(step: Step, image: Transcript["image"]): string {
	return imagesOf(step).map(({ image: { sha256 }, line }) => figure(line, image(sha256))).join("");
}

function figure(line: string, stored: ReturnType<Transcript["image"]>): string {
	const picture = stored ? `<img alt="" src="data:${stored.mediaType};base64,${Buffer.from(stored.data).toString("base64")}">` : "";
	return `<figure>${picture}<figcaption>${escaped(line)}</figcaption></figure>\n`;
}

function hooks(judged: readonly Judged[]): string {
	const lines = judged.flatMap(hookLines);
	return lines.length === 0 ? "" : `<div class="hooks"><h3>Hooks</h3><ul>${lines.map(hookItem).join("")}</ul></div>`;
}

function hookItem({ who, decision, reason, changes }: HookLine): string {
	const kind = decision === "block" || decision === "failed" ? "no" : decision === "pass" || decision === "wrapped" ? "quiet" : "changed";
	const details = changes.map((change) => `<li><code>${escaped(change)}</code></li>`);
	return `<li class="${kind}">${escaped(who)}${reason === "" ? "" : `<br><q>${escaped(reason)}</q>`}${details.length === 0 ? "" : `<ul>${details.join("")}</ul>`}</li>`;
}

function block(text: string): string {
	const pre = `<pre>${escaped(text)}</pre>\n`;
	return text.length <= foldedFrom ? pre : `<details><summary>${text.length.toLocaleString("en")} characters</summary>${pre}</details>\n`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string) => visible(text.toWellFormed()).replace(/[&<>"']/g, (character) => entities[character]!);

const style = `
:root { --line: #d5d9df; --soft: #f4f5f7; --dim: #5b6470; --no: #b3261e; --changed: #8a5a00; --fine: #1b6e3c; --user: #2457a6; }
@media (prefers-color-scheme: dark) { :root { --line: #3a4048; --soft: #1e2227; --dim: #9aa4b0; --no: #ff8a80; --changed: #f0bf5a; --fine: #7fd69c; --user: #8ab4f8; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: .85rem; margin: 0 0 .4rem; font-weight: 600; }
h2 a, time { color: var(--dim); text-decoration: none; font-weight: 400; }
h3 { font-size: .75rem; margin: 0 0 .25rem; color: var(--dim); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
article { border-left: 3px solid var(--line); padding: .3rem 0 .3rem 1rem; margin: 1.2rem 0; }
article.user { border-color: var(--user); }
pre { margin: .3rem 0; padding: .6rem .8rem; background: var(--soft); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, monospace; }
.columns { display: flex; flex-wrap: wrap; gap: 0 1.5rem; }
.columns > * { flex: 1 1 20rem; min-width: 0; }
.hooks ul { margin: 0; padding-left: 1.1rem; font-size: .85rem; overflow-wrap: anywhere; }
.no, .failed { color: var(--no); }
.changed { color: var(--changed); }
.quiet, .calls { color: var(--dim); }
.fine { color: var(--fine); }
figure { margin: .4rem 0; }
img { max-width: 100%; max-height: 30rem; }
figcaption { color: var(--dim); font-size: .85rem; }
summary { cursor: pointer; color: var(--dim); font-size: .85rem; }
`;
