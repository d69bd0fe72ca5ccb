// `hookline extensions enable` and `disable`: one line of config.yaml, whose comments stay.
import { changeConfig } from "../../config/write.ts";
import { ensureHome } from "../../system/home.ts";
import { CommandError, exitCodes } from "../exit.ts";
import { note } from "../output.ts";
import { bundledBeside, known, type Known, named } from "./known.ts";

export async function enable(name: string): Promise<number> {
	const all = await known();
	if (bundledBeside(all).includes(name)) {
		await set(all, name, true);
		note(`${name}, which comes with Hookline, is enabled, and is loaded from the next start on.`);
		return exitCodes.fine;
	}
	const one = named(name, all);
	await set(all, name, undefined);
	note(`${name} is ${one.enabled ? "enabled already" : "enabled, and is loaded from the next start on"}.${one.problems.length > 0 ? ` It cannot be loaded as it is: ${one.problems[0]}` : ""}`);
	return exitCodes.fine;
}

export async function disable(name: string): Promise<number> {
	const all = await known();
	if (!bundledBeside(all).includes(name)) named(name, all);
	if (all.config.extensions?.[name]?.required === true) throw new CommandError(`${all.home.config} says 'required: true' of '${name}', so it is not disabled: nothing would start. Take that out first: hookline config unset extensions.${name}.required`);
	const needing = all.extensions.filter((one) => one.enabled && one.needs.includes(name)).map((one) => one.name);
	await set(all, name, false);
	note(`${name} is disabled from the next start on.${needing.length > 0 ? ` Not loaded without it: ${needing.join(", ")}.` : ""}`);
	return exitCodes.fine;
}

async function set({ home }: Known, name: string, value: boolean | undefined): Promise<void> {
	ensureHome(home);
	await changeConfig(home.config, [{ path: ["extensions", name, "enabled"], value }]);
}
