// The command line: what there is, and how every error ends as a sentence and an exit code.
import { Command, CommanderError } from "commander";
import { didYouMean } from "../system/nearest.ts";
import { approvalsCommand } from "./approvals-command.ts";
import { completionCommand } from "./completion-command.ts";
import { configCommand, initCommand } from "./config-command.ts";
import { cronCommand } from "./cron-command.ts";
import { doctorCommand } from "./doctor-command.ts";
import { extensionsCommand } from "./extensions-command.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { gatewayCommand } from "./gateway-command.ts";
import { importCommand } from "./import-command.ts";
import { logsCommand } from "./logs-command.ts";
import { modelsCommand } from "./models-command.ts";
import { consentCommands } from "./hooks/consent-commands.ts";
import { endWithReader, warn } from "./output.ts";
import type { RunOptions } from "./run.ts";
import { sessionsCommand } from "./sessions/command.ts";
import { trustCommand } from "./trust-command.ts";

/** Errors whose message was written for the person. Anything else is a defect of ours, and is shown as one. */
const told = new Set(["ConfigError", "RequiredExtensionError", "ModelConfigError", "StoreError", "HomeError", "TrustError", "ConsentError", "InstallError", "ManifestError", "LockError", "ApprovalsError", "ImageRefused", "RequiredServerError", "SessionInUseError", "SwitchRefused", "LogError", "ImportError", "AccessError", "CronError", "CommandError"]);

/** @returns the exit code. */
export async function main(argv: readonly string[], version: string): Promise<number> {
	endWithReader();
	let exitCode: number = exitCodes.fine;
	const program = commands(version, (code) => (exitCode = code));
	try {
		await program.parseAsync(argv, { from: "user" });
		return exitCode;
	} catch (error) {
		if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
		if (error instanceof UsageError) {
			warn(error.message);
			return exitCodes.usage;
		}
		if (error instanceof CommandError || (error instanceof Error && told.has(error.name))) {
			warn(error.message);
			return exitCodes.problems;
		}
		warn(`This is a defect of hookline ${version}, not of what you did. Please report it with these lines:`);
		process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
		return exitCodes.problems;
	}
}

function commands(version: string, exit: (code: number) => void): Command {
	const program = new Command("hookline")
		.description("An agent in which every step can be hooked.")
		.version(version, "-V, --version", "print the version")
		.helpOption("-h, --help", "print this help")
		.showHelpAfterError("Run 'hookline --help' to see what there is.")
		.exitOverride()
		// Otherwise what stands behind `run` and has the name of an option of ours is taken by us, and never gets there.
		.enablePositionalOptions()
		.option("--or-tour", "without a terminal and without a command, run the tour")
		.addHelpText("after", "\nExit codes: 0 fine, 1 something failed or problems were found, 2 the command line is wrong, 130 ended by Ctrl-C.\n\nExamples:\n  hookline\n  hookline run \"what is in this folder?\"\n  hookline hooks list");
	// Any words are taken, and refused here: as arguments too many they would get no suggestion.
	conversationOptions(program.allowExcessArguments())
		.option("--plain", "a conversation line by line, for screen readers and simple terminals")
		.action(async (options: { orTour?: boolean; hooks: boolean }) => {
			if (program.args.length > 0) throw unknownCommand(program);
			if (options.orTour && !process.stdin.isTTY) exit(await (await import("./tour.ts")).tour());
			else exit(await (await import("./chat.ts")).chat(options, version));
		});
	conversationOptions(program.command("run").description("answer one prompt, from the command line or stdin").argument("[prompt...]", "what to do"))
		.option("--json", "print every event as it happens, one JSON object a line")
		.option("--image <file>", "send this image along; may be given several times", (file: string, before: readonly string[] = []) => [...before, file])
		.addHelpText("after", '\nExamples:\n  hookline run "count the TypeScript files here"\n  git diff | hookline run --model openai-compatible:NAME --json')
		.action(async (words: string[], _: object, run: Command) => exit(await (await import("./run.ts")).run(words, withThoseBefore<RunOptions>(run))));
	const hooks = program.command("hooks").description("see, test, explain and approve hooks");
	hooksCommand(hooks, exit);
	consentCommands(hooks, exit);
	extensionsCommand(program.command("extensions"), exit);
	sessionsCommand(program.command("sessions").description("list, show, search, name, fork, export and delete conversations"), exit);
	program
		.command("tour")
		.description("see hooks at work: real turns in a temporary home, in a few seconds")
		.addHelpText("after", "\nExamples:\n  hookline tour\n  hookline tour | less")
		.action(async () => exit(await (await import("./tour.ts")).tour()));
	configCommand(program.command("config").description("read, write and check config.yaml"), exit);
	initCommand(program.command("init"), exit);
	modelsCommand(program.command("models"), exit);
	trustCommand(program.command("trust"), exit);
	approvalsCommand(program.command("approvals"), exit);
	gatewayCommand(program.command("gateway").description("serve the agent to people elsewhere, over HTTP"), exit, version);
	cronCommand(program.command("cron"), exit);
	logsCommand(program.command("logs"), exit);
	doctorCommand(program.command("doctor"), exit);
	importCommand(program.command("import").description("take over what was written for another agent"), exit);
	completionCommand(program, exit);
	return program;
}

