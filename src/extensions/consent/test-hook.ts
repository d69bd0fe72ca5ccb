// A folder with a home in it, and shell hooks in their defaults: what tests of consent start from.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import { homeOf } from "../../system/home.ts";
import { Consent } from "./consent.ts";
import { take } from "./copy.ts";

export class ConsentPlace implements Disposable {
	readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-consent-")));
	readonly home = homeOf({ HOOKLINE_HOME: join(this.folder, "home") });
	readonly environment: Record<string, string>;
	readonly warnings: string[] = [];

	constructor() {
		mkdirSync(join(this.folder, "bin"));
		mkdirSync(join(this.folder, "work"));
		mkdirSync(this.home.path);
		this.environment = { PATH: `${join(this.folder, "bin")}:${process.env["PATH"] ?? ""}` };
	}

	/** A new process would have a new one. */
	consent(): Consent {
		return new Consent({ home: this.home, environment: this.environment, warn: (message) => this.warnings.push(message) });
	}

	/** Writes a file below the folder; gives its path. */
	file(path: string, text: string, mode = 0o755): string {
		const file = join(this.folder, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text, { mode });
		return file;
	}

	hook(words: readonly [string, ...string[]], more: Partial<ShellHook> = {}): ShellHook {
		return { ...plainHook, command: words.join(" "), words, file: this.home.config, ...more };
	}

	/** Says yes to a hook as it is now. */
	async approve(hook: ShellHook, consent = this.consent()): Promise<void> {
		const { program, reason } = consent.examine(hook, this.folder);
		if (program === undefined) throw new Error(reason);
		await consent.approve(hook, take(program));
	}

	[Symbol.dispose](): void {
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
	}
}

const plainHook = {
	id: "shell/1",
	written: "pre_tool_call",
	event: "tool.calling",
	timeoutMs: 60_000,
	failClosed: false,
	env: [],
	async: false,
	sandbox: "off",
	mode: "strict",
	trust: "user",
	line: 3,
	column: 7,
} as const;
