// Many small writes share one commit, and so one wait for the disk.
import type { Database } from "../database.ts";

interface Job {
	readonly work: () => unknown;
	readonly resolve: (value: unknown) => void;
	readonly reject: (error: unknown) => void;
}

/** Bounds how long one commit holds up the event loop. */
const atOnce = 200;

export class Commits {
	readonly #database: Database;
	#jobs: Job[] = [];
	#soon: NodeJS.Immediate | undefined;

	constructor(database: Database) {
		this.#database = database;
	}

	/**
	 * Resolves when what the work wrote is committed. Works run in the order of the calls. One that throws has written nothing and disturbs no other;
	 * it may be run twice, the first time in vain.
	 */
	write<Result>(work: () => Result): Promise<Result> {
		return new Promise((resolve, reject) => {
			this.#jobs.push({ work, resolve: resolve as (value: unknown) => void, reject });
			this.#soon ??= setImmediate(() => this.#next());
		});
	}

	/** Writes all that waits. */
	flush(): void {
		while (this.#jobs.length > 0) this.#next();
	}

	#next(): void {
		clearImmediate(this.#soon);
		const jobs = this.#jobs.splice(0, atOnce);
		this.#soon = this.#jobs.length > 0 ? setImmediate(() => this.#next()) : undefined;
		try {
			this.#commit(jobs);
		} catch (error) {
			if (jobs.length === 1) jobs[0]!.reject(error);
			else for (const job of jobs) this.#alone(job);
		}
	}

	/** Somebody in the batch failed, and all were undone: each for itself, so that only the one who is to blame is told. */
	#alone(job: Job): void {
		try {
			this.#commit([job]);
		} catch (error) {
			job.reject(error);
		}
	}

	#commit(jobs: readonly Job[]): void {
		const results = this.#database.transaction(() => jobs.map(({ work }) => work()));
		jobs.forEach(({ resolve }, i) => resolve(results[i]));
	}
}
