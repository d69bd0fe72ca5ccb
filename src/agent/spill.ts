// Text that hooks add, when it is too long to be sent with every request: the model gets its beginning, and a file with all of it.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Injection } from "../engine/outcome.ts";
import { marked } from "./context.ts";
import type { AgentParts } from "./parts.ts";

/** Characters. Up to the first number a text is sent whole; of a longer one, so many. */
const sentWhole = 16_000;
const previewed = 2_000;
/** A text that was not injected for so long is forgotten, in ms. */
const keptMs = 30 * 24 * 3600 * 1000;

/** Text of hooks as the model reads it: named, fenced, and where it is long shortened to a preview with the file that holds all of it. */
export function contextOf(parts: Pick<AgentParts, "home" | "warn">, injections: readonly Injection[]): string {
	return marked(injections.map((injection) => (injection.text.length <= sentWhole ? injection : { ...injection, text: shortened(injection, parts) })));
}

function shortened({ by, text }: Injection, { home, warn }: Pick<AgentParts, "home" | "warn">): string {
	// Not in the middle of a character of two halves.
	const preview = text.slice(0, previewed).replace(/[\ud800-\udbff]$/, "");
	const left = text.length - preview.length;
	try {
		return `${preview}\n[cut: ${left} more characters. All of it is in ${keep(join(home, "context"), text)}, for read_file and search_files.]`;
	} catch (error) {
		warn(`A long text of ${by} could not be kept (${error instanceof Error ? error.message : String(error)}); the model gets only its first ${preview.length} characters.`);
		return `${preview}\n[cut: ${left} more characters, which could not be kept.]`;
	}
}

/** By its content: the same text is the same file in every request, and so are the bytes that name it. */
function keep(folder: string, text: string): string {
	const file = join(folder, `${createHash("sha256").update(text).digest("hex").slice(0, 32)}.txt`);
	const now = Date.now() / 1000;
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	// Looked at first: a hook that adds the same text to every call would otherwise write it each time.
	if (statSync(file, { throwIfNoEntry: false })?.size === Buffer.byteLength(text)) utimesSync(file, now, now);
	else {
		forgetOld(folder);
		writeFileSync(file, text, { mode: 0o600 });
	}
	return file;
}

function forgetOld(folder: string): void {
	for (const name of readdirSync(folder)) {
		const file = join(folder, name);
		if (name.endsWith(".txt") && Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > keptMs) rmSync(file, { force: true });
	}
}
