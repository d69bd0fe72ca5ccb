// `hookline gateway status`: the process that has the lock is asked whether it takes messages.
import { homeOf } from "../../system/home.ts";
import { exitCodes } from "../exit.ts";
import { print, printJson, when } from "../output.ts";
import { findLive, type Live } from "./live.ts";

const longestAnswerMs = 3_000;

/** @returns 1 when none runs, or it takes no messages. */
export async function status({ json = false }: { readonly json?: boolean }): Promise<number> {
	const home = homeOf(process.env);
	const live = await findLive(home);
	if (live === undefined || live === "starting") {
		const state = live === undefined ? "not running" : "starting";
		if (json) printJson({ state });
		else print(live === undefined ? `No gateway runs for ${home.path}. Start one with: hookline gateway run` : "The gateway is starting.");
		return exitCodes.problems;
	}
	const state = await stateOf(live);
	if (json) printJson({ state, ...live });
	else print(`The gateway is ${state}: process ${live.pid}, since ${when(live.since)}, at ${live.address}, model ${live.model}.`);
	return state === "ready" ? exitCodes.fine : exitCodes.problems;
}

async function stateOf({ address }: Live): Promise<"ready" | "not ready" | "not answering"> {
	try {
		return (await fetch(`${address}/v1/ready`, { signal: AbortSignal.timeout(longestAnswerMs) })).ok ? "ready" : "not ready";
	} catch {
		return "not answering";
	}
}
