// Where a gateway in the background writes what it would show on a terminal: `gateway.out` beside the log.
import { closeSync, constants, copyFileSync, fstatSync, mkdirSync, openSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../system/home.ts";

const maxBytes = 5_000_000;
const lookEveryMs = 10_000;

export const outputFile = ({ path }: Home) => join(path, "logs", "gateway.out");

/** For a process to write to, at its end; for its user alone. */
export function openOutput(home: Home): Disposable & { readonly fd: number; readonly size: number } {
	mkdirSync(join(home.path, "logs"), { recursive: true, mode: 0o700 });
	const fd = openSync(outputFile(home), constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
	return { fd, size: fstatSync(fd).size, [Symbol.dispose]: () => closeSync(fd) };
}

/** Where this process writes into that file, it is kept small until its end: what is in it then becomes `gateway.out.1`. */
export function keepOutputSmall(home: Home, { bytes = maxBytes, everyMs = lookEveryMs }: { readonly bytes?: number; readonly everyMs?: number } = {}): void {
	const file = outputFile(home);
	const mine = fstatSync(1).ino;
	const look = () => {
		const found = statSync(file, { throwIfNoEntry: false });
		if (found === undefined || found.ino !== mine || found.size < bytes) return;
		// Copied, not moved: the process goes on writing to the file it has, as do the programs it has started.
		copyFileSync(file, `${file}.1`);
		truncateSync(file);
	};
	setInterval(() => {
		try {
			look();
		} catch {
			// A full disk is told of by what needs it more.
		}
	}, everyMs).unref();
}
