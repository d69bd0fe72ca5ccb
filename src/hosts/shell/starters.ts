// Who starts the programs: the spawner, started at the first use and again after it ended, or Node where it cannot run and as long as it is away.
import type { ShellHost } from "./job.ts";
import { startWithNode } from "./node-spawn.ts";
import { Spawner } from "./spawner.ts";
import type { Started, StartRequest } from "./started.ts";

export interface Starter {
	start(request: StartRequest): Started;
}

const node: Starter = { start: startWithNode };
const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** A spawner that lived this long was healthy: the next pause is the first again. */
const healthyMs = 10_000;

export class Starters {
	readonly #python: string;
	/** Whoever starts the next program when nobody has to be waited for. */
	ready: Starter | undefined;
	#spawner: Spawner | undefined;
	#startedAt = 0;
	/** Ends in a row, each soon after its start. */
	#ends = 0;
	#notBefore = 0;
	/** Why Node starts the programs. */
	#why: string | undefined;

	/** `python` runs the spawner; undefined where there is none. */
	constructor(python: string | undefined) {
		this.#python = python ?? "";
		if (process.platform !== "linux") this.#giveUp("the spawner is for Linux, as elsewhere Node's own spawn holds nothing up");
		else if (python === undefined) this.#giveUp("there is no python3, which the spawner is written in");
	}

	get way(): ShellHost["way"] {
		return this.#why === undefined ? { kind: "spawner" } : { kind: "node", why: this.#why };
	}

	/** Whoever starts the next program. Waits while the spawner comes up. */
	async next(): Promise<Starter> {
		if (this.#spawner === undefined && performance.now() < this.#notBefore) return node;
		const spawner = (this.#spawner ??= this.#startSpawner());
		const mistake = await spawner?.ready;
		// It may have ended meanwhile.
		if (spawner === undefined || this.#spawner !== spawner) return node;
		if (mistake !== undefined) {
			this.#giveUp(`the spawner cannot run: ${mistake}`);
			return node;
		}
		this.#why = undefined;
		return (this.ready = spawner);
	}

	/** Ends the spawner with all it started. */
	async close(): Promise<void> {
		await this.#spawner?.close();
	}

	#startSpawner(): Spawner | undefined {
		this.#startedAt = performance.now();
		try {
			return new Spawner(this.#python, (why) => this.#ended(why));
		} catch (error) {
			this.#ended(`could not be started (${error instanceof Error ? error.message : String(error)})`);
			return undefined;
		}
	}

	#ended(why: string): void {
		this.ready = this.#spawner = undefined;
		this.#ends = performance.now() - this.#startedAt > healthyMs ? 1 : this.#ends + 1;
		this.#notBefore = performance.now() + Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#ends - 1));
		this.#why = `the spawner ${why}, and is started again`;
	}

	/** It would never become any better. */
	#giveUp(why: string): void {
		this.#spawner = undefined;
		this.#notBefore = Number.POSITIVE_INFINITY;
		this.#why = why;
	}
}
