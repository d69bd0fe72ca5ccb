// The border around a process of extensions that were installed: Node's own permission model, as a seat belt, and bubblewrap where it is there. In there
// is what Node needs, our own code, the extensions' code, and what was granted; what else they do goes through us.
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Of the processes in a sandbox; gone with them. */
const ownTemporary = "/tmp/extensions";

export interface Enclosure {
	/** Files and folders, absolute; read-only in any case. */
	readonly code: readonly string[];
	/** Files and folders with all below them, absolute. */
	readonly read: readonly string[];
	readonly write: readonly string[];
	/** Never to be seen, whatever is granted around it. */
	readonly closed: readonly string[];
	/** All variables there are. */
	readonly env: Readonly<Record<string, string>>;
	/** bubblewrap; without it Node's permission model is all there is. */
	readonly sandbox: { readonly file: string } | undefined;
	/** Kept for this process alone: code that was compiled runs unchecked. Absolute. */
	readonly compileCache?: string | undefined;
}

const root = fileURLToPath(new URL("../../../", import.meta.url)).replace(/\/$/, "");
/** What we import may lie beside us, in the folder of packages that we are in. */
const ours = basename(dirname(root)) === "node_modules" ? dirname(root) : root;
/** A program needs no more of the system than its libraries. */
const system = ["/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/ssl/openssl.cnf"];

/** Hookline's own code: what may write there is held by nothing. */
export const ownCode = ours;

export const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** The words to start a program of Node with. `node` are its own options, `program` the file and what follows. */
export function enclosed(enclosure: Enclosure, executable: string, node: readonly string[], program: readonly string[]): readonly string[] {
	const { sandbox, write, read, code, compileCache } = enclosure;
	const cache = compileCache === undefined ? [] : [compileCache];
	const temporary = sandbox === undefined ? [] : [ownTemporary];
	const readable = [ours, ...code, ...read, ...cache, ...temporary].flatMap(bothNames).map((path) => `--allow-fs-read=${path}`);
	const writable = [...write, ...cache, ...temporary].flatMap(bothNames).map((path) => `--allow-fs-write=${path}`);
	const words = [executable, "--permission", ...new Set([...readable, ...writable]), ...node, ...program];
	return sandbox === undefined ? words : [sandbox.file, ...bindings(enclosure, executable), "--", ...words];
}

function bindings({ read, write, closed, code, compileCache }: Enclosure, executable: string): readonly string[] {
	const granted = [...read, ...write].flatMap(bothNames);
	const binds = [...read.flatMap(bothNames).map((path) => ["--ro-bind-try", path, path]), ...write.flatMap(bothNames).map((path) => ["--bind-try", path, path])];
	// Empty in there: what is closed lies in what was granted around it, and what is temporary goes with the process.
	const isGranted = (path: string) => granted.some((folder) => isWithin(path, folder));
	const emptied = closed.filter(isGranted);
	const temporary = ["/tmp"].filter((path) => !isGranted(path));
	return [
		...["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
		...system.flatMap(asItIs),
		...binds.flat(),
		...["--dev", "/dev", "--proc", "/proc"],
		...temporary.flatMap((path) => ["--tmpfs", path, ...binds.filter(([, from]) => isWithin(from!, path)).flat(), "--tmpfs", ownTemporary, "--setenv", "TMPDIR", ownTemporary]),
		...emptied.flatMap((path) => ["--tmpfs", path]),
		...[...bothNames(executable), ours, ...code.flatMap(bothNames)].flatMap((path) => ["--ro-bind", path, path]),
		...(compileCache === undefined ? [] : ["--bind", compileCache, compileCache]),
		// What is written where nothing keeps it would be lost without a word.
		...[...emptied, ...temporary, ...["/"].filter((path) => !isGranted(path))].flatMap((path) => ["--remount-ro", path]),
		...["--chdir", "/"],
	];
}

/** Links of the system (`/lib` to `/usr/lib`) stay links. */
function asItIs(path: string): readonly string[] {
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found === undefined) return [];
	return found.isSymbolicLink() && !isWithin(path, "/etc") ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

/** As it is written and as what it leads to: Node compares names. */
export function bothNames(path: string): readonly string[] {
	try {
		return [...new Set([path, realpathSync(path)])];
	} catch {
		// It is made later, perhaps.
		return [path];
	}
}
