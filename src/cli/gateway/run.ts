// `hookline gateway run`: the gateway in the foreground, until a signal ends it.
import { once } from "node:events";
import { join } from "node:path";
import { openGateway } from "../../gateway/gateway.ts";
import { Http } from "../../platforms/http/http.ts";
import { openRuntime } from "../../runtime.ts";
import { openSqliteSessionEngine } from "../../stores/sqlite/session-engine.ts";
import { homeOf } from "../../system/home.ts";
import { silent } from "../answers.ts";
import { CommandError, exitCodes } from "../exit.ts";
import { askForHooks } from "../hooks/at-start.ts";
import { keepStdoutForAnswers, note, print, warn } from "../output.ts";
import { announceNoHooks } from "../run.ts";
import { stopOnSignals } from "../signals.ts";
import { askForTrust } from "../trust/ask.ts";
import { takeHome } from "./live.ts";
import { tokenOf } from "./token.ts";

export interface GatewayRunOptions {
	readonly model?: string;
	readonly hooks: boolean;
	readonly acceptHooks?: boolean;
}

/** What turns get to end in, in ms. */
const graceMs = 8_000;
const ownAddress = { host: "127.0.0.1", port: 7717 } as const;

/** @returns the exit code. */
export async function runGateway(options: GatewayRunOptions, version: string): Promise<number> {
	keepStdoutForAnswers();
	const home = homeOf(process.env);
	using taken = await takeHome(home);
	if (!options.hooks) announceNoHooks();
	await askForTrust(options);
	await askForHooks(options);
	await using runtime = await openRuntime({
		environment: process.env,
		cwd: process.cwd(),
		surface: "gateway",
		model: options.model,
		hooks: options.hooks,
		acceptHooks: options.acceptHooks,
		output: silent,
		warn,
		log: (hook, message) => note(`[${hook}] ${message}`),
	});
	if (!runtime.store.durable) throw new CommandError("Nothing can be kept in this home now, and a gateway that loses messages is none. Mend what was said above, then start it again.");
	using stop = stopOnSignals();
	const agent = await runtime.agent(stop.signal);
	const { gateway: settings = {} } = runtime.config;
	const { host, port } = { ...ownAddress, ...settings.http };
	const token = await tokenOf(settings.http ?? {}, host, home, process.env);
	// On the terminal, and into the log.
	const tell = (message: string) => agent.warn(message);
	const http = new Http({ host, port, token, log: join(home.path, "gateway-http.db"), version, warn: tell });
	await using sessions = openSqliteSessionEngine(home.database);
	const gateway = await openGateway({ home, settings, agent, place: runtime.place, sessions, platforms: [http], warn: tell }).catch((error: unknown) => {
		throw new CommandError(`The gateway cannot start: ${error instanceof Error ? error.message : String(error)}`);
	});
	await taken.tell({ pid: process.pid, address: http.address, since: Date.now(), model: agent.model.name });
	print(`The gateway is ready at ${http.address} (model ${agent.model.name}).`);
	// Not where it would end in somebody's log.
	if (process.stdout.isTTY && settings.http?.token_env === undefined && settings.http?.token_file === undefined) print(`Chat with it at ${http.address}/#token=${token}`);
	else print(`Its page needs the token${settings.http?.token_env === undefined && settings.http?.token_file === undefined ? ` in ${join(home.path, "gateway-token")}` : ""}.`);
	if (!stop.signal.aborted) await once(stop.signal, "abort");
	note("Stopping: turns that run may end, up to 8 s. A second signal ends it at once.");
	await gateway.stop(graceMs, "signal");
	return exitCodes.fine;
}
