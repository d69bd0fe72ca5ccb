// The host for bundled and trusted code: handlers run in this process, at full speed. An error nobody could catch is laid at the door of its
// extension and the process lives on, also when one calls `process.exit`; a busy loop here is our own, so what is not trusted belongs into the
// node host.
import { AsyncLocalStorage } from "node:async_hooks";
import type { HookDefinition } from "../events/registration.ts";
import { defaultLoadMs, type ExtensionFile, type Host, type LoadedExtension, type LoadOptions, type Stray } from "./host.ts";
import { refuseExits } from "./exits.ts";
import { loadExtension } from "./load.ts";
import { boundStrays, type Frame, frameOf, leaveToNode, runAs, toStray, type Watch, watchStrays } from "./strays.ts";

export interface InlineHostOptions {
	/** Told of each error outside of any call. Must not throw. */
	readonly onStray: (stray: Stray) => void;
	/** An error nobody caught that no extension is to blame for. When not given, it ends the process as it would without this host. */
	readonly onOwnDefect?: (thrown: unknown) => void;
}

/** A host in this process. While it is open, errors nobody caught no longer end the process when they are an extension's. */
export function inlineHost(options: InlineHostOptions): Host {
	const extensions = new Set<ExtensionFile>();
	const onStray = boundStrays(options.onStray);
	const watch: Watch = {
		extensions: () => extensions,
		onError(thrown, extension) {
			if (extension !== undefined) onStray(toStray(thrown, extension));
			else (options.onOwnDefect ?? leaveToNode)(thrown);
		},
	};
	const watching = watchStrays(watch);
	const staying = refuseExits();

	return {
		async load(extension: ExtensionFile, { timeoutMs = defaultLoadMs }: LoadOptions = {}): Promise<LoadedExtension> {
			// Before it is read, and for good: also what failed to load or was unloaded may have left a timer that throws.
			extensions.add(extension);
			const definitions = await loadExtension(extension, "inline", (run) => runAs(extension, watch, run), timeoutMs);
			const frame = frameOf(extension, watch);
			return { name: extension.name, file: extension.file, definitions: definitions.map((definition) => framed(definition, frame)), unload: async () => {} };
		},
		async [Symbol.asyncDispose]() {
			staying[Symbol.dispose]();
			watching[Symbol.dispose]();
		},
	};
}

/** The hook with its handler inside the extension's frame. */
function framed(definition: HookDefinition, frame: Frame): HookDefinition {
	const handler = definition.handler as (...given: unknown[]) => unknown;
	if (definition.stage !== "wrap") return { ...definition, handler: (payload: unknown, context: unknown) => frame(handler, payload, context) };
	return {
		...definition,
		handler: (payload: unknown, next: () => Promise<unknown>, context: unknown) => {
			// The operation is ours: what goes astray in it must not be blamed on the extension around it.
			const outside = AsyncLocalStorage.snapshot();
			return frame(handler, payload, () => outside(next), context);
		},
	};
}
