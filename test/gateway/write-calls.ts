// The system calls with which a program changes files, as strace sees them, and a program that is killed at one of them.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { launcher, type Place, type Running } from "../cli/program.ts";

/** One call: the nth of its kind to a file, by the thread that makes most of them. `path` is below the home. */
export interface WriteCall {
	readonly call: string;
	readonly path: string;
	readonly n: number;
}

const calls = ["write", "pwrite64", "writev", "pwritev", "fsync", "fdatasync", "ftruncate", "rename", "renameat", "renameat2", "unlink", "unlinkat", "link", "linkat", "mkdir", "mkdirat", "chmod", "fchmod", "fchmodat", "copy_file_range"];
const log = "calls";

/** Why there is no strace that can do this; undefined when there is. */
export function whyNoStrace(): string | undefined {
	if (process.platform !== "linux") return "strace is a program for Linux";
	const { error, status, stderr } = spawnSync("strace", ["-f", "-o", "/dev/null", "-e", "inject=write:signal=SIGUSR1:when=1000", "true"], { encoding: "utf8" });
	if (error) return "strace is not installed";
	return status === 0 ? undefined : `strace cannot be used here: ${stderr.trim().split("\n")[0]}`;
}

/** Starts the gateway so that its calls are noted down, and that it is killed where one begins that is given. */
export function startTraced(place: Place, at?: WriteCall): Running {
	// One thread beside the main one changes files: strace counts for each thread by itself.
	const env = { UV_THREADPOOL_SIZE: "1" };
	const kill = at === undefined ? [] : ["-P", join(place.home, at.path), "-e", `inject=${at.call}:signal=SIGKILL:when=${at.n}`];
	return place.start(["gateway", "run", "--model", "rehearsal"], { env, program: ["strace", "-f", "-y", "-qq", "-o", join(place.folder, log), "-e", `trace=${calls.map((call) => `?${call}`).join(",")}`, ...kill, launcher] });
}

/** All calls to files of the home that were noted down, in the order of their first. */
export function tracedCalls(place: Place): readonly WriteCall[] {
	const most = new Map<string, number>();
	const counts = new Map<string, number>();
	for (const line of readFileSync(join(place.folder, log), "utf8").split("\n")) {
		const [, thread, call, args = ""] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
		const path = pathIn(args, place.home);
		if (thread === undefined || call === undefined || path === undefined) continue;
		const key = JSON.stringify([call, path]);
		const count = (counts.get(`${thread} ${key}`) ?? 0) + 1;
		counts.set(`${thread} ${key}`, count);
		most.set(key, Math.max(most.get(key) ?? 0, count));
	}
	return [...most].flatMap(([key, count]) => {
		const [call, path] = JSON.parse(key) as [string, string];
		return Array.from({ length: count }, (_, i) => ({ call, path, n: i + 1 }));
	});
}

/** `21</home/x.db>` or `"/home/x.tmp"`. Of two the second, which is the one with a name that is the same each time. */
function pathIn(args: string, home: string): string | undefined {
	const path = [...args.matchAll(/(?:^\d+<|")(\/[^>"]+)[>"]/g)].at(-1)?.[1];
	return path?.startsWith(home + sep) ? path.slice(home.length + 1) : undefined;
}
