// What the agent gives tools of its own beside what all tools get.
import type { ToolContext } from "../tools/tool.ts";
import type { Session } from "./session.ts";

export interface AgentToolContext extends ToolContext {
	/** The session the tool was called in. */
	readonly session: Session;
}
