// What `hookline models` takes on the command line. What it does is loaded when it is asked for.
import type { Command } from "commander";

export function modelsCommand(models: Command, exit: (code: number) => void): void {
	models
		.command("login")
		.description("log in to a model provider that an extension brings: by a key, or in a browser")
		.argument("<provider>", "what stands before the colon of its models")
		.option("--device", "with a code that is typed on another machine, where the provider can do that")
		.addHelpText("after", "\nA key can be piped in.\n\nExamples:\n  hookline models login acme\n  hookline models login acme < key.txt")
		.action(async (provider: string, options: object) => exit(await (await import("./models-login.ts")).login(provider, options)));
	models
		.command("logout")
		.description("forget what was kept by 'login'")
		.argument("<provider>")
		.action(async (provider: string) => exit(await (await import("./models-login.ts")).logout(provider)));
	models
		.description("the models that can be chosen: size, price per million tokens, and where their key is found")
		.option("--provider <name>", "only those of this provider; of an openai-compatible one also those its server has")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline models\n  hookline models --provider openai-compatible --json")
		.action(async (options: object) => exit(await (await import("./models.ts")).models(options)));
}
