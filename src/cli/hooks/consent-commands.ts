// What `hookline hooks allow`, `revoke`, `doctor`, `new` and `outbound` take on the command line. What they do is loaded when it is asked for.
import type { Command } from "commander";

export function consentCommands(hooks: Command, exit: (code: number) => void): void {
	hooks
		.command("allow")
		.description("show what a shell hook would run, and approve exactly that")
		.argument("<command>", "its command as config.yaml has it, or its id")
		.option("--show", "print all of it and its hash; ask nothing")
		.option("--hash <sha256>", "approve it if it has this hash, without asking")
		.option("--json", "with --show, for programs")
		.addHelpText("after", "\nOnly what was shown is approved: when the script, its interpreter or a setting of the hook changes, you are asked again.\n\nExamples:\n  hookline hooks allow ~/.hookline/agent-hooks/check.sh\n  hookline hooks allow shell/1 --show")
		.action(async (command: string, options: object) => exit(await (await import("./allow.ts")).allow(command, options)));
	hooks
		.command("revoke")
		.description("take the approval of a shell hook back, in processes that run as well")
		.argument("<command>", "its command as it was approved, or its id")
		.addHelpText("after", "\nExamples:\n  hookline hooks revoke ~/.hookline/agent-hooks/check.sh\n  hookline hooks revoke shell/1")
		.action(async (command: string) => exit(await (await import("./revoke.ts")).revoke(command)));
	hooks
		.command("doctor")
		.description("whether each shell hook would run as it should, and what running processes have of them; starts only approved ones")
		.option("--json", "for programs")
		.addHelpText("after", "\nExits with 1 when there is a problem; warnings do not count.\n\nExamples:\n  hookline hooks doctor\n  hookline hooks doctor --json")
		.action(async (options: object) => exit(await (await import("./doctor.ts")).doctor(options)));
	hooks
		.command("new")
		.description("write a shell hook that works, with the type of what it reads and a test")
		.argument("<event>", "where it runs: a name of ours or of Hermes Agent")
		.option("--lang <language>", "sh, py or ts", "sh")
		.option("--name <name>", "what it and its folder are called; the event's name")
		.addHelpText("after", "\nIt prints the lines for config.yaml, and never overwrites anything.\n\nExamples:\n  hookline hooks new pre_tool_call --lang sh --name no-rm\n  hookline hooks new turn.starting --lang ts")
		.action(async (event: string, options: { lang: string }) => exit((await import("./new.ts")).create(event, options)));
	outboundCommand(hooks.command("outbound").description("what outbound webhooks were not yet told, or never will be"), exit);
}

function outboundCommand(outbound: Command, exit: (code: number) => void): void {
	outbound
		.command("list")
		.description("how much waits for each receiver, and what was given up")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline hooks outbound list\n  hookline hooks outbound list --json")
		.action(async (options: object) => exit((await import("./outbound.ts")).list(options)));
	outbound
		.command("retry")
		.description("send what was given up once more")
		.argument("[id...]", "as 'outbound list' shows it")
		.option("--all", "all of it")
		.addHelpText("after", "\nExamples:\n  hookline hooks outbound retry 3f2504e04f8941d39a0c0305e82c3301\n  hookline hooks outbound retry --all")
		.action(async (ids: readonly string[], options: object) => exit((await import("./outbound.ts")).retry(ids, options)));
	outbound
		.command("drop")
		.description("forget what was given up")
		.argument("[id...]", "as 'outbound list' shows it")
		.option("--all", "all of it")
		.addHelpText("after", "\nExamples:\n  hookline hooks outbound drop 3f2504e04f8941d39a0c0305e82c3301\n  hookline hooks outbound drop --all")
		.action(async (ids: readonly string[], options: object) => exit((await import("./outbound.ts")).drop(ids, options)));
}
