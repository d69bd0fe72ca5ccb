// The gateway that runs for a home: its lock, and what it says of itself.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../../system/files.ts";
import { ensureHome, type Home } from "../../system/home.ts";
import { takeLock } from "../../system/lock.ts";
import { CommandError } from "../exit.ts";

export interface Live {
	readonly pid: number;
	readonly address: string;
	/** In ms since the epoch. */
	readonly since: number;
	readonly model: string;
}

const fileOf = ({ path }: Home) => join(path, "gateway.json");
const lockOf = ({ path }: Home) => join(path, "gateway.lock");

/**
 * Nobody else serves this home until it is disposed of, or this process ends.
 * @throws CommandError when somebody does.
 */
export async function takeHome(home: Home): Promise<Disposable & { tell(live: Live): Promise<void> }> {
	ensureHome(home);
	const lock = await takeLock(lockOf(home), 0).catch((error: unknown) => {
		if (!isBusy(error)) throw new CommandError(`${lockOf(home)} cannot be used (${error instanceof Error ? error.message : String(error)}).`);
		const live = read(home);
		throw new CommandError(`A gateway runs for ${home.path} already${live === undefined ? "" : `: process ${live.pid}, at ${live.address}`}. End that first, or set HOOKLINE_HOME to another home.`);
	});
	return {
		tell: (live) => writeAtomically(fileOf(home), `${JSON.stringify(live)}\n`, { mode: 0o600 }),
		[Symbol.dispose]() {
			rmSync(fileOf(home), { force: true });
			lock.close();
		},
	};
}

/** Undefined when none runs; `starting` while it has not said where it is. */
export async function findLive(home: Home): Promise<Live | "starting" | undefined> {
	try {
		(await takeLock(lockOf(home), 0)).close();
		return undefined;
	} catch (error) {
		if (isBusy(error)) return read(home) ?? "starting";
		// A home that is not there yet serves nobody.
		return undefined;
	}
}

function read(home: Home): Live | undefined {
	try {
		return JSON.parse(readFileSync(fileOf(home), "utf8")) as Live;
	} catch {
		return undefined;
	}
}

const isBusy = (error: unknown) => ((error as { readonly errcode?: number }).errcode ?? 0) % 256 === 5;
