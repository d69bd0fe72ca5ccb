// What `hookline completion` takes on the command line, and the hidden command its scripts call.
import type { Command } from "commander";

export function completionCommand(program: Command, exit: (code: number) => void): void {
	program
		.command("completion")
		.description("print a script that lets your shell complete commands, options, events and hooks")
		.argument("<shell>", "bash, zsh or fish")
		.addHelpText("after", '\nExamples:\n  eval "$(hookline completion bash)"\n  hookline completion fish > ~/.config/fish/completions/hookline.fish')
		.action(async (shell: string) => exit((await import("./completion.ts")).completion(shell)));
	program
		.command("__complete", { hidden: true })
		// They are words of another command line: nothing here may take them for options of ours.
		.helpOption(false)
		.allowUnknownOption()
		.passThroughOptions()
		.argument("[words...]")
		.action(async (words: string[]) => exit((await import("./completion.ts")).complete(program, words)));
}
