// What the user and a project tell every agent: SOUL.md (who it is) and AGENTS.md (how to work), in the home and in the working folder.
import { readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";

export interface Instructions {
	/** The file, as the model is shown it. */
	readonly source: string;
	readonly text: string;
}

const names = ["SOUL.md", "AGENTS.md"] as const;
/** Bytes of one file. They are sent with every request. */
export const maxInstructionBytes = 32 * 1024;

/**
 * The instructions there are, the user's before the project's, so that the nearer word comes last. `warn` is told of a file that is there
 * and is left out or cut.
 */
export function readInstructions({ home, cwd }: { readonly home: string; readonly cwd: string }, warn: (message: string) => void): readonly Instructions[] {
	const found: Instructions[] = [];
	const seen = new Set<string>();
	for (const name of names) {
		for (const folder of [home, cwd]) {
			const source = join(folder, name);
			const text = read(source, folder === cwd ? cwd : undefined, seen, warn);
			if (text !== undefined) found.push({ source, text });
		}
	}
	return found;
}

/** The text of one file; undefined when there is none, it is empty, or it is none to be sent to a model. */
function read(file: string, within: string | undefined, seen: Set<string>, warn: (message: string) => void): string | undefined {
	let real: string;
	let bytes: Buffer;
	try {
		real = realpathSync(file);
		// A cloned folder must not have the user's own files sent away under the name of its instructions.
		if (within !== undefined && !real.startsWith(realpathSync(within) + sep)) {
			warn(`${file} is a link that leads out of the working folder (to ${real}), so it is not read.`);
			return undefined;
		}
		if (seen.has(real)) return undefined;
		seen.add(real);
		bytes = readFileSync(real);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code !== "ENOENT" && code !== "ENOTDIR") warn(`${file} cannot be read, so its instructions are left out: ${message}`);
		return undefined;
	}
	const cut = bytes.length > maxInstructionBytes;
	if (cut) warn(`${file} is longer than ${maxInstructionBytes / 1024} KB (${bytes.length} bytes); the agent is told only its beginning.`);
	const text = bytes.subarray(0, maxInstructionBytes).toString("utf8");
	if (text.includes("\0")) {
		warn(`${file} is no text, so it is left out.`);
		return undefined;
	}
	const kept = (cut ? `${text.replace(/\uFFFD$/, "")}\n[cut]` : text).trim();
	return kept === "" ? undefined : kept;
}
