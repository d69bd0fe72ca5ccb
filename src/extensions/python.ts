// What the user has in Python, and gateway hooks, as sets that are loaded like all extensions.
import { packagesHost } from "../dialects/hermes-extension/definitions.ts";
import { findPackages } from "../dialects/hermes-extension/settings.ts";
import { gatewayHost, type GatewayHosts } from "../dialects/hermes-gateway/definitions.ts";
import { findGatewayHooks } from "../dialects/hermes-gateway/settings.ts";
import type { Host } from "../hosts/host.ts";
import type { PythonHost } from "../hosts/python/unit.ts";
import { type ExtensionSet, settingsOf } from "./load.ts";

/** The user's own extensions in Python. */
export function userPackages(folder: string, settings: ExtensionSet["settings"], configFile: string, python: () => Promise<PythonHost>): ExtensionSet {
	const packages = findPackages(folder);
	return { ...packages, folder, settings: settingsOf(packages, settings), configFile, trust: "user", host: { name: "python", open: async () => packagesIn(python, settings) } };
}

/** A host for extensions in Python that have these settings. */
export const packagesIn = (python: () => Promise<PythonHost>, settings: ExtensionSet["settings"]): Host => packagesHost(python, (name) => settings[name]?.config ?? {});

/** The user's gateway hooks. There are no settings for them: that the folder is there is what enables them. */
export async function userGatewayHooks(folder: string, hosts: GatewayHosts, warn: (message: string) => void): Promise<ExtensionSet> {
	const { found, problems, warnings } = await findGatewayHooks(folder);
	for (const { name, file, message } of warnings) warn(`The gateway hook '${name}' (${file}): ${message}`);
	return { found, problems, folder, settings: {}, configFile: "", trust: "user", host: { name: "python", open: async () => gatewayHost(found, hosts) } };
}
