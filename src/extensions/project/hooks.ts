// The shell hooks of a project: read from its config.yaml, and everything they run read with them, so that one word of the user covers both.
import { join, relative } from "node:path";
import { delegateTask } from "../../agent/delegate.ts";
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import { type ReadSettings, shellHooksIn } from "../../dialects/hermes-shell/settings.ts";
import { builtInTools } from "../../tools/built-in.ts";
import { type Taken, take } from "../consent/copy.ts";
import { piecesOf } from "../consent/definition.ts";
import { Hashes } from "../consent/hashes.ts";
import { NotRunnable, type Piece, programOf } from "../consent/program.ts";
import { ownFolder } from "./find.ts";

/** A hook with the bytes it was read with, which are the ones that run. */
export interface ProjectHook {
	readonly hook: ShellHook;
	readonly taken: Taken;
	/** What it runs, by the paths that is trusted under: below `.hookline`, as `../scripts/check.sh` elsewhere in the folder, absolute outside of it. */
	readonly files: readonly (readonly [path: string, piece: Piece])[];
}

export interface ProjectHooks {
	readonly hooks: readonly ProjectHook[];
	/** A sentence each. */
	readonly warnings: readonly string[];
	/** Why the project cannot be trusted as it is, a sentence each. */
	readonly problems: readonly string[];
}

export interface ProjectHooksOptions {
	/** Real. */
	readonly folder: string;
	readonly userHome: string;
	/** PATH. */
	readonly searched: string;
	/** Hashes that were found before, by what the file system says of their files. */
	readonly known: Readonly<Record<string, string>>;
}

/** The hooks of a configuration that was read. Starts nothing. */
export function projectHooksIn(read: ReadSettings, { folder, userHome, searched, known }: ProjectHooksOptions): ProjectHooks {
	const file = join(folder, ownFolder, "config.yaml");
	const toolNames = [...builtInTools(), delegateTask].map(({ name }) => name);
	const { hooks, warnings, mistakes } = shellHooksIn(read, { file, userHome, toolNames, trust: "project" });
	const problems = mistakes.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
	const hashes = new Hashes();
	for (const [identity, sha256] of Object.entries(known)) hashes.remember(identity, sha256);
	const found: ProjectHook[] = [];
	for (const hook of hooks) {
		try {
			// From the project's folder on, wherever in it the conversation is.
			const program = programOf(hook.words, { cwd: folder, searched, ownHooks: join(folder, ownFolder, "hooks"), hashes });
			const link = piecesOf(program).find(({ path, hashed }) => isInside(path, folder) && hashed.real !== path);
			if (link !== undefined) throw new NotRunnable(`${link.path} is a symbolic link, or lies behind one, and links in a project are not followed.`);
			found.push({ hook, taken: take(program), files: piecesOf(program).map((piece) => [pathOf(piece, folder), piece]) });
		} catch (error) {
			if (!(error instanceof NotRunnable)) throw error;
			problems.push(`${file}:${hook.line}:${hook.column}: the hook ${hook.id} cannot be started: ${error.message}`);
		}
	}
	return { hooks: found, warnings, problems };
}

const pathOf = ({ path }: Piece, folder: string): string => (isInside(path, folder) ? relative(join(folder, ownFolder), path) : path);
const isInside = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
