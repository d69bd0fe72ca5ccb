// What `hookline logs` takes on the command line.
import type { Command } from "commander";
import type { LogsOptions } from "./logs.ts";

export function logsCommand(logs: Command, exit: (code: number) => void): void {
	logs
		.description("what hooks and Hookline itself wrote into the log, the newest last")
		.option("--follow", "go on with what is written from now on, until Ctrl-C")
		.option("--level <level>", "this and worse: info, warning or error", "info")
		.option("--hook <id>", "only this hook, or all of an extension by its name")
		.option("--grep <text>", "only lines that hold this text, in any case")
		.option("--since <when>", "only what is newer: 90s, 15m, 1h, 2d, or a date")
		.option("--limit <n>", "how many lines, the newest", "100")
		.option("--json", "one JSON object a line, as they stand in the file")
		.addHelpText("after", "\nExamples:\n  hookline logs --level warning --since 1h\n  hookline logs --follow --hook no-sudo")
		.action(async (options: LogsOptions) => exit(await (await import("./logs.ts")).logs(options)));
}
