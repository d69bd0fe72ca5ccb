// What `hookline config` and `hookline init` take on the command line. What they do is loaded when it is asked for.
import type { Command } from "commander";

export function configCommand(config: Command, exit: (code: number) => void): void {
	config
		.command("get")
		.description("print a setting as it stands in config.yaml, or all of them")
		.argument("[key]", "for example agent.max_steps")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline config get agent.max_steps\n  hookline config get --json")
		.action(async (key: string | undefined, options: object) => exit(await (await import("./config/read.ts")).get(key, options)));
	config
		.command("set")
		.description("write a setting into config.yaml; comments and everything else stay")
		.argument("<key>", "for example agent.max_steps")
		.argument("<value>", "as the setting wants it; lists and maps as YAML or JSON")
		.addHelpText("after", "\nExamples:\n  hookline config set agent.max_steps 100\n  hookline config set extensions.no-sudo.required true")
		.action(async (key: string, value: string) => exit(await (await import("./config/write.ts")).set(key, value)));
	config
		.command("unset")
		.description("take a setting out of config.yaml")
		.argument("<key>", "for example agent.max_steps")
		.addHelpText("after", "\nExamples:\n  hookline config unset agent.max_steps\n  hookline config unset extensions.no-sudo")
		.action(async (key: string) => exit(await (await import("./config/write.ts")).unset(key)));
	config
		.command("path")
		.description("print where config.yaml is")
		.addHelpText("after", "\nExamples:\n  hookline config path\n  cat \"$(hookline config path)\"")
		.action(async () => exit((await import("./config/read.ts")).path()));
	config
		.command("check")
		.description("find every mistake in config.yaml, with its line and column")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline config check\n  hookline config check --json")
		.action(async (options: object) => exit(await (await import("./config/read.ts")).check(options)));
}

export function initCommand(init: Command, exit: (code: number) => void): void {
	init
		.description("choose the model: three questions, or none with options")
		.option("--model <name>", "rehearsal, or PROVIDER:NAME")
		.option("--base-url <url>", "where the model's server answers, when it is not its provider's own address")
		.option("--api-key-env <name>", "the environment variable that holds the key")
		.option("--yes", "ask nothing; what is not given stays as it is")
		.addHelpText("after", "\nExamples:\n  hookline init\n  hookline init --model openai-compatible:NAME --base-url http://127.0.0.1:8080/v1 --yes")
		.action(async (options: object) => exit(await (await import("./init.ts")).init(options)));
}
