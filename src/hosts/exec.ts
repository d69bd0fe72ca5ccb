// A program that an extension runs: never through a shell, as leader of a process group that ends with it.
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Executed, ExecOptions } from "../events/api.ts";
import { BoundedOutput } from "../system/bounded-output.ts";
import { startProcess } from "../system/process.ts";
import { isSecretVariable } from "../system/redact.ts";

const defaultMs = 60_000;
const defaultBytes = 1024 * 1024;
const graceMs = 500;

export interface ExecRequest extends Omit<ExecOptions, "signal"> {
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
}

/** @throws Error in words for the author: it cannot be started, its time is up, or the signal's reason. */
export async function exec(request: ExecRequest, inherited: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Executed> {
	const { command, args, cwd, input, env, timeoutMs = defaultMs, maxBytes = defaultBytes } = request;
	signal.throwIfAborted();
	if (!isAbsolute(cwd) || !(await stat(cwd).catch(() => undefined))?.isDirectory()) throw new Error(`'${command}' was not started: there is no folder '${cwd}'.`);
	const [stdout, stderr] = [new BoundedOutput(maxBytes / 2, maxBytes / 2), new BoundedOutput(maxBytes / 2, maxBytes / 2)];
	const running = await startProcess({
		file: command,
		args,
		cwd,
		env: { ...withoutSecrets(inherited), ...env },
		...(input !== undefined && { input }),
		onOutput: (chunk) => stdout.push(chunk),
		onError: (chunk) => stderr.push(chunk),
	});
	const end = Promise.withResolvers<never>();
	const stop = () => end.reject(signal.reason);
	const timer = setTimeout(() => end.reject(new Error(`'${command}' was still running after ${timeoutMs} ms and was ended.`)), timeoutMs);
	signal.addEventListener("abort", stop, { once: true });
	if (signal.aborted) stop();
	try {
		const { exitCode, signal: endedBy } = await Promise.race([running.exited, end.promise]);
		return { exitCode, signal: endedBy, stdout: stdout.text(), stderr: stderr.text() };
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", stop);
		// Also what it left running.
		await running.end(graceMs);
	}
}

const withoutSecrets = (from: NodeJS.ProcessEnv): NodeJS.ProcessEnv => Object.fromEntries(Object.entries(from).filter(([name]) => !isSecretVariable(name)));
