// Puts the parts together: home, configuration, store, engine, extensions, model, tools. The only file that knows them all.
import { join } from "node:path";
import { delegateTask } from "./agent/delegate.ts";
import { chooseModel, type Environment, openModel, setIn } from "./agent/model-choice.ts";
import { defaultLimits, type AgentParts, type Limits } from "./agent/parts.ts";
import type { SessionPlace } from "./agent/session.ts";
import type { Approver, Output } from "./agent/surface.ts";
import { readConfig } from "./config/read.ts";
import type { Config } from "./config/schema.ts";
import { createEngine, type Engine } from "./engine/engine.ts";
import type { DurableState } from "./events/context.ts";
import type { Surface } from "./events/payloads/facts.ts";
import { type LoadedExtensions, loadExtensions } from "./extensions/load.ts";
import type { Host, Stray } from "./hosts/host.ts";
import { openStore } from "./stores/open.ts";
import type { ExtensionState } from "./stores/state.ts";
import type { Store } from "./stores/store.ts";
import { type Home, homeOf } from "./system/home.ts";
import { newId } from "./system/ids.ts";
import { LogFile, type LogLevel } from "./system/log.ts";
import { builtInTools } from "./tools/built-in.ts";
import type { ToolSettings } from "./tools/tool.ts";

export interface RuntimeOptions {
	readonly environment: Environment;
	/** Absolute. */
	readonly cwd: string;
	readonly surface: Surface;
	/** As given on the command line; it comes before everything else. */
	readonly model?: string | undefined;
	/** False leaves out every extension. */
	readonly hooks: boolean;
	readonly approver?: Approver;
	readonly output: Output;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
	/** Lines that hooks write, and what the engine says about them. */
	readonly log: (hook: string, message: string) => void;
	/** Called before extensions are loaded, for hooks of the surface itself. */
	readonly prepare?: (engine: Engine) => void;
}

export interface Runtime extends AsyncDisposable {
	readonly home: Home;
	readonly config: Config;
	readonly store: Store;
	readonly engine: Engine;
	readonly extensions: LoadedExtensions;
	readonly place: SessionPlace;
	/** What a conversation is opened with. Made on first use: listing hooks needs no model. */
	agent(): AgentParts;
}

/** How long observers may still work when everything else is done, in ms. */
const longestGoodbyeMs = 5_000;

/**
 * Opens everything a surface needs. Disposing of it lets observers finish and the trace be written.
 * @throws ConfigError, RequiredExtensionError: nothing may start then.
 */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
	const { environment, cwd, surface } = options;
	const home = homeOf(environment);
	const logFile = new LogFile(home.path, { onProblem: options.warn });
	const warnOf = (from: string, message: string) => {
		options.warn(message);
		logFile.write("warning", from, message);
	};
	const warn = (message: string) => warnOf("hookline", message);
	const log = (from: string, message: string, level: LogLevel = "info") => {
		options.log(from, message);
		logFile.write(level, from, message);
	};
	const config = await readConfig(home.config);
	const place: SessionPlace = { cwd, surface, profile: "default" };
	const store = openStore(home, { onProblem: warn, ...(config.trace?.max_records !== undefined && { maxRecords: config.trace.max_records }) });
	const engine = createEngine({ trace: { sink: store.trace }, stateOf: (extension) => durable(store.state.of(extension)), log });
	const facts = () => ({ eventId: newId("e"), at: Date.now(), surface, cwd, profile: place.profile });
	const hosts = new Map<string, Promise<Host>>();
	const opened: Host[] = [];
	const onStray = ({ extension, file, line, message, during }: Stray) => {
		warnOf(extension, `The extension '${extension}' failed outside of any call (${file}${line === undefined ? "" : `:${line}`}): ${message}`);
		if (engine.has("extension.failed")) engine.tell("extension.failed", { ...facts(), extension, file, message, during, ...(line !== undefined && { line }) });
	};
	const close = async (): Promise<void> => {
		const late = await Promise.race([engine.idle(), new Promise<"late">((resolve) => setTimeout(resolve, longestGoodbyeMs, "late").unref())]);
		if (late === "late") warn(`Some observers had not finished after ${longestGoodbyeMs / 1000} s and were left; 'hookline hooks trace' shows which.`);
		for (const host of opened.reverse()) await host[Symbol.asyncDispose]();
		store.close();
	};
	try {
		options.prepare?.(engine);
		const host = async (kind: "inline" | "node"): Promise<Host> => {
			let made = hosts.get(kind);
			if (made === undefined) {
				made = makeHost(kind, { onStray, log, stateOf: (extension) => durable(store.state.of(extension)) });
				hosts.set(kind, made);
				opened.push(await made);
			}
			return made;
		};
		const extensions = options.hooks
			? await loadExtensions({ folder: home.extensions, config, configFile: home.config, engine, host, facts, warn })
			: { loaded: [], failed: [], disabled: [] };
		let agent: AgentParts | undefined;
		const agentParts = (): AgentParts => ({
			engine,
			model: openModel(chooseModel(options.model, environment, config)),
			tools: [...builtInTools(), delegateTask],
			toolSettings: toolSettingsOf(options, config, home),
			store,
			home: home.path,
			output: options.output,
			limits: limitsOf(config),
			warn,
			...(options.approver && { approver: options.approver }),
		});
		return {
			home,
			config,
			store,
			engine,
			extensions,
			place,
			agent: () => (agent ??= agentParts()),
			[Symbol.asyncDispose]: close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

interface HostOptions {
	readonly onStray: (stray: Stray) => void;
	readonly log: (from: string, message: string) => void;
	readonly stateOf: (extension: string) => DurableState;
}

async function makeHost(kind: "inline" | "node", options: HostOptions): Promise<Host> {
	if (kind === "inline") return (await import("./hosts/inline.ts")).inlineHost(options);
	return (await import("./hosts/node.ts")).nodeHost({ ...options, name: "user" });
}

function toolSettingsOf({ environment }: RuntimeOptions, { web }: Config, home: Home): ToolSettings {
	const search = web?.search;
	const apiKey = search?.api_key_env === undefined ? undefined : setIn(environment, search.api_key_env);
	return {
		memoryFolder: join(home.path, "memory"),
		web: {
			...(web?.allow_hosts && { allowHosts: web.allow_hosts }),
			...(search && {
				search: {
					provider: search.provider,
					...(search.base_url !== undefined && { baseUrl: search.base_url }),
					...(search.api_key_env !== undefined && { apiKeyEnv: search.api_key_env }),
					...(apiKey !== undefined && { apiKey }),
				},
			}),
		},
	};
}

function limitsOf({ agent, approvals }: Config): Limits {
	return {
		...defaultLimits,
		...(agent?.max_steps !== undefined && { maxSteps: agent.max_steps }),
		...(agent?.max_attempts !== undefined && { maxAttempts: agent.max_attempts }),
		...(agent?.retry_base_ms !== undefined && { retryBaseMs: agent.retry_base_ms }),
		...(agent?.max_parallel_tools !== undefined && { maxParallelTools: agent.max_parallel_tools }),
		...(approvals?.timeout_s !== undefined && { approvalTimeoutMs: approvals.timeout_s * 1000 }),
	};
}

function durable(state: ExtensionState): DurableState {
	return {
		get: (key) => state.get(key),
		set: (key, value) => state.set(key, value),
		delete: (key) => void state.delete(key),
		keys: () => state.entries().map(([key]) => key),
	};
}
