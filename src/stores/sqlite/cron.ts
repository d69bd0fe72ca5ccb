// Jobs as rows, through a connection of its own to the home's file.
import type { CronJob, CronStore, CronTime } from "../cron.ts";
import { StoreError } from "../store.ts";
import { type Database, openDatabase } from "./database.ts";

/** More would be no person's. */
const mostJobs = 5_000;
/** Times of a job that are kept. */
const mostTimes = 100;

interface JobRow {
	readonly name: string;
	readonly schedule: string;
	readonly zone: string;
	readonly prompt: string;
	readonly chat: string | null;
	readonly enabled: 0 | 1;
	readonly catch_up: 0 | 1;
	readonly created_at: number;
	readonly settled_at: number;
}

interface TimeRow extends Omit<CronTime, "note"> {
	readonly note: string | null;
}

/**
 * Opens the database file, makes it when there is none.
 * @throws StoreError when it cannot be used; an existing file is then unchanged.
 */
export function openSqliteCronStore(path: string): CronStore {
	return new SqliteCronStore(openDatabase(path));
}

class SqliteCronStore implements CronStore {
	readonly #database: Database;

	constructor(database: Database) {
		this.#database = database;
	}

	version(): number {
		return this.#database.get<{ n: number }>("SELECT n FROM cron_version")?.n ?? 0;
	}

	jobs(): readonly CronJob[] {
		return this.#database.all<JobRow>("SELECT * FROM cron_jobs ORDER BY name").map(jobOf);
	}

	job(name: string): CronJob | undefined {
		const row = this.#database.get<JobRow>("SELECT * FROM cron_jobs WHERE name = ?", name);
		return row && jobOf(row);
	}

	add({ name, schedule, zone, prompt, chat, enabled, catchUp, createdAt, settledAt }: CronJob): boolean {
		return this.#change(() => {
			const { n } = this.#database.get<{ n: number }>("SELECT count(*) AS n FROM cron_jobs")!;
			if (n >= mostJobs) throw new StoreError("over-quota", `There are ${n} jobs, and there can be no more. Remove some: hookline cron remove NAME.`);
			return this.#database.run("INSERT OR IGNORE INTO cron_jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", name, schedule, zone, prompt, chat ?? null, Number(enabled), Number(catchUp), createdAt, settledAt).changes > 0;
		});
	}

	remove(name: string): boolean {
		return this.#change(() => this.#database.run("DELETE FROM cron_jobs WHERE name = ?", name).changes > 0);
	}

	enable(name: string, enabled: boolean, at: number): boolean {
		return this.#change(() => {
			// One that ran all the time keeps its place: what it has missed is still to be told.
			if (enabled) this.#database.run("UPDATE cron_jobs SET enabled = 1, settled_at = ? WHERE name = ? AND enabled = 0", at, name);
			else this.#database.run("UPDATE cron_jobs SET enabled = 0 WHERE name = ?", name);
			return this.job(name) !== undefined;
		});
	}

	ask(name: string, id: string, at: number): boolean {
		return this.#change(() => {
			if (this.job(name) === undefined) return false;
			this.#insert({ id, job: name, at, state: "planned" });
			return true;
		});
	}

	settle({ name, createdAt }: CronJob, settledAt: number, times: readonly CronTime[]): void {
		const database = this.#database;
		database.transaction(() => {
			if (database.run("UPDATE cron_jobs SET settled_at = ? WHERE name = ? AND created_at = ? AND enabled = 1", settledAt, name, createdAt).changes === 0) return;
			for (const time of times) this.#insert(time);
			database.run("DELETE FROM cron_times WHERE job = ? AND state <> 'planned' AND id NOT IN (SELECT id FROM cron_times WHERE job = ? ORDER BY at DESC, id DESC LIMIT ?)", name, name, mostTimes);
		});
	}

	planned(): readonly CronTime[] {
		return this.#database.all<TimeRow>("SELECT * FROM cron_times WHERE state = 'planned' ORDER BY at, id").map(timeOf);
	}

	begun(id: string): void {
		this.#database.run("UPDATE cron_times SET state = 'begun' WHERE id = ?", id);
	}

	times(job: string, limit: number): readonly CronTime[] {
		return this.#database.all<TimeRow>("SELECT * FROM cron_times WHERE job = ? ORDER BY at DESC, id DESC LIMIT ?", job, limit).map(timeOf);
	}

	[Symbol.dispose](): void {
		this.#database.close();
	}

	#insert({ id, job, at, state, note }: CronTime): void {
		this.#database.run("INSERT OR IGNORE INTO cron_times (id, job, at, state, note) VALUES (?, ?, ?, ?, ?)", id, job, at, state, note ?? null);
	}

	/** For what somebody asked for: whoever runs the jobs looks at them again. */
	#change<Result>(work: () => Result): Result {
		return this.#database.transaction(() => {
			this.#database.run("UPDATE cron_version SET n = n + 1");
			return work();
		});
	}
}

const jobOf = ({ chat, enabled, catch_up: catchUp, created_at: createdAt, settled_at: settledAt, ...row }: JobRow): CronJob => ({
	...row,
	...(chat !== null && { chat }),
	enabled: enabled === 1,
	catchUp: catchUp === 1,
	createdAt,
	settledAt,
});

const timeOf = ({ note, ...row }: TimeRow): CronTime => ({ ...row, ...(note !== null && { note }) });
