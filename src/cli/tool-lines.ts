// A line for each tool call that is over, for the person at the terminal: what ran, what came of it, who stopped it.
import type { Engine } from "../engine/engine.ts";
import type { ToolCalled } from "../events/payloads/tool.ts";
import type { Source } from "../events/registration.ts";
import { visibleLine } from "../system/visible.ts";
import { ms, note } from "./output.ts";

/** Hooks of the command line itself. */
export const ownSource: Source = { extension: "hookline", trust: "bundled", dialect: "native", rank: 0 };

export function showToolCalls(engine: Engine): void {
	engine.register([{ event: "tool.called", stage: "observe", options: { name: "tool-lines" }, queue: Infinity, host: "inline", source: ownSource, handler: (call: ToolCalled) => note(toolLine(call)) }]);
}

function toolLine({ toolName, args, status, blockedBy, durationMs, result }: ToolCalled): string {
	const what = `${toolName} ${short(visibleLine(JSON.stringify(args)))}`;
	if (status === "blocked") return `· ${what} → blocked by ${blockedBy}`;
	const first = result.text.split("\n", 1)[0]!;
	return `· ${what} → ${status === "ok" ? `ok, ${ms(durationMs)}` : `failed: ${short(visibleLine(first))}`}`;
}

const short = (text: string) => (text.length > 90 ? `${text.slice(0, 90)}…` : text);
