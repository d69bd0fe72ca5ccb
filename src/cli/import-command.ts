// What `hookline import` takes on the command line. What it does is loaded when it is asked for.
import type { Command } from "commander";

export function importCommand(program: Command, exit: (code: number) => void): void {
	program
		.command("hermes")
		.description("copy hooks, plugins, extensions and settings from a home of Hermes Agent, and say what changes meaning")
		.option("--dry-run", "only say what would be copied")
		.option("--from <dir>", "the home of Hermes; HERMES_HOME or ~/.hermes unless given")
		.option("--json", "for programs")
		.addHelpText("after", "\nNothing is overwritten, no secret is copied, and shell hooks ask before they first run. Exits with 1 when something was in the way or could not be read.\n\nExamples:\n  hookline import hermes --dry-run\n  hookline import hermes --from /projects/old-agent --json")
		.action(async (options: object) => exit(await (await import("./import/hermes.ts")).hermes(options)));
}
