// The loop of a process that serves: claims sessions, runs their turns, settles them.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { orAborted } from "../../../system/abort.ts";
import type { Lease } from "../../leases.ts";
import { type Handler, IndeterminateError, InterruptError, type ServeOptions, type Serving, TurnLostError } from "../../session-engine.ts";
import type { Database } from "../database.ts";
import type { SqliteLeases } from "../leases.ts";
import type { Commits } from "./commits.ts";
import { type Claim, claim, type End, forgetHandled, hasWork, servingLease, settle, type Staged, tidy } from "./rows.ts";
import { SqliteTurn } from "./turn.ts";

/** How often this process looks for what others appended, for timers and for interrupts from elsewhere, in ms. */
export const pollMs = 200;
/** Between two tries to commit a turn to a store that does not take it, in ms. */
const retryMs = 1000;
const forgetEveryMs = 60_000;
const longestPauseMs = 5 * 60_000;
/** Characters of an error that are kept. */
const longestWhy = 2000;

export interface ServingParts {
	readonly database: Database;
	readonly commits: Commits;
	readonly leases: SqliteLeases;
	/** Called after each turn that was settled. */
	readonly onSettled: () => void;
	readonly onStopped: (serving: SqliteServing) => void;
}

export class SqliteServing implements Serving {
	readonly #parts: ServingParts;
	readonly #handler: Handler;
	readonly #options: Required<ServeOptions>;
	/** Each until it is settled. */
	readonly #running = new Map<SqliteTurn, Promise<void>>();
	readonly #timer: NodeJS.Timeout;
	readonly #gaveUp = new AbortController();
	#lease: Lease;
	#isClaiming = false;
	#isClaimStale = false;
	#isStopping = false;
	#stopped: Promise<void> | undefined;
	#isTroubled = false;
	#forgotAt = performance.now();

	constructor(parts: ServingParts, handler: Handler, options: ServeOptions) {
		this.#parts = parts;
		this.#handler = handler;
		this.#options = { attempts: 5, crashes: 20, pauseMs: doubled, ...options };
		this.#lease = this.#newLease();
		this.#timer = setInterval(() => this.#poll(), pollMs);
		this.wake();
	}

