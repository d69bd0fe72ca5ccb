// Programs the bench starts, and lines to and from them.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** A path to a file in bench/programs. */
export const program = (name: string): string => fileURLToPath(new URL(`programs/${name}`, import.meta.url));

/** A program that is asked in lines and answers in lines. Its standard error is ours. */
export class LineChild implements AsyncDisposable {
	readonly #child: ChildProcess;
	readonly #gone: Promise<void>;
	#waiting: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void } | undefined;
	#lines: string[] = [];
	#over: Error | undefined;

	constructor(command: string, args: readonly string[], cwd?: string) {
		this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], cwd });
		// A program that cannot be started or has ended is told of below, with a better reason than a broken pipe.
		this.#child.stdin!.on("error", () => {});
		createInterface({ input: this.#child.stdout! }).on("line", (line) => {
			if (this.#waiting === undefined) this.#lines.push(line);
			else this.#waiting.resolve(line);
			this.#waiting = undefined;
		});
		this.#gone = new Promise((resolve) => {
			const end = (why: string) => {
				this.#over = new Error(why);
				this.#waiting?.reject(this.#over);
				resolve();
			};
			this.#child.once("error", (error) => end(`'${command}' cannot be started: ${error.message}`));
			this.#child.once("exit", (code, signal) => end(`'${command}' ended (${signal ?? code})`));
		});
	}

	/** The next line it prints. One waiter at a time. */
	line(): Promise<string> {
		const ready = this.#lines.shift();
		if (ready !== undefined) return Promise.resolve(ready);
		if (this.#over !== undefined) return Promise.reject(this.#over);
		return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
	}

	/** Sends a line and gives the answer to it. */
	ask(line: string): Promise<string> {
		this.#child.stdin!.write(`${line}\n`);
		return this.line();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#child.stdin?.end();
		this.#child.kill();
		await this.#gone;
	}
}

/** A folder that is gone when it is disposed of. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
	const path = await mkdtemp(join(tmpdir(), "hookline-bench-"));
	return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** What the system charged for one run of a command: ns of wall time and of CPU with everything it waited for, bytes at most resident. */
export interface Usage {
	readonly wall: number;
	readonly cpu: number;
	readonly rss: number;
	readonly code: number;
}

/** Runs commands to their end and measures them. Needs Python, see wait4.py. */
export class Stopwatch implements AsyncDisposable {
	readonly #python: LineChild;
	readonly #environment: Readonly<Record<string, string>>;

	/** `environment` is added to a small one of our own: nothing of the caller's settings counts. */
	constructor(cwd: string, environment: Readonly<Record<string, string>>) {
		this.#python = new LineChild("python3", [program("wait4.py")], cwd);
		this.#environment = { PATH: process.env["PATH"] ?? "", HOME: cwd, LANG: "C.UTF-8", ...environment };
	}

	/** @throws Error when the command failed: its figures would mean nothing. */
	async run(argv: readonly string[]): Promise<Usage> {
		const usage = JSON.parse(await this.#python.ask(JSON.stringify({ argv, env: this.#environment }))) as Usage;
		if (usage.code !== 0) throw new Error(`'${argv.slice(0, 2).join(" ")}' ended with exit code ${usage.code}`);
		return usage;
	}

	/** Runs each command `rounds` times, in turns, after one run of each that does not count. */
	async race(commands: readonly (readonly string[])[], rounds: number): Promise<readonly (readonly Usage[])[]> {
		const usages = commands.map((): Usage[] => []);
		for (const command of commands) await this.run(command);
		for (let round = 0; round < rounds; round++) for (const [i, command] of commands.entries()) usages[i]!.push(await this.run(command));
		return usages;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#python[Symbol.asyncDispose]();
	}
}
