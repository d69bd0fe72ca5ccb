// Our end of spawner.py, a small process that starts programs for us. Node's own spawn holds up the event loop for as long as our memory is large.
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants as modes } from "node:fs";
import { constants } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { killGroup } from "../../system/process.ts";
import { type Ended, StartError, type Started, type StartRequest, WayEnded } from "./started.ts";
import { within } from "./within.ts";

const program = fileURLToPath(new URL("spawner.py", import.meta.url));
/** Far beyond what it takes, also on a machine that is busy. */
const readyMs = 5_000;
const closeMs = 500;
/** When it does not answer a signal for so long it is stuck: stopped, most likely. */
const silenceMs = 5_000;
/** Characters of what it says about its own end. */
const lastWords = 500;

/** What spawner.py answers. */
type Answer =
	| { readonly ready: true }
	| { readonly id: number; readonly pid: number; readonly code: number; readonly out: number; readonly err: number; readonly cut: boolean }
	| { readonly id: number; readonly error: string; readonly at: "cwd" | "file" }
	| { readonly id: number; readonly signalled: number };

interface Run extends PromiseWithResolvers<Ended> {
	/** Ends the spawner when it does not answer our signal. */
	silence?: NodeJS.Timeout;
}

export class Spawner {
	readonly #child: ChildProcess;
	readonly #runs = new Map<number, Run>();
	readonly #gone = Promise.withResolvers<void>();
	readonly #ready = Promise.withResolvers<string | undefined>();
	readonly #onEnd: (why: string) => void;
	#numbers = 0;
	#pieces: Buffer[] = [];
	#size = 0;
	/** Bytes that are needed before reading on makes sense. */
	#needed = 0;
	#isReady = false;
	#over = false;
	#said = "";
	#killed: string | undefined;

