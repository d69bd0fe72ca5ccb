// The question about shell hooks at the start of a conversation. What it needs is loaded only where there is somebody to ask, and something to ask about.
import { existsSync } from "node:fs";
import { homeOf } from "../../system/home.ts";
import { personHere } from "../trust/ask.ts";

/**
 * Asks about the shell hooks nobody has decided about, or that have changed. Call it before the runtime is opened, which looks again and starts only
 * what is approved by then. Without a terminal to show them on it asks nothing.
 * @throws ConfigError, HomeError
 */
export async function askForHooks({ hooks, acceptHooks }: { readonly hooks: boolean; readonly acceptHooks?: boolean }): Promise<void> {
	const readLine = personHere();
	if (!hooks || readLine === undefined || !existsSync(homeOf(process.env).config)) return;
	await (await import("./ask.ts")).askAboutAll(readLine, acceptHooks);
}
