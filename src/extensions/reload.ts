// Newer versions of extensions, taken up while the agent runs: when a file is saved, and when somebody asks. A version that does not load changes nothing:
// the one before stays, with every guard it has.
import { basename, sep } from "node:path";
import type { FSWatcher } from "chokidar";
import { isLeftOut } from "./content.ts";
import { failureOf, versionOf, type LiveExtensions, type Loadable, type LoadFailure } from "./live.ts";

export interface Reloaded {
	readonly name: string;
	readonly did: "loaded" | "reloaded" | "unchanged" | "removed" | "failed";
	/** How many hooks it has now, or why it failed. */
	readonly about: string;
}

export interface ReloadOptions {
	readonly live: LiveExtensions;
	/** What there is to be loaded now, and what would be and cannot. @throws what is wrong with the settings. */
	readonly chosen: () => Promise<{ readonly chosen: readonly Loadable[]; readonly failed: readonly LoadFailure[] }>;
	/** A line for the person who watches. */
	readonly note: (message: string) => void;
	readonly warn: (message: string) => void;
}

/** Editors write in several steps. In ms. */
const quietMs = 100;

export class Reloading implements AsyncDisposable {
	readonly #options: ReloadOptions;
	/** One after the other. */
	#turn: Promise<unknown> = Promise.resolve();
	#watcher: FSWatcher | undefined;
	#timer: NodeJS.Timeout | undefined;
	readonly #touched = new Set<string>();
	#closed = false;

	constructor(options: ReloadOptions) {
		this.#options = options;
	}

	/**
	 * Takes up what has changed: newer versions, extensions that are new, and those that are gone or disabled leave. With a name, only that one.
	 * @throws what is wrong with the settings; then everything stays as it is.
	 */
	reload(name?: string): Promise<readonly Reloaded[]> {
		return this.#inTurn(async () => {
			const { live, chosen: choose } = this.#options;
			const { chosen, failed } = await choose();
			const done: Reloaded[] = [];
			for (const extension of chosen) if (name === undefined || extension.name === name) done.push(await this.#take(extension));
			for (const { name: known } of live.all) {
				if ((name !== undefined && known !== name) || chosen.some((extension) => extension.name === known)) continue;
				const failure = failed.find((one) => one.name === known);
				if (failure !== undefined) {
					live.tell(failure, "was not reloaded, and the version before goes on");
					done.push({ name: known, did: "failed", about: failure.message });
					continue;
				}
				await live.remove(known);
				done.push({ name: known, did: "removed", about: "it is gone or disabled" });
			}
			await this.#follow();
			return done;
		});
	}

	/** From now on a file that is saved is taken up at once. */
	async watch(): Promise<void> {
		const { watch } = await import("chokidar");
		if (this.#closed) return;
		const ignored = (path: string): boolean => isLeftOut(basename(path));
		const roots = this.#roots();
		const watcher = watch(roots, { ignoreInitial: true, ignored, ignorePermissionErrors: true })
			.on("all", (_, path) => this.#changed(path))
			.on("error", (error) => this.#options.warn(`Extensions are no longer watched for changes: ${error instanceof Error ? error.message : String(error)}`));
		this.#watcher = watcher;
		// What is saved before it has looked around would be taken for what was there already. With nothing to look at it is never ready.
		if (roots.length > 0) await new Promise<void>((resolve) => watcher.once("ready", resolve));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		clearTimeout(this.#timer);
		await this.#watcher?.close();
		await this.#turn;
	}

	#inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
		const result = this.#turn.then(run);
		this.#turn = result.catch(() => {});
		return result;
	}

	#roots(): string[] {
		return this.#options.live.all.filter(({ trust, pinned }) => trust === "user" && pinned !== true).map(({ root }) => root);
	}

	async #follow(): Promise<void> {
		if (this.#watcher === undefined) return;
		const watched = new Set(this.#roots());
		this.#watcher.add([...watched]);
	}

	#changed(path: string): void {
		for (const { name, root } of this.#options.live.all) {
			if (path === root || path.startsWith(root + sep)) this.#touched.add(name);
		}
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			const names = [...this.#touched];
			this.#touched.clear();
			void this.#inTurn(() => this.#takeAll(names));
		}, quietMs).unref();
	}

	async #takeAll(names: readonly string[]): Promise<void> {
		for (const name of names) {
			const extension = this.#options.live.get(name);
			if (extension === undefined || this.#closed) continue;
			const { did, about } = await this.#take(extension);
			if (did === "reloaded") this.#options.note(`reloaded the extension '${name}': ${about}`);
		}
	}

	async #take(extension: Loadable): Promise<Reloaded> {
		const { live } = this.#options;
		const { name } = extension;
		const before = live.versionOf(name);
		if (before !== undefined && before === versionOf(extension)) return { name, did: "unchanged", about: "it is as it was" };
		const isNew = live.get(name) === undefined;
		try {
			const { hooks } = await live.take(await live.load(extension));
			return { name, did: isNew ? "loaded" : "reloaded", about: `${hooks.length} ${hooks.length === 1 ? "hook" : "hooks"}` };
		} catch (error) {
			const failure = failureOf(error, extension);
			live.tell(failure, isNew ? "is not loaded, and none of its hooks run" : "was not reloaded, and the version before goes on");
			return { name, did: "failed", about: failure.message };
		}
	}
}
