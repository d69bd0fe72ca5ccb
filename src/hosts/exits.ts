// Code in our own process that wants to end it: an extension that is not alone here may not.
import { HookFailure } from "../events/failure.ts";
import { runningExtension } from "./strays.ts";

const ways = ["exit", "abort", "reallyExit"] as const;
type Way = (typeof ways)[number];
type Ways = Record<Way, (code?: number | string) => never>;

let open = 0;
let own: Ways | undefined;

/**
 * While it is open, `process.exit` and its like throw when an extension's code calls them: a failure of its handler, or a stray error of its
 * timer. Everybody else's end the process as ever.
 */
export function refuseExits(): Disposable {
	if (open++ === 0) {
		// reallyExit is what `exit` ends in; it is there, though Node's types do not list it.
		const here = process as unknown as Ways;
		own = { exit: here.exit, abort: here.abort, reallyExit: here.reallyExit };
		for (const way of ways) here[way] = (code) => end(way, code);
	}
	return {
		[Symbol.dispose]() {
			if (--open === 0 && own !== undefined) Object.assign(process, own);
		},
	};
}

function end(way: Way, code: number | string | undefined): never {
	if (runningExtension() === undefined) return own![way].call(process, code);
	throw new HookFailure("threw", `called process.${way}(${code ?? ""}), which would have ended the agent with everything in it. With 'host: node' in config.yaml it has a process of its own`);
}
