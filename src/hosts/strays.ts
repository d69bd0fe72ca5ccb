// Errors that nobody can catch: a throw in a timer or an event callback, a promise nobody waits for. They are laid at the door of the extension
// whose code is running, and the process lives on.
import { AsyncLocalStorage } from "node:async_hooks";
import { toFailure } from "../events/failure.ts";
import type { ExtensionFile, Stray } from "./host.ts";
import { isOf, placeIn, placesOf } from "./place.ts";

/** Calls a function as part of an extension: whatever it starts, also much later, is known to be the extension's. */
export type Frame = <Given extends readonly unknown[], Result>(run: (...given: Given) => Result, ...given: Given) => Result;

/** One host's extensions and whom to tell. */
export interface Watch {
	readonly extensions: () => Iterable<ExtensionFile>;
	/** `extension` is undefined when the error is nobody's. Must not throw. */
	readonly onError: (thrown: unknown, extension: ExtensionFile | undefined) => void;
}

interface Running {
	readonly extension: ExtensionFile;
	readonly watch: Watch;
}

const straysPerSecond = 20;
const running = new AsyncLocalStorage<Running>();
const watches = new Set<Watch>();

/** Runs a function as part of an extension. */
export function runAs<Result>(extension: ExtensionFile, watch: Watch, run: () => Result): Result {
	return running.run({ extension, watch }, run);
}

/**
 * The frame for an extension's handlers. It holds the whole asynchronous context of this moment: entering it takes 90 ns, half of what
 * `AsyncLocalStorage.run` takes.
 */
export function frameOf(extension: ExtensionFile, watch: Watch): Frame {
	return running.run({ extension, watch }, () => AsyncLocalStorage.snapshot());
}

/** The extension whose code is running right now. */
export function runningExtension(): ExtensionFile | undefined {
	return running.getStore()?.extension;
}

/** Listens for stray errors until it is disposed of. Any number of watches share one pair of listeners. */
export function watchStrays(watch: Watch): Disposable {
	if (watches.size === 0) process.on("uncaughtException", onStray).on("unhandledRejection", onStray);
	watches.add(watch);
	return {
		[Symbol.dispose]() {
			watches.delete(watch);
			if (watches.size === 0) process.off("uncaughtException", onStray).off("unhandledRejection", onStray);
		},
	};
}

/** A stray error as it is told. */
export function toStray(thrown: unknown, extension: ExtensionFile): Stray {
	const place = placeIn(extension, thrown);
	const { message } = toFailure(thrown);
	return { extension: extension.name, file: place?.file ?? extension.file, ...(place && { line: place.line }), message, during: "run" };
}

/** Passes on so many strays of an extension a second: a timer that throws every millisecond must not keep the agent busy. */
export function boundStrays(onStray: (stray: Stray) => void): (stray: Stray) => void {
	const windows = new Map<string, { ends: number; left: number }>();
	return (stray) => {
		const now = performance.now();
		let window = windows.get(stray.extension);
		if (window === undefined || now > window.ends) windows.set(stray.extension, (window = { ends: now + 1_000, left: straysPerSecond }));
		if (--window.left > 0) onStray(stray);
		else if (window.left === 0) onStray({ ...stray, message: `${stray.message} (more within this second is not told)` });
	};
}

/**
 * What Node does with an error that nobody caught when nobody listens: it prints it and ends the process with exit code 1. Where somebody else
 * listens too, the error is theirs and nothing happens here.
 */
export function leaveToNode(thrown: unknown): void {
	if (process.listenerCount("uncaughtException") > 1) return;
	process.off("uncaughtException", onStray).off("unhandledRejection", onStray);
	setImmediate(() => {
		throw thrown;
	});
}

function onStray(thrown: unknown): void {
	// Node keeps the asynchronous context of the culprit for these two events.
	const known = running.getStore();
	if (known !== undefined) return known.watch.onError(thrown, known.extension);
	const files = placesOf(thrown).map(({ file }) => file);
	for (const watch of watches) {
		for (const extension of watch.extensions()) if (files.some((file) => isOf(extension, file))) return watch.onError(thrown, extension);
	}
	const [first] = watches;
	first?.onError(thrown, undefined);
}
