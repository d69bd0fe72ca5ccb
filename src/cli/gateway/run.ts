// `hookline gateway run`: the gateway in the foreground, until a signal ends it.
import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { join } from "node:path";
import { Metrics } from "../../gateway/metrics.ts";
import { homeOf } from "../../system/home.ts";
import { exitCodes } from "../exit.ts";
import { askForHooks } from "../hooks/at-start.ts";
import { keepStdoutForAnswers, note, print, warn } from "../output.ts";
import { announceNoHooks } from "../run.ts";
import { stopOnSignals } from "../signals.ts";
import { askForTrust } from "../trust/ask.ts";
import { openControl } from "./control.ts";
import { argumentsOf, takeHome } from "./live.ts";
import { controlledBy } from "./operation.ts";
import { keepOutputSmall } from "./output-file.ts";
import { type GatewayRunOptions, Serving } from "./serving.ts";
import { watchConfig } from "./watching.ts";

/** What turns get to end in, in ms. */
const graceMs = 8_000;

/** @returns the exit code. */
export async function runGateway(options: GatewayRunOptions, version: string): Promise<number> {
	// It is there for months, mostly idle: a heap that is tidied small and often, instead of one that grows by hundreds of MB before anybody looks at it.
	// After 4,000 turns 125 MB instead of 290, idle 100 instead of 110, for a fifth more CPU.
	for (const flag of ["--semi-space-growth-factor=1", "--optimize-for-size"]) setFlagsFromString(flag);
	keepStdoutForAnswers();
	const home = homeOf(process.env);
	using taken = await takeHome(home, argumentsOf(options));
	keepOutputSmall(home);
	if (!options.hooks) announceNoHooks();
	await askForTrust(options);
	await askForHooks(options);
	using stop = stopOnSignals();
	await using serving = await Serving.open({ ...options, version, home, metrics: new Metrics(), signal: stop.signal });
	const { address, model, settings, token } = serving;
	const since = Date.now();
	const asked = new AbortController();
	const ending = AbortSignal.any([stop.signal, asked.signal]);
	await using control = await openControl(home, controlledBy({ home, serving, version, since, ending, stop: () => asked.abort() }));
	await taken.tell({ address, since, model, control: control.path });
	// After it is ready: nobody waits for this.
	const watching = watchConfig({ home, serving, warn }).catch((error: unknown) => warn(`Changes of the configuration are not noticed: ${error instanceof Error ? error.message : String(error)}`));
	print(`The gateway is ready at ${address} (model ${model}).`);
	const isOwn = settings.http?.token_env === undefined && settings.http?.token_file === undefined;
	// Not where it would end in somebody's log.
	if (process.stdout.isTTY && isOwn) print(`Chat with it at ${address}/#token=${token}`);
	else print(`Its page needs the token${isOwn ? ` in ${join(home.path, "gateway-token")}` : ""}.`);
	if (!ending.aborted) await once(ending, "abort");
	note(`Stopping: turns that run may end, up to 8 s. A ${stop.signal.aborted ? "second signal" : "signal"} ends it at once.`);
	await (await watching)?.[Symbol.asyncDispose]();
	await serving.stop(graceMs, stop.signal.aborted ? "signal" : "asked");
	return exitCodes.fine;
}
