// The gateway that runs for a home: its lock, and what it says of itself.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../../system/files.ts";
import { ensureHome, type Home } from "../../system/home.ts";
import { takeLock } from "../../system/lock.ts";
import { CommandError } from "../exit.ts";

/** A gateway has the lock. It says nothing of itself for a moment only. */
export interface Begun {
	readonly pid?: number;
	/** What stood behind `gateway run`, and the folder it was started in: another start does the same with them. */
	readonly args?: readonly string[];
	readonly cwd?: string;
}

/** It takes messages. */
export interface Live extends Required<Begun> {
	readonly address: string;
	/** In ms since the epoch. */
	readonly since: number;
	readonly model: string;
	/** The path of its control socket. */
	readonly control: string;
}

const fileOf = ({ path }: Home) => join(path, "gateway.json");
const lockOf = ({ path }: Home) => join(path, "gateway.lock");

/** A start waits this long for a lock that somebody only tries, such as a status, in ms. */
const triedMs = 300;

/** The words of the command line for these options. */
export const argumentsOf = ({ model, hooks, acceptHooks }: { readonly model?: string; readonly hooks: boolean; readonly acceptHooks?: boolean }): readonly string[] => [
	...(model === undefined ? [] : ["--model", model]),
	...(acceptHooks === true ? ["--accept-hooks"] : []),
	...(hooks ? [] : ["--no-hooks"]),
];

export const isLive = (found: Begun | undefined): found is Live => found !== undefined && "control" in found;

/**
 * Nobody else serves this home until it is disposed of, or this process ends.
 * @throws CommandError when somebody does.
 */
export async function takeHome(home: Home, args: readonly string[]): Promise<Disposable & { tell(live: Omit<Live, keyof Begun>): Promise<void> }> {
	ensureHome(home);
	const lock = await takeLock(lockOf(home), triedMs).catch((error: unknown) => {
		if (!isBusy(error)) throw new CommandError(`${lockOf(home)} cannot be used (${error instanceof Error ? error.message : String(error)}).`);
		const found = saidBy(home);
		throw new CommandError(`A gateway runs for ${home.path} already${isLive(found) ? `: process ${found.pid}, at ${found.address}` : ""}. End that first with 'hookline gateway stop', or set HOOKLINE_HOME to another home.`);
	});
	// One that was killed left its own behind: whoever finds the lock taken must not read of a process that is gone.
	rmSync(fileOf(home), { force: true });
	const begun = { pid: process.pid, args, cwd: process.cwd() };
	writeFileSync(fileOf(home), JSON.stringify(begun), { mode: 0o600 });
	return {
		tell: (live) => writeAtomically(fileOf(home), `${JSON.stringify({ ...begun, ...live })}\n`, { mode: 0o600 }),
		[Symbol.dispose]() {
			rmSync(fileOf(home), { force: true });
			lock.close();
		},
	};
}

/** Undefined when none runs. */
export async function findLive(home: Home): Promise<Live | Begun | undefined> {
	// None ever ran; to look must leave nothing behind.
	if (!existsSync(lockOf(home))) return undefined;
	try {
		(await takeLock(lockOf(home), 0)).close();
		return undefined;
	} catch (error) {
		return isBusy(error) ? saidBy(home) : undefined;
	}
}

/** What the last one said that was not ended by a kill; asks no lock, so it gets in nobody's way. */
export function saidBy(home: Home): Live | Begun {
	try {
		return JSON.parse(readFileSync(fileOf(home), "utf8")) as Live | Begun;
	} catch {
		return {};
	}
}

const isBusy = (error: unknown) => ((error as { readonly errcode?: number }).errcode ?? 0) % 256 === 5;
