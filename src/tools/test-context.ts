// For tests of tools: a folder of their own and a context to run in.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backgroundProcesses } from "./background.ts";
import type { ToolContext } from "./tool.ts";

export interface TestContext extends ToolContext, AsyncDisposable {
	/** What went through the hooks of terminal output. */
	readonly raw: { readonly command: string; readonly output: string; readonly exitCode?: number | null }[];
}

/** Disposing of it ends its processes and removes its folder. */
export async function testContext(more: Partial<ToolContext> = {}): Promise<TestContext> {
	const cwd = await realpath(await mkdtemp(join(tmpdir(), "hookline-tools-")));
	const processes = backgroundProcesses();
	const kept = new Map<string, unknown>();
	const raw: TestContext["raw"] = [];
	return {
		cwd,
		signal: new AbortController().signal,
		callId: "call-1",
		processes,
		raw,
		kept: { get: (key) => structuredClone(kept.get(key)), set: (key, value) => void kept.set(key, structuredClone(value)) },
		settings: {},
		onTerminalOutput: (output) => {
			raw.push(output);
			return output.output;
		},
		...more,
		async [Symbol.asyncDispose]() {
			await processes[Symbol.asyncDispose]();
			await rm(cwd, { recursive: true, force: true });
		},
	};
}
