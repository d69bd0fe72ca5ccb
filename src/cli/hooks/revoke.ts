// `hookline hooks revoke`: taking a yes to a shell hook back.
import { liveProcesses } from "../../extensions/consent/live.ts";
import { homeOf } from "../../system/home.ts";
import { nearest } from "../../system/nearest.ts";
import { visibleLine } from "../../system/visible.ts";
import { CommandError, exitCodes } from "../exit.ts";
import { note } from "../output.ts";
import { configuredHooks, openConsent } from "./configured.ts";

/** @returns 1 when nothing was approved under that name. */
export async function revoke(command: string): Promise<number> {
	const consent = openConsent();
	const wanted = command.trim();
	// A config.yaml with a mistake must not keep anybody from taking an approval back.
	const { hooks } = await configuredHooks().catch(() => ({ hooks: [] }));
	const ids = hooks.filter(({ id }) => id === wanted).map((hook) => hook.command);
	// What was approved may be configured no more, so it is looked for in the list itself.
	const removed = await consent.revoke((entry) => entry.command.trim() === wanted || ids.includes(entry.command.trim()));
	if (removed.length === 0) {
		const near = nearest(wanted, consent.approvals().map((entry) => entry.command));
		throw new CommandError(`No approval names the command '${visibleLine(wanted)}'.${near === undefined ? "" : ` Did you mean '${visibleLine(near)}'?`} 'hookline hooks list' lists the hooks with their commands.`);
	}
	const commands = new Set(removed.map((entry) => entry.command.trim()));
	const live = liveProcesses(homeOf(process.env)).filter(({ hooks }) => hooks.some(({ definition }) => commands.has(String(definition["command"]))));
	note(`${removed.length === 1 ? "1 approval is" : `${removed.length} approvals are`} taken back (${removed.map(({ event }) => event).join(", ")}): it is not started any more${live.length === 0 ? "" : `, nor in the processes that have it (${live.map(({ pid }) => pid).join(", ")}), from its next call on`}. A guard that is closed when it fails now blocks.`);
	return exitCodes.fine;
}
