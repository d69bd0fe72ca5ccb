// Runs programs for hooks: each in a group of its own that is ended as a whole, by a quick helper process where that can run, else by Node's own spawn.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { HookFailure } from "../../events/failure.ts";
import { Deadline, Deadlines } from "../../system/deadlines.ts";
import type { ShellEnded, ShellHost, ShellJob } from "./job.ts";
import { endRemains, markName } from "./remains.ts";
import { findSandbox, inSandbox, type Sandbox, sandboxFailure } from "./sandbox.ts";
import { findPython } from "./spawner.ts";
import { Starters } from "./starters.ts";
import { type Ended, StartError, type Started, type StartRequest, WayEnded } from "./started.ts";
import { isWithoutInterpreter, whyNotStarted } from "./why-not.ts";
import { within } from "./within.ts";

export interface ShellHostOptions {
	/** The spawner's Python, absolute; looked for when not given. Null: there is none. */
	readonly python?: string | null;
	/** Where programs are looked for, as PATH has it; that of our own environment when not given. */
	readonly path?: string;
}

/** Between SIGTERM and SIGKILL. */
const graceMs = 250;
/** From a time-out or a stop to the answer, whatever happens. */
const lastMs = 800;
/** Of these, for looking after what got away. */
const remainsMs = 200;
/** A script that somebody is just writing cannot be started; a moment later it can. */
const busyPauseMs = 20;
const busyTries = 10;

type Stop = "timed-out" | "interrupted" | "closing";
interface Stopped {
	readonly stop: Stop;
}

/** A run that is under way. */
class Run extends Deadline {
	readonly job: ShellJob;
	readonly began = performance.now();
	/** Its end, whatever came of it. */
	over: Promise<unknown> | undefined;
	#stopped: Stopped | undefined;
	#onStop: ((stopped: Stopped) => void) | undefined;

	constructor(job: ShellJob) {
		super(() => this.stop("timed-out"));
		this.job = job;
	}

	stop(why: Stop): void {
		this.#stopped ??= { stop: why };
		this.#onStop?.(this.#stopped);
	}

	/** What a promise resolves to, or the stop if that comes first. Not Promise.race(): it makes a promise for each of the two. */
	unlessStopped<Value>(promise: Promise<Value>): Promise<Value | Stopped> {
		return new Promise((resolve, reject) => {
			this.#onStop = resolve;
			if (this.#stopped !== undefined) resolve(this.#stopped);
			promise.then(resolve, reject);
		});
	}
}

/** The spawner is started by the first run. */
export function shellHost(options: ShellHostOptions = {}): ShellHost {
	return new Shell(options);
}

class Shell implements ShellHost {
	readonly #path: string;
	readonly #starters: Starters;
	readonly #token = randomUUID().slice(0, 8);
	readonly #runs = new Set<Run>();
	// Not AbortSignal.timeout(): its timer lets the process end.
	readonly #deadlines = new Deadlines(() => performance.now());
	#numbers = 0;
	#sandbox: Promise<Sandbox> | undefined;
	#closed = false;

	constructor({ python, path = process.env["PATH"] ?? "" }: ShellHostOptions) {
		this.#path = path;
		this.#starters = new Starters(python === undefined ? findPython(path) : (python ?? undefined));
	}

	get way(): ShellHost["way"] {
		return this.#starters.way;
	}

