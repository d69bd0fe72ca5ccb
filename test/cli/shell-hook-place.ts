// A place whose config.yaml has shell hooks.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readConfigFile } from "../../src/config/read.ts";
import { readShellHooks } from "../../src/dialects/hermes-shell/settings.ts";
import { Consent } from "../../src/extensions/consent/consent.ts";
import { acceptedBy, settle } from "../../src/extensions/consent/settle.ts";
import { homeOf } from "../../src/system/home.ts";
import { Place } from "./program.ts";

export class ShellHookPlace extends Place {
	get allowList(): string {
		return join(this.home, "shell-hooks-allowlist.json");
	}

	/** Writes a file below agent-hooks, executable unless said otherwise; gives its path. */
	script(name: string, text: string, mode = 0o755): string {
		const file = join(this.home, "agent-hooks", name);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
		chmodSync(file, mode);
		return file;
	}

	/** One hook of pre_tool_call for the terminal, with lines of settings. */
	hook(command: string, ...settings: readonly string[]): void {
		this.config(`hooks:\n  pre_tool_call:\n    - command: ${JSON.stringify(command)}\n      matcher: terminal\n${settings.map((line) => `      ${line}\n`).join("")}`);
	}

	/** Says yes to every hook as it is now, without starting the program for that. */
	async approve(): Promise<void> {
		const home = homeOf({ HOOKLINE_HOME: this.home });
		const warn = (message: string) => {
			throw new Error(message);
		};
		const { hooks } = readShellHooks(await readConfigFile(home.config), { file: home.config, userHome: this.folder, toolNames: ["terminal", "patch"] });
		await settle(new Consent({ home, environment: process.env, warn }), hooks, { cwd: this.work, accept: acceptedBy({ flag: true, environment: {} }), warn: () => {}, onLeftOut: warn });
	}
}

/** Scripts that say nothing, and that refuse what would touch anything. */
export const quiet = "#!/bin/sh\ncat >/dev/null\necho '{}'\n";
export const refusing = (reason: string): string => `#!/bin/sh\ncase $(cat) in\n*touch*) echo '{"decision":"block","reason":"${reason}"}' ;;\n*) echo '{}' ;;\nesac\n`;
