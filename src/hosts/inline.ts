// The host for bundled and trusted code: handlers run in this process, at full speed. An error nobody could catch is laid at the door of its
// extension and the process lives on, also when one calls `process.exit`; a busy loop here is our own, so what is not trusted belongs into the
// node host.
import { AsyncLocalStorage } from "node:async_hooks";
import type { DurableState } from "../events/context.ts";
import type { Facts } from "../events/payloads/facts.ts";
import type { HookDefinition } from "../events/registration.ts";
import { orAborted } from "../system/abort.ts";
import { askingDepth, atAskingDepth } from "../system/asking-depth.ts";
import { deepFreeze } from "../system/plain.ts";
import type { Link } from "./api.ts";
import { type AgentSide, answerTo } from "./asks.ts";
import { Bus } from "./bus.ts";
import { calling } from "./calling.ts";
import { refuseExits } from "./exits.ts";
import { defaultLoadMs, type ExtensionFile, type Host, type LoadedExtension, type LoadOptions, type Stray } from "./host.ts";
import { Unloaded } from "./lifetime.ts";
import { type Loaded, loadExtension } from "./load.ts";
import { boundStrays, type Frame, frameOf, leaveToNode, runAs, toStray, type Watch, watchStrays } from "./strays.ts";

export interface InlineHostOptions extends AgentSide {
	/** Told of each error outside of any call. Must not throw. */
	readonly onStray: (stray: Stray) => void;
	/** An error nobody caught that no extension is to blame for. When not given, it ends the process as it would without this host. */
	readonly onOwnDefect?: (thrown: unknown) => void;
	/** What extensions log; nowhere when not given. */
	readonly log?: (from: string, message: string) => void;
	/** Durable state of extensions. When not given, theirs lasts as long as this host. */
	readonly stateOf?: (extension: string) => DurableState;
}

/** A host in this process. While it is open, errors nobody caught no longer end the process when they are an extension's. */
export function inlineHost(options: InlineHostOptions): Host {
	const extensions = new Set<ExtensionFile>();
	/** In the order in which they were loaded. */
	const loaded = new Set<Loaded>();
	const onStray = boundStrays(options.onStray);
	const watch: Watch = {
		extensions: () => extensions,
		onError(thrown, extension) {
			if (thrown instanceof Unloaded) return;
			if (extension !== undefined) onStray(toStray(thrown, extension));
			else (options.onOwnDefect ?? leaveToNode)(thrown);
		},
	};
	const side = { ...options, onStray, bus: options.bus ?? new Bus() };
	const watching = watchStrays(watch);
	const staying = refuseExits();

	return {
		async load(extension: ExtensionFile, { timeoutMs = defaultLoadMs, onBrings = () => {} }: LoadOptions = {}): Promise<LoadedExtension> {
			// Before it is read, and for good: also what failed to load or was unloaded may have left a timer that throws.
			extensions.add(extension);
			const frame = frameOf(extension, watch);
			const one = await loadExtension(extension, {
				host: "inline",
				frame: (run) => runAs(extension, watch, run),
				timeoutMs,
				link: linkOf(extension, frame, side),
				onError: (thrown) => onStray(toStray(thrown, extension)),
			});
			loaded.add(one);
			one.onBrings(onBrings);
			const unload = async () => void (loaded.delete(one) && (await one.unload()));
			return {
				name: extension.name,
				file: extension.file,
				definitions: one.definitions.map((definition) => framed(definition, frame, one.asks)),
				get brings() {
					return one.brings;
				},
				unload,
			};
		},
		async [Symbol.asyncDispose]() {
			for (const one of [...loaded].reverse()) await one.unload();
			loaded.clear();
			staying[Symbol.dispose]();
			watching[Symbol.dispose]();
		},
	};
}

interface Side extends InlineHostOptions {
	readonly bus: Bus;
}

function linkOf(extension: ExtensionFile, frame: Frame, side: Side): Link {
	const { name, file } = extension;
	const own = side.stateOf ?? inMemory();
	const version = {};
	const ask: Link["ask"] = (what, args, { sessionId, signal }) => {
		const depth = askingDepth();
		// The agent's work is ours: what goes astray in it must not be blamed on the extension.
		return orAborted(ours(() => atDepth(depth, () => answerTo(side, { extension: name, sessionId, signal, version }, what, args))), signal);
	};
	return {
		config: deepFreeze(structuredClone(side.configOf?.(name) ?? {})),
		flags: side.flagsOf?.(name) ?? {},
		// Opened when it is used: most have none.
		state: {
			get: (key) => own(name).get(key),
			set: (key, value) => own(name).set(key, value),
			delete: (key) => own(name).delete(key),
			keys: () => own(name).keys(),
		},
		enter: ({ sessionId }, run) => {
			const depth = askingDepth();
			return frame(() => atDepth(depth, () => calling.run({ sessionId, emits: 0 }, run)));
		},
		can: (part) => side.uiOf?.(name).can(part) ?? false,
		ask,
		tell: (what, args) => void ask(what, args, { sessionId: undefined, signal: forEver }).catch((error: unknown) => side.onStray(toStray(error, extension))),
		on: (event, hear) =>
			side.bus.on(event, {
				extension: name,
				hear: (payload, emission, depth) => frame(hear, payload, emission, depth),
				failed: (message) => side.onStray({ extension: name, file, message, during: "run" }),
				log: (message) => side.log?.(name, message),
			}),
		log: (text) => side.log?.(name, text),
	};
}

const forEver = new AbortController().signal;
/** Taken before any extension runs: the context in which nobody's code does. */
const ours = AsyncLocalStorage.snapshot();

function inMemory(): (extension: string) => DurableState {
	const states = new Map<string, Map<string, string>>();
	return (extension) => {
		const values = states.get(extension) ?? new Map<string, string>();
		states.set(extension, values);
		const read = (key: string): unknown => (values.has(key) ? JSON.parse(values.get(key)!) : undefined);
		return { get: read, set: (key, value) => void values.set(key, JSON.stringify(value)), delete: (key) => void values.delete(key), keys: () => [...values.keys()] };
	};
}

/** The hook with its handler inside the extension's frame, and inside its call where it can ask for something. */
function framed(definition: HookDefinition, frame: Frame, asks: boolean): HookDefinition {
	const handler = definition.handler as Handler;
	if (definition.stage !== "wrap") {
		if (!asks) return { ...definition, handler: (payload: Facts, context: unknown) => frame(handler, payload, context) };
		return { ...definition, handler: (payload: Facts, context: unknown) => frame(inCall, askingDepth(), handler, payload, context) };
	}
	return {
		...definition,
		handler: (payload: Facts, next: () => Promise<unknown>, context: unknown) => {
			// The operation is ours: what goes astray in it must not be blamed on the extension around it.
			const outside = AsyncLocalStorage.snapshot();
			const inside = () => outside(next);
			return asks ? frame(inCall, askingDepth(), handler, payload, inside, context) : frame(handler, payload, inside, context);
		},
	};
}

type Handler = (payload: Facts, ...given: readonly unknown[]) => unknown;

/** A frame has its own asynchronous context, so what was known outside is brought in. */
const atDepth = <Result>(depth: number, run: () => Result): Result => (depth === 0 ? run() : atAskingDepth(depth, run));

function inCall(depth: number, handler: Handler, payload: Facts, ...given: readonly unknown[]): unknown {
	return atDepth(depth, () => calling.run({ sessionId: payload.sessionId, emits: 0 }, () => handler(payload, ...given)));
}
