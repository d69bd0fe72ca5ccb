// What stands below the conversation: what waits, what is being done, the editor or a question, and the status line.
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { performance } from "node:perf_hooks";
import { visible, visibleLine } from "../../../system/visible.ts";
import type { ChatStatus } from "../view.ts";
import type { Theme } from "./theme.ts";

const turning = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** A hook that takes longer than this is worth naming, in ms. */
const longHookMs = 300;

/** Texts that were sent off and are not in the conversation yet. */
export function waitingLines({ steered, queued }: ChatStatus, width: number, theme: Theme): readonly string[] {
	const line = (mark: string, text: string) => theme.faint(truncateToWidth(`${mark} ${visibleLine(text)}`, width, "…"));
	return [...steered.map((text) => line("↪ joins at the next step:", text)), ...queued.map((text) => line("⏳ after this turn:", text))];
}

/** What is being done, how long, what holds it up, and how to end it. Nothing when nothing is. */
export function workLines({ workingSince, stopping, pending }: ChatStatus, isAsked: boolean, theme: Theme): readonly string[] {
	if (workingSince === undefined) return [];
	const ms = performance.now() - workingSince;
	const [longest] = pending;
	const held = isAsked ? " · waits for your answer" : longest !== undefined && longest.forMs > longHookMs ? ` · ${visibleLine(longest.hook)} holds up ${longest.event} (${(longest.forMs / 1000).toFixed(1)} s)` : "";
	return [`${theme.accent(turning[Math.floor(ms / 100) % turning.length]!)} ${theme.faint(`${stopping ? "Stopping" : "Working"} · ${seconds(ms)}${held} · Esc stops`)}`];
}

function seconds(ms: number): string {
	const whole = Math.floor(ms / 1000);
	return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Model, use of its window, cost, hooks that hold something up, session: as much as fits, the most important first. */
export function statusLine(status: ChatStatus, width: number, theme: Theme): string {
	const { model, usedTokens, windowTokens, costUsd, pending, hooks, session } = status;
	const use = windowTokens === undefined ? (usedTokens === 0 ? "" : `${short(usedTokens)} tokens`) : `${Math.round((usedTokens / windowTokens) * 100)} % of ${short(windowTokens)}`;
	const cost = costUsd === undefined ? "$?" : costUsd === 0 ? "" : `$${costUsd < 1 ? costUsd.toFixed(4) : costUsd.toFixed(2)}`;
	const waits = pending.length === 0 ? `${hooks} hook${hooks === 1 ? "" : "s"}` : `${pending.length} of ${hooks} hook${hooks === 1 ? "" : "s"} pending`;
	let line = visibleLine(model);
	for (const part of [waits, use, cost, session]) {
		if (part !== "" && visibleWidth(line) + 3 + visibleWidth(part) <= width) line += ` · ${part}`;
	}
	return theme.faint(truncateToWidth(line, width, "…"));
}

function short(tokens: number): string {
	return tokens < 1000 ? String(tokens) : tokens < 1_000_000 ? `${Math.round(tokens / 1000)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** A question's words; what is asked stands in the conversation above. */
export function questionLines(prompt: string, width: number, theme: Theme): readonly string[] {
	return wrapTextWithAnsi(theme.warning(visible(prompt.trimEnd())), width);
}
