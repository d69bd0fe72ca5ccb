// What `hookline extensions` takes on the command line. What it does is loaded when it is asked for.
import type { Command } from "commander";

export function extensionsCommand(extensions: Command, exit: (code: number) => void): void {
	extensions.description("install, update, look into, write and pack extensions");
	extensions
		.command("list")
		.description("every extension of yours: its version, whether it is loaded, where it came from")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline extensions list\n  hookline extensions list --json")
		.action(async (options: object) => exit(await (await import("./extensions/list.ts")).list(options)));
	extensions
		.command("info")
		.description("one extension: what it is, what it asked for and was granted, and what of that is enforced")
		.argument("<extension>", "its name")
		.option("--json", "for programs")
		.addHelpText("after", "\nExamples:\n  hookline extensions info no-sudo\n  hookline extensions info no-sudo --json")
		.action(async (name: string, options: object) => exit(await (await import("./extensions/info.ts")).info(name, options)));
	grantOptions(extensions.command("install"))
		.description("install an extension, after showing what it asks for; runs nothing of it")
		.argument("<source>", "NAME or NAME@RANGE (npm), git+URL#REF, an archive (.tgz) or a folder (./NAME)")
		.option("--link", "of a folder: do not copy it, load what lies there")
		.addHelpText("after", "\nExamples:\n  hookline extensions install hookline-no-sudo@^1.0.0\n  hookline extensions install git+https://example.org/no-sudo.git#v1.0.0\n  hookline extensions install ./no-sudo --link")
		.action(async (source: string, options: object) => exit(await (await import("./extensions/install.ts")).install(source, options)));
	grantOptions(extensions.command("update"))
		.description("fetch the newest version from where it was installed; asks again when it wants more")
		.argument("[extension]", "its name; all that were installed when left out")
		.option("--accept", "take one that was edited as it is now, and fetch nothing")
		.addHelpText("after", "\nExamples:\n  hookline extensions update\n  hookline extensions update no-sudo --yes")
		.action(async (name: string | undefined, options: object) => exit(await (await import("./extensions/update.ts")).update(name, options)));
	extensions
		.command("remove")
		.description("remove an extension that was installed; what it has stored stays")
		.argument("<extension>", "its name")
		.option("--purge", "remove what it has stored and its settings as well")
		.addHelpText("after", "\nExamples:\n  hookline extensions remove no-sudo\n  hookline extensions remove no-sudo --purge")
		.action(async (name: string, options: object) => exit(await (await import("./extensions/remove.ts")).remove(name, options)));
	for (const verb of ["enable", "disable"] as const) {
		extensions
			.command(verb)
			.description(verb === "enable" ? "load an extension again from the next start on" : "do not load an extension from the next start on; it stays installed")
			.argument("<extension>", "its name")
			.addHelpText("after", `\nExamples:\n  hookline extensions ${verb} no-sudo\n  hookline extensions ${verb} audit`)
			.action(async (name: string) => exit(await (await import("./extensions/enable.ts"))[verb](name)));
	}
	extensions
		.command("doctor")
		.description("whether each extension could be loaded: manifest, content, permissions, order, settings; runs none of them")
		.option("--json", "for programs")
		.addHelpText("after", "\nExits with 1 when there is a problem; warnings do not count.\n\nExamples:\n  hookline extensions doctor\n  hookline extensions doctor --json")
		.action(async (options: object) => exit(await (await import("./extensions/doctor.ts")).doctor(options)));
	extensions
		.command("new")
		.description("write an extension that works, with its manifest and a test, into a folder of its name")
		.argument("<name>", "what it is called: letters, digits, '.', '_' and '-'")
		.option("--lang <language>", "ts or js", "ts")
		.addHelpText("after", "\nIt never overwrites anything.\n\nExamples:\n  hookline extensions new no-sudo\n  hookline extensions new audit --lang js")
		.action(async (name: string, options: { lang: string }) => exit((await import("./extensions/new.ts")).create(name, options)));
	extensions
		.command("pack")
		.description("write an extension's folder into an archive that can be installed")
		.argument("[folder]", "this one when left out")
		.option("--out <folder>", "where the archive goes; the working folder when left out")
		.addHelpText("after", "\nExamples:\n  hookline extensions pack ./no-sudo\n  hookline extensions pack --out dist")
		.action(async (folder: string | undefined, options: object) => exit(await (await import("./extensions/pack.ts")).pack(folder, options)));
}

function grantOptions(command: Command): Command {
	return command.option("--yes", "grant all it asks for, without a question").option("--grant <areas>", "grant these without a question, and nothing else: all, none, or events,tools,paths,hosts,env,exec,inline");
}
