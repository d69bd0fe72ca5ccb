// npm and git, started by us: bounded in time and output, and ended with all they started.
import { ProcessStartError, startProcess } from "../../system/process.ts";
import { InstallError } from "./content.ts";

export interface ProgramOptions {
	readonly cwd: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly signal: AbortSignal;
	/** Gets what it writes instead of the result's `output`. What it throws ends the program, and is thrown. */
	readonly onOutput?: (piece: Buffer) => void;
}

export interface ProgramResult {
	readonly exitCode: number | null;
	readonly output: string;
	readonly errors: string;
}

const longestMs = 5 * 60_000;
const graceMs = 500;
const mostOutput = 1024 * 1024;

/** @throws InstallError when it is not there or takes too long; the signal's reason. */
export async function runProgram(name: string, args: readonly string[], { cwd, env, signal, onOutput }: ProgramOptions): Promise<ProgramResult> {
	signal.throwIfAborted();
	let output = "";
	let errors = "";
	const failed = Promise.withResolvers<never>();
	// Settled by nobody when all goes well.
	failed.promise.catch(() => {});
	const take = (piece: Buffer) => {
		try {
			if (onOutput !== undefined) onOutput(piece);
			else if (output.length < mostOutput) output += piece.toString("utf8");
		} catch (error) {
			failed.reject(error);
		}
	};
	let running: Awaited<ReturnType<typeof startProcess>>;
	try {
		running = await startProcess({ file: name, args, cwd, env: { ...env }, onOutput: take, onError: (piece) => void (errors.length < mostOutput && (errors += piece.toString("utf8"))) });
	} catch (error) {
		if (!(error instanceof ProcessStartError)) throw error;
		throw new InstallError(`The program '${name}' is needed for that, and ${error.code === "ENOENT" ? "is not on PATH. Install it, or install from an archive or a folder" : `cannot be started: ${error.message}`}.`);
	}
	const stop = () => failed.reject(signal.reason);
	signal.addEventListener("abort", stop, { once: true });
	const limit = setTimeout(() => failed.reject(new InstallError(`'${name} ${args[0]}' was not done after ${longestMs / 60_000} minutes, and was ended.`)), longestMs);
	try {
		const { exitCode } = await Promise.race([running.exited, failed.promise]);
		return { exitCode, output, errors };
	} finally {
		clearTimeout(limit);
		signal.removeEventListener("abort", stop);
		await running.end(graceMs);
	}
}
