// How programs are started for hooks: seen by starting one.
import { shellHost } from "../../hosts/shell/host.ts";
import { toFailure } from "../../events/failure.ts";
import type { ShellHost } from "../../hosts/shell/job.ts";
import type { Check } from "./check.ts";

const timeoutMs = 10_000;

export async function checkShell(): Promise<readonly Check[]> {
	await using host = shellHost();
	const started = await run(host, "off");
	return [wayRow(host, started), ...(process.platform === "linux" ? [sandboxRow(await run(host, "required"))] : [])];
}

/** Why a program that does nothing did not run; undefined when it did. */
async function run(host: ShellHost, sandbox: "off" | "required"): Promise<string | undefined> {
	try {
		const environment = { PATH: process.env["PATH"] ?? "" };
		const { exitCode, stderr } = await host.run({ file: "/bin/sh", args: ["-c", ":"], stdin: "", cwd: "/", env: environment, timeoutMs, signal: new AbortController().signal, sandbox });
		return exitCode === 0 ? undefined : `it ended with ${exitCode}: ${stderr.trim()}`;
	} catch (error) {
		return toFailure(error).message;
	}
}

function wayRow({ way }: ShellHost, failure: string | undefined): Check {
	const name = "programs of hooks";
	if (failure !== undefined) return { name, state: "problem", message: `No program can be started for them: /bin/sh ${failure}` };
	if (way.kind === "spawner") return { name, state: "ok", message: "Their programs are started by the spawner, without holding anything up." };
	const message = `Their programs are started by Node itself: ${way.why}.`;
	// Elsewhere that is as quick.
	if (process.platform !== "linux") return { name, state: "ok", message };
	return { name, state: "warning", message, advice: "That works, and holds everything else up for a moment at each call. With Python 3.9 or newer as 'python3' it does not." };
}

function sandboxRow(failure: string | undefined): Check {
	const name = "sandbox of hooks";
	if (failure === undefined) return { name, state: "ok", message: "Programs of hooks can run in one, with bubblewrap." };
	return { name, state: "warning", message: `None: /bin/sh ${failure}`, advice: "Hooks with 'sandbox: auto' run without one, and those with 'sandbox: required' not at all." };
}
