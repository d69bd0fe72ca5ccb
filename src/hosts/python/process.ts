// One Python process that runs hooks: how it is started, what goes in and out, and how it ends. Between it and us stands the keeper (keeper.py), which ends
// all of it when we are gone.
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { createNotes, type Notes } from "../node/notes.ts";
import { Output } from "../node/output.ts";
import { Lines } from "../protocol.ts";
import { type FromPython, readFromPython, type ToPython } from "./protocol.ts";

export interface PythonProcessOptions {
	/** Absolute. */
	readonly executable: string;
	/** Beside the harmless variables of ours. */
	readonly environment?: Readonly<Record<string, string>> | undefined;
	readonly onMessage: (message: FromPython) => void;
	/** A line that was printed; the number of the unit, when known. */
	readonly onPrinted: (unit: number | undefined, line: string) => void;
	/** Told once, after everything that was on its way. */
	readonly onEnd: (end: PythonEnd) => void;
}

export interface PythonEnd {
	/** `ended` in words, with whoever it was as the subject: `called os._exit(3)`. */
	readonly did: string;
	/** The number of the unit that is to blame, when known. */
	readonly unit: number | undefined;
	/** The call whose callback began last; below zero the unit that was being loaded. */
	readonly lastBegun: number;
	/** False when it never came up. */
	readonly started: boolean;
}

const program = fileURLToPath(new URL("main.py", import.meta.url));
const drainMs = 50;
const closeMs = 1_000;
/** For a keeper that does not do its work, as user code has stopped or ended it. */
const keeperMs = 500;
// Reversed: of two names for a number the first is the usual one (SIGABRT before SIGIOT).
const signalNames = new Map(Object.entries(constants.signals).toReversed().map(([name, number]) => [number, name]));
const passedOn = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_\w+|PYENV_\w+|HOOKLINE_HOME|SSL_CERT_\w+|\w+_proxy|\w+_PROXY)$/;

export class PythonProcess {
	readonly #options: PythonProcessOptions;
	readonly #child: ChildProcess;
	readonly #life: Socket;
	readonly #notes: Notes | undefined;
	readonly #output: Output;
	readonly #gone = Promise.withResolvers<void>();
	#queue = "";
	#started = false;
	#killed: { readonly did: string; readonly unit: number | undefined } | undefined;
	#status = "";
	#over = false;

	/** Starts it. What fails later shows in its end. @throws the system's error when it has no process to give. */
	constructor(options: PythonProcessOptions) {
		this.#options = options;
		this.#output = new Output((unit, line) => options.onPrinted(unit === 0 ? undefined : unit, line));
		this.#notes = createNotes();
		this.#child = spawn(options.executable, [program], {
			// No secrets, and nothing that changes what Python imports.
			env: { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name))), ...options.environment },
			// A session of its own: what hooks start goes with it, and a Ctrl-C at the terminal is ours alone.
			detached: true,
			stdio: ["pipe", "pipe", "pipe", "pipe", this.#notes?.fd ?? "ignore"],
		});
		this.#life = this.#child.stdio[3] as Socket;
		this.#listen();
		this.unref();
	}

	send(message: ToPython): void {
		this.sendText(JSON.stringify(message));
	}

	/** Sends one message that is JSON already. What is sent in one go of the event loop is written at once. */
	sendText(json: string): void {
		if (this.#queue === "") queueMicrotask(() => this.#write());
		this.#queue += `${json}\n`;
	}

	/** Keeps our process alive while something is expected. */
	ref(): void {
		(this.#child.stdout as Socket).ref();
	}

	unref(): void {
		this.#child.unref();
		for (const stream of this.#child.stdio) (stream as Socket | null)?.unref();
	}

	/** Ends it and everything it started, now. `did` says why, with the unit to blame as the subject. */
	kill(did: string, unit?: number): void {
		this.#killed ??= { did, unit };
		this.#life.destroy();
		setTimeout(() => this.#killGroup(), keeperMs).unref();
	}

	/** Lets it unload its units and end by itself, and ends it when it does not. Resolves when it is gone. */
	async close(): Promise<void> {
		this.#child.ref();
		this.#write();
		this.#child.stdin!.end();
		const timer = setTimeout(() => this.kill("was closed"), closeMs);
		await this.#gone.promise;
		clearTimeout(timer);
	}

	#listen(): void {
		const { stdin, stdout, stderr } = this.#child as unknown as { readonly stdin: Socket; readonly stdout: Socket; readonly stderr: Socket };
		const lines = new Lines();
		// It writes ASCII, with everything else escaped.
		stdout.setEncoding("latin1");
		stdout.on("data", (piece: string) => {
			for (const line of lines.push(piece, () => this.kill("sent a line over 16 MiB"))) this.#read(line);
		});
		stderr.on("data", (piece: Buffer) => this.#output.push(piece));
		this.#life.on("data", (piece: Buffer) => (this.#status += piece.toString()));
		for (const stream of [stdin, stdout, stderr, this.#life]) stream.on("error", () => {});
		this.#child.once("error", (error) => this.#end(error.message));
		this.#child.once("exit", (code, signal) => void this.#exited(code, signal));
	}

	#read(line: string): void {
		if (this.#killed !== undefined) return;
		const message = readFromPython(line);
		if (message === undefined) return this.kill("wrote into the pipe to Hookline what is no message");
		this.#started = true;
		this.#options.onMessage(message);
	}

	#write(): void {
		const text = this.#queue;
		this.#queue = "";
		if (text !== "" && this.#child.stdin!.writable) this.#child.stdin!.write(text);
	}

	async #exited(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
		// Nothing of it lives on, also when it was the keeper that was ended.
		this.#killGroup();
		let timer: NodeJS.Timeout | undefined;
		const drained = new Promise<void>((resolve) => {
			this.#child.once("close", resolve);
			// What left the group may hold the output open for ever.
			timer = setTimeout(resolve, drainMs);
		});
		await drained;
		clearTimeout(timer);
		this.#output.flush();
		const status = this.#status === "" ? undefined : Number(this.#status);
		// Without a keeper's word it never came as far as having one.
		const how = status === undefined ? (signal === null ? `exited with code ${code}` : `was ended by ${signal}`) : status < 0 ? `was ended by ${signalNames.get(-status) ?? `signal ${-status}`}` : `exited with code ${status}`;
		const said = this.#output.tail.trim();
		this.#end(this.#started || said === "" ? how : `${how}: ${said}`);
	}

	#end(how: string): void {
		if (this.#over) return;
		this.#over = true;
		const words = this.#notes?.lastWords();
		const killed = this.#killed;
		const end: PythonEnd = { did: killed?.did ?? words?.did ?? how, unit: killed?.unit ?? words?.extension, lastBegun: this.#notes?.runningCall() ?? 0, started: this.#started };
		this.#notes?.[Symbol.dispose]();
		for (const stream of this.#child.stdio) stream?.destroy();
		this.#options.onEnd(end);
		this.#gone.resolve();
	}

	#killGroup(): void {
		if (this.#child.pid === undefined || this.#over) return;
		try {
			process.kill(-this.#child.pid, "SIGKILL");
		} catch {
			// Nobody is left in it.
		}
	}
}
