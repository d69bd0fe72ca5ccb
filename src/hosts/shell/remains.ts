// What a program started and did not take along into its group: found again by a mark in its environment, or by its session.
//
// Not found without a sandbox: what cleared its environment and began a session of its own.
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

/** The variable that every run has, with a value of its own. */
export const markName = "HOOKLINE_RUN";

export interface Remains {
	readonly mark: string;
	/** The leader of its session, when known. */
	readonly pid: number | undefined;
}

/** How often it is looked again, as what is found may have started more meanwhile. */
const rounds = 5;
let waiting: Remains[] = [];
let scan: Promise<void> | undefined;

/** Ends all that remains of a run that was ended. Linux only; elsewhere it does nothing. Many at once share one look at the process table. */
export async function endRemains(of: Remains): Promise<void> {
	waiting.push(of);
	// One that is under way may have passed ours already.
	while (waiting.includes(of)) await (scan ??= endAll().finally(() => (scan = undefined)));
}

async function endAll(): Promise<void> {
	// Those that come in the same moment go along.
	await pause(5);
	const these = [...waiting];
	try {
		const marks = new Set(these.map(({ mark }) => mark));
		const sessions = new Set(these.map(({ pid }) => pid));
		for (let round = 0; round < rounds && (await endFound(marks, sessions)); round++);
	} finally {
		waiting = waiting.filter((one) => !these.includes(one));
	}
}

async function endFound(marks: ReadonlySet<string>, sessions: ReadonlySet<number | undefined>): Promise<boolean> {
	let found = false;
	for (const entry of await readdir("/proc").catch(() => [])) {
		const pid = Number(entry);
		if (!Number.isSafeInteger(pid) || pid <= 1 || pid === process.pid) continue;
		if (!(await belongs(pid, marks, sessions))) continue;
		try {
			process.kill(pid, "SIGKILL");
			found = true;
		} catch {
			// Gone by itself, or another user's by now.
		}
	}
	return found;
}

async function belongs(pid: number, marks: ReadonlySet<string>, sessions: ReadonlySet<number | undefined>): Promise<boolean> {
	const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
	// The name stands in brackets and may hold anything; state, parent, group and session follow it.
	const [state, , , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	if (state === undefined || state === "" || state === "Z" || state === "X") return false;
	if (sessions.has(Number(session))) return true;
	const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
	const at = `\0${environment}`.indexOf(`\0${markName}=`);
	return at >= 0 && marks.has(environment.slice(at + markName.length + 1).split("\0", 1)[0]!);
}
