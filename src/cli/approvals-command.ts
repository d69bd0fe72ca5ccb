// What `hookline approvals` takes on the command line. What it does is loaded when it is asked for.
import type { Command } from "commander";

export function approvalsCommand(approvals: Command, exit: (code: number) => void): void {
	approvals.description("see and take back what you always approve");
	approvals
		.command("list")
		.description("the commands you are not asked about any more: rule, command, folder")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline approvals list\n  hookline approvals list --json")
		.action(async (options: object) => exit((await import("./approvals.ts")).list(options)));
	approvals
		.command("revoke")
		.description("ask about it again, from the next call on, in running conversations as well")
		.argument("[id...]", "as 'approvals list' shows it")
		.option("--all", "all of them")
		.addHelpText("after", "\nExamples:\n  hookline approvals revoke p_0123456789\n  hookline approvals revoke --all")
		.action(async (ids: readonly string[], options: object) => exit(await (await import("./approvals.ts")).revoke(ids, options)));
}
