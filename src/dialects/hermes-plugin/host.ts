// A host for Hermes plugins: what `findPlugins` found can be loaded as any extension is.
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../events/payloads/facts.ts";
import { type Host, LoadError, type LoadedExtension } from "../../hosts/host.ts";
import type { PythonHost } from "../../hosts/python/unit.ts";
import { notCarried } from "../hermes-shell/events.ts";
import { allArguments } from "./arguments.ts";
import { bringsOf } from "./brings.ts";
import { definitionsOf, type HookSettings } from "./definitions.ts";
import { isPluginHook, whyNot } from "./events.ts";
import type { Registered } from "./registered.ts";
import type { Plugin } from "./settings.ts";

const loader = fileURLToPath(new URL("loader.py", import.meta.url));

export interface PluginsHostOptions extends HookSettings {
	readonly python: () => Promise<PythonHost>;
	/** What a plugin is told of the environment: the variables its manifest names, and no others. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Whether the user turned off that a person is asked about dangerous commands. */
	readonly asksNobody?: boolean;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

export function pluginsHost(found: readonly Plugin[], { python, environment, asksNobody = false, warn, ...settings }: PluginsHostOptions): Host {
	const given = allArguments();
	const shared = { plugins: found.map(({ id }) => id), hooks: given, notCarried, userConfig: configFor(found, asksNobody) };
	return {
		async load({ name, file, trust }): Promise<LoadedExtension> {
			const plugin = found.find((one) => name.endsWith(one.name));
			if (plugin === undefined) throw new LoadError(name, { file }, "it is no plugin.");
			const loaded = await (await python()).load({ name, loader, settings: { ...settingsFor(plugin, file, environment), ...shared }, withoutPassing });
			const tell = (text: string) => warn(`The plugin '${plugin.id}': ${text}`);
			for (const { what } of loaded.callbacks) {
				const registered = what as unknown as Registered;
				if (registered.kind === "warning") tell(registered.text);
				else if (registered.kind === "hook" && !isPluginHook(registered.hook) && registered.hook !== "system_prompt_section") tell(whyNot(registered.hook));
			}
			const source = { extension: name, file, trust };
			return { name, file, definitions: definitionsOf(loaded, source, settings), brings: bringsOf(loaded, { mayOverride: plugin.capabilities.includes("tools.override"), warn: tell }), unload: () => loaded.unload() };
		},
		async [Symbol.asyncDispose]() {},
	};
}

/** Whether a tool can be used may have changed when a plugin is loaded again after its process ended; that is no other plugin for it. */
const withoutPassing = ({ available: _, ...what }: JsonObject): JsonObject => what;

/** What `load_config` gives: of config.yaml what concerns plugins, under the names of Hermes. */
const configFor = (found: readonly Plugin[], asksNobody: boolean): JsonObject => ({
	approvals: { mode: asksNobody ? "off" : "manual" },
	plugins: { enabled: found.map(({ id }) => id), entries: Object.fromEntries(found.flatMap(({ id, config }) => (Object.keys(config).length === 0 ? [] : [[id, { settings: config }]]))) },
});

function settingsFor({ id, manifest, config, capabilities }: Plugin, file: string, environment: PluginsHostOptions["environment"]) {
	const named = [...manifest.requiresEnv, ...manifest.optionalEnv].map((variable) => [variable.name, environment[variable.name]] as const);
	return {
		file, id, config,
		name: manifest.name,
		version: manifest.version ?? null,
		profile: "default",
		capabilities,
		env: Object.fromEntries(named.filter(([, value]) => value !== undefined)),
		dependencies: manifest.dependencies,
	};
}
