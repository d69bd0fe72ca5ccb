// A turn as the handler sees it: steps through the journal, everything else held back until the turn is committed.
import { orAborted } from "../../../system/abort.ts";
import { IndeterminateError, InterruptError, type NewMessage, type QueuedMessage, type StepCall, StepFailedError, type StepOptions, StepTimeoutError, type Turn, TurnLostError, type Verdict } from "../../session-engine.ts";
import { StoreError } from "../../store.ts";
import type { Database } from "../database.ts";
import type { Commits } from "./commits.ts";
import { type Claim, record, type Recorded, type Staged } from "./rows.ts";
import { checked, type CheckedMessage, checkName, jsonOf, keyOf } from "./values.ts";

const intent: Recorded = { outcome: null, json: null };

export class SqliteTurn implements Turn {
	readonly session: string;
	readonly message: QueuedMessage;
	readonly attempt: number;
	readonly fence: number;
	readonly #claim: Claim;
	readonly #database: Database;
	readonly #commits: Commits;
	readonly #abort = new AbortController();
	readonly #used = new Set<string>();
	/** Steps that were begun, in this attempt or an earlier one, and of which the handler was not told how they ended. */
	readonly #open: Set<string>;
	readonly #values = new Map<string, string | undefined>();
	readonly #emits: Staged["emits"][number][] = [];
	readonly #sends: CheckedMessage[] = [];
	#isOver = false;
	#lost: TurnLostError | undefined;

	constructor(database: Database, commits: Commits, claimed: Claim) {
		({ session: this.session, message: this.message, attempt: this.attempt, fence: this.fence } = claimed);
		this.#claim = claimed;
		this.#database = database;
		this.#commits = commits;
		this.#open = new Set([...claimed.journal].filter(([, { outcome }]) => outcome === null).map(([step]) => step));
		if (claimed.interrupt !== null) this.interrupt(claimed.interrupt);
	}

	get signal(): AbortSignal {
		return this.#abort.signal;
	}

	/** Tells the handler that somebody wants it to stop. */
	interrupt(why: string): void {
		this.#abort.abort(new InterruptError(why));
	}

	/** From now on nothing can be done in it. */
	lose(reason: TurnLostError): void {
		this.#lost ??= reason;
		this.#abort.abort(reason);
	}

	get isLost(): boolean {
		return this.#lost !== undefined;
	}

	/** Ends it for the handler. What it held back, and the steps whose outcome it does not know. */
	end(): Staged & { readonly open: readonly string[] } {
		this.#isOver = true;
		return { values: this.#values, emits: this.#emits, sends: this.#sends, open: [...this.#open] };
	}

	async step<Result>(name: string, options: StepOptions<Result>, fn: (call: StepCall) => Promise<Result> | Result): Promise<Result> {
		this.#checkOpen();
		checkName("The name of a step", name);
		if (!(options.timeoutMs > 0 && options.timeoutMs < 2 ** 31)) throw new StoreError("bad-value", `Step '${name}': timeoutMs must be a number of ms above 0 and below 2^31, not ${options.timeoutMs}.`);
		if (this.#used.has(name)) throw new StoreError("bad-value", `Step '${name}' was already done in this turn. Give each step of a turn a name of its own.`);
		this.#used.add(name);
		const earlier = this.#claim.journal.get(name);
		if (earlier?.outcome === "result") return resultOf(earlier);
		if (earlier?.outcome === "error") throw new StepFailedError(String(resultOf(earlier)));
		const key = keyOf("step", this.session, this.message.id, name);
		if (earlier && options.effect !== "verify") {
			this.#open.delete(name);
			throw new IndeterminateError(name, key);
		}
		this.signal.throwIfAborted();
		if (options.effect === "pure" || options.effect === "idempotent") return this.#keep(name, await this.#run(name, key, options.timeoutMs, fn));
		this.#open.add(name);
		try {
			if (options.effect !== "verify") return await this.#once(name, key, options.timeoutMs, fn);
			if (!earlier) await this.#record(name, intent);
			else {
				const verdict = await this.#run<Verdict<Result>>(name, key, options.timeoutMs, options.verify);
				if (verdict === "unknown") throw new IndeterminateError(name, key);
				if (verdict.happened) return await this.#keep(name, verdict.result);
			}
			return await this.#keep(name, await this.#run(name, key, options.timeoutMs, fn));
		} finally {
			this.#open.delete(name);
		}
	}

	async get(key: string): Promise<unknown> {
		this.#checkOpen();
		const row = this.#values.has(key)
			? { json: this.#values.get(key) }
			: this.#database.get<{ json: string }>("SELECT json FROM session_values WHERE session = ? AND key = ?", this.session, key);
		return row?.json === undefined ? undefined : (JSON.parse(row.json) as unknown);
	}

	set(key: string, value: unknown): void {
		this.#checkOpen();
		checkName("A key of a session's state", key);
		this.#values.set(key, value === undefined ? undefined : jsonOf(`The value for '${key}'`, value));
	}

	emit(kind: string, body: unknown): void {
		this.#checkOpen();
		checkName("The kind of what a turn emits", kind);
		const id = keyOf("emit", this.session, this.message.id, this.#emits.length);
		this.#emits.push({ id, kind, json: jsonOf(`What is emitted as '${kind}'`, body) });
	}

	send(session: string, message: NewMessage): void {
		this.#checkOpen();
		this.#sends.push(checked(session, message));
	}

	async #once<Result>(name: string, key: string, timeoutMs: number, fn: (call: StepCall) => Promise<Result> | Result): Promise<Result> {
		await this.#record(name, intent);
		let result: Result;
		try {
			result = await this.#run(name, key, timeoutMs, fn);
		} catch (error) {
			if (error instanceof StepTimeoutError) throw new IndeterminateError(name, key);
			await this.#record(name, { outcome: "error", json: JSON.stringify(error instanceof Error ? error.message : String(error)) });
			throw error;
		}
		return this.#keep(name, result);
	}

	/** @throws StepTimeoutError, and what `fn` throws */
	async #run<Result>(name: string, key: string, timeoutMs: number, fn: (call: StepCall) => Promise<Result> | Result): Promise<Result> {
		// Much may have happened while the intent was written.
		this.#checkOpen();
		// An interrupt only tells `fn`, which knows best how to end; its time is the limit for that.
		const limit = new AbortController();
		const timer = setTimeout(() => limit.abort(new StepTimeoutError(name, timeoutMs)), timeoutMs);
		try {
			return await orAborted(fn({ key, fence: this.fence, signal: AbortSignal.any([this.signal, limit.signal]) }), limit.signal);
		} finally {
			clearTimeout(timer);
		}
	}

	async #keep<Result>(name: string, result: Result): Promise<Result> {
		const kept: Recorded = { outcome: "result", json: result === undefined ? null : jsonOf(`The result of step '${name}'`, result) };
		await this.#record(name, kept);
		return resultOf(kept);
	}

	async #record(name: string, what: Recorded): Promise<void> {
		this.#checkOpen();
		try {
			await this.#commits.write(() => record(this.#database, this.#claim, name, what));
		} catch (error) {
			if (error instanceof TurnLostError) this.lose(error);
			throw error;
		}
	}

	#checkOpen(): void {
		if (this.#lost) throw this.#lost;
		if (this.#isOver) throw new TurnLostError(`The turn of session ${this.session} is over: its handler has returned. Await everything that belongs to the turn.`);
	}
}

// What comes back is what the journal holds, so that a first run sees what a later one would.
const resultOf = <Result>({ json }: Recorded): Result => (json === null ? undefined : JSON.parse(json)) as Result;
