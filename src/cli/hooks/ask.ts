// Puts shell hooks to the person before any of them runs: at the start of a conversation, and in `hookline hooks allow`.
import { acceptedBy, settle } from "../../extensions/consent/settle.ts";
import type { Examined } from "../../extensions/consent/consent.ts";
import type { Taken } from "../../extensions/consent/copy.ts";
import { note, warn } from "../output.ts";
import type { ReadLine } from "../terminal-approver.ts";
import { configuredHooks, openConsent } from "./configured.ts";
import { describeHook, firstLines, wholeText } from "./describe.ts";

/** Asks about each hook of config.yaml that is not approved as it is now, unless somebody else says yes to all. @throws ConfigError, HomeError */
export async function askAboutAll(readLine: ReadLine, acceptHooks: boolean | undefined): Promise<void> {
	const { hooks, acceptSetting } = await configuredHooks();
	// The runtime approves then, and says so.
	if (hooks.length === 0 || acceptedBy({ flag: acceptHooks, environment: process.env, setting: acceptSetting }) !== undefined) return;
	// What is left out is said once, by the runtime.
	await settle(openConsent(), hooks, { cwd: process.cwd(), ask: (examined, taken) => ask(examined, taken, readLine), warn });
}

/** Shows a hook, and gives whether the person said yes to exactly that. */
export async function ask(examined: Examined, taken: Taken, readLine: ReadLine): Promise<boolean> {
	note(`\n${describeHook(examined, taken, firstLines)}`);
	// Ctrl-C ends the program here, as nothing is under way yet.
	const { signal } = new AbortController();
	for (;;) {
		const answer = await readLine("May exactly this run, with your rights? [y = yes / s = show all of it / Enter = no] ", signal).catch(() => "");
		switch (answer.trim().toLowerCase()) {
			case "y":
			case "yes":
				return true;
			case "s":
			case "show":
				note(wholeText(taken));
				break;
			case "":
			case "n":
			case "no":
				return false;
			default:
				note("Please answer y, s, or nothing.");
		}
	}
}
