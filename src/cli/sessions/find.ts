// The session a person means.
import type { SessionRecord } from "../../stores/sessions.ts";
import type { Store } from "../../stores/store.ts";
import { CommandError } from "../exit.ts";

/**
 * The session of this id, of the only one that starts so, or the one last written to for `latest`.
 * @throws CommandError with the nearest id; StoreError `ambiguous`.
 */
export function sessionNamed({ sessions }: Store, id: string): SessionRecord {
	const found = id === "latest" ? sessions.latest() : sessions.get(id);
	if (found) return found;
	const near = sessions.nearest(id);
	throw new CommandError(`There is no session '${id}'.${near === undefined ? "" : ` Did you mean '${near}'?`} 'hookline sessions' lists them.`);
}