function conversationOptions(command: Command): Command {
	return command
		.option("--model <name>", "rehearsal, anthropic:NAME, openai:NAME, google:NAME or openai-compatible:NAME")
		.option("--session <id>", "take up this session; the beginning of its id is enough")
		.option("--continue", "take up the last session of this folder")
		.option("--accept-hooks", "approve every shell hook as it is now, without a question")
		.option("--flag <name=value>", "set a flag that an extension has; may be given several times", (flag: string, before: readonly string[] = []) => [...before, flag])
		.option("--no-hooks", "load no extension and run no hook; announced loudly");
}

function unknownCommand({ args, commands }: Command): UsageError {
	const suggestion = didYouMean(args[0]!, commands.map((command) => command.name()));
	return new UsageError(`There is no command '${args[0]}'.${suggestion} A prompt stands behind run: hookline run "…". 'hookline --help' lists the commands.`);
}

/** The options of a command, and those of the same name that were given before it: `hookline --no-hooks run "…"` must not run hooks. */
function withThoseBefore<Options extends object>(command: Command): Options {
	const before = command.parent;
	const given = Object.entries(before?.opts() ?? {}).filter(([name]) => before?.getOptionValueSource(name) === "cli" && command.getOptionValueSource(name) !== "cli");
	return { ...command.opts<Options>(), ...Object.fromEntries(given) };
}

function hooksCommand(hooks: Command, exit: (code: number) => void): void {
	hooks
		.command("list")
		.description("every live hook: where it is, when it runs, what happens when it fails")
		.option("--here", "of a conversation in this folder, not of the gateway that runs")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline hooks list\n  hookline hooks list --json")
		.action(async (options: object) => exit(await (await import("./hooks/list.ts")).list(options)));
	hooks
		.command("show")
		.description("one hook, or all of an extension, with its last run")
		.argument("<hook>", "its id, or the name of its extension")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline hooks show no-sudo\n  hookline hooks show no-sudo#1 --json")
		.action(async (id: string, options: object) => exit(await (await import("./hooks/list.ts")).show(id, options)));
	hooks
		.command("events")
		.description("every event that can be hooked, and what can be decided there")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline hooks events\n  hookline hooks events | grep tool")
		.action(async (options: object) => exit((await import("./hooks/list.ts")).events(options)));
	hooks
		.command("trace")
		.description("what hooks did: who decided what, in how many ms")
		.option("--event <name>", "only this event")
		.option("--hook <id>", "only dispatches in which this hook ran")
		.option("--session <id>", "only this session")
		.option("--limit <n>", "how many dispatches, the newest", "20")
		.option("--all", "also dispatches in which no hook ran")
		.option("--json", "one JSON object a line")
		.addHelpText("after", "\nExamples:\n  hookline hooks trace --event tool.calling\n  hookline hooks trace --hook no-sudo#1 --limit 3 --json")
		.action(async (options: { limit: string }) => exit((await import("./hooks/trace.ts")).trace(options)));
	hooks
		.command("explain")
		.description("why a hook did or did not run the last time its event was dispatched")
		.argument("<hook>", "its id, or the name of its extension")
		.option("--event <name>", "only at this event")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline hooks explain no-sudo\n  hookline hooks explain audit#2 --event tool.called")
		.action(async (id: string, options: object) => exit(await (await import("./hooks/trace.ts")).explain(id, options)));
	hooks
		.command("test")
		.description("fire an event at the real hooks and print each decision; nothing else runs")
		.argument("<event>", "its name")
		.option("--payload <json>", "fields to set in the sample payload")
		.option("--payload-file <file>", "the same from a file, or - for stdin")
		.option("--tool <name>", "the tool the event is about")
		.option("--for-tool <name>", "the same, as Hermes Agent calls it")
		.option("--json", "for programs")
		.addHelpText("after", '\nExamples:\n  hookline hooks test tool.calling --payload \'{"args":{"command":"sudo ls"}}\'\n  hookline hooks test tool.calling --tool write_file --payload-file call.json')
		.action(async (event: string, options: object) => exit(await (await import("./hooks/test.ts")).test(event, options)));
}
