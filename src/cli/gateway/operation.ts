// What a running gateway tells and does for whoever operates it.
import type { Home } from "../../system/home.ts";
import { hookListOf } from "../hooks/listed.ts";
import type { Controlled } from "./control.ts";
import { givenUpTexts } from "./given-up.ts";
import type { Serving } from "./serving.ts";

export interface Operated {
	readonly home: Home;
	readonly serving: Serving;
	readonly version: string;
	/** In ms since the epoch. */
	readonly since: number;
	/** Aborted when it is to stop. */
	readonly ending: AbortSignal;
	readonly stop: () => void;
}

export function controlledBy({ home, serving, version, since, ending, stop }: Operated): Controlled {
	return {
		async status() {
			const { waiting, outgoing, deadLetters } = await serving.sessions.counts();
			const { platforms, running } = serving.gateway.status;
			return {
				state: ending.aborted ? "stopping" : "ready",
				version,
				pid: process.pid,
				since,
				model: serving.model,
				address: serving.address,
				cwd: process.cwd(),
				platforms,
				turnsRunning: running,
				waiting,
				undelivered: outgoing,
				givenUp: deadLetters + givenUpTexts(home).length,
				memoryBytes: process.memoryUsage.rss(),
			};
		},
		hooks: async () => hookListOf(serving.runtime),
		reload: () => serving.reload(),
		stop,
		metrics: () => serving.metrics(),
	};
}
