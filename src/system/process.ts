// Programs are started as leaders of their own process group, so that everything they start in turn can be ended with them.
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";

export interface ProcessRequest {
	readonly file: string;
	readonly args: readonly string[];
	/** Absolute, and it exists: a missing one is reported by the system as a missing program. */
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** Written to standard input, which is then closed. Left out: standard input is /dev/null. */
	readonly input?: string;
	/** Called with each piece of output until all writers are gone, also after the exit when something it started lives on. */
	readonly onOutput: (chunk: Buffer) => void;
	/** Left out: standard error goes through the same pipe as standard output, so that both come in the order they were written. */
	readonly onError?: (chunk: Buffer) => void;
}

export interface ProcessExit {
	/** Null when a signal ended it. */
	readonly exitCode: number | null;
	readonly signal: NodeJS.Signals | null;
	/** Something it started still holds its output open. */
	readonly leftRunning: boolean;
}

export interface RunningProcess {
	/** Also the id of its process group. */
	readonly pid: number;
	/** Resolves shortly after the program itself has exited; what it wrote has then been handed on. Never rejects. */
	readonly exited: Promise<ProcessExit>;
	/** Ends the group: SIGTERM, then SIGKILL after `graceMs`. Resolves when it is gone. */
	end(graceMs: number): Promise<void>;
}

/** A program that could not be started at all. */
export class ProcessStartError extends Error {
	override readonly name = "ProcessStartError";
	/** The system's own code, for example `ENOENT` or `E2BIG`. */
	readonly code: string | undefined;

