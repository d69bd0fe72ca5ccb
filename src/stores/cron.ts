// Jobs that run by the clock, as they are kept. What their schedules mean is the business of who runs them.

export interface CronJob {
	readonly name: string;
	/** As its maker wrote it. */
	readonly schedule: string;
	/** IANA name of the time zone that the schedule is read in. */
	readonly zone: string;
	/** What the agent is to do. */
	readonly prompt: string;
	/** `PLATFORM:CHAT#THREAD`; absent for the home chat. */
	readonly chat?: string;
	readonly enabled: boolean;
	/** Whether a time that was missed is made up for, once. */
	readonly catchUp: boolean;
	/** In ms since the epoch, as all times here. */
	readonly createdAt: number;
	/** All times up to this one were seen to. */
	readonly settledAt: number;
}

/** A time at which a job was due, or was asked for by somebody. */
export interface CronTime {
	/** The same each time this time is met. */
	readonly id: string;
	readonly job: string;
	/** For `missed` the last one. */
	readonly at: number;
	/** `planned` is to be begun, `begun` has been. `skipped` and `missed` were not run, and the note says why. */
	readonly state: "planned" | "begun" | "skipped" | "missed";
	readonly note?: string;
}

/** Every method throws StoreError when the database does not answer. Several processes may use it at a time. */
export interface CronStore extends Disposable {
	/** Another number whenever a job was added, removed, paused, resumed or asked for, by whichever process. */
	version(): number;
	/** By name. */
	jobs(): readonly CronJob[];
	job(name: string): CronJob | undefined;
	/** False when there is one of that name. @throws StoreError `over-quota` when there are too many */
	add(job: CronJob): boolean;
	/** With all its times. @returns whether there was one */
	remove(name: string): boolean;
	/** One that is enabled is due from `at` on. @returns whether there was one */
	enable(name: string, enabled: boolean, at: number): boolean;
	/** A `planned` time of its own. @returns whether there is such a job */
	ask(name: string, id: string, at: number): boolean;
	/**
	 * Notes that a job's times up to this one were seen to, and what became of them, all or nothing. A time that is known already stays as it was. Does nothing
	 * when the job is another one by now, or paused.
	 */
	settle(job: CronJob, settledAt: number, times: readonly CronTime[]): void;
	/** Those that are to be begun, oldest first. */
	planned(): readonly CronTime[];
	/** A planned time was begun. */
	begun(id: string): void;
	/** The newest first; only the last 100 are kept. */
	times(job: string, limit: number): readonly CronTime[];
}