	/** `onEnd` is told once when it ends after it was ready, before its runs fail. @throws the system's error when it has no process to give. */
	constructor(python: string, onEnd: (why: string) => void) {
		this.#onEnd = onEnd;
		// Isolated: no variable and no file of anybody decides what it imports.
		this.#child = spawn(python, ["-I", "-S", "-X", "utf8", program], {
			cwd: "/",
			env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
			// In a session of its own: a Ctrl-C at the terminal is ours alone.
			detached: true,
			stdio: ["pipe", "pipe", "pipe", "pipe"],
		});
		const streams = this.#child.stdio as unknown as readonly [Socket, Socket, Socket, Socket];
		const [, stdout, stderr] = streams;
		// A pipe that breaks is over like one that ends.
		for (const stream of streams) stream.on("error", () => {});
		stdout.on("data", (piece: Buffer) => this.#hear(piece));
		stderr.on("data", (piece: Buffer) => (this.#said = `${this.#said}${piece.toString()}`.slice(-lastWords)));
		this.#child.once("error", (error) => this.#ended(error.message));
		// Else nobody would wait for the end of the pipes.
		this.#child.once("exit", () => streams.forEach((stream) => stream.ref()));
		// Not on its exit: its last answers, and its last words, may still be on their way.
		this.#child.once("close", (code, signal) => this.#ended(this.#said.trim() || (signal === null ? `exited with code ${code}` : `was ended by ${signal}`)));
		const timer = setTimeout(() => this.#kill(`was not ready within ${readyMs / 1000} s`), readyMs);
		void this.#ready.promise.then(() => clearTimeout(timer));
		this.#unref();
		for (const stream of streams) stream.unref();
	}

	/** Resolves once: to undefined when it can be used, else to why not. */
	get ready(): Promise<string | undefined> {
		return this.#ready.promise;
	}

	/** Starts a program in a group and session of its own. What fails shows in `ended`. */
	start({ stdin, ...request }: StartRequest): Started {
		const id = ++this.#numbers;
		const run: Run = Promise.withResolvers<Ended>();
		if (this.#runs.size === 0) this.#ref();
		this.#runs.set(id, run);
		this.#write(0, `${JSON.stringify({ id, ...request, stdin: Buffer.byteLength(stdin) })}\n${stdin}`);
		const signal = (name: "SIGTERM" | "SIGKILL") => {
			run.silence ??= setTimeout(() => this.#kill("did not answer any more"), silenceMs).unref();
			this.#write(3, `${JSON.stringify({ id, signal: constants.signals[name] })}\n`);
		};
		return {
			ended: run.promise,
			end: async (graceMs) => {
				const limit = performance.now() + graceMs;
				signal("SIGTERM");
				const ended = await within(graceMs, run.promise);
				if (ended === undefined) {
					signal("SIGKILL");
					await run.promise.catch(() => {});
				} else await killGroup(ended.pid, Math.max(0, limit - performance.now()));
			},
		};
	}

	/** Ends it, and everything that still runs. Resolves when it is gone. */
	async close(): Promise<void> {
		const timer = setTimeout(() => this.#kill("was closed"), closeMs);
		this.#ref();
		this.#child.stdin!.end();
		await this.#gone.promise;
		clearTimeout(timer);
	}

	#hear(piece: Buffer): void {
		this.#pieces.push(piece);
		this.#size += piece.length;
		if (this.#size < this.#needed) return;
		let bytes = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces);
		this.#needed = 0;
		for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
			const answer = read(bytes.toString("utf8", 0, end));
			if (answer === undefined) return this.#kill("wrote what is no answer");
			const size = "out" in answer ? answer.out + answer.err : 0;
			this.#needed = end + 1 + size;
			if (bytes.length < this.#needed) break;
			this.#take(answer, bytes.subarray(end + 1, this.#needed));
			bytes = bytes.subarray(this.#needed);
			this.#needed = 0;
		}
		this.#pieces = bytes.length === 0 ? [] : [bytes];
		this.#size = bytes.length;
	}

	#take(answer: Answer, output: Buffer): void {
		if ("ready" in answer) {
			this.#isReady = true;
			this.#ready.resolve(undefined);
		} else if ("signalled" in answer) {
			const run = this.#runs.get(answer.id);
			clearTimeout(run?.silence);
		} else if ("error" in answer) this.#settle(answer.id)?.reject(new StartError(answer.error, answer.at === "cwd"));
		else {
			const { id, pid, code, out, cut } = answer;
			const signal = code < 0 ? (signalNames.get(-code) ?? `signal ${-code}`) : null;
			this.#settle(id)?.resolve({ pid, exitCode: code < 0 ? null : code, signal, stdout: output.subarray(0, out), stderr: output.subarray(out), truncated: cut });
		}
	}

	#settle(id: number): Run | undefined {
		const run = this.#runs.get(id);
		clearTimeout(run?.silence);
		this.#runs.delete(id);
		if (this.#runs.size === 0) this.#unref();
		return run;
	}

	#write(fd: 0 | 3, text: string): void {
		const stream = this.#child.stdio[fd] as Socket;
		if (stream.writable) stream.write(text);
	}

	#kill(why: string): void {
		this.#killed ??= why;
		this.#child.kill("SIGKILL");
	}

	#ended(how: string): void {
		if (this.#over) return;
		this.#over = true;
		const why = this.#killed ?? how;
		if (this.#isReady) this.#onEnd(why);
		this.#ready.resolve(why);
		for (const id of [...this.#runs.keys()]) this.#settle(id)?.reject(new WayEnded(why));
		this.#gone.resolve();
	}

	/** The child alone, as this is done for each run; its pipes do not outlive it. */
	#ref(): void {
		this.#child.ref();
	}

	/** With nothing to wait for it keeps nobody alive. */
	#unref(): void {
		this.#child.unref();
	}
}

/** The first name of each is the usual one. */
const signalNames = new Map(Object.entries(constants.signals).toReversed().map(([name, number]) => [number, name]));

function read(line: string): Answer | undefined {
	try {
		return JSON.parse(line) as Answer;
	} catch {
		return undefined;
	}
}

/** The system's own Python before one on PATH, which may be a slow wrapper, or somebody's project. Undefined where there is none. */
export function findPython(path: string): string | undefined {
	return ["/usr/bin", "/usr/local/bin", ...path.split(":")].filter(isAbsolute).map((folder) => join(folder, "python3")).find(isExecutable);
}

/** Sync: asked for once in the life of a process. */
export function isExecutable(file: string): boolean {
	try {
		accessSync(file, modes.X_OK);
		return true;
	} catch {
		return false;
	}
}