	/** There may be something to claim. */
	wake(): void {
		// What is written behind a claim in the same commit is not seen by it.
		this.#isClaimStale = this.#isClaiming;
		if (this.#isStopping || this.#isClaiming || this.#running.size >= this.#options.concurrency) return;
		this.#isClaiming = true;
		const { commits, database } = this.#parts;
		const claiming = commits.write(() => {
			tidy(database, this.#lease.sessionId);
			return this.#claim(this.#options.concurrency - this.#running.size);
		});
		void claiming.then(
			(claims) => this.#onClaimed(claims),
			(error: unknown) => this.#onClaimFailed(error),
		);
	}

	/** Aborts the session's turn if it runs here. */
	interrupt(session: string, why: string): void {
		for (const turn of this.#running.keys()) if (turn.session === session) turn.interrupt(why);
	}

	stop(graceMs?: number): Promise<void> {
		this.#isStopping = true;
		this.#stopped ??= this.#drained();
		if (graceMs === undefined) return this.#stopped;
		// Each call has its own: who waited patiently may lose patience.
		const timer = setTimeout(() => this.#gaveUp.abort(), graceMs);
		return this.#stopped.finally(() => clearTimeout(timer));
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.stop(0);
	}

	async #drained(): Promise<void> {
		// What is being claimed at this moment is started after all, and then is one of those that run.
		await this.#parts.commits.write(() => {}).catch(() => {});
		await Promise.all(this.#running.values());
		clearInterval(this.#timer);
		this.#lease.release();
		this.#parts.onStopped(this);
	}

	#newLease(): Lease {
		return this.#parts.leases.acquire(servingLease(randomUUID()));
	}

	#poll(): void {
		try {
			const { sessionId } = this.#lease;
			if (this.#lease.lost.aborted) this.#renew();
			for (const { id, interrupt } of this.#parts.database.all<{ id: string; interrupt: string }>("SELECT id, interrupt FROM served_sessions WHERE owner = ? AND interrupt IS NOT NULL", sessionId)) {
				this.interrupt(id, interrupt);
			}
			this.#forget();
			if (hasWork(this.#parts.database, sessionId)) this.wake();
		} catch (error) {
			this.#trouble(error);
		}
	}

	/** Ids that are too old to come again. A batch now and then, so that no turn waits for it. */
	#forget(): void {
		if (performance.now() - this.#forgotAt < forgetEveryMs) return;
		this.#forgotAt = performance.now();
		void this.#parts.commits.write(() => forgetHandled(this.#parts.database)).catch((error) => this.#trouble(error));
	}

	/** Others took this process for dead, or will: what it runs is theirs. */
	#renew(): void {
		for (const turn of this.#running.keys()) turn.lose(new TurnLostError("This process gave no sign of life for so long that others took over its sessions."));
		this.#lease.release();
		this.#lease = this.#newLease();
	}

	#claim(count: number): readonly Claim[] {
		return this.#isStopping || count <= 0 ? [] : claim(this.#parts.database, this.#lease.sessionId, count);
	}

	#onClaimed(claims: readonly Claim[]): void {
		this.#isClaiming = false;
		this.#isTroubled = false;
		this.#start(claims);
		if (this.#isClaimStale) this.wake();
	}

	#onClaimFailed(error: unknown): void {
		this.#isClaiming = false;
		try {
			if (error instanceof TurnLostError) this.#renew();
			else this.#trouble(error);
		} catch (again) {
			this.#trouble(again);
		}
	}

	/** Told once until something works again: the next poll tries again. */
	#trouble(error: unknown): void {
		if (!this.#isTroubled) this.#options.onProblem(`Messages wait because the store does not answer: ${textOf(error)}`);
		this.#isTroubled = true;
	}

	#start(claims: readonly Claim[]): void {
		for (const claimed of claims) {
			const turn = new SqliteTurn(this.#parts.database, this.#parts.commits, claimed);
			// Not before it is known to run: the handler may interrupt itself.
			this.#running.set(turn, Promise.resolve().then(() => this.#run(turn, claimed)));
		}
	}

	async #run(turn: SqliteTurn, claimed: Claim): Promise<void> {
		const end = await this.#endUnlessGivenUp(turn, claimed);
		const next = turn.isLost && end !== "released" ? [] : await this.#settle(turn, claimed, end);
		if (!turn.isLost && end !== "released" && "dead" in end) this.#options.onProblem(`Message ${claimed.message.id} of session ${claimed.session} was given up and is a dead letter now. ${end.dead}`);
		this.#running.delete(turn);
		this.#start(next);
		// Something may have come after the turn was settled, and found no room.
		if (next.length === 0) this.wake();
	}

	async #endUnlessGivenUp(turn: SqliteTurn, claimed: Claim): Promise<End> {
		try {
			return await orAborted(this.#endOf(turn, claimed), this.#gaveUp.signal);
		} catch (error) {
			if (!this.#gaveUp.signal.aborted) throw error;
			turn.lose(new TurnLostError("Serving was stopped. The message is kept for whoever serves next."));
			return "released";
		}
	}

	async #endOf(turn: SqliteTurn, { attempt, failures }: Claim): Promise<End> {
		const crashes = attempt - 1 - failures;
		if (crashes >= this.#options.crashes) return { dead: `The process ended ${crashes} times in the middle of its turn.` };
		try {
			await this.#handler(turn);
			const { open, ...staged } = turn.end();
			return open.length > 0 ? { dead: unsettled(open) } : { handled: staged };
		} catch (error) {
			const { open } = turn.end();
			if (error instanceof IndeterminateError) return { dead: error.message };
			if (turn.signal.reason instanceof InterruptError) return open.length > 0 ? { dead: unsettled(open) } : { handled: nothing };
			return failures + 1 >= this.#options.attempts ? { dead: textOf(error) } : { failed: textOf(error), pauseMs: this.#options.pauseMs(failures + 1) };
		}
	}

	/** Commits the end of a turn, for as long as it takes. What comes next in its place. */
	async #settle(turn: SqliteTurn, claimed: Claim, end: End): Promise<readonly Claim[]> {
		const { database, commits, onSettled } = this.#parts;
		for (;;) {
			try {
				const next = await commits.write(() => {
					settle(database, claimed, end);
					return this.#claim(1);
				});
				this.#isTroubled = false;
				onSettled();
				return next;
			} catch (error) {
				if (error instanceof TurnLostError) turn.lose(error);
				else this.#trouble(error);
				if (turn.isLost || this.#gaveUp.signal.aborted) return [];
				await pause(retryMs, undefined, { signal: this.#gaveUp.signal }).catch(() => {});
			}
		}
	}
}

const nothing: Staged = { values: new Map(), emits: [], sends: [] };

const unsettled = (steps: readonly string[]): string =>
	`${steps.map((step) => `'${step}'`).join(", ")} was begun, nobody knows whether it happened, and the turn ended without waiting for it or asking again. Let a person look, then settle it.`;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, longestWhy) || "It threw an error without a message.";

/** Not all at the same moment: what failed for many at once would be tried by many at once. */
const doubled = (failures: number): number => Math.min(1000 * 2 ** (failures - 1), longestPauseMs) * (0.75 + Math.random() / 2);
