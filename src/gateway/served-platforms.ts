// The platforms that are served: started together, exchanged while the gateway runs, ended together. What one of them does is no other's trouble.
import type { Door, Platform } from "./platform.ts";

/** How long a start waits for platforms that are slow, in ms; they go on by themselves. */
const startMs = 5_000;

export interface PlatformStatus {
	readonly name: string;
	/** False for one that was given up, such as with a wrong token. */
	readonly started: boolean;
	readonly connected: boolean;
}

export class ServedPlatforms {
	readonly #door: (platform: Platform) => Door;
	readonly #warn: (message: string) => void;
	readonly #byName = new Map<string, Platform>();
	/** Without those that were given up. */
	readonly #started = new Set<Platform>();
	/** Of the started ones those that take no more messages. */
	readonly #stopped = new Set<Platform>();

	constructor(platforms: readonly Platform[], door: (platform: Platform) => Door, warn: (message: string) => void) {
		for (const platform of platforms) this.#byName.set(platform.name, platform);
		this.#door = door;
		this.#warn = warn;
	}

	/** As it is now; it changes with them. */
	get byName(): ReadonlyMap<string, Platform> {
		return this.#byName;
	}

	get started(): readonly string[] {
		return [...this.#started].map(({ name }) => name);
	}

	get status(): readonly PlatformStatus[] {
		return [...this.#byName.values()].map((platform) => ({ name: platform.name, started: this.#started.has(platform), connected: platform.connected }));
	}

	/** All at once; why some could not be, a sentence each. */
	async start(platforms: readonly Platform[] = [...this.#byName.values()]): Promise<readonly string[]> {
		const failures: string[] = [];
		let waiting = true;
		const starts = platforms.map(async (platform) => {
			try {
				this.#started.add(platform);
				await platform.start(this.#door(platform));
			} catch (error) {
				this.#started.delete(platform);
				const failure = `${platform.name} was not started: ${wordsOf(error)}`;
				if (waiting) failures.push(failure);
				else this.#warn(failure);
			}
		});
		let timer: NodeJS.Timeout | undefined;
		await Promise.race([Promise.all(starts), new Promise((resolve) => (timer = setTimeout(resolve, startMs)))]);
		clearTimeout(timer);
		waiting = false;
		return failures;
	}

	/** Serves these from now on: those that are not among them are ended, then the new ones started. @returns as `start` */
	async exchange(platforms: readonly Platform[]): Promise<readonly string[]> {
		const gone = [...this.#byName.values()].filter((platform) => !platforms.includes(platform));
		const come = platforms.filter((platform) => this.#byName.get(platform.name) !== platform);
		// In one go: no text is to find its platform missing when that only has other settings.
		for (const { name } of gone) this.#byName.delete(name);
		for (const platform of come) this.#byName.set(platform.name, platform);
		await Promise.all(gone.map(async (platform) => {
			await this.#end(platform, "stop");
			await this.#end(platform, "close");
		}));
		return this.start(come);
	}

	/** They take no more messages. */
	async stop(): Promise<void> {
		const left = [...this.#started].filter((platform) => !this.#stopped.has(platform));
		for (const platform of left) this.#stopped.add(platform);
		await Promise.all(left.map((platform) => this.#end(platform, "stop")));
	}

	/** After `stop`. */
	async close(): Promise<void> {
		await Promise.all([...this.#byName.values()].map((platform) => this.#end(platform, "close")));
	}

	async #end(platform: Platform, how: "stop" | "close"): Promise<void> {
		if (how === "close") this.#started.delete(platform);
		try {
			await platform[how]();
		} catch (error) {
			this.#warn(`${platform.name} was not ${how === "stop" ? "stopped" : "closed"}: ${wordsOf(error)}`);
		}
	}
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
