// Timers that an extension's own code has set: what is left of them when it leaves ends with it.
import { getCallSites, promisify } from "node:util";
import type { ExtensionFile } from "./host.ts";
import { toPath } from "./place.ts";
import { runningExtension } from "./strays.ts";

/** Where our own code lies, with what it calls: a timer of ours is not an extension's because one asked for what it is for. */
const ours = toPath(new URL("../", import.meta.url).href);

const timers = new WeakMap<ExtensionFile, Set<NodeJS.Timeout>>();
const owners = new WeakMap<NodeJS.Timeout, Set<NodeJS.Timeout>>();
let watching = false;

/** From now on timers are known to be the extension's that sets them. In every process that runs extensions, once. */
export function watchTimers(): void {
	if (watching) return;
	watching = true;
	const { setTimeout: later, setInterval: often, clearTimeout: clear } = globalThis;
	const starting = (start: typeof setTimeout | typeof setInterval, isOnce: boolean) =>
		function (callback: (...given: unknown[]) => void, ms?: number, ...given: unknown[]): NodeJS.Timeout {
			const extension = runningExtension();
			if (extension === undefined || typeof callback !== "function" || isOurs(getCallSites(2)[1]?.scriptName)) return start(callback, ms, ...given);
			const own = timers.get(extension) ?? new Set();
			timers.set(extension, own);
			const timer: NodeJS.Timeout = start(
				(...now: unknown[]) => {
					if (isOnce) own.delete(timer);
					callback(...now);
				},
				ms,
				...given,
			);
			own.add(timer);
			owners.set(timer, own);
			return timer;
		};
	const clearing = (timer: NodeJS.Timeout | string | number | undefined): void => {
		if (typeof timer === "object") owners.get(timer)?.delete(timer);
		clear(timer);
	};
	Object.assign(globalThis, {
		setTimeout: Object.assign(starting(later, true), { [promisify.custom]: later[promisify.custom as never] as unknown }),
		setInterval: starting(often, false),
		clearTimeout: clearing,
		clearInterval: clearing,
	});
}

/** Ends what an extension has left running. */
export function endTimers(extension: ExtensionFile): void {
	for (const timer of timers.get(extension) ?? []) clearTimeout(timer);
}

function isOurs(script: string | undefined): boolean {
	if (script === undefined || script.startsWith("node:")) return true;
	const path = toPath(script);
	return path.startsWith(ours) && !path.startsWith(`${ours}bundled/`);
}
