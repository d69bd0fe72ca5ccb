// Begins jobs when they are due. What is due is written down first and begun then, under the same name each time: nothing is begun twice, and nothing is forgotten.
import { createHash } from "node:crypto";
import { setImmediate as breathe } from "node:timers/promises";
import type { CronJob, CronStore, CronTime } from "../../stores/cron.ts";
import type { SessionEngine } from "../../stores/session-engine.ts";
import type { Deliverer } from "../deliverer.ts";
import type { Job } from "../job.ts";
import { type Target, targetIn, targetText } from "../target.ts";
import { sessionOfJob } from "./history.ts";
import { type Schedule, scheduleIn } from "./schedule.ts";
import { type Missed, missedText, missedWords } from "./words.ts";

export interface JobStarter {
	/** Resolves when it is on the disk. @throws StoreError when it cannot be kept */
	begin(job: Job): Promise<"accepted" | "duplicate">;
}

/** The time, and waiting for it. */
export interface Clock {
	/** In ms since the epoch; may jump. */
	now(): number;
	/** Gives what takes it back. */
	setTimeout(run: () => void, ms: number): () => void;
}

export interface CronOptions {
	readonly store: CronStore;
	readonly jobs: JobStarter;
	/** Where the jobs' sessions are. */
	readonly sessions: Pick<SessionEngine, "read">;
	readonly deliverer: Deliverer;
	readonly warn: (message: string) => void;
	readonly clock?: Clock;
}

/** No wait is longer, in ms: changes made elsewhere are seen, and a clock that was set or a machine that slept makes no difference. */
const pollMs = 500;
/** What is no later than this counts as in time, in ms: a gateway that is restarted loses nothing. */
const graceMs = 60_000;
/** Missed times of a job that are counted. */
const mostCounted = 100;
/** A job that will never be due again is kept this long, in ms. */
const keptMs = 30 * 24 * 3600_000;

interface Entry {
	readonly job: CronJob;
	readonly schedule: Schedule;
	/** All times up to here were seen to. */
	from: number;
	next: number | undefined;
}

/** What is to be noted of a job whose time has come. */
interface Due {
	readonly entry: Entry;
	readonly times: readonly CronTime[];
	readonly missed?: Missed;
}

const systemClock: Clock = {
	now: Date.now,
	setTimeout(run, ms) {
		const timer = setTimeout(run, ms);
		return () => clearTimeout(timer);
	},
};

export class Cron {
	readonly #options: CronOptions;
	readonly #clock: Clock;
	#entries: readonly Entry[] = [];
	#version: number | undefined;
	#lastNow = 0;
	/** Something is planned, as far as is known. */
	#pending = true;
	readonly #warned = new Set<string>();
	#cancel: (() => void) | undefined;
	#work: Promise<void> | undefined;
	#stopped = false;

	constructor(options: CronOptions) {
		this.#options = options;
		this.#clock = options.clock ?? systemClock;
	}

	/** Resolves when what was missed meanwhile is told, and what was planned before is begun. */
	start(): Promise<void> {
		return this.#wake();
	}

	/** Begins nothing more. Jobs that were begun go on. */
	async stop(): Promise<void> {
		this.#stopped = true;
		this.#cancel?.();
		await this.#work;
	}

	#wake(): Promise<void> {
		this.#work = this.#tick()
			.catch((error: unknown) => {
				this.#warnOnce(`Jobs cannot be looked at now, and are looked at again: ${wordsOf(error)}`);
				return pollMs;
			})
			.then((waitMs) => {
				if (!this.#stopped) this.#cancel = this.#clock.setTimeout(() => void this.#wake(), waitMs);
			});
		return this.#work;
	}

