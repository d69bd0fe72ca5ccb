// What `hookline gateway` takes on the command line. What it does is loaded when it is asked for.
import type { Command } from "commander";

export function gatewayCommand(gateway: Command, exit: (code: number) => void, version: string): void {
	gateway
		.command("run")
		.description("serve until Ctrl-C or SIGTERM; one at a time for a home")
		.option("--model <name>", "as for a conversation")
		.option("--accept-hooks", "approve every shell hook as it is now, without a question")
		.option("--no-hooks", "load no extension and run no hook; announced loudly")
		.addHelpText("after", "\nExamples:\n  hookline gateway run\n  hookline gateway run --model rehearsal")
		.action(async (options: { hooks: boolean }) => exit(await (await import("./gateway/run.ts")).runGateway(options, version)));
	gateway
		.command("status")
		.description("whether a gateway runs for this home, asked of the process itself")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline gateway status\n  hookline gateway status --json")
		.action(async (options: object) => exit(await (await import("./gateway/status.ts")).status(options)));
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
		.addHelpText("after", "\nExamples:\n  hookline gateway unpair http:anna\n  hookline gateway people")
		.action(async (user: string) => exit(await (await import("./gateway/people.ts")).unpairThem(user)));
}
