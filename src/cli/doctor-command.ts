// What `hookline doctor` takes on the command line. What it does is loaded when it is asked for.
import type { Command } from "commander";

export function doctorCommand(doctor: Command, exit: (code: number) => void): void {
	doctor
		.description("look over the home, settings, extensions, hooks, model and machine")
		.option("--fix", "make the home, tighten its rights, remove temporary files left behind")
		.option("--json", "for programs")
		.addHelpText("after", "\nExits with 1 when there is a problem; warnings do not count.\n\nExamples:\n  hookline doctor --fix\n  hookline doctor --json")
		.action(async (options: object) => exit(await (await import("./doctor/doctor.ts")).doctor(options)));
}