	/** Gives how long to wait for the next one, in ms. */
	async #tick(): Promise<number> {
		const now = this.#clock.now();
		const version = this.#options.store.version();
		// A clock that was set back makes times come again: those that were met are known by their names.
		if (version !== this.#version || now < this.#lastNow) {
			await this.#load(now);
			this.#version = version;
			this.#pending = true;
		}
		this.#lastNow = now;
		const due: Due[] = [];
		for (const entry of this.#entries) {
			if (entry.next === undefined || entry.next > now) continue;
			due.push(await this.#look(entry, now));
			await breathe();
		}
		if (due.length > 0) {
			await this.#tell(due.flatMap(({ missed }) => missed ?? []));
			for (const { entry, times } of due) {
				this.#options.store.settle(entry.job, now, times);
				entry.from = now;
				entry.next = entry.schedule.after(now);
			}
			this.#pending = true;
		}
		if (this.#pending) await this.#beginPlanned();
		const next = Math.min(...this.#entries.map((entry) => entry.next ?? Infinity));
		return Math.max(0, Math.min(pollMs, next - this.#clock.now()));
	}

	/** Takes up the jobs as they are now. */
	async #load(now: number): Promise<void> {
		const { store } = this.#options;
		const before = new Map(this.#entries.map((entry) => [entry.job.name, entry]));
		const entries: Entry[] = [];
		for (const job of store.jobs()) {
			if (!job.enabled) continue;
			const from = Math.min(job.settledAt, now);
			const known = before.get(job.name);
			const isSame = known?.job.createdAt === job.createdAt;
			try {
				const entry = isSame && known.from === from ? known : entryOf(job, isSame ? known.schedule : scheduleIn(job.schedule, job.zone, job.createdAt), from);
				if (entry.next === undefined && now - job.settledAt > keptMs) store.remove(job.name);
				else entries.push(entry);
			} catch (error) {
				this.#warnOnce(`The job ${job.name} is not run: ${wordsOf(error)}`);
			}
			await breathe();
		}
		this.#entries = entries;
	}

	async #look(entry: Entry, now: number): Promise<Due> {
		const { job, schedule } = entry;
		const passed: number[] = [];
		for (let time = entry.next; time !== undefined && time <= now && passed.length < mostCounted; time = schedule.after(time)) passed.push(time);
		const isAll = passed.length < mostCounted;
		// Those that come again after a clock was set back.
		const met = new Set(this.#options.store.times(job.name, mostCounted).map(({ id }) => id));
		const counted = passed.filter((time) => !met.has(timeId(job, time)));
		if (counted.length === 0) return { entry, times: [] };
		const last = isAll ? counted.at(-1)! : schedule.last(now);
		const times: CronTime[] = [];
		const runs = now - last <= graceMs || job.catchUp;
		if (runs) {
			const isBusy = ((await this.#options.sessions.read(sessionOfJob(job.name)))?.waiting ?? 0) > 0;
			times.push({ id: timeId(job, last), job: job.name, at: last, ...(isBusy ? { state: "skipped", note: "The run before it was not over." } : { state: "planned" }) });
		}
		const count = counted.length - (runs ? 1 : 0);
		if (count === 0) return { entry, times };
		const missed: Missed = { job, first: counted[0]!, last: isAll ? counted[count - 1]! : last, count, isMadeUp: times[0]?.state === "planned" };
		// Of a job that is due every second some are met together, and nobody has to hear of it.
		const isOld = now - missed.first > graceMs;
		times.push({ id: `${job.name} missed until ${new Date(missed.last).toISOString()}`, job: job.name, at: missed.last, state: isOld ? "missed" : "skipped", note: missedWords(missed) });
		return { entry, times, ...(isOld && { missed }) };
	}

	/** One message for each chat. It is told before it is noted down: after a crash in between it comes again under the same key. */
	async #tell(missed: readonly Missed[]): Promise<void> {
		const { deliverer } = this.#options;
		for (const [chat, ofChat] of Map.groupBy(missed, ({ job }) => chatText(this.#chatOf(job)))) {
			const text = missedText(ofChat);
			const to = targetIn(chat);
			if (to === undefined) this.#warnOnce(text);
			else {
				const key = `cron-missed-${createHash("sha256").update(JSON.stringify([chat, ofChat.map(({ job, last }) => timeId(job, last))])).digest("hex").slice(0, 32)}`;
				await deliverer.deliver(to, text, { key, purpose: "notice" }).catch((error: unknown) => this.#warnOnce(`${text}\n(${chat} was not told: ${wordsOf(error)})`));
			}
		}
	}

	async #beginPlanned(): Promise<void> {
		const { store, jobs } = this.#options;
		let failed = false;
		for (const { id, job: name } of store.planned()) {
			if (this.#stopped) return;
			const job = store.job(name);
			if (job === undefined) continue;
			const to = this.#chatOf(job);
			try {
				await jobs.begin({ session: sessionOfJob(name), id, text: job.prompt, surface: "cron", ...(to && { to }) });
				store.begun(id);
			} catch (error) {
				failed = true;
				this.#warnOnce(`The job ${name} cannot be begun now, and is tried again: ${wordsOf(error)}`);
			}
		}
		this.#pending = failed;
	}

	#chatOf({ chat }: CronJob): Target | undefined {
		return chat === undefined ? this.#options.deliverer.home : targetIn(chat);
	}

	#warnOnce(message: string): void {
		if (this.#warned.has(message)) return;
		this.#warned.add(message);
		this.#options.warn(message);
	}
}

const entryOf = (job: CronJob, schedule: Schedule, from: number): Entry => ({ job, schedule, from, next: schedule.after(from) });
const chatText = (to: Target | undefined) => (to === undefined ? "" : targetText(to));
const timeId = ({ name }: CronJob, at: number) => `${name} at ${new Date(at).toISOString()}`;
const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
