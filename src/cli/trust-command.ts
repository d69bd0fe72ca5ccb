// What `hookline trust` takes on the command line. What it does is loaded when it is asked for.
import type { Command } from "commander";

export function trustCommand(trust: Command, exit: (code: number) => void): void {
	trust
		.description("see what a folder's .hookline would load, and decide whether it may")
		.argument("[folder]", "the working folder; this one when left out")
		.option("--show", "print what there is and its hash; ask nothing")
		.option("--hash <sha256>", "trust the folder if its content has this hash, without asking")
		.option("--json", "with --show, for programs")
		.addHelpText("after", "\nOnly the content that was shown is trusted: when a file changes, you are asked again. Without a terminal nothing is trusted but by its hash.\n\nExamples:\n  hookline trust\n  hookline trust /projects/web --hash \"$HASH\"")
		.action(async (folder: string | undefined, options: object) => exit(await (await import("./trust/trust.ts")).trust(folder, options)));
	trust
		.command("list")
		.description("the folders you decided about, and whether they still are as they were")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline trust list\n  hookline trust list --json")
		.action(async (options: object) => exit(await (await import("./trust/list.ts")).list(options)));
	trust
		.command("revoke")
		.description("forget what you decided about a folder, and remove the copy of its extensions")
		.argument("[folder]", "this one when left out")
		.addHelpText("after", "\nExamples:\n  hookline trust revoke\n  hookline trust revoke /projects/web")
		.action(async (folder: string | undefined) => exit(await (await import("./trust/list.ts")).revoke(folder)));
}
