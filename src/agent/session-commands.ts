// The slash commands that name, fork, find and take up sessions, and take back what was said.
import { visibleLine } from "../system/visible.ts";
import { type Command, CommandRefused } from "./conversation.ts";

const listed = 10;

export const sessionCommands: readonly Command[] = [
	{
		name: "name",
		summary: "call this session something: /name WORDS",
		run({ session }, args) {
			if (args === "") throw new CommandRefused("Write the name behind it: /name release notes");
			session.rename(args);
			return `This session is now called ${visibleLine(args)}.`;
		},
	},
	{
		name: "sessions",
		summary: "the sessions last used",
		run({ parts: { store }, session }) {
			const sessions = store.sessions.list({ limit: listed });
			if (sessions.length === 0) return "No session is kept yet.";
			const lines = sessions.map(({ id, name, title, messages, inUseBy }) => {
				const mark = id === session.id ? "  (this one)" : inUseBy === undefined ? "" : `  (in use by process ${inUseBy.pid})`;
				return `${id}  ${messages} messages  ${name ?? title ?? ""}${mark}`;
			});
			return lines.join("\n");
		},
	},
	{
		name: "resume",
		summary: "take up another session: /resume ID, or the last one in this folder",
		async run(conversation, args) {
			const { parts, session } = conversation;
			const { sessions } = parts.store;
			const record = args === "" ? sessions.latest(session.place.cwd) : sessions.get(args);
			if (record === undefined) {
				if (args === "") throw new CommandRefused("There is no session to take up in this folder.");
				const near = sessions.nearest(args);
				throw new CommandRefused(`There is no session '${args}'.${near === undefined ? "" : ` Did you mean '${near}'?`} /sessions lists the last ones.`);
			}
			if (record.id === session.id) throw new CommandRefused(`Session ${record.id} is this one.`);
			await conversation.resume(record);
			return `Session ${record.id}, with ${conversation.session.messages.length} messages${record.name === undefined ? "" : `: ${record.name}`}.`;
		},
	},
	{
		name: "fork",
		summary: "go on in a copy of this session: /fork, or /fork N for its first N messages",
		async run(conversation, args) {
			const { session } = conversation;
			if (!session.kept) throw new CommandRefused("Nothing was said yet, so there is nothing to fork.");
			if (args !== "" && !/^\d+$/.test(args)) throw new CommandRefused(`/fork takes the number of a message, not '${args}'. 'hookline sessions show ${session.id}' shows the numbers.`);
			await conversation.fork(args === "" ? undefined : Number(args));
			return `Session ${conversation.session.id} goes on from message ${conversation.session.messages.length} of ${session.id}.`;
		},
	},
	{
		name: "undo-last",
		summary: "take back what you said last and everything after it; what tools did stays done",
		async run(conversation) {
			await conversation.endWaiting();
			const text = conversation.session.undoLast();
			if (text === undefined) throw new CommandRefused("Nothing was said yet, so there is nothing to take back.");
			return `Taken back: ${visibleLine(text.slice(0, 200))}${text.length > 200 ? "…" : ""}\nWhat tools did stays done.`;
		},
	},
];
