// Puts the parts together: home, configuration, store, engine, extensions, model, tools. The only file that knows them all.
import { homedir } from "node:os";
import { join } from "node:path";
import { Brought } from "./agent/brought.ts";
import { delegateTask } from "./agent/delegate.ts";
import { OpenSessions } from "./agent/open-sessions.ts";
import { agentRequests } from "./agent/requests.ts";
import { type Environment, setIn } from "./agent/model-choice.ts";
import { openModels } from "./agent/models.ts";
import { defaultLimits, type AgentParts, type Limits } from "./agent/parts.ts";
import { Provided } from "./agent/provided.ts";
import type { SessionPlace } from "./agent/session.ts";
import type { Approver, Output } from "./agent/surface.ts";
import type { ProjectConfig } from "./config/project.ts";
import { readHomeConfig } from "./config/home.ts";
import type { Config } from "./config/schema.ts";
import { createEngine, type Engine } from "./engine/engine.ts";
import type { Brings } from "./events/brings.ts";
import type { DurableState } from "./events/context.ts";
import type { Surface } from "./events/payloads/facts.ts";
import type { DispatchRecord, TraceSink } from "./events/record.ts";
import type { Ui } from "./events/ui.ts";
import type { Settled } from "./extensions/consent/settle.ts";
import type { LoadedExtensions } from "./extensions/load.ts";
import { type OpenExtensions, openExtensions } from "./extensions/open.ts";
import type { OutboundState } from "./extensions/outbound/load.ts";
import { copyOf } from "./extensions/project/copy.ts";
import { findProject, type ProjectStatus, statusOf } from "./extensions/project/project.ts";
import type { LoadedShellHooks } from "./extensions/shell/load.ts";
import { Approvals } from "./policy/approvals.ts";
import { openStore } from "./stores/open.ts";
import type { ExtensionState } from "./stores/state.ts";
import type { Store } from "./stores/store.ts";
import { type Home, homeOf } from "./system/home.ts";
import { newId } from "./system/ids.ts";
import { didYouMean } from "./system/nearest.ts";
import { LogFile, type LogLevel } from "./system/log.ts";
import { knowSecrets, redactOutput } from "./system/redact.ts";
import { builtInTools } from "./tools/built-in.ts";
import { toolEnvironment } from "./tools/environment.ts";
import type { McpServers, ServersOptions } from "./tools/mcp/servers.ts";
import type { Tool, ToolSettings } from "./tools/tool.ts";

export interface RuntimeOptions {
	readonly environment: Environment;
	/** Absolute. */
	readonly cwd: string;
	readonly surface: Surface;
	/** As given on the command line; it comes before everything else. */
	readonly model?: string | undefined;
	/** False leaves out every extension. */
	readonly hooks: boolean;
	/** Set where somebody may work on extensions while this runs. */
	readonly reloads?: boolean | undefined;
	/** `--accept-hooks`: whoever starts this says yes to every shell hook as it is. */
	readonly acceptHooks?: boolean | undefined;
	readonly approver?: Approver;
	readonly output: Output;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
	/** Lines that hooks write, and what the engine says about them. */
	readonly log: (hook: string, message: string) => void;
	/** How an extension shows itself and asks; nobody is there when absent. */
	readonly ui?: (extension: string) => Ui;
	/** Told of all that an extension brings, each time that changes. */
	readonly onBrings?: (extension: string, brings: Brings) => void;
	readonly onUnload?: (extension: string) => void;
	/** What the person chose for flags of extensions, by name. */
	readonly flags?: Readonly<Record<string, boolean | string>> | undefined;
	/** Tools that only this surface has. */
	readonly tools?: readonly Tool[];
	/** Called before extensions are loaded, for hooks of the surface itself. */
	readonly prepare?: (engine: Engine) => void;
	/** Called with each record of the trace, a moment after its dispatch. */
	readonly onRecord?: (record: DispatchRecord) => void;
}

