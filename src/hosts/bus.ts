// Words between extensions of a trust domain, over all hosts they run in. Nobody waits for anybody, everybody gets a copy of their own, and neither a
// flood nor a circle of extensions that answer each other costs the agent more than so much.
import type { Emission } from "../events/api.ts";
import { toFailure } from "../events/failure.ts";
import { orAborted } from "../system/abort.ts";
import { copyPlain } from "../system/plain.ts";
import { perSecond } from "./rate.ts";

/** One handler, wherever it runs. */
export interface Hearer {
	readonly extension: string;
	/** `depth` counts the emissions that led to this one. */
	hear(payload: unknown, emission: Emission, depth: number): unknown;
	/** It threw, or took too long. */
	failed(message: string): void;
	log(message: string): void;
}

const maxDepth = 8;
const longestQueue = 64;
const longestPayload = 256 * 1024;
const handlerMs = 30_000;
const emissionsPerSecond = 1_000;

interface Queued {
	readonly event: string;
	readonly from: string;
	/** Undefined for an emission without a payload. */
	readonly json: string | undefined;
	readonly depth: number;
}

export class Bus {
	readonly #queues = new Map<string, Set<Queue>>();

	/** @throws what `emissionJson` throws. */
	emit(from: string, name: string, payload: unknown, depth: number): void {
		const json = emissionJson(payload, depth);
		const event = `${from}:${name}`;
		for (const queue of this.#queues.get(event) ?? []) queue.add({ event, from, json, depth });
	}

	on(event: string, hearer: Hearer): Disposable {
		const queue = new Queue(hearer);
		const queues = this.#queues.get(event) ?? new Set();
		this.#queues.set(event, queues.add(queue));
		return {
			[Symbol.dispose]: () => {
				queue.close();
				queues.delete(queue);
				if (queues.size === 0) this.#queues.delete(event);
			},
		};
	}
}

/** What is emitted, as JSON. @throws TypeError, RangeError, Error: no plain data, too large, or too long a chain of emissions. */
export function emissionJson(payload: unknown, depth: number): string | undefined {
	if (depth > maxDepth) throw new Error(`${maxDepth} emissions have caused each other, so this one is not made. Two handlers that answer each other need an end.`);
	if (payload === undefined) return undefined;
	const json = JSON.stringify(copyPlain(payload, "the payload"));
	if (json.length > longestPayload) throw new RangeError(`the payload has ${Math.ceil(json.length / 1024)} KB, and ${longestPayload / 1024} KB is the most. Write a file and emit its name.`);
	return json;
}

/** Bounds how often an extension emits. */
export const emissionRate = (): (() => boolean) => perSecond(emissionsPerSecond);
export const tooManyEmissions = `more than ${emissionsPerSecond.toLocaleString("en-US")} emissions within a second; the rest of this second's are not made.`;

/** The emissions that wait for one handler. */
class Queue {
	readonly #hearer: Hearer;
	#waiting: Queued[] = [];
	#busy = false;
	#dropped = 0;
	readonly #mayTell = perSecond(1);

	constructor(hearer: Hearer) {
		this.#hearer = hearer;
	}

	add(emission: Queued): void {
		if (this.#waiting.length >= longestQueue) {
			this.#dropped++;
			if (this.#mayTell()) this.#tellDropped(emission.event);
			return;
		}
		this.#waiting.push(emission);
		if (this.#busy) return;
		this.#busy = true;
		// Never in the emitter's own call: it must not pay for who hears it.
		queueMicrotask(() => void this.#run());
	}

	close(): void {
		this.#waiting = [];
	}

	async #run(): Promise<void> {
		for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#hear(next);
		this.#busy = false;
	}

	async #hear({ event, from, json, depth }: Queued): Promise<void> {
		const { signal, abort } = timeUp(`was not done within ${handlerMs / 1000} s`);
		try {
			const payload = json === undefined ? undefined : (JSON.parse(json) as unknown);
			await orAborted(Promise.try(() => this.#hearer.hear(payload, { event, from, signal }, depth)), signal);
		} catch (thrown) {
			this.#hearer.failed(`its handler of '${event}' failed: ${toFailure(thrown).message}`);
		} finally {
			abort();
		}
	}

	#tellDropped(event: string): void {
		this.#hearer.log(`${longestQueue} emissions of '${event}' wait for its handler; ${this.#dropped} more were dropped`);
		this.#dropped = 0;
	}
}

/** A signal that is aborted after the time a handler has, unless it is done before. */
function timeUp(message: string): { readonly signal: AbortSignal; abort(): void } {
	const controller = new AbortController();
	const timer = setTimeout(() => controller.abort(new Error(message)), handlerMs).unref();
	return { signal: controller.signal, abort: () => clearTimeout(timer) };
}
