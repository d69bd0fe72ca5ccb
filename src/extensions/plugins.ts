// Hermes plugins as a set that is loaded like all extensions: those of the home that the user enabled.
import type { PluginsConfig } from "../config/schema.ts";
import type { Conversations } from "../dialects/hermes-plugin/arguments.ts";
import { pluginsHost } from "../dialects/hermes-plugin/host.ts";
import type { NextCalls } from "../dialects/hermes-plugin/next-calls.ts";
import { aboutNotEnabled, findPlugins, type Plugin, type Plugins } from "../dialects/hermes-plugin/settings.ts";
import type { Message } from "../events/payloads/model.ts";
import { maxTimeoutMs } from "../events/registration.ts";
import type { Host } from "../hosts/host.ts";
import type { PythonHost } from "../hosts/python/unit.ts";
import type { Sessions } from "../stores/sessions.ts";
import type { ExtensionSet } from "./load.ts";

export interface PluginOptions {
	/** What the user's config.yaml says about plugins. */
	readonly settings: PluginsConfig | undefined;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Whether the user turned off that a person is asked about dangerous commands. */
	readonly asksNobody?: boolean;
	readonly sessions: Pick<Sessions, "messages" | "get">;
	readonly python: () => Promise<PythonHost>;
	/** Those whose service that host has. */
	readonly nextCalls: NextCalls;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

/** The plugins in the folder of the user's home, and what became of each. Runs nothing. */
export const findUserPlugins = (folder: string, configFile: string, settings: PluginsConfig = {}, environment: PluginOptions["environment"]): Promise<Plugins> => findPlugins(folder, { settings, runs: "named", configFile, environment });

/** The user's own. Says once in which plugins nothing runs, and how to have it run. */
export async function userPlugins(folder: string, configFile: string, options: PluginOptions): Promise<ExtensionSet> {
	const { settings, environment, warn } = options;
	const plugins = await findUserPlugins(folder, configFile, settings, environment);
	const safe = isSafe(environment);
	for (const warning of safe ? aboutSafe(plugins, folder) : [...plugins.warnings, ...aboutNotEnabled(plugins, folder, configFile)]) warn(warning);
	const { found, problems } = safe ? { found: [], problems: [] } : plugins;
	return { found, problems, folder, settings: {}, moreSettings: JSON.stringify(settings ?? {}), configFile, trust: "user", host: { name: "python", open: async () => pluginsIn(found, options) } };
}

/** A host for plugins that were found. */
export function pluginsIn(found: readonly Plugin[], { settings = {}, environment, asksNobody = false, sessions, python, nextCalls, warn }: PluginOptions): Host {
	const { hook_callback_timeout: seconds = 30, stream_reasoning_deltas: reasoningDeltas = false } = settings;
	return pluginsHost(found, { python, environment, asksNobody, conversations: conversationsIn(sessions), nextCalls, warn, reasoningDeltas, timeoutMs: seconds === 0 ? maxTimeoutMs : Math.max(1, Math.round(seconds * 1000)) });
}

/** Fifty callbacks that hear of one event read its conversation once. */
function conversationsIn(sessions: PluginOptions["sessions"]): Conversations {
	let last: { readonly of: string; readonly messages: readonly Message[] } | undefined;
	return {
		historyOf(sessionId, eventId) {
			const of = `${eventId} ${sessionId}`;
			if (last?.of !== of) last = { of, messages: sessions.messages(sessionId) };
			return last.messages;
		},
		modelOf: (sessionId) => sessions.get(sessionId)?.model,
	};
}

/** As in Hermes: no plugin is loaded then. */
export const isSafe = (environment: PluginOptions["environment"]): boolean => environment["HERMES_SAFE_MODE"] === "1";

function aboutSafe({ found, problems }: Plugins, folder: string): readonly string[] {
	const names = [...found, ...problems].map(({ name }) => name);
	return names.length === 0 ? [] : [`HERMES_SAFE_MODE is 1, so none of the plugins in ${folder} run: ${names.join(", ")}.`];
}
