// What counts as a plan, and what as a request to change something.
import { readFileSync } from "node:fs";

const step = /^\s*[-*] \[[ xX]\] \S/m;
const change = /\b(?:add|build|change|create|fix|implement|migrate|refactor|remove|rename|replace|write)\b/i;

/** A file with at least one step in it. */
export function isPlan(path: string): boolean {
	try {
		return step.test(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)));
	} catch {
		return false;
	}
}

/** A slash command means what it says. */
export const asksForChanges = (message: string): boolean => !message.startsWith("/") && change.test(message);