	run(job: ShellJob): Promise<ShellEnded> {
		const run = new Run(job);
		const over = this.#run(run);
		run.over = over;
		return over;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		for (const run of this.#runs) run.stop("closing");
		await Promise.allSettled([...this.#runs].map(({ over }) => over));
		await this.#starters.close();
	}

	async #run(run: Run): Promise<ShellEnded> {
		const { job, began } = run;
		if (this.#closed) throw stopFailure("closing", job);
		if (job.signal.aborted) throw stopFailure("interrupted", job);
		const interrupt = () => run.stop("interrupted");
		this.#deadlines.add(run, began + job.timeoutMs);
		job.signal.addEventListener("abort", interrupt);
		this.#runs.add(run);
		try {
			const { ended, sandboxed } = await this.#toTheEnd(run);
			const { exitCode, signal, stdout, stderr, truncated } = ended;
			return { exitCode, signal, stdout: stdout.toString(), stderr: stderr.toString(), truncated, sandboxed, ms: performance.now() - began };
		} finally {
			this.#deadlines.remove(run);
			job.signal.removeEventListener("abort", interrupt);
			this.#runs.delete(run);
		}
	}

	/** @throws HookFailure */
	async #toTheEnd(run: Run): Promise<{ readonly ended: Ended; readonly sandboxed: boolean }> {
		const { job } = run;
		const mark = `${this.#token}.${++this.#numbers}`;
		const plain: StartRequest = { file: job.file, args: job.args, stdin: job.stdin, cwd: job.cwd, env: { ...job.env, [markName]: mark } };
		const prepared = job.sandbox === "off" ? { request: plain, sandboxed: false } : await run.unlessStopped(this.#prepare(plain, job));
		if ("stop" in prepared) throw stopFailure(prepared.stop, job);
		const { request, sandboxed } = prepared;
		for (let tries = 0; ; tries++) {
			const way = this.#starters.ready ?? (await run.unlessStopped(this.#starters.next()));
			if ("stop" in way) throw stopFailure(way.stop, job);
			const started = way.start(request);
			try {
				const ended = await run.unlessStopped(started.ended);
				if ("stop" in ended) {
					await endAll(started, mark);
					throw stopFailure(ended.stop, job);
				}
				const failure = sandboxed ? sandboxFailure(ended) : undefined;
				if (failure === undefined) return { ended, sandboxed };
				throw new HookFailure("cannot-start", `could not be started in its sandbox: ${failure}.`);
			} catch (failed) {
				if (failed instanceof WayEnded) {
					// Alone it is the one that did it, as far as anybody can tell.
					const counts = this.#runs.size === 1;
					await within(lastMs, endRemains({ mark, pid: undefined }));
					throw new HookFailure("host-ended", `what came of it is not known, as the process that starts programs for hooks ${failed.message}.`, { counts, cause: failed });
				}
				if (!(failed instanceof StartError)) throw failed;
				if (failed.code !== "ETXTBSY" || tries === busyTries) throw await startFailure(request, failed);
				await pause(busyPauseMs);
			}
		}
	}

	/** @throws HookFailure when it has to run in a sandbox and cannot. */
	async #prepare(plain: StartRequest, { sandbox: mode }: ShellJob): Promise<{ readonly request: StartRequest; readonly sandboxed: boolean }> {
		const sandbox = await (this.#sandbox ??= findSandbox(this.#path));
		if ("file" in sandbox) {
			// bubblewrap would hand it to /bin/sh, whatever it is written in.
			if (await isWithoutInterpreter(plain.file)) throw await startFailure(plain, new StartError("ENOEXEC", false));
			return { request: inSandbox(plain, sandbox), sandboxed: true };
		}
		if (mode === "auto") return { request: plain, sandboxed: false };
		throw new HookFailure("cannot-start", `could not be started: it has to run in a sandbox, and ${sandbox.why}.`);
	}
}

/** Ends a run and what it started, in time for the answer; what takes longer goes on behind it. */
async function endAll(started: Started, mark: string): Promise<void> {
	const limit = performance.now() + lastMs;
	const ending = started.end(graceMs).then(() => true);
	// Also of a sandbox: one that was not complete yet does not go with its parent.
	const endRest = async () => endRemains({ mark, pid: (await within(0, started.ended))?.pid });
	if (!(await within(lastMs - remainsMs, ending))) void ending.then(endRest);
	await within(Math.max(1, limit - performance.now()), endRest());
}

async function startFailure(request: StartRequest, cause: StartError): Promise<HookFailure> {
	return new HookFailure("cannot-start", `could not be started: ${await whyNotStarted(request, cause)}`, { cause });
}

function stopFailure(stop: Stop, { timeoutMs }: ShellJob): HookFailure {
	if (stop === "timed-out") return new HookFailure("timed-out", `did not end within ${timeoutMs} ms, and was ended.`);
	return new HookFailure("interrupted", stop === "closing" ? "Hookline is closing" : "was stopped", { counts: false });
}
