// The slash commands of a chat behind the gateway, and who may run which.
import { basicCommands } from "../agent/commands.ts";
import type { Command, Conversation } from "../agent/conversation.ts";
import type { WaitingTurn } from "../agent/parked.ts";
import type { Session } from "../agent/session.ts";
import { visibleLine } from "../system/visible.ts";
import type { Role } from "./access.ts";
import { speaking } from "./speaking.ts";

/** Those that concern nobody but whoever runs them. The others show or change what is not theirs: all sessions, the model, what extensions do. */
const forEverybody: ReadonlySet<string> = new Set(["help", "new", "reset", "stop", "status", "whoami", "compact", "name", "undo-last"]);

/** Why somebody may not run a command; undefined when they may. */
export function refusalOf(name: string, role: Role): string | undefined {
	return role === "owner" || forEverybody.has(name) ? undefined : `/${name} is for the owner of this agent.`;
}

/** `stop` ends the turn that runs in a conversation, and says whether one did. */
export function gatewayCommands(stop: (conversation: Conversation) => boolean): readonly Command[] {
	return [
		// Nobody leaves a chat this way.
		...basicCommands.filter(({ name }) => name !== "quit"),
		{
			name: "stop",
			summary: "stop the turn that runs, or waits for an answer",
			anytime: true,
			async run(conversation) {
				if (stop(conversation)) return undefined;
				return (await conversation.endWaiting()) ? "Stopped." : "Nothing runs.";
			},
		},
		{
			name: "status",
			summary: "session, model, and whether a turn runs",
			anytime: true,
			run: ({ session, parts, waiting }) => `session ${session.id}, ${session.messages.length} messages\nmodel ${parts.model.name}\n${doneNow(session, waiting)}`,
		},
		{
			name: "whoami",
			summary: "how this agent knows you",
			anytime: true,
			run() {
				const { sender, role } = speaking.getStore() ?? {};
				return `${sender?.platform ?? ""}:${sender?.userId ?? ""}, ${role ?? ""}, in chat ${sender?.chatId ?? ""}`;
			},
		},
	];
}

function doneNow({ turnId, step = 0 }: Session, waiting: WaitingTurn | undefined): string {
	if (turnId !== undefined) return `A turn runs: step ${step}.`;
	if (waiting === undefined) return "Nothing runs.";
	return waiting.calls.map(({ approvalId, toolName, command }) => `Question ${approvalId} is open: ${toolName} ${visibleLine(command.slice(0, 200))}`).join("\n");
}
