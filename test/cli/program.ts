// `bin/hookline`, started as people start it: a process with a home and a working folder of its own. Nothing of the machine's own settings gets in.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SessionSummary } from "../../src/stores/sessions.ts";
import type { DispatchRecord } from "../../src/events/record.ts";
import { eventually } from "../../src/system/test-waiting.ts";

const repository = dirname(dirname(import.meta.dirname));
export const launcher = join(repository, "bin/hookline");
const terminalProgram = join(repository, "test/programs/terminal.py");
/** A program of the tests that hangs ends after this unless it is given longer, in ms, and the test says so. */
const longestMs = 60_000;

export interface Ended {
	/** The exit code, or the name of the signal that ended it. */
	readonly code: number | string;
	readonly stdout: string;
	readonly stderr: string;
}

export interface StartOptions {
	/** What comes in by a pipe, which is then closed. Left out: nothing. */
	readonly stdin?: string;
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
	/** Started in the place of `bin/hookline`. */
	readonly program?: readonly string[];
	/** After this it is killed, in ms. */
	readonly limitMs?: number;
}

export interface Running {
	readonly pid: number;
	/** What it has written so far. */
	readonly stdout: string;
	readonly stderr: string;
	/** Called with each piece of stdout from now on. */
	onOutput(heard: (text: string) => void): void;
	/** Settles when it has exited and all it wrote is here. */
	readonly ended: Promise<Ended>;
	/** Waits until stdout and stderr together hold a text; gives them. */
	shows(text: string | RegExp): Promise<string>;
	write(text: string): void;
	/** Nobody reads its output from now on. */
	stopReading(): void;
	signal(name: NodeJS.Signals): void;
}

/** A home and a working folder. Disposing of it ends what still runs and removes both. */
export class Place implements AsyncDisposable {
	readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-e2e-")));
	readonly home = join(this.folder, "home");
	readonly work = join(this.folder, "work");
	readonly #running = new Set<ChildProcessWithoutNullStreams>();

	constructor() {
		mkdirSync(join(this.home, "extensions"), { recursive: true });
		mkdirSync(this.work);
	}

	/** Writes a file below the extensions folder; gives its path. */
	extension(name: string, text: string): string {
		const file = join(this.home, "extensions", name);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
		return file;
	}

	config(text: string | Uint8Array): string {
		const file = join(this.home, "config.yaml");
		writeFileSync(file, text);
		return file;
	}

	/** Whether a file was made in the working folder. */
	made(name: string): boolean {
		return existsSync(join(this.work, name));
	}

	read(name: string): string {
		return readFileSync(join(this.work, name), "utf8");
	}

	/** Runs it to its end. */
	async run(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
		const running = this.start(args, { stdin: "", ...options });
		return running.ended;
	}

	/** Starts it and leaves its input open, unless it was given. */
	start(args: readonly string[], options: StartOptions = {}): Running {
		const [file = launcher, ...before] = options.program ?? [];
		return this.#spawn(file, [...before, ...args], options);
	}

	/** Starts it on a pseudo-terminal that can do nothing but lines: what it writes, on either output, comes as stdout. */
	onTerminal(args: readonly string[], options: StartOptions = {}): Running {
		return this.#spawn("python3", [terminalProgram, ...(options.program ?? [launcher]), ...args], options);
	}

	/** Without what Hookline's own guard let pass: it is in every record of a tool call. */
	async trace(...args: readonly string[]): Promise<readonly DispatchRecord[]> {
		const { stdout } = await this.run(["hooks", "trace", "--json", "--limit", "1000", ...args]);
		return stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line) as DispatchRecord).map((record) => ({ ...record, hooks: record.hooks.filter(({ hook, decision }) => hook !== "hookline/approvals" || decision !== "pass") }));
	}

	async sessions(): Promise<readonly SessionSummary[]> {
		return JSON.parse((await this.run(["sessions", "--json"])).stdout) as SessionSummary[];
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const child of this.#running) {
			const gone = new Promise((resolve) => child.once("close", resolve));
			child.kill("SIGKILL");
			await gone;
		}
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
	}

	#spawn(file: string, args: readonly string[], { stdin, env, cwd, limitMs = longestMs }: StartOptions): Running {
		const child = spawn(file, args, { cwd: cwd ?? this.work, env: { ...this.#environment(), ...env }, stdio: "pipe" });
		this.#running.add(child);
		let stdout = "";
		let stderr = "";
		let news = Promise.withResolvers<void>();
		const heard = () => {
			news.resolve();
			news = Promise.withResolvers();
		};
		child.stdout.setEncoding("utf8").on("data", (text: string) => void ((stdout += text), heard()));
		child.stderr.setEncoding("utf8").on("data", (text: string) => void ((stderr += text), heard()));
		// It may end without having read its input.
		child.stdin.on("error", () => {});
		if (stdin !== undefined) child.stdin.end(stdin);
		const limit = setTimeout(() => child.kill("SIGKILL"), limitMs);
		let over = false;
		const ended = new Promise<Ended>((resolve, reject) => {
			child.once("error", reject);
			child.once("close", (code, signal) => {
				clearTimeout(limit);
				this.#running.delete(child);
				over = true;
				heard();
				resolve({ code: code ?? String(signal), stdout, stderr });
			});
		});
		return {
			pid: child.pid ?? 0,
			get stdout() {
				return stdout;
			},
			get stderr() {
				return stderr;
			},
			ended,
			async shows(text) {
				const found = () => (typeof text === "string" ? (stdout + stderr).includes(text) : text.test(stdout + stderr));
				while (!found()) {
					if (over) throw new Error(`it ended without showing ${String(text)}:\n${stdout}${stderr}`);
					await news.promise;
				}
				return stdout + stderr;
			},
			write: (text) => void child.stdin.write(text),
			onOutput: (heard) => void child.stdout.on("data", heard),
			stopReading: () => child.stdout.destroy(),
			signal: (name) => void child.kill(name),
		};
	}

	#environment(): Record<string, string> {
		const kept = Object.entries(process.env).filter(([name]) => ["PATH", "LANG", "TMPDIR", "NODE_COMPILE_CACHE"].includes(name) || name.startsWith("PYENV"));
		const cache = join(repository, "node_modules/.cache/hookline-compile");
		return { NODE_COMPILE_CACHE: cache, TERM: "dumb", ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""])), HOME: this.folder, HOOKLINE_HOME: this.home };
	}
}

/** Waits for a file that a program of the test writes, and gives its text. */
export async function fileWritten(path: string): Promise<string> {
	await eventually(() => existsSync(path) && readFileSync(path, "utf8").endsWith("\n"), `${path} is written`);
	return readFileSync(path, "utf8").trim();
}

/** What a program wrote as one JSON object a line. */
export const jsonLines = (text: string): readonly Record<string, unknown>[] => text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);

/** A prompt for the rehearsal model: one call of the terminal. */
export const callTerminal = (command: string): string => `CALL terminal ${JSON.stringify({ command })}`;

/** The text of an extension file. */
export const extension = (body: string): string => `import { allow, ask, block, defineExtension, inject, pass, respond, rewrite } from "hookline";\nexport default defineExtension((hooks) => {\n${body}\n});\n`;
