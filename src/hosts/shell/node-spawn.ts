// Starting programs with Node's own spawn, where the spawner cannot run.
import { ProcessStartError, type RunningProcess, startProcess } from "../../system/process.ts";
import { type Ended, outputLimit, StartError, type Started, type StartRequest } from "./started.ts";
import { isWithoutInterpreter } from "./why-not.ts";

/** Ended when this process exits: nobody else would. */
const alive = new Set<RunningProcess>();
const endAll = (): void => {
	for (const { pid } of alive) {
		try {
			process.kill(-pid, "SIGKILL");
		} catch {
			// Nobody is left in it.
		}
	}
};

/** Starts a program in a group and session of its own. What fails shows in `ended`. */
export function startWithNode(request: StartRequest): Started {
	const unwanted = new AbortController();
	const running = start(request, unwanted.signal);
	const ended = running.then(({ ended }) => ended);
	ended.catch(() => {});
	return {
		ended,
		async end(graceMs) {
			unwanted.abort();
			await (await running.catch(() => undefined))?.process.end(graceMs);
		},
	};
}

async function start({ file, args, cwd, env, stdin }: StartRequest, unwanted: AbortSignal): Promise<{ readonly process: RunningProcess; readonly ended: Promise<Ended> }> {
	// Node would hand it to /bin/sh, whatever it is written in.
	if (await isWithoutInterpreter(file)) throw new StartError("ENOEXEC", false);
	if (unwanted.aborted) throw new StartError("ECANCELED", false);
	const out = new Kept();
	const err = new Kept();
	try {
		const process = await startProcess({ file, args, cwd, env, input: stdin, onOutput: (piece) => out.push(piece), onError: (piece) => err.push(piece) });
		return { process, ended: endOf(process, out, err) };
	} catch (error) {
		if (!(error instanceof ProcessStartError)) throw error;
		throw new StartError(error.code ?? error.message, false, error);
	}
}

async function endOf(running: RunningProcess, out: Kept, err: Kept): Promise<Ended> {
	if (alive.size === 0) process.on("exit", endAll);
	alive.add(running);
	const { exitCode, signal } = await running.exited;
	alive.delete(running);
	if (alive.size === 0) process.off("exit", endAll);
	return { pid: running.pid, exitCode, signal, stdout: out.take(), stderr: err.take(), truncated: out.cut || err.cut };
}

/** The first bytes of an output. */
class Kept {
	cut = false;
	#pieces: Buffer[] = [];
	#room = outputLimit;

	push(piece: Buffer): void {
		if (piece.length > this.#room) this.cut = true;
		if (this.#room === 0) return;
		this.#pieces.push(piece.subarray(0, this.#room));
		this.#room = Math.max(0, this.#room - piece.length);
	}

	/** What a survivor writes from now on is nobody's. */
	take(): Buffer {
		const all = Buffer.concat(this.#pieces);
		this.#pieces = [];
		this.#room = 0;
		return all;
	}
}
