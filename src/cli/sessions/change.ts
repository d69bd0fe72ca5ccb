// `hookline sessions name | fork | delete`: what changes a session from outside.
import { newSessionId } from "../../stores/sessions.ts";
import { openStore } from "../../stores/open.ts";
import { homeOf } from "../../system/home.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { onTerminal } from "../input.ts";
import { note, print, printJson, warn } from "../output.ts";
import { sessionNamed } from "./find.ts";
import { countOf } from "./list.ts";

export function name(id: string, words: readonly string[], { remove, json }: { readonly remove?: boolean; readonly json?: boolean }): number {
	const given = words.join(" ").trim();
	if (remove && given !== "") throw new UsageError("A name and --remove contradict each other. Give one of them.");
	if (!remove && given === "") throw new UsageError(`There is no name. Write it behind the session: hookline sessions name ${id} release notes; --remove takes the name away.`);
	using store = openStore(homeOf(process.env), { onProblem: warn });
	const session = sessionNamed(store, id);
	store.sessions.rename(session.id, remove ? undefined : given);
	const now = store.sessions.get(session.id)?.name;
	if (json) printJson({ id: session.id, ...(now !== undefined && { name: now }) });
	else note(now === undefined ? `Session ${session.id} has no name.` : `Session ${session.id} is now called ${now}.`);
	return exitCodes.fine;
}

/** Prints the new session's id alone on stdout. */
export function fork(id: string, { at, json }: { readonly at?: string; readonly json?: boolean }): number {
	const messages = at === undefined ? undefined : countOf("--at", at);
	using store = openStore(homeOf(process.env), { onProblem: warn });
	const made = store.sessions.fork(sessionNamed(store, id).id, newSessionId(Date.now()), messages);
	if (json) printJson({ id: made.id, forkedFrom: made.forkedFrom });
	else {
		print(made.id);
		note(`It begins with ${made.messages} message${made.messages === 1 ? "" : "s"} of ${made.forkedFrom?.sessionId}. Go on: hookline --session ${made.id}`);
	}
	return exitCodes.fine;
}

export async function remove(ids: readonly string[], { yes, json }: { readonly yes?: boolean; readonly json?: boolean }): Promise<number> {
	using store = openStore(homeOf(process.env), { onProblem: warn });
	// All are found before one is deleted: a slip in the last id must not cost the first session.
	const meant = new Map(ids.map((id) => [sessionNamed(store, id).id, sessionNamed(store, id)]));
	const deleted: string[] = [];
	for (const session of meant.values()) {
		// It may have gone with the one that delegated to it.
		if (deleted.includes(session.id)) continue;
		const what = `session ${session.id} (${session.messages} messages${session.name === undefined && session.title === undefined ? "" : `: ${session.name ?? session.title}`})`;
		if (!yes && !(await isConfirmed(what))) {
			note(`Kept ${session.id}.`);
			continue;
		}
		deleted.push(...store.sessions.delete(session.id));
		if (!json) note(`Deleted ${what}, with its trace.`);
	}
	if (json) printJson({ deleted });
	return exitCodes.fine;
}

async function isConfirmed(what: string): Promise<boolean> {
	const readLine = onTerminal();
	if (!readLine) throw new CommandError(`Nothing was deleted: nobody is at a terminal to be asked about ${what}. Add --yes to delete without a question.`);
	note(`This deletes ${what}, and what hooks did in it. It cannot be undone.`);
	const line = await readLine("Delete it? [y/n] ", new AbortController().signal);
	return /^y(es)?$/i.test(line.trim());
}
