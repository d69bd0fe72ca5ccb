// All extensions there are, the user's and those of a trusted project, each in the host it belongs to. Who opened them closes them.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { changedSettings } from "../config/changed.ts";
import type { Config } from "../config/schema.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { Host } from "../hosts/host.ts";
import { newId } from "../system/ids.ts";
import { arranged, withDefaults } from "./arrange.ts";
import { bundledExtensions, bundledNames } from "./bundled.ts";
import { examine } from "./examine.ts";
import { type HostOptions, Hosts } from "./hosts.ts";
import { LiveExtensions, type LiveOptions } from "./live.ts";
import { chosenOf, type ExtensionSet, type LoadedExtensions, loadExtensions, userExtensions } from "./load.ts";
import { ownFolder } from "./project/find.ts";
import { copyingHost, projectExtensions, projectPackages } from "./project/load.ts";
import { packagesIn, userGatewayHooks, userPackages } from "./python.ts";
import { Reloading, type Reloaded } from "./reload.ts";

export interface OpenOptions extends HostOptions, Pick<LiveOptions, "brought" | "onBrings" | "onUnload"> {
	/** Set where `reload` and `watch` will be used: it then knows what has changed. */
	readonly reloads: boolean;
	/** Reads it again. @throws ConfigError */
	readonly reread: () => Promise<Config>;
}

export interface OpenExtensions extends LoadedExtensions, AsyncDisposable {
	/**
	 * Takes up what has changed on disk and in config.yaml since, of one extension or of all; what does not load changes nothing.
	 * @throws ConfigError
	 */
	reload(name?: string): Promise<readonly Reloaded[]>;
	/** From now on an extension of the user's is taken up again when a file of it is saved. */
	watch(): Promise<void>;
}

/** @throws RequiredExtensionError; what was opened until then is closed again. */
export async function openExtensions(options: OpenOptions): Promise<OpenExtensions> {
	const hosts = new Hosts(options);
	const live = new LiveExtensions({ ...options, comparesContent: options.reloads, onRefused: (extension, permission, wanted) => hosts.refusals.trace(extension, permission, wanted) });
	const { warn, log, engine, facts, home } = options;
	let disabled: readonly string[] = [];
	let known = options.config;
	const chosen = async () => {
		const config = await options.reread();
		const changed = changedSettings(known, config);
		known = config;
		if (changed.length > 0 && engine.has("config.changed")) engine.tell("config.changed", { ...facts(), eventId: newId("e"), file: home.config, changed, config: config as JsonObject });
		const all: ReturnType<typeof chosenOf>[] = [];
		for await (const { set, host } of setsOf({ ...options, config }, hosts)) all.push(chosenOf(set, { host, warn }));
		disabled = all.flatMap((one) => one.disabled);
		return { chosen: all.flatMap((one) => one.chosen), failed: all.flatMap((one) => one.failed) };
	};
	const reloading = new Reloading({ live, chosen, note: (message) => log("hookline", message), warn });
	const close = async () => {
		await reloading[Symbol.asyncDispose]();
		await hosts[Symbol.asyncDispose]();
	};
	try {
		for await (const { set, host } of setsOf(options, hosts)) disabled = [...disabled, ...(await loadExtensions(set, { ...options, host, live })).disabled];
		return {
			get loaded() {
				return live.loaded;
			},
			get failed() {
				return live.failed;
			},
			get disabled() {
				return disabled;
			},
			reload: (name) => reloading.reload(name),
			watch: () => reloading.watch(),
			[Symbol.asyncDispose]: close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

type HostOf = (kind: "inline" | "node", name?: string) => Promise<Host>;

/** In the order in which they are loaded: what comes later can rely on what came before. */
async function* setsOf({ home, config, project, warn, environment, sessions }: OpenOptions, hosts: Hosts): AsyncGenerator<{ readonly set: ExtensionSet; readonly host: HostOf }> {
	const user: HostOf = (kind, name) => hosts.of("user", kind, name);
	const python = () => hosts.python("user");
	const plugins = { settings: config.plugins, environment, asksNobody: config.approvals?.mode === "off", sessions, warn };
	const examined = await examine(home, config.extensions ?? {});
	const settings = withDefaults(config.extensions ?? {}, examined);
	const theirs = home.hermes === undefined ? undefined : userPackages(join(home.hermes, "extensions"), settings, home.config, python);
	const taken = [...examined.extensions, ...(theirs?.found ?? [])].map(({ name }) => name);
	const bundled = await bundledExtensions(config.extensions ?? {}, home.config, { home: home.path, taken, warn });
	hosts.settings = { ...settings, ...bundled.settings };
	hosts.examined = examined.extensions;
	yield { set: bundled, host: user };
	const scripts = arranged(userExtensions(home.extensions, settings, home.config), examined, "script");
	yield { set: { ...scripts, others: [...(scripts.others ?? []), ...(Object.keys(settings).length === 0 ? [] : bundledNames()), ...(theirs?.found ?? []).map(({ name }) => name)] }, host: user };
	yield { set: arranged(userPackages(home.extensions, settings, home.config, python), examined, "python"), host: user };
	// Loaded only where there are any.
	if (config.file_hooks !== undefined) yield await (await import("./file-hooks.ts")).fileHooks(home, config.file_hooks, user);
	const shared = home.hermes ?? home.path;
	if (theirs !== undefined) yield { set: theirs, host: user };
	yield { set: await userGatewayHooks(join(shared, "hooks"), { python, scripts: () => user("node") }, warn), host: user };
	if (config.plugins !== undefined || existsSync(join(shared, "plugins"))) {
		const { userPlugins } = await import("./plugins.ts");
		yield { set: await userPlugins(join(shared, "plugins"), home.config, { ...plugins, python, nextCalls: await hosts.nextCalls("user") }), host: user };
	}
	if (project === undefined) return;
	// Whatever its settings say: a process for this project alone.
	const own: HostOf = async () => copyingHost(await hosts.of("project", "node"), project);
	const ownPython = () => hosts.python("project");
	yield { set: projectExtensions(project), host: own };
	yield { set: projectPackages(project, async (settings) => packagesIn(ownPython, settings)), host: own };
	if (existsSync(join(project.copy, ownFolder, "plugins"))) {
		const { projectPlugins } = await import("./project/plugins.ts");
		yield { set: await projectPlugins(project, { ...plugins, python: ownPython, nextCalls: await hosts.nextCalls("project") }), host: own };
	}
}
