// Gateway hooks as the engine takes them.
import { fileURLToPath } from "node:url";
import type { HookDefinition, Source } from "../../events/registration.ts";
import { type ExtensionFile, type Host, LoadError, type LoadedExtension } from "../../hosts/host.ts";
import type { LoadedUnit, PythonHost } from "../../hosts/python/unit.ts";
import { hooksOf } from "./hooks.ts";
import type { GatewayHook } from "./settings.ts";

/** Python's own part of this dialect, and that of handlers in TypeScript or JavaScript. */
const pythonLoader = fileURLToPath(new URL("loader.py", import.meta.url));
const scriptLoader = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "loader.ts" : "loader.js", import.meta.url));

/** Where handlers run. */
export interface GatewayHosts {
	readonly python: () => Promise<PythonHost>;
	/** For handlers in TypeScript or JavaScript. */
	readonly scripts: () => Promise<Host>;
}

/** A host for gateway hooks: what `findGatewayHooks` found can be loaded as an extension is. */
export function gatewayHost(found: readonly GatewayHook[], { python, scripts }: GatewayHosts): Host {
	return {
		async load(extension, options): Promise<LoadedExtension> {
			const { name, file } = extension;
			const hook = found.find((one) => one.name === name);
			if (hook === undefined) throw new LoadError(name, { file }, "it is no gateway hook.");
			if (!file.endsWith(".py")) {
				const { definitions, unload } = await (await scripts()).load({ ...extension, loader: { module: scriptLoader, settings: { subscriptions: hook.subscriptions } } }, options);
				return { name, file, definitions: definitions.map((definition, i) => asGatewayHook(definition, hook, i, extension)), unload };
			}
			const loaded = await (await python()).load({ name, loader: pythonLoader, settings: { file } });
			return { name, file, definitions: definitionsOf(hook, loaded, extension.trust), unload: () => loaded.unload() };
		},
		async [Symbol.asyncDispose]() {},
	};
}

/** The hooks of a handler in Python. */
export function definitionsOf(hook: GatewayHook, loaded: LoadedUnit, trust: Source["trust"]): readonly HookDefinition[] {
	const { id } = loaded.callbacks[0]!;
	const hooks = hooksOf(hook.subscriptions, (called, { signal }, timeoutMs) => loaded.call(id, { payload: { ...called }, timeoutMs, signal }));
	return hooks.map(({ subscription, stage, options, handler }, i) => {
		const { event } = subscription;
		return asGatewayHook({ event, stage, options, handler: handler as HookDefinition["handler"], source: { extension: hook.name, trust, dialect: "", rank: 0 }, host: "python" }, hook, i, { file: hook.file, trust });
	});
}

/** As Hermes orders them: those with a written-out name before those with a `*`, each by their folders. */
function asGatewayHook(definition: HookDefinition, { name, subscriptions }: GatewayHook, index: number, { file, trust }: Pick<ExtensionFile, "file" | "trust">): HookDefinition {
	const rank = subscriptions[index]!.wildcard ? 1.5 : 1;
	return { ...definition, source: { extension: name, file, trust, dialect: "hermes-gateway", rank }, ...(definition.stage === "transform" && { judges: true }) };
}
