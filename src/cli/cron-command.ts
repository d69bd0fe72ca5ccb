// What `hookline cron` takes on the command line. What it does is loaded when it is asked for.
import type { Command } from "commander";
import { didYouMean } from "../system/nearest.ts";
import { UsageError } from "./exit.ts";

export function cronCommand(cron: Command, exit: (code: number) => void): void {
	cron
		.description("jobs the gateway runs by the clock: list, add, remove, run, history, pause, resume")
		.addHelpText("after", '\nA schedule is \'every 2h\', \'in 20m\', \'at 2026-12-01T09:00\', \'@daily\' (@hourly, @weekly, @monthly, @yearly), or a cron line:\nminute, hour, day, month, weekday, with six fields the first one is the second.\n\nExamples:\n  hookline cron add report "0 9 * * 1-5" "sum up what is new in /projects/app"\n  hookline cron history report');
	cron
		.command("list", { isDefault: true })
		.description("the jobs there are, and when each is due next")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline cron list\n  hookline cron list --json")
		// Any words are taken, and refused here: as arguments too many they would get no suggestion.
		.allowExcessArguments()
		.action(async (options: object, list: Command) => {
			if (list.args.length > 0) throw unknown(cron, list.args[0]!);
			exit(await (await import("./cron/show.ts")).list(options));
		});
	cron
		.command("add")
		.description("have the agent do something at a later time, once or again and again")
		.argument("<name>", "what to call it")
		.argument("<schedule>", "when, in quotes")
		.argument("<prompt...>", "what the agent is to do")
		.option("--zone <zone>", "the time zone the schedule is read in, as Europe/Berlin; this machine's")
		.option("--chat <chat>", "where its answers go, PLATFORM:CHAT or PLATFORM:CHAT#THREAD; gateway.home_chat")
		.option("--catch-up", "run it once later when it was missed")
		.option("--json", "for programs")
		.addHelpText("after", '\nExamples:\n  hookline cron add backup "0 3 * * *" --zone Europe/Berlin --catch-up "run scripts/backup.sh and say [SILENT] when all went well"\n  hookline cron add tea "in 4m" --chat http:kitchen "say that the tea is ready"')
		.action(async (name: string, schedule: string, prompt: string[], options: object) => exit(await (await import("./cron/change.ts")).add(name, schedule, prompt, options)));
	onOne("remove", "remove a job and its history", async (name, options) => (await import("./cron/change.ts")).remove(name, options));
	onOne("run", "run a job now, beside its times; a paused one too", async (name, options) => (await import("./cron/change.ts")).run(name, options));
	onOne("pause", "let a job's times pass", async (name, options) => (await import("./cron/change.ts")).enable(name, false, options));
	onOne("resume", "run a job again from its next time on", async (name, options) => (await import("./cron/change.ts")).enable(name, true, options));
	cron
		.command("history")
		.description("what became of the times a job was due, the newest first")
		.argument("<name>", "the job")
		.option("--limit <n>", "how many", "20")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline cron history backup\n  hookline cron history backup --limit 1 --json")
		.action(async (name: string, options: { limit: string }) => exit(await (await import("./cron/show.ts")).history(name, options)));

	function onOne(verb: string, summary: string, act: (name: string, options: object) => Promise<number>): void {
		cron
			.command(verb)
			.description(summary)
			.argument("<name>", "the job")
			.option("--json", "for programs")
			.addHelpText("after", `\nExamples:\n  hookline cron ${verb} backup\n  hookline cron ${verb} backup --json`)
			.action(async (name: string, options: object) => exit(await act(name, options)));
	}
}

function unknown({ commands }: Command, word: string): UsageError {
	return new UsageError(`There is no command 'cron ${word}'.${didYouMean(word, commands.map((command) => command.name()))} 'hookline cron --help' lists them.`);
}
