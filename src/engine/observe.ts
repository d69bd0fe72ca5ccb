// Telling observers, outside the path. Each has a bounded queue of its own, so a slow one delays nobody and loses only its own news. An observer of
// several events has one queue for all of them: it hears them in the order in which they were told. So do several that ask for it, for each session.
import { HookFailure } from "../events/failure.ts";
import type { EventName } from "../events/payloads/all.ts";
import type { Facts } from "../events/payloads/facts.ts";
import { Call, type EngineParts } from "./context.ts";
import { Waiting } from "./deadline.ts";
import { suspension } from "./failure.ts";
import type { Hook } from "./plan.ts";
import type { DispatchEntry } from "./trace.ts";

interface News {
	readonly hook: Hook;
	readonly payload: Facts;
	/** The record of this event, shared by all its observers; absent where only failures are traced. */
	readonly told: Told | undefined;
}

/** Counts the observers that have not heard of an event yet. Its record is complete with the last. */
interface Told {
	readonly entry: DispatchEntry;
	left: number;
}

const noMetadata = Object.freeze({});

/** All queues of an engine. */
export class Observers {
	readonly #parts: EngineParts;
	/** By the id of the registration, or by what is heard in order and the session. */
	readonly #queues = new Map<string, Queue>();
	readonly #busy = new Set<Promise<void>>();

	constructor(parts: EngineParts) {
		this.#parts = parts;
	}

	/** Queues an event for those it concerns and returns at once. `payload` is frozen. */
	tell(event: EventName, payload: Facts, observers: readonly Hook[], traced: boolean): void {
		const concerned = observers.filter((hook) => hook.matchesRest === undefined || hook.matchesRest(payload));
		const { trace } = this.#parts;
		const entry = trace !== undefined && traced ? trace.begin(event, payload, this.#parts.now()) : undefined;
		if (concerned.length === 0) {
			if (entry !== undefined) trace!.finish(entry, "told", this.#parts.now());
			return;
		}
		const told = entry && { entry, left: concerned.length };
		for (const hook of concerned) this.#queueOf(hook, payload).push({ hook, payload, told });
	}

	/** Resolves when every observer has heard everything told so far, and what was told meanwhile. */
	async idle(): Promise<void> {
		while (this.#busy.size > 0) await Promise.all(this.#busy);
	}

	#queueOf({ id, inOrder }: Hook, { sessionId = "" }: Facts): Queue {
		const key = inOrder === undefined ? id : `${inOrder}\0${sessionId}`;
		const known = this.#queues.get(key);
		if (known !== undefined) return known;
		const queue: Queue = new Queue(this.#parts, inOrder ?? id, (running) => {
			this.#busy.add(running);
			void running.finally(() => {
				this.#busy.delete(running);
				// There is one for each session there ever was.
				if (inOrder !== undefined && queue.isIdle) this.#queues.delete(key);
			});
		});
		this.#queues.set(key, queue);
		return queue;
	}

	/** Forgets the queues of hooks that are gone. What waits in them is still delivered. */
	forget(hooks: readonly Hook[]): void {
		for (const hook of hooks) this.#queues.delete(hook.id);
	}
}

class Queue {
	readonly #parts: EngineParts;
	readonly #id: string;
	readonly #started: (running: Promise<void>) => void;
	#news: News[] = [];
	#dropped = 0;
	#running = false;

	constructor(parts: EngineParts, id: string, started: (running: Promise<void>) => void) {
		this.#parts = parts;
		this.#id = id;
		this.#started = started;
	}

	get isIdle(): boolean {
		return !this.#running;
	}

	push(news: News): void {
		const { queue } = news.hook;
		if (this.#news.length >= queue) {
			const [oldest] = this.#news.splice(0, 1);
			this.#dropped++;
			this.#heard(oldest!, { hook: oldest!.hook, started: this.#parts.now(), ms: 0, decision: "dropped", notes: [`its queue of ${queue} was full`] });
		}
		this.#news.push(news);
		if (!this.#running) {
			this.#running = true;
			this.#started(new Promise((resolve) => setImmediate(() => resolve(this.#drain()))));
		}
	}

	async #drain(): Promise<void> {
		let news: News | undefined;
		while ((news = this.#news.shift()) !== undefined) {
			const { hook } = news;
			const started = this.#parts.now();
			const pending = this.#deliver(news);
			const answer = pending instanceof Waiting ? await new Promise((resolve) => pending.start(resolve)) : pending;
			const ms = this.#parts.now() - started;
			if (answer instanceof HookFailure) {
				this.#parts.failed(hook, answer, news.payload, "none");
				this.#heard(news, { hook, started, ms, decision: "failed", failure: answer });
			} else {
				hook.failuresInARow = 0;
				this.#heard(news, { hook, started, ms, decision: "told", ...(answer !== undefined && { notes: ["its answer was ignored: observers decide nothing"] }) });
			}
		}
		this.#running = false;
		if (this.#dropped > 0) this.#parts.log(this.#id, `was too slow: ${this.#dropped} events were dropped from its queue`, "warning");
		this.#dropped = 0;
	}

	#deliver({ hook, payload }: News): unknown {
		const held = suspension(hook, this.#parts.now());
		if (held !== undefined) return held;
		return new Call(this.#parts, hook, payload, noMetadata, undefined, this.#parts.now()).run();
	}

	#heard({ hook, told, payload }: News, entry: DispatchEntry["hooks"][number]): void {
		const { trace } = this.#parts;
		if (trace === undefined) return;
		if (told === undefined) {
			if (entry.failure === undefined) return;
			const own = trace.begin(hook.summary.event, payload, entry.started);
			own.hooks.push(entry);
			trace.finish(own, "told", this.#parts.now());
			return;
		}
		told.entry.hooks.push(entry);
		if (--told.left === 0) trace.finish(told.entry, "told", this.#parts.now());
	}
}
