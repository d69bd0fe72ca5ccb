// Where Hookline keeps what is the user's own: configuration, extensions, the database.
import { chmodSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";

/** The places inside a home, all absolute. None of them need exist. */
export interface Home {
	readonly path: string;
	readonly database: string;
	readonly extensions: string;
	readonly config: string;
	/** `default` is `~/.hookline`; `chosen` came from HOOKLINE_HOME and may be a folder that has other uses. */
	readonly origin: "default" | "chosen";
	/**
	 * The home of Hermes Agent, where HOOKLINE_HOME names that: ours is a folder `hookline` in it, so that none of its files is written to. Its hooks, plugins
	 * and extensions run here as well.
	 */
	readonly hermes?: string;
}

/** The home cannot be used as a folder. The message says which, why, and what to do. */
export class HomeError extends Error {
	override readonly name = "HomeError";
}

/** The home this environment names: HOOKLINE_HOME (a leading `~` and relative paths are resolved), otherwise `~/.hookline`. Makes nothing. */
export function homeOf(environment: Readonly<Record<string, string | undefined>>): Home {
	const user = environment["HOME"] || homedir();
	const chosen = environment["HOOKLINE_HOME"]?.trim();
	// A shell resolves `~`, a .env file or a systemd unit does not, and then a folder named `~` appears.
	const named = chosen ? resolve(chosen.replace(/^~(?=\/|$)/, user)) : join(user, ".hookline");
	const hermes = chosen !== undefined && chosen !== "" && isOfHermes(named) ? named : undefined;
	const path = hermes === undefined ? named : join(hermes, "hookline");
	return {
		path,
		...(hermes !== undefined && { hermes }),
		database: join(path, "hookline.db"),
		extensions: join(path, "extensions"),
		config: join(path, "config.yaml"),
		origin: chosen ? "chosen" : "default",
	};
}

/** By its usual name, or by the version that Hermes writes into its settings. */
function isOfHermes(path: string): boolean {
	if (basename(path) === ".hermes") return true;
	try {
		return /^_config_version\s*:/m.test(readFileSync(join(path, "config.yaml"), "utf8"));
	} catch {
		return false;
	}
}

/**
 * Makes the home folder, for its user alone (mode 0700). An existing `~/.hookline` is tightened; an existing folder the user chose is left
 * as it is, since it may be one that others need (`HOOKLINE_HOME=/tmp`). The files inside are private in any case.
 * @throws HomeError when there is no such folder afterwards.
 */
export function ensureHome(home: Home): void {
	try {
		mkdirSync(home.path, { recursive: true, mode: 0o700 });
		const { mode } = statSync(home.path);
		if (home.origin === "default" && (mode & 0o077) !== 0) chmodSync(home.path, 0o700);
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw new HomeError(`The home folder ${home.path} cannot be made or used (${why}). Make it a writable folder, or set HOOKLINE_HOME to one.`, { cause: error });
	}
}