export interface Runtime extends AsyncDisposable {
	readonly home: Home;
	readonly config: Config;
	readonly store: Store;
	readonly engine: Engine;
	/** The user's, then the project's. */
	readonly extensions: LoadedExtensions & Pick<OpenExtensions, "reload" | "watch">;
	/** Each shell hook of config.yaml, with whether it may run. */
	readonly shellHooks: readonly Settled[];
	/** The receivers of `hooks.outbound`. */
	readonly outbound: readonly OutboundState[];
	/** What the working folder brings, and whether it is loaded. */
	readonly project: ProjectStatus;
	readonly place: SessionPlace;
	/**
	 * What a conversation is opened with. Made on first use: listing hooks needs no model and starts no MCP server. `stop` gives up on servers that
	 * have not answered yet.
	 * @throws ModelConfigError, RequiredServerError
	 */
	agent(stop?: AbortSignal): Promise<AgentParts>;
}

/** How long observers may still work when everything else is done, in ms. */
const longestGoodbyeMs = 5_000;

/**
 * Opens everything a surface needs. Disposing of it lets observers finish and the trace be written.
 * @throws ConfigError, RequiredExtensionError, TrustError: nothing may start then.
 */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
	const { environment, cwd, surface } = options;
	const home = homeOf(environment);
	const logFile = new LogFile(home.path, { onProblem: options.warn });
	const warn = (message: string, from = "hookline") => {
		options.warn(message);
		logFile.write("warning", from, message);
	};
	const log = (from: string, message: string, level: LogLevel = "info") => {
		options.log(from, message);
		logFile.write(level, from, message);
	};
	const { config, hooks: hooksIn } = await readHomeConfig(home, warn);
	const project = options.hooks ? await findProject(cwd, { home, environment, warn }) : undefined;
	const projectStatus = statusOf(project);
	if (project !== undefined && project.state !== "trusted" && project.state !== "declined") warn(projectStatus.message);
	// Before anything is opened: the bytes that were just found to be trusted are the ones that run.
	const copied = project?.state === "trusted" ? { project, copy: copyOf(project, home) } : undefined;
	const place: SessionPlace = { cwd, surface, profile: "default" };
	const store = openStore(home, { onProblem: warn, ...(config.trace?.max_records !== undefined && { maxRecords: config.trace.max_records }) });
	const engine = createEngine({ trace: { sink: sinkFor(store, options.onRecord) }, stateOf: (extension) => durable(store.state.of(extension)), log });
	const approvals = approvalsFor(options, config, home, warn);
	const facts = () => ({ eventId: newId("e"), at: Date.now(), surface, cwd, profile: place.profile });
	const brought = new Brought({ warn });
	const provided = new Provided({ home: home.path, warn });
	const open = new OpenSessions();
	let agent: Promise<AgentParts> | undefined;
	let agentParts: (stop: AbortSignal) => Promise<AgentParts> = () => Promise.reject(new Error("Hookline is still starting."));
	const requests = agentRequests({ agent: () => (agent ??= agentParts(new AbortController().signal)), place, open });
	const own = options.tools === undefined ? ownTools : [...ownTools, ...options.tools];
	let servers: McpServers | undefined;
	let extensions: OpenExtensions | undefined;
	let shell: LoadedShellHooks | undefined;
	const close = async (): Promise<void> => {
		await requests[Symbol.asyncDispose]();
		await servers?.[Symbol.asyncDispose]();
		const late = await Promise.race([engine.idle(), new Promise<"late">((resolve) => setTimeout(resolve, longestGoodbyeMs, "late").unref())]);
		if (late === "late") warn(`Some observers had not finished after ${longestGoodbyeMs / 1000} s and were left; 'hookline hooks trace' shows which.`);
		await extensions?.[Symbol.asyncDispose]();
		await shell?.[Symbol.asyncDispose]();
		store.close();
	};
	try {
		engine.register([approvals.definition]);
		options.prepare?.(engine);
		if (options.hooks) {
			const reread = async () => (await readHomeConfig(home)).config;
			const { ui: uiOf, flags = {} } = options;
			const knownFlags = new Set<string>();
			const onBrings = (extension: string, brings: Brings) => {
				for (const { name } of brings.flags ?? []) knownFlags.add(name);
				provided.set(extension, brings.providers ?? []);
				options.onBrings?.(extension, brings);
			};
			const onUnload = (extension: string) => {
				provided.delete(extension);
				options.onUnload?.(extension);
			};
			const sides = { requests, uiOf, onBrings, onUnload, flags, sessions: store.sessions, stateOf: (name: string) => durable(store.state.of(name)) };
			extensions = await openExtensions({ home, config, reloads: options.reloads === true, reread, project: copied, engine, brought, ...sides, environment, cwd, facts, warn, log });
			for (const name of Object.keys(flags)) if (!knownFlags.has(name)) warn(`No extension has a flag '${name}', so --flag ${name} changes nothing.${didYouMean(name, [...knownFlags])}`);
		}
		// Loaded only where there are any.
		if ((options.hooks && config.hooks !== undefined && config.hooks !== null) || (copied?.project.hooks.length ?? 0) > 0) {
			const { loadShellHooks } = await import("./extensions/shell/load.ts");
			const ways = { flag: options.acceptHooks, environment, setting: config.hooks_auto_accept };
			shell = await loadShellHooks({ ...hooksIn, project: copied?.project, home, database: store.durable ? home.database : undefined, environment, cwd, surface, engine, sessions: store.sessions, toolNames: own.map(({ name }) => name), ways, warn });
		}
		agentParts = async (stop: AbortSignal): Promise<AgentParts> => {
			const models = openModels(options.model, environment, config, warn, provided);
			servers = await startServers(config, { environment, stop, warn, log: (from, line) => logFile.write("info", from, line) });
			return {
				engine,
				models,
				get model() {
					return models.current;
				},
				get tools() {
					return servers === undefined ? own : [...own, ...servers.tools];
				},
				brought,
				open,
				toolSettings: toolSettingsOf(options, config, home),
				store,
				home: home.path,
				approvals,
				output: options.output,
				limits: tightened(limitsOf(config), project?.state === "trusted" ? project.config : {}),
				warn,
				...(options.approver && { approver: options.approver }),
			};
		};
		return {
			home,
			config,
			store,
			engine,
			extensions: extensions ?? { loaded: [], failed: [], disabled: [], reload: async () => [], watch: async () => {} },
			shellHooks: shell?.settled ?? [],
			outbound: shell?.outbound ?? [],
			project: projectStatus,
			place,
			agent: (stop = new AbortController().signal) => (agent ??= agentParts(stop)),
			[Symbol.asyncDispose]: close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

const ownTools = [...builtInTools(), delegateTask];

/** The library behind them takes 200 ms to load, so it is not unless somebody wants a server. */
async function startServers({ mcp = {} }: Config, options: ServersOptions): Promise<McpServers | undefined> {
	if (Object.values(mcp).every(({ enabled }) => enabled === false)) return undefined;
	return (await import("./tools/mcp/servers.ts")).openServers(mcp, options);
}

function sinkFor({ trace }: Store, onRecord: RuntimeOptions["onRecord"]): TraceSink {
	if (onRecord === undefined) return trace;
	return {
		hookSet: (set) => trace.hookSet(set),
		record(record) {
			trace.record(record);
			onRecord(record);
		},
	};
}

/** There always, also without hooks: it is the agent's own. */
function approvalsFor({ environment }: RuntimeOptions, { approvals = {} }: Config, home: Home, warn: (message: string) => void): Approvals {
	knowSecrets(environment);
	// What a shell of the terminal tool gets.
	const inherited = { ...toolEnvironment(), ...toolEnvironment(environment) };
	return new Approvals({
		home,
		userHome: environment["HOME"] || homedir(),
		environment: inherited,
		warn,
		...(approvals.mode && { mode: approvals.mode }),
		...(approvals.deny && { deny: approvals.deny }),
		...(approvals.unattended && { unattended: approvals.unattended }),
	});
}

function toolSettingsOf({ environment }: RuntimeOptions, { web, redact }: Config, home: Home): ToolSettings {
	const search = web?.search;
	const apiKey = search?.api_key_env === undefined ? undefined : setIn(environment, search.api_key_env);
	return {
		memoryFolder: join(home.path, "memory"),
		...(redact !== "off" && { redact: redactOutput }),
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
		...(approvals?.timeout !== undefined && { approvalTimeoutMs: approvals.timeout * 1000 }),
	};
}

/** A project may lower a limit, never raise it. */
function tightened(limits: Limits, { agent }: ProjectConfig): Limits {
	const least = (limit: number, wanted: number | undefined) => Math.min(limit, wanted ?? limit);
	return {
		...limits,
		maxSteps: least(limits.maxSteps, agent?.max_steps),
		maxAttempts: least(limits.maxAttempts, agent?.max_attempts),
		maxParallelTools: least(limits.maxParallelTools, agent?.max_parallel_tools),
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
