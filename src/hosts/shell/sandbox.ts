// bubblewrap: a program sees the machine but cannot change it, reaches nobody, and leaves nobody behind.
import { execFile } from "node:child_process";
import { dirname, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { isExecutable } from "./spawner.ts";
import type { Ended, StartRequest } from "./started.ts";

const probeMs = 5_000;
/** Empty in there: what others keep in them (sockets that lead out of the sandbox, temporary files) is none of a hook's business. */
const emptied = ["/tmp", "/run"];
const alwaysThere = "/run/current-system";
const within = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
/** The words of the file and the script it runs: they may lie in a folder that is empty in there. */
const needed = ({ file, args, cwd }: Pick<StartRequest, "file" | "args" | "cwd">): readonly string[] => [
	alwaysThere,
	cwd,
	...[file, ...args].filter(isAbsolute).filter((path) => emptied.some((folder) => within(dirname(path), folder))).map(dirname),
	...[file, ...args].filter((path) => emptied.includes(dirname(path))),
];

export type Sandbox = { readonly file: string } | { readonly why: string };

/** Whether programs can be run in one, tried once. `path` is that of the environment. */
export async function findSandbox(path: string): Promise<Sandbox> {
	if (process.platform !== "linux") return { why: "bubblewrap is there for Linux only" };
	const file = path.split(":").filter(isAbsolute).map((folder) => join(folder, "bwrap")).find(isExecutable);
	if (file === undefined) return { why: "bubblewrap ('bwrap') is not installed" };
	try {
		await promisify(execFile)(file, argumentsFor({ file: "/bin/sh", args: ["-c", ":"], cwd: "/" }), { timeout: probeMs, killSignal: "SIGKILL", env: {} });
		return { file };
	} catch (error) {
		const { message, stderr } = error as Error & { readonly stderr?: string };
		return { why: `bubblewrap does not work here: ${(stderr?.trim() || message).split("\n", 1)[0]}` };
	}
}

/** The request to run it in a sandbox. */
export function inSandbox(request: StartRequest, { file }: { readonly file: string }): StartRequest {
	// The folder is entered in there, where it is what the program will see.
	return { ...request, file, args: argumentsFor(request), cwd: "/" };
}

function argumentsFor({ file, args, cwd }: Pick<StartRequest, "file" | "args" | "cwd">): readonly string[] {
	return [
		...["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
		...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
		...emptied.flatMap((folder) => ["--tmpfs", folder]),
		...needed({ file, args, cwd }).filter((path) => emptied.some((folder) => within(path, folder))).flatMap((path) => ["--ro-bind-try", path, path]),
		...["--unsetenv", "TMPDIR", "--chdir", cwd, "--", file, ...args],
	];
}

/** Why bubblewrap itself failed, when it did: it exits with 1 and says so, as the program it was to run could as well. Both are a failure. */
export function sandboxFailure({ exitCode, stdout, stderr }: Ended): string | undefined {
	if (exitCode !== 1 || stdout.length > 0) return undefined;
	return /^bwrap: (.*)/.exec(stderr.toString("utf8", 0, 2_000))?.[1];
}
