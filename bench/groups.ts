// What there is to measure, in the order of the table.
import type { Measurement } from "./row.ts";

export interface Group {
	readonly name: string;
	/** Loaded where it is needed: code that one row does not use must not weigh on it. */
	load(): Promise<{ readonly measurements: readonly Measurement[] }>;
}

export const groups: readonly Group[] = [
	{ name: "events nobody hooks", load: () => import("./rows/unhooked.ts") },
	{ name: "inline handlers", load: () => import("./rows/handlers.ts") },
	{ name: "tool calls", load: () => import("./rows/tool-calls.ts") },
	{ name: "node host", load: () => import("./rows/node-host.ts") },
	{ name: "shell host", load: () => import("./rows/shell-host.ts") },
	{ name: "python host", load: () => import("./rows/python-host.ts") },
	{ name: "extensions", load: () => import("./rows/extensions.ts") },
	{ name: "trace", load: () => import("./rows/trace.ts") },
	{ name: "session engine", load: () => import("./rows/session-engine.ts") },
	{ name: "gateway", load: () => import("./rows/gateway.ts") },
	{ name: "the agent's loop", load: () => import("./rows/steps.ts") },
	{ name: "flatness", load: () => import("./rows/flatness.ts") },
	{ name: "command line", load: () => import("./rows/command-line.ts") },
	{ name: "chat", load: () => import("./rows/chat.ts") },
	{ name: "start-up and memory", load: () => import("./rows/start-up.ts") },
];
