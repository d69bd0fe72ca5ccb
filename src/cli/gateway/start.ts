// `hookline gateway start`: in the background, until 'hookline gateway stop'.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type Home, homeOf } from "../../system/home.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { askForHooks } from "../hooks/at-start.ts";
import { note, print } from "../output.ts";
import { askForTrust } from "../trust/ask.ts";
import { installedUnit, type Unit } from "./install.ts";
import { argumentsOf, findLive, isLive, type Live, saidBy } from "./live.ts";
import { openOutput, outputFile } from "./output-file.ts";
import { programEnvironment, programWith } from "./program.ts";
import type { GatewayRunOptions } from "./serving.ts";

/** How long it is waited until it takes messages, in ms. */
const longestStartMs = 15_000;
const lookEveryMs = 30;

/** @returns the exit code: 1 when it does not take messages in time. */
export async function start(options: GatewayRunOptions): Promise<number> {
	const home = homeOf(process.env);
	const found = await findLive(home);
	if (found !== undefined) {
		note(`A gateway runs for ${home.path} already${isLive(found) ? `: process ${found.pid}, at ${found.address}` : ""}.`);
		return exitCodes.fine;
	}
	// Nobody can be asked in the background.
	await askForTrust(options);
	await askForHooks(options);
	return startWith(home, argumentsOf(options), process.cwd());
}

/** As `gateway run` with these arguments would be in that folder, or as the system starts it where it is installed there. */
export async function startWith(home: Home, args: readonly string[], cwd: string): Promise<number> {
	const unit = installedUnit(home);
	if (unit === undefined) return inBackground(home, args, cwd);
	refuseArguments(unit, args);
	return bySystem(home, unit);
}

/** @throws UsageError for arguments that would be ignored */
export function refuseArguments({ file }: Unit, args: readonly string[]): void {
	if (args.length > 0) throw new UsageError(`The gateway is installed: ${file} says how it is started. Give ${args.join(" ")} to 'hookline gateway install --force', then start it.`);
}

async function inBackground(home: Home, args: readonly string[], cwd: string): Promise<number> {
	using output = openOutput(home);
	const [file, ...words] = programWith("gateway", "run", ...args);
	const child = spawn(file, words, { cwd, detached: true, stdio: ["ignore", output.fd, output.fd], env: { ...process.env, ...programEnvironment(home) } });
	const ended = once(child, "exit").then(([code, signal]) => ({ how: String(code ?? signal) }));
	const live = await whenLive(home, ({ pid }) => pid === child.pid, ended);
	child.unref();
	// What it said so far: warnings of its start, or why it ended.
	const said = readFileSync(outputFile(home)).subarray(output.size).toString("utf8").trimEnd();
	if (said !== "") note(said);
	if (live === undefined) throw new CommandError(`The gateway (process ${child.pid}) takes no messages yet after ${longestStartMs / 1000} s. It goes on starting; 'hookline gateway status' tells when it is ready, and ${outputFile(home)} what it does.`);
	if ("how" in live) throw new CommandError(`The gateway ended while it started (${live.how}).${said === "" ? "" : " What it said stands above."}`);
	print(`It runs in the background as process ${live.pid}, and writes to ${outputFile(home)}.`);
	return exitCodes.fine;
}

async function bySystem(home: Home, unit: Unit): Promise<number> {
	const before = saidBy(home);
	unit.run(unit.start);
	const live = await whenLive(home, ({ since }) => !isLive(before) || since !== before.since);
	if (live === undefined) throw new CommandError(`${unit.name} was started, and takes no messages after ${longestStartMs / 1000} s. ${unit.whatItSays}`);
	print(`The gateway is ready at ${live.address}: process ${live.pid} of ${unit.name}.`);
	return exitCodes.fine;
}

/** The gateway that is meant, once it takes messages; what it ended with; undefined when neither happens in time. */
async function whenLive<Ended = never>(home: Home, isMeant: (live: Live) => boolean, ended: Promise<Ended> = new Promise(() => {})): Promise<Live | Ended | undefined> {
	let over: Ended | undefined;
	void ended.then((how) => (over = how));
	for (const limit = performance.now() + longestStartMs; performance.now() < limit; await Promise.race([ended, pause(lookEveryMs)])) {
		if (over !== undefined) return over;
		const said = saidBy(home);
		if (isLive(said) && isMeant(said)) return said;
	}
	return undefined;
}
