// The plainest way to run a program for a hook, so that the dialect is tested by itself: no sandbox, no spawner, no consent.
import { spawn } from "node:child_process";
import type { Start } from "../src/dialects/hermes-shell/definitions.ts";
import type { ShellHook } from "../src/dialects/hermes-shell/hook.ts";
import { HookFailure } from "../src/events/failure.ts";

export const startHook = (hook: ShellHook, cwd: string): Start => (payload, signal) =>
	new Promise((resolve, reject) => {
		const [file, ...args] = hook.words;
		const began = performance.now();
		const child = spawn(file, args, { cwd, detached: true, stdio: "pipe" });
		const out: Buffer[] = [];
		const err: Buffer[] = [];
		child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
		child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
		child.stdin.on("error", () => {});
		child.stdin.end(payload);
		child.once("error", (error) => reject(new HookFailure("cannot-start", error.message)));
		signal.addEventListener("abort", () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"), { once: true });
		child.once("close", (exitCode, killedBy) => {
			const text = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString("utf8");
			resolve({ exitCode, signal: killedBy, stdout: text(out), stderr: text(err), truncated: false, sandboxed: false, ms: performance.now() - began });
		});
	});
