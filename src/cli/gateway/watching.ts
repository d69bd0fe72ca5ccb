// Settings that are saved while the gateway runs: it takes them up by itself.
import { join } from "node:path";
import { changedSettings } from "../../config/changed.ts";
import { readHomeConfig } from "../../config/home.ts";
import type { Home } from "../../system/home.ts";
import { note } from "../output.ts";
import type { Serving } from "./serving.ts";

/** Editors write in several steps. In ms. */
const quietMs = 300;

export interface Watched {
	readonly home: Home;
	readonly serving: Serving;
	readonly warn: (message: string) => void;
}

/** Watches the files of the configuration until it is disposed of, which does not wait for what is being taken up. A file with a mistake changes nothing. */
export async function watchConfig({ home, serving, warn }: Watched): Promise<AsyncDisposable> {
	const { watch } = await import("chokidar");
	const files = [home.config, ...(home.hermes === undefined ? [] : [join(home.hermes, "config.yaml")])];
	// Whether a file is there yet or not; its folder is.
	const watcher = watch(files, { ignoreInitial: true });
	let timer: NodeJS.Timeout | undefined;
	let turn: Promise<void> = Promise.resolve();
	let isOver = false;
	const take = async () => {
		if (isOver) return;
		try {
			const { config } = await readHomeConfig(home);
			const changed = changedSettings(serving.runtime.config, config);
			if (changed.length === 0) return;
			note(`The configuration has changed (${changed.join(", ")}) and is taken up as soon as no turn runs.`);
			for (const problem of await serving.reload()) warn(problem);
			note("The changed configuration counts now.");
		} catch (error) {
			if (!isOver) warn(`The changed configuration was not taken up, and everything goes on as before: ${error instanceof Error ? error.message : String(error)}`);
		}
	};
	watcher.on("all", () => {
		clearTimeout(timer);
		timer = setTimeout(() => (turn = turn.then(take)), quietMs);
	});
	watcher.on("error", (error) => warn(`Changes of the configuration are not noticed any more: ${error instanceof Error ? error.message : String(error)}`));
	await new Promise<void>((resolve) => watcher.once("ready", resolve));
	// What was saved while it got ready.
	turn = turn.then(take);
	return {
		async [Symbol.asyncDispose]() {
			clearTimeout(timer);
			isOver = true;
			await watcher.close();
		},
	};
}
