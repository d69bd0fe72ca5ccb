// What `hookline gateway` takes on the command line. What it does is loaded when it is asked for.
import type { Command } from "commander";

export function gatewayCommand(gateway: Command, exit: (code: number) => void, version: string): void {
	howToRun(gateway.command("run").description("serve until Ctrl-C or SIGTERM; one at a time for a home"))
		.addHelpText("after", "\nExamples:\n  hookline gateway run\n  hookline gateway run --model rehearsal")
		.action(async (options: { hooks: boolean }) => exit(await (await import("./gateway/run.ts")).runGateway(options, version)));
	howToRun(gateway.command("start").description("run it in the background, from this folder; waits until it takes messages"))
		.addHelpText("after", "\nExamples:\n  hookline gateway start\n  hookline gateway start --model rehearsal")
		.action(async (options: { hooks: boolean }) => exit(await (await import("./gateway/start.ts")).start(options)));
	gateway
		.command("stop")
		.description("let the turns that run end, then the gateway")
		.option("--now", "kill that process at once")
		.addHelpText("after", "\nExamples:\n  hookline gateway stop\n  hookline gateway stop --now")
		.action(async (options: object) => exit(await (await import("./gateway/stop.ts")).stop(options)));
	howToRun(gateway.command("restart").description("stop it and start it as it was, in the folder it was in"))
		.addHelpText("after", "\nExamples:\n  hookline gateway restart\n  hookline gateway restart --model rehearsal")
		.action(async (options: { hooks: boolean }) => exit(await (await import("./gateway/stop.ts")).restart(options)));
	gateway
		.command("reload")
		.description("take up changed settings, hooks and extensions without an end")
		.addHelpText("after", "\nExamples:\n  hookline gateway reload\n  hookline gateway status")
		.action(async () => exit(await (await import("./gateway/status.ts")).reload()));
	howToRun(gateway.command("install").description("let the system run it: a systemd user unit, on macOS an agent of launchd"))
		.option("--print", "only print that file")
		.option("--force", "replace one that says something else")
		.addHelpText("after", "\nExamples:\n  hookline gateway install --print\n  hookline gateway install --force")
		.action(async (options: { hooks: boolean }) => exit(await (await import("./gateway/install.ts")).install(options)));
	gateway
		.command("uninstall")
		.description("stop it, and let the system forget it")
		.addHelpText("after", "\nExamples:\n  hookline gateway uninstall\n  hookline gateway status")
		.action(async () => exit((await import("./gateway/install.ts")).uninstall()));
	gateway
		.command("status")
		.description("whether a gateway runs for this home and what it does, asked of the process itself")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline gateway status\n  hookline gateway status --json")
		.action(async (options: object) => exit(await (await import("./gateway/status.ts")).status(options)));
	undeliveredCommand(gateway.command("undelivered").description("texts that reached nobody, and messages that could not be handled"), exit);
	gateway
		.command("people")
		.description("those who were paired")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline gateway people\n  hookline gateway people --json")
		.action(async (options: object) => exit((await import("./gateway/people.ts")).list(options)));
	gateway
		.command("pair")
		.description("let whoever was given this code talk to the agent")
		.argument("<code>", "as the agent told it to them")
		.option("--owner", "they may run every command, as you may")
		.addHelpText("after", "\nExamples:\n  hookline gateway pair K7M2QXRA\n  hookline gateway pair K7M2QXRA --owner")
		.action(async (code: string, options: object) => exit(await (await import("./gateway/people.ts")).pairWith(code, options)));
	gateway
		.command("unpair")
		.description("let somebody no longer talk to the agent, from their next message on")
		.argument("<user>", "as 'gateway people' shows it")
		.addHelpText("after", "\nExamples:\n  hookline gateway unpair http:kitchen\n  hookline gateway people")
		.action(async (user: string) => exit(await (await import("./gateway/people.ts")).unpairThem(user)));
}

function howToRun(command: Command): Command {
	return command
		.option("--model <name>", "as for a conversation")
		.option("--accept-hooks", "approve every shell hook as it is now, without a question")
		.option("--no-hooks", "load no extension and run no hook; announced loudly");
}

function undeliveredCommand(undelivered: Command, exit: (code: number) => void): void {
	undelivered
		.command("list")
		.description("what there is, with the reason")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline gateway undelivered list\n  hookline gateway undelivered list --json")
		.action(async (options: object) => exit(await (await import("./gateway/undelivered.ts")).list(options)));
	undelivered
		.command("retry")
		.description("once more: texts are delivered, messages handled")
		.argument("[id...]", "as 'undelivered list' shows it")
		.option("--all", "all of them")
		.addHelpText("after", "\nExamples:\n  hookline gateway undelivered retry t-0123456789\n  hookline gateway undelivered retry --all")
		.action(async (ids: readonly string[], options: object) => exit(await (await import("./gateway/undelivered.ts")).retry(ids, options)));
	undelivered
		.command("drop")
		.description("forget them")
		.argument("[id...]", "as 'undelivered list' shows it")
		.option("--all", "all of them")
		.addHelpText("after", "\nExamples:\n  hookline gateway undelivered drop m-17\n  hookline gateway undelivered drop --all")
		.action(async (ids: readonly string[], options: object) => exit(await (await import("./gateway/undelivered.ts")).drop(ids, options)));
}
