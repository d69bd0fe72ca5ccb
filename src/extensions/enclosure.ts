// The border that what was granted draws around a process of installed extensions.
import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Enclosure, isWithin, ownCode } from "../hosts/node/enclosure.ts";
import type { Sandbox } from "../hosts/shell/sandbox.ts";
import { removeUnused } from "./copies.ts";
import { ownVersion } from "./manifest/read.ts";
import type { Permissions } from "./permissions.ts";

export interface EnclosureOptions {
	/** The folders of the extensions in it, absolute. */
	readonly code: readonly string[];
	/** Hookline's own folder, absolute. */
	readonly home: string;
	/** Where the agent works, absolute. */
	readonly cwd: string;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly sandbox: Sandbox;
	/** Where the process may keep what it compiles, absolute. */
	readonly compileCache: string | undefined;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

const passedOn = /^(?:PATH|HOME|LANG|LC_\w+|TZ)$/;

export function enclosureFor({ paths, env }: Permissions, options: EnclosureOptions): Enclosure {
	const { code, home, cwd, environment, sandbox, compileCache, warn } = options;
	const closed = [...new Set([home, realOf(home), ownCode, realOf(ownCode)])];
	const user = environment["HOME"] ?? "/";
	const placesOf = (granted: readonly string[]) => granted.flatMap((path): readonly string[] => {
		const place = resolve(cwd, path.replace(/^~(?=\/|$)/, user));
		const why = whyNot(place, closed, "file" in sandbox);
		if (why !== undefined) warn(`${path}, which an extension was granted (${code.join(", ")}), stays closed to it: ${why}.`);
		return why === undefined ? [place] : [];
	});
	const variables = Object.entries(environment).filter((one): one is [string, string] => one[1] !== undefined && (passedOn.test(one[0]) || env.includes("*") || env.includes(one[0])));
	return {
		code,
		read: placesOf(paths.read),
		write: placesOf(paths.write),
		closed,
		compileCache,
		env: { ...Object.fromEntries(variables), ...(compileCache !== undefined && { NODE_COMPILE_CACHE: compileCache }) },
		sandbox: "file" in sandbox ? sandbox : undefined,
	};
}

/** Compiled code runs unchecked: so it is of one process, and of what runs in there as it is now. Undefined where there can be none. */
export function compileCacheFor(home: string, of: unknown): string | undefined {
	const all = join(home, "copies");
	const name = createHash("sha256").update(JSON.stringify([ownVersion(), of])).digest("hex").slice(0, 32);
	try {
		mkdirSync(join(all, name), { recursive: true, mode: 0o700 });
		utimesSync(join(all, name), new Date(), new Date());
		removeUnused(all, [name], []);
		return join(all, name);
	} catch {
		// A home that cannot be written to: then it is compiled at each start.
		return undefined;
	}
}

/** What holds extensions must not be in their hands. */
function whyNot(place: string, closed: readonly string[], isSandboxed: boolean): string | undefined {
	const real = realOf(place);
	const inside = closed.find((folder) => isWithin(place, folder) || isWithin(real, folder));
	if (inside !== undefined) return `it lies in ${inside}, which is Hookline's own`;
	// Node takes a star for a wildcard.
	if (real.includes("*") || place.includes("*")) return "its name has a '*' in it";
	const around = closed.find((folder) => isWithin(folder, place) || isWithin(folder, real));
	return around === undefined || isSandboxed ? undefined : `${around}, which is Hookline's own, lies in it, and only bubblewrap can leave that out`;
}

function realOf(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
