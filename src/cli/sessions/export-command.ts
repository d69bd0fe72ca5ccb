// `/export` in a conversation.
import { resolve } from "node:path";
import { type Command, CommandRefused } from "../../agent/conversation.ts";
import { CommandError } from "../exit.ts";

export const exportCommand: Command = {
	name: "export",
	summary: "write this session down: /export FILE.html, .md or .jsonl",
	async run({ session, parts: { store } }, args) {
		const record = session.kept ? store.sessions.get(session.id) : undefined;
		if (record === undefined) throw new CommandRefused("Nothing was said yet, so there is nothing to export.");
		const file = resolve(session.place.cwd, args === "" ? `session-${session.id}.html` : args);
		const { exportTo, formatOf } = await import("./export.ts");
		try {
			await exportTo(store, record, file, { format: formatOf(undefined, file), replace: false });
		} catch (error) {
			if (!(error instanceof CommandError)) throw error;
			throw new CommandRefused(error.message.replace(", or add --force to replace it", ""));
		}
		return `This session is in ${file}.`;
	},
};
