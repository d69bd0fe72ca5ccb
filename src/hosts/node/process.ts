// One child process that runs extensions: how it is started, what goes in and out, how it ends, and who ended it.
import { type ChildProcess, spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { enclosedWord, type FromChild, type FromParent, Lines, readFromChild } from "../protocol.ts";
import { enclosed, type Enclosure } from "./enclosure.ts";
import { createNotes, type LastWords, type Notes } from "./notes.ts";
import { Output } from "./output.ts";

export interface ProcessOptions {
	readonly executable: string;
	/** Megabytes of JavaScript heap. */
	readonly maxMemoryMb: number;
	/** The border around it; none when not given. */
	readonly enclosure?: Enclosure | undefined;
	readonly onMessage: (message: FromChild) => void;
	/** A line that an extension printed; its number, when known. */
	readonly onPrinted: (extension: number | undefined, line: string) => void;
	/** Told once, after everything that was on its way. */
	readonly onEnd: (end: ProcessEnd) => void;
}

export interface ProcessEnd {
	/** `ended` in words, with whoever it was as the subject: `called process.exit(3)`. */
	readonly did: string;
	/** The number of the extension that named itself before it ended the process. */
	readonly extension: number | undefined;
	/** The call whose handler was on the stack. */
	readonly runningCall: number;
	/** We ended it, because it was stuck. */
	readonly stuck: boolean;
	/** False when it never came up. */
	readonly started: boolean;
}

// Limits that only a shell can set before Node starts: data outside of the heap (buffers), and an end together with ours, however we end.
const launcher = `ulimit -d "$1" 2>/dev/null; shift; if setpriv --pdeathsig KILL true 2>/dev/null; then exec setpriv --pdeathsig KILL "$@"; fi; exec "$@"`;
/** Node reserves about this much without using it. */
const dataBesideHeapKb = 1024 * 1024;
const drainMs = 50;
const closeMs = 500;
const entry = (name: string): string => fileURLToPath(new URL(`../${name}.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url));

/** Killed when this process exits, since a child that is stuck does not notice that it is alone. */
const alive = new Set<HostProcess>();
const killAll = (): void => {
	for (const child of alive) child.kill("Hookline ended");
};

export class HostProcess {
	readonly #options: ProcessOptions;
	readonly #child: ChildProcess;
	readonly #lines: Socket;
	readonly #notes: Notes | undefined;
	readonly #output: Output;
	#queue = "";
	#started = false;
	#killed: { readonly did: string; readonly stuck: boolean } | undefined;
	#hungUp: NodeJS.Timeout | undefined;
	readonly #ended = Promise.withResolvers<void>();

	/** Starts the process. What fails later shows in its end. @throws the system's error when it has no process to give. */
	constructor(options: ProcessOptions) {
		this.#options = options;
		this.#notes = createNotes();
		const { executable, maxMemoryMb, enclosure } = options;
		const dataKb = dataBesideHeapKb + 2 * maxMemoryMb * 1024;
		const quiet = ["--disable-warning=ExperimentalWarning", "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"];
		const node = [`--max-old-space-size=${maxMemoryMb}`, ...quiet];
		const words = enclosure === undefined ? [executable, ...node, entry("node-child")] : enclosed(enclosure, executable, node, [entry("node-child"), enclosedWord]);
		this.#child = spawn("/bin/sh", ["-c", launcher, "sh", String(dataKb), ...words], {
			env: enclosure?.env ?? childEnvironment(),
			// A group of its own: what extensions start goes with it, and a Ctrl-C at the terminal is ours alone.
			detached: true,
			stdio: ["ignore", "pipe", "pipe", "pipe", this.#notes?.fd ?? "ignore"],
		});
		this.#lines = this.#child.stdio[3] as Socket;
		this.#output = new Output(options.onPrinted);
		this.#listen();
		if (alive.size === 0) process.on("exit", killAll);
		alive.add(this);
	}

	send(message: FromParent): void {
		this.sendText(JSON.stringify(message));
	}

	/** Sends one message that is JSON already. What is sent in one go of the event loop is written at once. */
	sendText(json: string): void {
		if (this.#queue === "") queueMicrotask(() => this.#write());
		this.#queue += `${json}\n`;
	}

	/** Keeps our process alive while something is expected from the child. */
	ref(): void {
		this.#lines.ref();
	}

	unref(): void {
		this.#child.unref();
		for (const stream of [this.#lines, this.#child.stdout, this.#child.stderr] as (Socket | null)[]) stream?.unref();
	}

	/** Ends it and everything it started, now. `did` says why, with the guilty one as the subject. */
	kill(did: string, stuck = false): void {
		this.#killed ??= { did, stuck };
		this.#killGroup();
	}

	/** Lets it end by itself, as extensions may have something to put away, and ends it when it does not. Resolves when it is gone. */
	async close(): Promise<void> {
		this.#lines.end();
		const timer = setTimeout(() => this.#killGroup(), closeMs);
		this.#lines.ref();
		await this.#ended.promise;
		clearTimeout(timer);
	}

	#listen(): void {
		const lines = new Lines();
		this.#lines.setEncoding("utf8");
		this.#lines.on("data", (piece: string) => {
			for (const line of lines.push(piece, () => this.kill("sent a line over 16 MiB"))) this.#read(line);
		});
		// Most often it is about to exit, and its exit says more.
		const hangUp = () => (this.#hungUp ??= setTimeout(() => this.kill("closed the pipe to Hookline"), closeMs).unref());
		this.#lines.on("end", hangUp);
		this.#lines.on("error", hangUp);
		for (const stream of [this.#child.stdout, this.#child.stderr] as Readable[]) {
			stream.on("data", (chunk: Buffer) => this.#output.push(chunk));
			stream.on("error", () => {});
		}
		this.#child.once("error", (error) => this.#end(error.message));
		this.#child.once("exit", (code, signal) => void this.#exited(code, signal));
	}

	#read(line: string): void {
		if (this.#killed !== undefined) return;
		const message = readFromChild(line);
		if (message === undefined) return this.kill("wrote into the pipe to Hookline what is no message");
		this.#started = true;
		this.#options.onMessage(message);
	}

	#write(): void {
		const text = this.#queue;
		this.#queue = "";
		if (this.#lines.writable) this.#lines.write(text);
	}

	async #exited(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
		// What extensions started in there must not live on.
		this.#killGroup();
		let timer: NodeJS.Timeout | undefined;
		const drained = new Promise<void>((resolve) => {
			this.#child.once("close", resolve);
			// A grandchild that left the group may hold the output open for ever.
			timer = setTimeout(resolve, drainMs);
		});
		await drained;
		clearTimeout(timer);
		this.#output.flush();
		// bubblewrap tells of a signal as a shell does.
		const endedBy = signal ?? (this.#options.enclosure?.sandbox !== undefined && code !== null && code > 128 ? signalNames.get(code - 128) : undefined);
		const how = endedBy === undefined ? `exited with code ${code}` : `was ended by ${endedBy}`;
		const { tail } = this.#output;
		if (!this.#started) return this.#end(`${how}${tail === "" ? "" : `: ${tail.trim()}`}`);
		this.#end(/heap out of memory|process out of memory|FatalOOM/.test(tail) ? `used more memory than the ${this.#options.maxMemoryMb} MB it may` : how);
	}

	#end(how: string): void {
		if (!alive.delete(this)) return;
		if (alive.size === 0) process.off("exit", killAll);
		clearTimeout(this.#hungUp);
		const words: LastWords | undefined = this.#notes?.lastWords();
		const runningCall = this.#notes?.runningCall() ?? 0;
		const stuck = this.#killed?.stuck ?? false;
		const end: ProcessEnd = { did: this.#killed?.did ?? words?.did ?? how, extension: words?.extension, runningCall, stuck, started: this.#started };
		this.#notes?.[Symbol.dispose]();
		this.#lines.destroy();
		this.#options.onEnd(end);
		this.#ended.resolve();
	}

	#killGroup(): void {
		if (this.#child.pid === undefined) return;
		try {
			process.kill(-this.#child.pid, "SIGKILL");
		} catch {
			// Nobody is left in it.
		}
	}
}

/** Of two names the first: SIGABRT, not SIGIOT. */
const signalNames = new Map(Object.entries(constants.signals).reverse().map(([name, number]) => [number, name]));
const passedOn = /^(?:PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|HOOKLINE_HOME|NODE_COMPILE_CACHE)$/;

/** No secrets: the keys of the agent are none of an extension's business. */
export function childEnvironment(): NodeJS.ProcessEnv {
	const kept = Object.entries(process.env).filter(([name]) => passedOn.test(name));
	const cache = getCompileCacheDir();
	// Node names the folder with its version in it; the variable holds the one around it.
	return { ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }), ...Object.fromEntries(kept) };
}
