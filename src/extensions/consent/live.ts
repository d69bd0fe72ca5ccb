// Which processes run now, and with which shell hooks: each leaves a file in the home that says so, and takes it away at its end.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../../system/files.ts";
import type { Home } from "../../system/home.ts";
import { sha256Of } from "../../system/regular-file.ts";
import { type Definition, definitionOf } from "./definition.ts";
import type { Settled } from "./settle.ts";

/** A shell hook as a process has it. */
export interface LiveHook {
	readonly id: string;
	readonly definition: Definition;
	/** Whether it runs or blocks there; false when it was left out at the start. */
	readonly live: boolean;
}

export interface LiveProcess {
	readonly pid: number;
	/** What the system says it was started at, so that another process with the same number is not taken for it. */
	readonly born?: string;
	/** Milliseconds since 1970. */
	readonly at: number;
	readonly surface: string;
	readonly cwd: string;
	/** Of the definitions, in their order. */
	readonly hookSet: string;
	readonly hooks: readonly LiveHook[];
}

const liveFolder = (home: Home): string => join(home.path, "live");

/** Tells other processes which shell hooks this one has, until it is disposed of. A home that cannot be written is not told of here. */
export async function announce(home: Home, { surface, cwd, settled }: { readonly surface: string; readonly cwd: string; readonly settled: readonly Settled[] }): Promise<Disposable> {
	const hooks = settled.map(({ hook, consented }): LiveHook => ({ id: hook.id, definition: definitionOf(hook), live: consented.kind === "approved" || hook.failClosed }));
	const born = bornAt(process.pid);
	const live: LiveProcess = { pid: process.pid, ...(born !== undefined && { born }), at: Date.now(), surface, cwd, hookSet: hookSetOf(hooks), hooks };
	const file = join(liveFolder(home), `${process.pid}.json`);
	const remove = () => rmSync(file, { force: true });
	try {
		mkdirSync(liveFolder(home), { recursive: true, mode: 0o700 });
		await writeAtomically(file, `${JSON.stringify(live)}\n`, { mode: 0o600 });
	} catch {
		return { [Symbol.dispose]: () => {} };
	}
	process.once("exit", remove);
	return {
		[Symbol.dispose]() {
			process.off("exit", remove);
			remove();
		},
	};
}

/** The processes that run now, the oldest first; what others have left behind is removed. */
export function liveProcesses(home: Home): readonly LiveProcess[] {
	const found: LiveProcess[] = [];
	for (const name of namesIn(liveFolder(home))) {
		const file = join(liveFolder(home), name);
		const live = read(file);
		if (live !== undefined && isRunning(live)) found.push(live);
		else if (/^\d+\.json$/.test(name)) rmSync(file, { force: true });
	}
	return found.toSorted((a, b) => a.at - b.at);
}

/** Of definitions, in their order; short enough to read out. */
export const hookSetOf = (hooks: readonly Pick<LiveHook, "id" | "definition">[]): string => sha256Of(JSON.stringify(hooks.map(({ id, definition }) => [id, definition]))).slice(0, 12);

function namesIn(folder: string): readonly string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function read(file: string): LiveProcess | undefined {
	try {
		const live = JSON.parse(readFileSync(file, "utf8")) as LiveProcess;
		return Number.isInteger(live.pid) && Array.isArray(live.hooks) ? live : undefined;
	} catch {
		return undefined;
	}
}

function isRunning({ pid, born }: LiveProcess): boolean {
	try {
		process.kill(pid, 0);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
	}
	return born === undefined || bornAt(pid) === born;
}

/** Linux alone tells it without another program. */
function bornAt(pid: number): string | undefined {
	try {
		// The name of the program, in brackets, may hold anything.
		return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ")[19];
	} catch {
		return undefined;
	}
}