	constructor(file: string, cause: unknown) {
		const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
		super(`'${file}' could not be started: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
		this.code = code;
	}
}

const drainMs = 50;
const drainLimitMs = 1_000;
const afterExitBytes = 64 * 1024 * 1024;

/** @throws ProcessStartError when there is no such program, or the system refuses to start it. */
export async function startProcess(request: ProcessRequest): Promise<RunningProcess> {
	const pipes = await openPipes(request.onError ? ["output", "errors"] : ["output"]);
	let child: ChildProcess;
	try {
		child = await spawned(request, pipes.map(({ write }) => write));
	} catch (cause) {
		for (const { read } of pipes) read.destroy();
		throw new ProcessStartError(request.file, cause);
	} finally {
		for (const { write } of pipes) closeSync(write);
	}
	const pid = child.pid!;

	let open = 0;
	let received = 0;
	let spare = Number.POSITIVE_INFINITY;
	const closed = Promise.withResolvers<void>();
	const streams: Readable[] = [];
	const listen = (stream: Readable | null | undefined, sink: (chunk: Buffer) => void) => {
		if (!stream) return;
		open++;
		streams.push(stream);
		stream.on("data", (chunk: Buffer) => {
			received += chunk.length;
			sink(chunk);
			// A survivor keeps its pipe, or its next log line would end it; one that floods it for ever does not.
			if ((spare -= chunk.length) < 0) stream.destroy();
		});
		// A pipe that breaks is over like one that ends: 'close' follows.
		stream.on("error", () => {});
		stream.on("close", () => --open === 0 && closed.resolve());
	};
	listen(pipes[0]?.read, request.onOutput);
	listen(pipes[1]?.read, request.onError ?? request.onOutput);
	listen(child.stdout, request.onOutput);
	listen(child.stderr, request.onError ?? request.onOutput);

	// Not until 'close': a grandchild that holds the pipe open would keep us waiting as long as it lives.
	const drained = async () => {
		const limit = performance.now() + drainLimitMs;
		for (let before = -1; open > 0 && received !== before && performance.now() < limit; ) {
			before = received;
			let timer: NodeJS.Timeout | undefined;
			await Promise.race([closed.promise, new Promise((resolve) => (timer = setTimeout(resolve, drainMs)))]);
			clearTimeout(timer);
			// After a busy moment of our own the timer comes before bytes that are already waiting: look once more.
			await turnOfTheLoop();
		}
	};

	let groupGone = false;
	const exited = new Promise<ProcessExit>((resolve) => {
		child.once("exit", async (exitCode, signal) => {
			spare = afterExitBytes;
			// From here on the system may give the number to somebody else, unless members of the group keep it taken.
			groupGone = !signalGroup(pid, 0);
			await drained();
			for (const stream of streams) if (stream instanceof Socket) stream.unref();
			resolve({ exitCode, signal, leftRunning: open > 0 });
		});
	});

	return { pid, exited, end: async (graceMs) => (groupGone ? undefined : killGroup(pid, graceMs)) };
}

async function spawned(request: ProcessRequest, [output = "pipe", errors = output]: readonly (number | "pipe")[]): Promise<ChildProcess> {
	const input = request.input === undefined ? "ignore" : "pipe";
	const options: SpawnOptions = {
		cwd: request.cwd,
		env: request.env,
		detached: true,
		stdio: [input, output, errors],
	};
	const child = spawn(request.file, request.args, options);
	if (child.stdin) {
		// A program may exit without reading its input; that is no failure of ours.
		child.stdin.on("error", () => {});
		child.stdin.end(request.input);
	}
	if (child.pid === undefined) await new Promise((_, reject) => child.once("error", reject));
	// Later errors of a running child (a signal that could not be sent) show in its exit.
	child.on("error", () => {});
	return child;
}

interface Pipe {
	readonly read: Socket;
	readonly write: number;
}

/**
 * Real pipes, one for each name. Node's own are sockets: two of them lose the order, and `echo x > /dev/stderr` fails on a socket.
 * None where no named pipe can be made; then the sockets have to do.
 */
async function openPipes(names: readonly string[]): Promise<readonly Pipe[]> {
	let folder: string | undefined;
	const opened: Pipe[] = [];
	try {
		folder = await mkdtemp(join(tmpdir(), "hookline-"));
		const paths = names.map((name) => join(folder!, name));
		const made = spawn("mkfifo", ["-m", "600", ...paths], { stdio: "ignore" });
		await new Promise((resolve, reject) => made.once("exit", resolve).once("error", reject));
		for (const path of paths) opened.push(openPipe(path));
		return opened;
	} catch {
		for (const { read, write } of opened) {
			read.destroy();
			closeSync(write);
		}
		return [];
	} finally {
		if (folder !== undefined) await rm(folder, { recursive: true, force: true });
	}
}

function openPipe(path: string): Pipe {
	const read = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
	try {
		return { read, write: openSync(path, constants.O_WRONLY) };
	} catch (error) {
		read.destroy();
		throw error;
	}
}

/** Ends a process group: SIGTERM, then SIGKILL after `graceMs`. A group that does not exist is fine. Resolves when it is gone. */
export async function killGroup(pid: number, graceMs: number): Promise<void> {
	// -1 would be everybody's processes and 0 our own group.
	if (!Number.isSafeInteger(pid) || pid <= 1) throw new RangeError(`${pid} is not the id of a process group that can be ended.`);
	if (!signalGroup(pid, "SIGTERM") || (await gone(pid, graceMs))) return;
	signalGroup(pid, "SIGKILL");
	// Bounded: a dead member that its parent never collects (a container without an init) stays in the table for ever.
	await gone(pid, 1_000);
}

/** False when there is no such group. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(-pid, signal);
	} catch (error) {
		return !(error instanceof Error && "code" in error && error.code === "ESRCH");
	}
}

async function gone(pid: number, withinMs: number): Promise<boolean> {
	const limit = performance.now() + withinMs;
	for (let waitMs = 2; signalGroup(pid, 0); waitMs = Math.min(waitMs * 2, 50)) {
		if (waitMs > 10 && (await onlyDead(pid))) return true;
		if (performance.now() >= limit) return false;
		await new Promise((resolve) => setTimeout(resolve, waitMs));
	}
	return true;
}

/**
 * Whether all members of the group are dead and only wait to be collected. In a container whose first process collects nobody they stay so,
 * and waiting for them would use up the whole grace period. Told from Linux' process table; false where there is none.
 */
async function onlyDead(group: number): Promise<boolean> {
	const entries = await readdir("/proc").catch(() => []);
	let members = 0;
	for (const entry of entries) {
		if (!/^\d+$/.test(entry)) continue;
		const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
		// The name stands in brackets and may hold anything; state, parent and group follow it.
		const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		if (pgrp !== String(group)) continue;
		if (state !== "Z" && state !== "X") return false;
		members++;
	}
	return members > 0;
}
