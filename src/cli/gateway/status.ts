// `hookline gateway status` and `reload`: the process that has the lock is asked over its control socket.
import { homeOf } from "../../system/home.ts";
import { CommandError, exitCodes } from "../exit.ts";
import { note, print, printJson, warn, when } from "../output.ts";
import { ask } from "./ask.ts";
import type { GatewayStatus } from "./control.ts";
import { findLive, isLive } from "./live.ts";

const longestTurnMs = 24 * 3600_000;

/** @returns 1 when none runs, or it takes no messages. */
export async function status({ json = false }: { readonly json?: boolean }): Promise<number> {
	const home = homeOf(process.env);
	const live = await findLive(home);
	if (!isLive(live)) {
		const state = live === undefined ? "not running" : "starting";
		if (json) printJson({ state, ...live });
		else print(live === undefined ? `No gateway runs for ${home.path}. Start one with: hookline gateway start` : `The gateway is starting${live.pid === undefined ? "" : `: process ${live.pid}`}.`);
		return exitCodes.problems;
	}
	const told = await ask<GatewayStatus>(live, "GET /status").catch((error: unknown) => error as Error);
	if (told instanceof Error) {
		if (json) printJson({ state: "not answering", ...live });
		else print(told.message);
		return exitCodes.problems;
	}
	if (json) printJson(told);
	else print(inWords(told));
	return told.state === "ready" ? exitCodes.fine : exitCodes.problems;
}

/** For people. */
export function inWords({ state, version, pid, since, address, model, cwd, platforms, turnsRunning, waiting, undelivered, givenUp, memoryBytes }: GatewayStatus): string {
	const platformWords = platforms.map(({ name, started, connected }) => (!started ? `${name} (NOT STARTED: the log says why)` : connected ? name : `${name} (NOT CONNECTED)`)).join(", ");
	return [
		`The gateway is ${state}: process ${pid}, since ${when(since)}, at ${address}, model ${model}, in ${cwd}.`,
		`  platforms  ${platformWords}`,
		`  turns      ${turnsRunning} running; ${waiting} ${waiting === 1 ? "message waits" : "messages wait"}`,
		`  texts      ${undelivered} not delivered yet; ${givenUp} given up${givenUp === 0 ? "" : " ('hookline gateway undelivered list')"}`,
		`  process    hookline ${version}, ${Math.round(memoryBytes / 1e6)} MB`,
	].join("\n");
}

/** @returns 1 when a platform could not be started. */
export async function reload(): Promise<number> {
	const home = homeOf(process.env);
	const live = await findLive(home);
	if (!isLive(live)) throw new CommandError(live === undefined ? `No gateway runs for ${home.path}. Start one with: hookline gateway start` : "The gateway is starting. Try again in a moment.");
	const { turnsRunning } = await ask<GatewayStatus>(live, "GET /status");
	if (turnsRunning > 0) note(`Waiting for ${turnsRunning === 1 ? "the turn that runs" : `the ${turnsRunning} turns that run`}; messages are taken all the while. Ctrl-C does not end the reload.`);
	const failures = await ask<readonly string[]>(live, "POST /reload", longestTurnMs);
	for (const failure of failures) warn(failure);
	print("Settings, hooks and extensions are taken up as they are now.");
	return failures.length > 0 ? exitCodes.problems : exitCodes.fine;
}
