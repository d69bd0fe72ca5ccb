// `hookline sessions …`: what there is to type.
import type { Command } from "commander";
import { didYouMean } from "../../system/nearest.ts";
import { UsageError } from "../exit.ts";

export function sessionsCommand(sessions: Command, exit: (code: number) => void): void {
	sessions.addHelpText("after", '\nA session is named by its id, by the beginning of it, or as latest.\n\nExamples:\n  hookline sessions --limit 5\n  hookline run --session 20260101-120000-abcd "go on"');
	sessions
		.command("list", { isDefault: true })
		.description("the conversations that can be taken up again, the last used first")
		.option("--limit <n>", "how many", "20")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline sessions list --limit 5\n  hookline sessions list --json")
		// Any words are taken, and refused here: as arguments too many they would get no suggestion.
		.allowExcessArguments()
		.action(async (options: { limit: string }, list: Command) => {
			if (list.args.length > 0) throw unknown(sessions, list.args[0]!);
			exit((await import("./list.ts")).list(options));
		});
	sessions
		.command("show")
		.description("what was said, which tools ran, and what hooks did about it")
		.argument("<session>", "its id, the beginning of it, or latest")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline sessions show latest | less\n  hookline sessions show 20260101-120000-abcd --json")
		.action(async (id: string, options: object) => exit(await (await import("./export.ts")).show(id, options)));
	sessions
		.command("search")
		.description("find messages in which all these words begin, the newest first")
		.argument("<words...>", "what to look for")
		.option("--role <role>", "only messages of the user, the assistant, a tool or the system")
		.option("--folder <path>", "only sessions of this folder")
		.option("--since <time>", "only messages since a date (2026-11-01), or so long ago (90m, 12h, 3d, 2w)")
		.option("--limit <n>", "how many", "20")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline sessions search release notes\n  hookline sessions search sudo --role tool --folder . --since 3d")
		.action(async (words: string[], options: { limit: string }) => exit((await import("./search.ts")).search(words, options)));
	sessions
		.command("name")
		.description("call a session something")
		.argument("<session>", "its id, the beginning of it, or latest")
		.argument("[words...]", "the name")
		.option("--remove", "take the name away")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline sessions name latest release notes\n  hookline sessions name 20260101-120000-abcd --remove")
		.action(async (id: string, words: string[], options: object) => exit((await import("./change.ts")).name(id, words, options)));
	sessions
		.command("delete")
		.description("delete sessions with all messages and what the trace has of them; asks first")
		.argument("<session...>", "their ids, the beginnings of them, or latest")
		.option("--yes", "do not ask")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline sessions delete latest\n  hookline sessions delete 20260101-120000-abcd --yes")
		.action(async (ids: string[], options: object) => exit(await (await import("./change.ts")).remove(ids, options)));
	sessions
		.command("fork")
		.description("make a new session that begins with the messages of another one; prints its id")
		.argument("<session>", "its id, the beginning of it, or latest")
		.option("--at <n>", "only the first n messages, as show numbers them")
		.option("--json", "for programs")
		.addHelpText("after", '\nExamples:\n  hookline sessions fork latest --at 4\n  hookline run --session "$(hookline sessions fork latest)" "try it another way"')
		.action(async (id: string, options: object) => exit((await import("./change.ts")).fork(id, options)));
	sessions
		.command("export")
		.description("write a session down, with what hooks did, as JSON lines, Markdown or one HTML page")
		.argument("<session>", "its id, the beginning of it, or latest")
		.option("--format <format>", "jsonl, md or html; without it what the file's ending says, or md")
		.option("--output <file>", "into this file, not to stdout")
		.option("--force", "replace the file when it is there already")
		.option("--json", "the same as --format jsonl")
		.addHelpText("after", "\nExamples:\n  hookline sessions export latest --output session.html\n  hookline sessions export latest --json | jq .message.role")
		.action(async (id: string, options: object) => exit(await (await import("./export.ts")).exportSession(id, options)));
}

function unknown({ commands }: Command, word: string): UsageError {
	return new UsageError(`There is no command 'sessions ${word}'.${didYouMean(word, commands.map((command) => command.name()))} 'hookline sessions --help' lists them.`);
}
