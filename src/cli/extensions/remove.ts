// `hookline extensions remove`: the code goes, what the extension has stored stays unless that is wanted.
import { existsSync } from "node:fs";
import { changeConfig } from "../../config/write.ts";
import { removeInstalled } from "../../extensions/install/install.ts";
import { openStore } from "../../stores/open.ts";
import type { Home } from "../../system/home.ts";
import { CommandError, exitCodes } from "../exit.ts";
import { note, warn } from "../output.ts";
import { known, named, refuseBroken } from "./known.ts";

export async function remove(name: string, { purge }: { readonly purge?: boolean }): Promise<number> {
	const all = await known();
	refuseBroken(all);
	const { home, config, extensions } = all;
	const { locked, file } = named(name, all);
	if (locked === undefined) throw new CommandError(`'${name}' is your own and was not installed: delete ${file} yourself, or 'hookline extensions disable ${name}'.`);
	const needing = extensions.filter((one) => one.enabled && one.needs.includes(name)).map((one) => one.name);
	if (needing.length > 0) throw new CommandError(`'${name}' is needed by ${needing.join(", ")}, so it is not removed. Remove or disable ${needing.length === 1 ? "that" : "those"} first.`);
	const settings = config.extensions?.[name];
	if (settings?.required === true && !purge) throw new CommandError(`${home.config} says 'required: true' of '${name}': nothing would start without it. Take that out first ('hookline config unset extensions.${name}.required'), or remove it with --purge.`);
	await removeInstalled(name, { home, environment: process.env, signal: new AbortController().signal });
	if (!purge) note(`${name} is removed. What it has stored${settings === undefined ? " stays" : ` and its settings in ${home.config} stay`}; 'remove --purge' takes that along.`);
	else {
		forgetState(home, name);
		if (settings !== undefined) await changeConfig(home.config, [{ path: ["extensions", name], value: undefined }]);
		note(`${name} is removed, with what it had stored${settings === undefined ? "" : ` and its settings in ${home.config}`}.`);
	}
	return exitCodes.fine;
}

function forgetState(home: Home, name: string): void {
	if (!existsSync(home.database)) return;
	using store = openStore(home, { onProblem: warn });
	const state = store.state.of(name);
	for (const [key] of state.entries()) state.delete(key);
}
