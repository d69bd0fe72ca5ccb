// Ctrl-C and SIGTERM: the first stops what is under way, the second ends the program at once. A reader that has gone stops it as well.
import { exitCodes } from "./exit.ts";
import { whenReaderGone } from "./output.ts";

/** Aborted by the first signal while it is open, and when nobody reads the output any more. */
export function stopOnSignals(): Disposable & { readonly signal: AbortSignal } {
	const controller = new AbortController();
	const stop = (name: NodeJS.Signals) => {
		if (controller.signal.aborted) process.exit(name === "SIGTERM" ? 143 : exitCodes.interrupted);
		controller.abort(new Error("Stopped by the user."));
	};
	const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
	for (const name of names) process.on(name, stop);
	whenReaderGone(() => controller.abort(new Error("Nobody reads the output.")));
	return {
		signal: controller.signal,
		[Symbol.dispose]: () => {
			for (const name of names) process.off(name, stop);
		},
	};
}
