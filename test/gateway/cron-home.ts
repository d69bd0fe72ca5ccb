// A home whose clock the test moves: its jobs, what they began, and what was told.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addJob, type WantedJob } from "../../src/gateway/cron/change.ts";
import { type Clock, Cron } from "../../src/gateway/cron/cron.ts";
import { historyOf } from "../../src/gateway/cron/history.ts";
import type { Deliverer } from "../../src/gateway/deliverer.ts";
import type { Job } from "../../src/gateway/job.ts";
import { type Target, targetIn, targetText } from "../../src/gateway/target.ts";
import type { CronStore } from "../../src/stores/cron.ts";
import type { Serving } from "../../src/stores/session-engine.ts";
import { openSqliteCronStore } from "../../src/stores/sqlite/cron.ts";
import { openSqliteSessionEngine } from "../../src/stores/sqlite/session-engine.ts";
import { eventually } from "../../src/system/test-waiting.ts";

export const minute = 60_000;

export class MovedClock implements Clock {
	/** In ms. */
	longestWait = 0;
	#time: number;
	#run: (() => void) | undefined;
	#waits = Promise.withResolvers<void>();

	constructor(time: string) {
		this.#time = Date.parse(time);
	}

	now(): number {
		return this.#time;
	}

	setTimeout(run: () => void, ms: number): () => void {
		this.longestWait = Math.max(this.longestWait, ms);
		this.#run = run;
		this.#waits.resolve();
		return () => (this.#run = undefined);
	}

	/** Jumps there, and resolves when what came of it is done. */
	async set(time: number): Promise<void> {
		this.#time = time;
		const run = this.#run;
		if (run === undefined) return;
		this.#run = undefined;
		this.#waits = Promise.withResolvers();
		run();
		await this.#waits.promise;
	}

	/** Goes on as clocks do, in steps of at most 20 s. */
	async pass(ms: number): Promise<void> {
		for (const end = this.#time + ms; this.#time < end; ) await this.set(Math.min(end, this.#time + 20_000));
	}
}

/** A home; its gateway can end and begin again. */
export class Home implements AsyncDisposable {
	readonly folder = mkdtempSync(join(tmpdir(), "hookline-cron-"));
	readonly store: CronStore = openSqliteCronStore(join(this.folder, "home.db"));
	readonly sessions = openSqliteSessionEngine(join(this.folder, "home.db"));
	readonly clock: MovedClock;
	/** What was said where: `chat: text`. */
	readonly told: string[] = [];
	readonly warnings: string[] = [];
	readonly begun: Job[] = [];
	/** Thrown by what is begun next. */
	failure: Error | undefined;
	#crons: Cron[] = [];
	#serving: Serving | undefined;

	constructor(time = "2026-11-22T10:00:00Z") {
		this.clock = new MovedClock(time);
	}

	add(name: string, schedule: string, more: Partial<WantedJob> = {}): void {
		addJob(this.store, { name, schedule, prompt: `do ${name}`, zone: "UTC", ...more }, this.clock.now());
	}

	readonly jobs = {
		begin: async (job: Job) => {
			if (this.failure !== undefined) throw this.failure;
			const kind = await this.sessions.append(job.session, { id: job.id, kind: "job", body: job });
			if (kind === "accepted") this.begun.push(job);
			return kind;
		},
	};

	deliverer(home: Target | undefined): Deliverer {
		const keys = new Set<string>();
		return {
			deliver: async (to, text, { key }) => {
				if (!keys.has(key)) this.told.push(`${targetText(to)}: ${text}`);
				keys.add(key);
				return { text };
			},
			platforms: () => ["http"],
			maxFileBytes: () => undefined,
			home,
		};
	}

	/** @param chat the home chat, if there is one */
	async start(chat = "http:home"): Promise<Cron> {
		const { store, jobs, sessions, clock } = this;
		const cron = new Cron({ store, jobs, sessions, deliverer: this.deliverer(targetIn(chat)), warn: (message) => this.warnings.push(message), clock });
		this.#crons.push(cron);
		await cron.start();
		return cron;
	}

	/** Runs what was begun, at once, from now on. */
	async serve(): Promise<void> {
		this.#serving = await this.sessions.serve(async (turn) => {
			const runs = ((await turn.get("runs")) ?? []) as readonly unknown[];
			turn.set("runs", [...runs, { id: turn.message.id, at: 0, durationMs: 5, state: "done", sessionId: "s1", text: "all well" }]);
		}, { concurrency: 4, onProblem: (problem) => this.warnings.push(problem) });
	}

	/** Waits until a job's runs are over. */
	async over(name: string): Promise<void> {
		await eventually(async () => (await this.sessions.read(`cron/${name}`))?.waiting === 0, `${name} is over`);
	}

	/** Passes this time ten minutes by ten, and lets a job's run end before the next. */
	async pass(minutes: number, name: string): Promise<void> {
		for (let passed = 0; passed < minutes; passed += 10) {
			await this.clock.pass(10 * minute);
			await this.over(name);
		}
	}

	/** When jobs were begun for, as UTC. */
	get times(): readonly string[] {
		return this.begun.map(({ id }) => id.replace(/ at /, " "));
	}

	async history(name: string): Promise<readonly string[]> {
		return (await historyOf(this.store.job(name)!, this.store, this.sessions, 100)).map(({ at, state, text, note }) => `${new Date(at).toISOString().slice(5, 16)} ${state}${(text ?? note) === undefined ? "" : `: ${text ?? note}`}`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const cron of this.#crons) await cron.stop();
		await this.#serving?.stop();
		await this.sessions.close();
		this.store[Symbol.dispose]();
		rmSync(this.folder, { recursive: true });
	}
}
