// The slash commands every conversation has.
import { compact } from "./compaction.ts";
import { type Command, CommandRefused, type Conversation } from "./conversation.ts";
import { modelCommands } from "./model-commands.ts";
import { lostResult } from "./session.ts";
import { sessionCommands } from "./session-commands.ts";

export const basicCommands: readonly Command[] = [
	{
		name: "help",
		summary: "what can be typed here",
		anytime: true,
		run: ({ commands }) => [...commands.values()].map(({ name, summary }) => `/${name.padEnd(10)} ${summary}`).join("\n"),
	},
	...(["new", "reset"] as const).map((name) => ({
		name,
		summary: name === "new" ? "start a fresh session" : "the same as /new",
		async run(conversation: Conversation) {
			await conversation.startAnew(name);
			return `New session ${conversation.session.id}.`;
		},
	})),
	...sessionCommands,
	...modelCommands,
	{
		name: "compact",
		summary: "summarise the conversation so far, to make room; what to keep in mind may follow",
		async run({ session, waiting }, args, stop) {
			if (waiting !== undefined) throw new CommandRefused("A question is open. Answer it first, with /approve or /deny, or end the turn with /stop.");
			// One that a process left when it died.
			session.closeOpenCalls(lostResult);
			const made = await compact(session, "asked", args, stop);
			return made.kind === "done" ? `${made.before} messages became ${made.after}; the transcript keeps them all.` : made.why;
		},
	},
	{
		name: "hooks",
		summary: "the hooks that are live in this conversation",
		anytime: true,
		run({ parts: { engine } }) {
			const hooks = engine.hooks();
			if (hooks.length === 0) return "There are no hooks.";
			return hooks.map(({ id, stage, event, ifItFails }) => `${id}  ${stage} ${event}  (if it fails, ${ifItFails})`).join("\n");
		},
	},
	{
		name: "quit",
		summary: "leave",
		run(conversation) {
			conversation.over = true;
			return undefined;
		},
	},
];
