// Processes that run on after the tool call that started them, until they are ended or the session is over.
import { BoundedOutput } from "../system/bounded-output.ts";
import { startProcess } from "../system/process.ts";
import type { BackgroundProcess, BackgroundProcesses } from "./tool.ts";

const ringBytes = 64 * 1024;
const graceMs = 2_000;

export interface BackgroundStart {
	readonly id: string;
	/** For people: what was asked for. */
	readonly command: string;
	readonly file: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
}

/** @throws ProcessStartError */
export async function startInBackground(start: BackgroundStart): Promise<BackgroundProcess> {
	const output = new BoundedOutput(0, ringBytes);
	const running = await startProcess({ ...start, onOutput: (chunk) => output.push(chunk) });
	let exitCode: number | null | undefined;
	const exited = running.exited.then((exit) => {
		exitCode = exit.exitCode;
	});
	return {
		id: start.id,
		command: start.command,
		pid: running.pid,
		get exitCode() {
			return exitCode;
		},
		read: () => output.take(),
		end: async () => {
			await running.end(graceMs);
			// Bounded: a process that hangs in the system itself cannot be ended by anybody.
			await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
		},
	};
}

/** The background processes of one session. Disposing of it ends them all, and any that is added later. */
export function backgroundProcesses(): BackgroundProcesses {
	const processes = new Map<string, BackgroundProcess>();
	let over = false;
	return {
		add(process) {
			processes.set(process.id, process);
			if (over) void process.end();
		},
		get: (id) => processes.get(id),
		get all() {
			return [...processes.values()];
		},
		async [Symbol.asyncDispose]() {
			over = true;
			await Promise.all([...processes.values()].map((process) => process.end()));
		},
	};
}
