// What `hookline models` takes on the command line. What it does is loaded when it is asked for.
import type { Command } from "commander";

export function modelsCommand(models: Command, exit: (code: number) => void): void {
	models
		.description("the models that can be chosen: size, price per million tokens, and where their key is found")
		.option("--provider <name>", "only those of this provider; of an openai-compatible one also those its server has")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline models\n  hookline models --provider openai-compatible --json")
		.action(async (options: object) => exit(await (await import("./models.ts")).models(options)));
}
