// `hookline sessions`: the conversations that can be taken up again.
import { openStore } from "../../stores/open.ts";
import { homeOf } from "../../system/home.ts";
import { exitCodes, UsageError } from "../exit.ts";
import { printJson, printTable, warn, when } from "../output.ts";

export function list(options: { readonly limit: string; readonly json?: boolean }): number {
	const limit = countOf("--limit", options.limit);
	using store = openStore(homeOf(process.env), { onProblem: warn });
	const found = store.sessions.list({ limit });
	if (options.json) printJson(found);
	else {
		const rows = found.map((session) => [session.id, when(session.updatedAt), String(session.turns), String(session.messages), session.model, session.inUseBy ? `process ${session.inUseBy.pid}` : "-", session.cwd, session.name ?? session.title ?? ""]);
		printTable(["SESSION", "LAST USED", "TURNS", "MESSAGES", "MODEL", "IN USE BY", "FOLDER", "NAME, OR BEGAN WITH"], rows, "There are no sessions yet.");
	}
	return exitCodes.fine;
}

/** @throws UsageError when the option's text is no whole number from 1. */
export function countOf(option: string, text: string): number {
	const count = Number(text);
	if (!Number.isInteger(count) || count < 1) throw new UsageError(`${option} must be a whole number from 1, not '${text}'.`);
	return count;
}
