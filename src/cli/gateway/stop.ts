// `hookline gateway stop` and `restart`.
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { openSqliteSessionEngine } from "../../stores/sqlite/session-engine.ts";
import { type Home, homeOf } from "../../system/home.ts";
import { CommandError, exitCodes } from "../exit.ts";
import { note, print } from "../output.ts";
import { ask } from "./ask.ts";
import type { GatewayStatus } from "./control.ts";
import { installedUnit } from "./install.ts";
import { argumentsOf, findLive, isLive } from "./live.ts";
import type { GatewayRunOptions } from "./serving.ts";
import { refuseArguments, startWith } from "./start.ts";

/** How long it is waited for the end of a gateway that was asked, and of one that was killed, in ms. */
const longestStopMs = 20_000;
const longestKillMs = 5_000;
const lookEveryMs = 50;

/** @returns 1 when it still runs. */
export async function stop({ now = false }: { readonly now?: boolean }): Promise<number> {
	const home = homeOf(process.env);
	const found = await findLive(home);
	if (found === undefined) {
		note(`No gateway runs for ${home.path}.`);
		return exitCodes.fine;
	}
	const { pid } = found;
	if (pid === undefined) throw new CommandError("A gateway is just starting. Try again in a moment.");
	if (now) return kill(home, pid);
	const began = performance.now();
	const before = isLive(found) ? await ask<GatewayStatus>(found, "GET /status").catch(() => undefined) : undefined;
	if (before !== undefined && before.turnsRunning > 0) note(`${before.turnsRunning} ${before.turnsRunning === 1 ? "turn runs" : "turns run"} and may end, up to 8 s.`);
	// One that starts, or hangs, hears nothing but a signal.
	const wasAsked = isLive(found) && (await ask(found, "POST /stop").then(() => true, () => false));
	if (!wasAsked) send(pid, "SIGTERM");
	if (!(await isGone(home, longestStopMs))) {
		const still = isLive(found) ? await ask<GatewayStatus>(found, "GET /status").catch(() => undefined) : undefined;
		const what = still === undefined ? "it does not say what it does" : `${still.turnsRunning} ${still.turnsRunning === 1 ? "turn runs" : "turns run"}`;
		throw new CommandError(`Process ${pid} still runs after ${longestStopMs / 1000} s: ${what}. Wait, or end it at once with 'hookline gateway stop --now'; senders of turns that are cut off are told so after the next start.`);
	}
	print(`The gateway has stopped, after ${((performance.now() - began) / 1000).toFixed(1)} s.${await leftBehind(home)}`);
	return exitCodes.fine;
}

async function kill(home: Home, pid: number): Promise<number> {
	// Or the system would start it again, as after a crash.
	const unit = installedUnit(home);
	if (unit?.stop !== undefined) unit.run(unit.stop);
	// Whoever has the lock has written down who it is: no other process may be hit.
	const holder = await findLive(home);
	if (holder !== undefined && holder.pid !== pid) throw new CommandError(`Process ${pid} is not the gateway any more; nothing was ended.`);
	if (holder !== undefined) send(pid, "SIGKILL");
	if (!(await isGone(home, longestKillMs))) throw new CommandError(`Process ${pid} was killed, and the system does not let it go. It may wait for a disk.`);
	print(`Process ${pid} was ended at once.${await leftBehind(home)} Senders of turns that were cut off are told so after the next start.`);
	return exitCodes.fine;
}

/** @returns 1 when the old one still runs, or the new one takes no messages in time. */
export async function restart(options: GatewayRunOptions): Promise<number> {
	const home = homeOf(process.env);
	const given = argumentsOf(options);
	const unit = installedUnit(home);
	if (unit !== undefined) refuseArguments(unit, given);
	const found = await findLive(home);
	const ended = await stop({});
	if (ended !== exitCodes.fine) return ended;
	// That somebody once approved the hooks as they were then says nothing of those of today.
	const before = (found?.args ?? []).filter((arg) => arg !== "--accept-hooks");
	const args = given.length > 0 || unit !== undefined ? given : before;
	return startWith(home, args, found?.cwd !== undefined && existsSync(found.cwd) ? found.cwd : process.cwd());
}

function send(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch (error) {
		// It ended by itself in this very moment.
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw new CommandError(`Process ${pid} cannot be ended (${error instanceof Error ? error.message : String(error)}). It belongs to another user; let them stop it.`);
	}
}

async function isGone(home: Home, longestMs: number): Promise<boolean> {
	for (const limit = performance.now() + longestMs; performance.now() < limit; await pause(lookEveryMs)) if ((await findLive(home)) === undefined) return true;
	return false;
}

/** What the next one will do first. */
async function leftBehind(home: Home): Promise<string> {
	if (!existsSync(home.database)) return "";
	await using sessions = openSqliteSessionEngine(home.database);
	const { waiting, running, outgoing } = await sessions.counts();
	const messages = waiting + running;
	const parts = [...(messages > 0 ? [`${messages} ${messages === 1 ? "message waits" : "messages wait"}`] : []), ...(outgoing > 0 ? [`${outgoing} ${outgoing === 1 ? "text is" : "texts are"} not delivered`] : [])];
	return parts.length === 0 ? "" : ` Until the next start ${parts.join(" and ")}.`;
}
