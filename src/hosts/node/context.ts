// One call in the child: what its handler gets as context, and what goes back when it is over.
import type { DurableState, HookContext } from "../../events/context.ts";
import { HookFailure } from "../../events/failure.ts";
import type { EventName } from "../../events/payloads/all.ts";
import type { Cause, JsonObject } from "../../events/payloads/facts.ts";
import type { CallMessage, Entry, FailureParts, FromChild } from "../protocol.ts";
import { copyPlain, deepFreeze } from "../../system/plain.ts";

type Send = (message: FromChild) => void;

export class ChildCall implements HookContext {
	readonly hook: string;
	readonly event: EventName;
	readonly metadata: JsonObject;
	readonly cause: Cause;
	readonly state: DurableState;
	readonly #message: CallMessage;
	readonly #send: Send;
	#turnState: Map<string, unknown> | undefined;
	#controller: AbortController | undefined;
	#ended: HookFailure | undefined;
	#over = false;
	/** What each run of the operation inside a wrapper gave. */
	readonly #runs: { readonly promise: Promise<unknown>; readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void; outcome: unknown }[] = [];

	constructor(message: CallMessage, state: DurableState, send: Send) {
		this.hook = message.hook;
		this.event = message.event as EventName;
		this.metadata = message.metadata as JsonObject;
		this.cause = message.cause;
		this.state = state;
		this.#message = message;
		this.#send = send;
	}

	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			if (this.#ended !== undefined) this.#controller.abort(this.#ended);
		}
		return this.#controller.signal;
	}

	get turn(): HookContext["turn"] {
		this.#turnState ??= new Map(this.#message.turn?.map(([key, value]) => [key, structuredClone(value)]));
		return { id: this.#message.turnId, state: this.#turnState };
	}

	log(message: string): void {
		this.#send({ t: "log", extension: this.#message.extension, id: this.#message.id, message: String(message).slice(0, 10_000) });
	}

	/** The agent waits no longer. */
	abort({ kind, message, counts }: FailureParts): void {
		this.#ended = new HookFailure(kind, message, { counts });
		this.#controller?.abort(this.#ended);
	}

	/** Runs the operation inside a wrapper, over in the agent. */
	readonly next = (): Promise<unknown> => {
		if (this.#over) return Promise.reject(new HookFailure("threw", "called next() after it had answered"));
		const { promise, resolve, reject } = Promise.withResolvers<unknown>();
		this.#runs.push({ promise, resolve, reject, outcome: undefined });
		this.#send({ t: "next", id: this.#message.id, run: this.#runs.length - 1 });
		return promise;
	};

	/** What that run gave, or how it failed. */
	inside(run: number, result: unknown, failure: { readonly name: string; readonly message: string } | undefined): void {
		const waiting = this.#runs[run];
		if (waiting === undefined) return;
		if (failure === undefined) {
			waiting.outcome = deepFreeze(result);
			waiting.resolve(result);
		} else {
			const error = Object.assign(new Error(failure.message), { name: failure.name });
			waiting.outcome = error;
			waiting.reject(error);
		}
	}

	/** The run that gave exactly this value, or threw exactly this error. */
	runThatGave(value: unknown): number | undefined {
		if (typeof value !== "object" || value === null) return undefined;
		const run = this.#runs.findIndex(({ outcome }) => outcome === value);
		return run < 0 ? undefined : run;
	}

	/** The handler has answered, or failed. */
	end(): void {
		this.#over = true;
	}

	/**
	 * What the handler changed in the state of the turn, also inside its values.
	 * @throws TypeError for a value that is no plain data.
	 */
	turnChanges(): { readonly turn?: readonly (Entry | readonly [string])[] } {
		const now = this.#turnState;
		if (now === undefined) return {};
		const before = new Map(this.#message.turn);
		const changes: (Entry | readonly [string])[] = [];
		for (const [key, value] of now) {
			if (before.has(key) && JSON.stringify(before.get(key)) === JSON.stringify(value)) continue;
			if (value !== undefined) copyPlain(value, `the turn state '${key}'`);
			changes.push([key, value ?? null]);
		}
		for (const key of before.keys()) if (!now.has(key)) changes.push([key]);
		return changes.length === 0 ? {} : { turn: changes };
	}
}

/** The durable state of one extension: a copy in the child, every change sent to the agent. */
export class ChildState implements DurableState {
	readonly #name: string;
	readonly #send: Send;
	/** As JSON, so that nobody holds on to what is inside. */
	readonly #values = new Map<string, string>();
	#refused: string | undefined;

	constructor(name: string, send: Send) {
		this.#name = name;
		this.#send = send;
	}

	/** Takes over what the agent has. */
	fill(entries: readonly Entry[]): void {
		this.#values.clear();
		for (const [key, value] of entries) this.#values.set(key, JSON.stringify(value));
	}

	get(key: string): unknown {
		const json = this.#values.get(key);
		return json === undefined ? undefined : (JSON.parse(json) as unknown);
	}

	/** @throws Error when the value is no plain data, or when the agent refused the change before this one. */
	set(key: string, value: unknown): void {
		this.#tellRefusal();
		if (typeof key !== "string") throw new TypeError("the key of a state must be a text");
		copyPlain(value, key);
		this.#values.set(key, JSON.stringify(value));
		this.#send({ t: "state", name: this.#name, key, value });
	}

	delete(key: string): void {
		this.#tellRefusal();
		if (this.#values.delete(key)) this.#send({ t: "state", name: this.#name, key });
	}

	keys(): readonly string[] {
		return [...this.#values.keys()];
	}

	/** The agent could not store a change: the old value stands, and the next change tells the author. */
	refuse(key: string, value: unknown, why: string): void {
		if (value === undefined) this.#values.delete(key);
		else this.#values.set(key, JSON.stringify(value));
		this.#refused ??= why;
	}

	#tellRefusal(): void {
		const why = this.#refused;
		this.#refused = undefined;
		if (why !== undefined) throw new Error(why);
	}
}
