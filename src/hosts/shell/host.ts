// Runs programs for hooks: each in a group of its own that is ended as a whole, by a quick helper process where that can run, else by Node's own spawn.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { HookFailure } from "../../events/failure.ts";
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
type Outcome = { readonly ended: Ended } | { readonly failed: unknown } | { readonly stop: Stop };

/** The spawner is started by the first run. */
export function shellHost(options: ShellHostOptions = {}): ShellHost {
	return new Shell(options);
}

class Shell implements ShellHost {
	readonly #path: string;
	readonly #starters: Starters;
	readonly #token = randomUUID().slice(0, 8);
	/** How each run that is under way is stopped. */
	readonly #stops = new Set<(why: Stop) => void>();
	readonly #work = new Set<Promise<unknown>>();
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
		const work = this.#run(job).finally(() => this.#work.delete(work));
		this.#work.add(work);
		return work;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		for (const stop of this.#stops) stop("closing");
		await Promise.allSettled(this.#work);
		await this.#starters.close();
	}

	async #run(job: ShellJob): Promise<ShellEnded> {
		const began = performance.now();
		const stopped = Promise.withResolvers<{ readonly stop: Stop }>();
		const stop = (why: Stop) => stopped.resolve({ stop: why });
		const interrupt = () => stop("interrupted");
		if (this.#closed) throw stopFailure("closing", job);
		if (job.signal.aborted) throw stopFailure("interrupted", job);
		// Not AbortSignal.timeout(): its timer lets the process end.
		const timer = setTimeout(stop, job.timeoutMs, "timed-out");
		job.signal.addEventListener("abort", interrupt);
		this.#stops.add(stop);
		try {
			const { ended, sandboxed } = await this.#toTheEnd(job, stopped.promise);
			const { exitCode, signal, stdout, stderr, truncated } = ended;
			return { exitCode, signal, stdout: stdout.toString(), stderr: stderr.toString(), truncated, sandboxed, ms: performance.now() - began };
		} finally {
			clearTimeout(timer);
			job.signal.removeEventListener("abort", interrupt);
			this.#stops.delete(stop);
		}
	}

	/** @throws HookFailure */
	async #toTheEnd(job: ShellJob, stopped: Promise<{ readonly stop: Stop }>): Promise<{ readonly ended: Ended; readonly sandboxed: boolean }> {
		const mark = `${this.#token}.${++this.#numbers}`;
		const plain: StartRequest = { file: job.file, args: job.args, stdin: job.stdin, cwd: job.cwd, env: { ...job.env, [markName]: mark } };
		const prepared = job.sandbox === "off" ? { request: plain, sandboxed: false } : await Promise.race([stopped, this.#prepare(plain, job)]);
		if ("stop" in prepared) throw stopFailure(prepared.stop, job);
		const { request, sandboxed } = prepared;
		for (let tries = 0; ; tries++) {
			const way = this.#starters.ready ?? (await Promise.race([stopped, this.#starters.next()]));
			if ("stop" in way) throw stopFailure(way.stop, job);
			const started = way.start(request);
			const outcome = await Promise.race<Outcome>([stopped, started.ended.then((ended) => ({ ended }), (failed: unknown) => ({ failed }))]);
			if ("stop" in outcome) {
				await endAll(started, mark);
				throw stopFailure(outcome.stop, job);
			}
			if ("ended" in outcome) {
				const failure = sandboxed ? sandboxFailure(outcome.ended) : undefined;
				if (failure === undefined) return { ended: outcome.ended, sandboxed };
				throw new HookFailure("cannot-start", `could not be started in its sandbox: ${failure}.`);
			}
			const { failed } = outcome;
			if (failed instanceof WayEnded) {
				// Alone it is the one that did it, as far as anybody can tell.
				const counts = this.#stops.size === 1;
				await within(lastMs, endRemains({ mark, pid: undefined }));
				throw new HookFailure("host-ended", `what came of it is not known, as the process that starts programs for hooks ${failed.message}.`, { counts, cause: failed });
			}
			if (!(failed instanceof StartError)) throw failed;
			if (failed.code !== "ETXTBSY" || tries === busyTries) throw await startFailure(request, failed);
			await pause(busyPauseMs);
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
