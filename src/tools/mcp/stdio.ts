// A server that is a program of ours: one JSON message a line on its standard input and output. Started in a group of its own, which ends with us.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { killGroup } from "../../system/process.ts";
import { findOnPath } from "../search-ripgrep.ts";
import { Printed } from "./printed.ts";
import type { Program } from "./settings.ts";

/** With an end together with ours, however we end: only the system can see to that. */
const launcher = `if setpriv --pdeathsig KILL true 2>/dev/null; then exec setpriv --pdeathsig KILL "$@"; fi; exec "$@"`;
/** Of one message, in bytes. */
const longestMessage = 64 * 1024 * 1024;
const drainMs = 50;
/** How long a server may take to end by itself when its input has ended, and again when it is asked to, in ms. */
const goodbyeMs = 500;
const longestGoodbyeMs = 3_000;

/** Killed when this process exits without having closed them. */
const alive = new Set<number>();
const killAll = (): void => {
	for (const pid of alive) killNow(pid);
};

export class StdioTransport implements Transport {
	onclose?: (() => void) | undefined;
	onerror?: ((error: Error) => void) | undefined;
	onmessage?: (<Message extends JSONRPCMessage>(message: Message) => void) | undefined;
	readonly #program: Program;
	readonly #printed: Printed;
	readonly #ended = Promise.withResolvers<void>();
	#child: ChildProcess | undefined;
	#pieces: Buffer[] = [];
	#size = 0;
	#killed: string | undefined;
	#end: string | undefined;
	#garbage = false;

	/** `log` gets what it prints, line by line. */
	constructor(program: Program, log: (line: string) => void) {
		this.#program = program;
		this.#printed = new Printed(log);
	}

	/** How it ended, with `it` as the subject and its last words; undefined while it runs. */
	get end(): string | undefined {
		return this.#end;
	}

	/** Whether it wrote on standard output what is no message. */
	get garbage(): boolean {
		return this.#garbage;
	}

	/** @throws Error in words of ours when it cannot be started. */
	async start(): Promise<void> {
		const { command, args, cwd, env } = this.#program;
		const file = command.includes("/") ? command : await findOnPath(command, env["PATH"] ?? "");
		if (file === undefined || !isFile(file)) throw new Error(`there is no program '${command}'${command.includes("/") ? "" : " on PATH"}`);
		if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`its working folder ${cwd} is no folder`);
		if (this.#killed !== undefined) throw new Error("it was ended before it began");
		// A group of its own: what it starts goes with it, and a Ctrl-C at the terminal is ours alone.
		const child = spawn("/bin/sh", ["-c", launcher, "sh", file, ...args], { cwd, env, detached: true, stdio: "pipe" });
		await once(child, "spawn");
		this.#child = child;
		if (alive.size === 0) process.on("exit", killAll);
		alive.add(child.pid!);
		child.on("error", () => {});
		// It may end without having read everything; its exit says more.
		child.stdin.on("error", () => {});
		child.stdout.on("data", (chunk: Buffer) => this.#take(chunk)).on("error", () => {});
		child.stderr.on("data", (chunk: Buffer) => this.#printed.push(chunk)).on("error", () => {});
		child.once("exit", (code, signal) => void this.#exited(code, signal));
	}

	async send(message: JSONRPCMessage): Promise<void> {
		if (!this.#child?.stdin?.writable) throw new Error("its standard input is closed");
		// Not awaited: a server that does not read has the time of the call, like one that does not answer.
		this.#child.stdin.write(`${JSON.stringify(message)}\n`);
	}

	/** Ends its input, then asks its group to end, then ends it. Resolves when it is gone. */
	async close(): Promise<void> {
		this.#killed ??= "was ended by Hookline";
		const pid = this.#child?.pid;
		if (pid === undefined) return this.onclose?.();
		this.#child!.stdin!.end();
		const timer = setTimeout(() => void killGroup(pid, goodbyeMs), goodbyeMs);
		// Bounded: a process that hangs in the system itself cannot be ended by anybody.
		await Promise.race([this.#ended.promise, new Promise((resolve) => setTimeout(resolve, longestGoodbyeMs).unref())]);
		clearTimeout(timer);
		this.#letGo();
	}

	#take(chunk: Buffer): void {
		if (this.#killed !== undefined) return;
		let from = 0;
		for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
			const line = Buffer.concat([...this.#pieces, chunk.subarray(from, at)]).toString();
			this.#pieces = [];
			this.#size = 0;
			from = at + 1;
			if (line.trim() !== "") this.#read(line);
		}
		this.#pieces.push(chunk.subarray(from));
		this.#size += chunk.length - from;
		if (this.#size <= longestMessage) return;
		this.#pieces = [];
		this.#killed = `sent a message of more than ${longestMessage / 1024 ** 2} MB and was ended for it`;
		killNow(this.#child!.pid!);
	}

	#read(line: string): void {
		let message: JSONRPCMessage;
		try {
			message = parseJSONRPCMessage(JSON.parse(line));
		} catch {
			// Some print their log there. What is meant for us is still understood.
			this.#garbage = true;
			this.#printed.line(`wrote to standard output what is no message: ${line.slice(0, 1_000)}`);
			return;
		}
		this.onmessage?.(message);
	}

	/** Nothing of it keeps our own process alive. */
	#letGo(): void {
		this.#child?.unref();
		for (const stream of [this.#child?.stdin, this.#child?.stdout, this.#child?.stderr]) stream?.destroy();
	}

	async #exited(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
		const pid = this.#child!.pid!;
		// What it started must not live on.
		killNow(pid);
		alive.delete(pid);
		if (alive.size === 0) process.off("exit", killAll);
		let timer: NodeJS.Timeout | undefined;
		// A grandchild that left the group may hold the output open for ever.
		await Promise.race([once(this.#child!, "close"), new Promise((resolve) => (timer = setTimeout(resolve, drainMs)))]);
		clearTimeout(timer);
		this.#letGo();
		const { last } = this.#printed;
		this.#printed.flush();
		const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
		this.#end = this.#killed ?? (last === "" ? how : `${how} (the last it printed: ${last})`);
		this.onclose?.();
		this.#ended.resolve();
	}
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function killNow(pid: number): void {
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// Nobody is left in it.
	}
}
