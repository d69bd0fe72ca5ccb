// What the user has in Python, and gateway hooks, as sets that are loaded like all extensions.
import { existsSync } from "node:fs";
import { findPackages } from "../dialects/hermes-extension/settings.ts";
import type { GatewayHosts } from "../dialects/hermes-gateway/definitions.ts";
import type { Host } from "../hosts/host.ts";
import type { PythonHost } from "../hosts/python/unit.ts";
import { type ExtensionSet, settingsOf } from "./load.ts";

/** The user's own extensions in Python. */
export function userPackages(folder: string, settings: ExtensionSet["settings"], configFile: string, python: () => Promise<PythonHost>): ExtensionSet {
	const packages = findPackages(folder);
	return { ...packages, folder, settings: settingsOf(packages, settings), configFile, trust: "user", host: { name: "python", open: async () => packagesIn(python, settings) } };
}

/** A host for extensions in Python that have these settings. */
export async function packagesIn(python: () => Promise<PythonHost>, settings: ExtensionSet["settings"]): Promise<Host> {
	// Only where there are any, as everything below: it would weigh on each start.
	const { packagesHost } = await import("../dialects/hermes-extension/definitions.ts");
	return packagesHost(python, (name) => settings[name]?.config ?? {});
}

/** The user's gateway hooks. There are no settings for them: that the folder is there is what enables them. */
export async function userGatewayHooks(folder: string, hosts: GatewayHosts, warn: (message: string) => void): Promise<ExtensionSet> {
	const set = { folder, settings: {}, configFile: "", trust: "user" } as const;
	if (!existsSync(folder)) return { ...set, found: [], problems: [], host: "node" };
	const { findGatewayHooks } = await import("../dialects/hermes-gateway/settings.ts");
	const { gatewayHost } = await import("../dialects/hermes-gateway/definitions.ts");
	const { found, problems, warnings } = await findGatewayHooks(folder);
	for (const { name, file, message } of warnings) warn(`The gateway hook '${name}' (${file}): ${message}`);
	return { ...set, found, problems, host: { name: "python", open: async () => gatewayHost(found, hosts) } };
}
