// A place whose working folder brings hooks of its own.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { callTerminal, extension, Place, type StartOptions } from "./program.ts";

/** What `hookline trust --show --json` prints, as far as tests look at it. */
export interface ShownProject {
	readonly folder?: string;
	readonly state: string;
	readonly hash: string;
	readonly files: readonly { readonly path: string; readonly bytes: number }[];
	readonly problems: readonly string[];
}

export class ProjectPlace extends Place {
	/** Writes a file below `.hookline` of a folder, the working folder when none is named; gives its path. */
	put(path: string, text: string, folder = this.work): string {
		const file = join(folder, ".hookline", path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
		return file;
	}

	async shown(options: StartOptions = {}): Promise<ShownProject> {
		return JSON.parse((await this.run(["trust", "--show", "--json"], options)).stdout) as ShownProject;
	}

	/** Trusts what lies there now. */
	async trust(options: StartOptions = {}): Promise<void> {
		const { code, stderr } = await this.run(["trust", "--hash", (await this.shown(options)).hash], options);
		assert.equal(code, 0, stderr);
	}

	/** Who blocked the last call of a tool. */
	async blockedBy(): Promise<string | undefined> {
		return (await this.trace("--event", "tool.calling")).at(-1)?.by;
	}
}

/** An extension with a guard `calm` that lets no terminal command touch anything. */
export const guard = (reason: string): string => extension(`	hooks.guard("tool.calling", { name: "calm", tool: "terminal" }, (call) => String(call.args["command"]).includes("touch") ? block(${JSON.stringify(reason)}) : undefined);`);

/** Makes a file `made` in the working folder, unless somebody blocks it. */
export const touch: readonly string[] = ["run", callTerminal("touch made")];
