// The hooks of extensions in Python as the engine takes them.
import { fileURLToPath } from "node:url";
import { specOf } from "../../events/catalog.ts";
import type { HookContext } from "../../events/context.ts";
import type { Payloads } from "../../events/payloads/all.ts";
import type { Facts, JsonObject } from "../../events/payloads/facts.ts";
import type { HookDefinition, HookOptions, Source } from "../../events/registration.ts";
import type { Host, LoadedExtension } from "../../hosts/host.ts";
import type { LoadedUnit, PythonHost } from "../../hosts/python/unit.ts";
import { events, type ExtensionHook, isExtensionHook } from "./events.ts";
import type { ExtensionPackage } from "./settings.ts";
import { argumentsOf, decisionIn, gives } from "./wire.ts";

const loader = fileURLToPath(new URL("loader.py", import.meta.url));

/** A host for extensions in Python: what `findPackages` found can be loaded as any extension is. `configOf` gives what the user set for one. */
export function packagesHost(python: () => Promise<PythonHost>, configOf: (name: string) => JsonObject): Host {
	return {
		async load({ name, file, trust }): Promise<LoadedExtension> {
			const loaded = await (await python()).load({ name, loader, settings: { file, config: configOf(name), gives } });
			return { name, file, definitions: definitionsOf({ name, file }, loaded, trust), unload: () => loaded.unload() };
		},
		async [Symbol.asyncDispose]() {},
	};
}

/** What the loader says of a callback. */
interface Registered {
	readonly hook: string;
	readonly name?: string;
	readonly priority?: number;
	readonly on_error?: "open" | "closed" | null;
}

export function definitionsOf({ name, file }: ExtensionPackage, loaded: LoadedUnit, trust: Source["trust"]): readonly HookDefinition[] {
	const source: Source = { extension: name, file, trust, dialect: "hermes-extension", rank: 1 };
	const taken = new Set<string>();
	return loaded.callbacks.map(({ id, what }) => {
		const registered = what as unknown as Registered;
		if (!isExtensionHook(registered.hook)) return turnEnd(id, loaded, source);
		const event = events[registered.hook];
		return { event, stage: "transform", handler: handlerOf(registered.hook, id, loaded) as HookDefinition["handler"], options: optionsOf(registered, taken), source, host: "python", judges: true };
	});
}

function handlerOf(hook: ExtensionHook, id: number, loaded: LoadedUnit): (payload: Facts, context: HookContext) => Promise<unknown> {
	const { timeoutMs } = specOf(events[hook]);
	return async (payload, { signal, metadata }) => {
		const call = { hook, session_id: payload.sessionId ?? "", turn_id: payload.turnId ?? null, event_id: payload.eventId, at: payload.at, arguments: argumentsOf(hook, payload, metadata) };
		return decisionIn(hook, await loaded.call(id, { payload: call, timeoutMs, signal }), payload);
	};
}

/** The state of the turn goes when the turn does. */
function turnEnd(id: number, loaded: LoadedUnit, source: Source): HookDefinition {
	const handler = async ({ sessionId = "", turnId, at, waits }: Payloads["turn.ended"], { signal }: HookContext) => {
		if (waits === undefined) await loaded.call(id, { payload: { session_id: sessionId, turn_id: turnId ?? null, at }, timeoutMs: specOf("turn.ended").timeoutMs, signal });
	};
	return { event: "turn.ended", stage: "observe", handler, options: { name: "turn-state" }, source, host: "python" };
}

function optionsOf({ name = "", priority, on_error }: Registered, taken: Set<string>): HookOptions {
	// A function's name, unless it is none that a hook can have or there are two of it: then it is numbered.
	const usable = /^[\w.-]{1,64}$/.test(name) && !taken.has(name);
	taken.add(name);
	return { ...(usable && { name }), ...(priority !== undefined && { priority }), onError: on_error ?? "open" };
}
