// What the agent gives tools of its own beside what all tools get.
import { stateOfSession } from "../stores/state.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { Session } from "./session.ts";

export interface AgentToolContext extends ToolContext {
	/** The session the tool was called in. */
	readonly session: Session;
}

/** What one call runs with. */
export function toolContextFor(session: Session, callId: string, signal: AbortSignal): AgentToolContext {
	const { engine, store, toolSettings } = session.parts;
	return {
		cwd: session.place.cwd,
		signal,
		callId,
		session,
		processes: session.processes,
		kept: store.state.of(stateOfSession(session.id)),
		settings: toolSettings ?? {},
		onTerminalOutput: async (raw) => {
			if (!engine.has("terminal.returning")) return raw.output;
			const outcome = await engine.dispatch("terminal.returning", { ...session.facts(), callId, ...raw }, { signal });
			if (outcome.kind === "go") return outcome.payload.output;
			return `[The output was withheld: ${outcome.kind === "blocked" ? outcome.reason : outcome.text}]`;
		},
	};
}
