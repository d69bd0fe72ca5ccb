// Puts the parts together: home, configuration, store, engine, extensions, model, tools. The only file that knows them all.
import { homedir } from "node:os";
import { join } from "node:path";
import { delegateTask } from "./agent/delegate.ts";
import { type Environment, setIn } from "./agent/model-choice.ts";
import { openModels } from "./agent/models.ts";
import { defaultLimits, type AgentParts, type Limits } from "./agent/parts.ts";
import type { SessionPlace } from "./agent/session.ts";
import type { Approver, Output } from "./agent/surface.ts";
import type { ProjectConfig } from "./config/project.ts";
import { readConfigFile, settingsOf } from "./config/read.ts";
import type { Config } from "./config/schema.ts";
import { createEngine, type Engine } from "./engine/engine.ts";
import type { DurableState } from "./events/context.ts";
import type { Surface } from "./events/payloads/facts.ts";
import type { DispatchRecord, TraceSink } from "./events/record.ts";
import type { Settled } from "./extensions/consent/settle.ts";
import { type LoadedExtensions, loadExtensions, userExtensions } from "./extensions/load.ts";
import { copyOf } from "./extensions/project/copy.ts";
import { type Copied, copyingHost, inProject, projectExtensions, projectPackages, strayInProject } from "./extensions/project/load.ts";
import { findProject, type ProjectStatus, statusOf } from "./extensions/project/project.ts";
import type { LoadedShellHooks } from "./extensions/shell/load.ts";
import { packagesIn, userGatewayHooks, userPackages } from "./extensions/python.ts";
import type { Host, Stray } from "./hosts/host.ts";
import type { PythonHost } from "./hosts/python/unit.ts";
import { Approvals } from "./policy/approvals.ts";
import { openStore } from "./stores/open.ts";
import type { ExtensionState } from "./stores/state.ts";
import type { Store } from "./stores/store.ts";
import { type Home, homeOf } from "./system/home.ts";
import { newId } from "./system/ids.ts";
import { LogFile, type LogLevel } from "./system/log.ts";
import { knowSecrets, redactOutput } from "./system/redact.ts";
import { builtInTools } from "./tools/built-in.ts";
import { toolEnvironment } from "./tools/environment.ts";
import type { McpServers, ServersOptions } from "./tools/mcp/servers.ts";
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
	/** `--accept-hooks`: whoever starts this says yes to every shell hook as it is. */
	readonly acceptHooks?: boolean | undefined;
	readonly approver?: Approver;
	readonly output: Output;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
	/** Lines that hooks write, and what the engine says about them. */
	readonly log: (hook: string, message: string) => void;
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
	readonly extensions: LoadedExtensions;
	/** Each shell hook of config.yaml, with whether it may run. */
	readonly shellHooks: readonly Settled[];
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
	const warnOf = (from: string, message: string) => {
		options.warn(message);
		logFile.write("warning", from, message);
	};
	const warn = (message: string) => warnOf("hookline", message);
	const log = (from: string, message: string, level: LogLevel = "info") => {
		options.log(from, message);
		logFile.write(level, from, message);
	};
	const read = await readConfigFile(home.config);
	const config = settingsOf(home.config, read);
	const project = options.hooks ? await findProject(cwd, { home, environment, warn }) : undefined;
	const projectStatus = statusOf(project);
	if (project !== undefined && project.state !== "trusted" && project.state !== "declined") warn(projectStatus.message);
	// Before anything is opened: the bytes that were just found to be trusted are the ones that run.
	const copied = project?.state === "trusted" ? { project, copy: copyOf(project.content, home) } : undefined;
	const place: SessionPlace = { cwd, surface, profile: "default" };
	const store = openStore(home, { onProblem: warn, ...(config.trace?.max_records !== undefined && { maxRecords: config.trace.max_records }) });
	const engine = createEngine({ trace: { sink: sinkFor(store, options.onRecord) }, stateOf: (extension) => durable(store.state.of(extension)), log });
	const approvals = approvalsFor(options, config, home, warn);
	const facts = () => ({ eventId: newId("e"), at: Date.now(), surface, cwd, profile: place.profile });
	const hosts = new Map<string, Promise<Host>>();
	const pythons = new Map<string, Promise<PythonHost>>();
	const opened: AsyncDisposable[] = [];
	const onStray = ({ extension, file, line, message, during }: Stray) => {
		warnOf(extension, `The extension '${extension}' failed outside of any call (${file}${line === undefined ? "" : `:${line}`}): ${message}`);
		if (engine.has("extension.failed")) engine.tell("extension.failed", { ...facts(), extension, file, message, during, ...(line !== undefined && { line }) });
	};
	let servers: McpServers | undefined;
	let shell: LoadedShellHooks | undefined;
	const close = async (): Promise<void> => {
		await servers?.[Symbol.asyncDispose]();
		const late = await Promise.race([engine.idle(), new Promise<"late">((resolve) => setTimeout(resolve, longestGoodbyeMs, "late").unref())]);
		if (late === "late") warn(`Some observers had not finished after ${longestGoodbyeMs / 1000} s and were left; 'hookline hooks trace' shows which.`);
		for (const host of opened.reverse()) await host[Symbol.asyncDispose]();
		await shell?.[Symbol.asyncDispose]();
		store.close();
	};
	try {
		engine.register([approvals.definition]);
		options.prepare?.(engine);
		const hostOnce = async (key: string, make: () => Promise<Host>): Promise<Host> => {
			let made = hosts.get(key);
			if (made === undefined) {
				hosts.set(key, (made = make()));
				opened.push(await made);
			}
			return made;
		};
		const hostOptions = { name: "user", onStray, log, stateOf: (extension: string) => durable(store.state.of(extension)) };
		const host = (kind: "inline" | "node") => hostOnce(kind, () => makeHost(kind, hostOptions));
		const pythonOf = (more: HostOptions) => async (): Promise<PythonHost> => {
			let made = pythons.get(more.name);
			if (made === undefined) {
				pythons.set(more.name, (made = makePython(more, config, home)));
				opened.push(await made);
			}
			return made;
		};
		const extensions = options.hooks ? [await loadExtensions(userExtensions(home.extensions, config.extensions ?? {}, home.config), { engine, host, facts, warn })] : [];
		if (options.hooks) {
			const python = pythonOf(hostOptions);
			extensions.push(await loadExtensions(userPackages(home.extensions, config.extensions ?? {}, home.config, python), { engine, host, facts, warn }));
			extensions.push(await loadExtensions(await userGatewayHooks(join(home.path, "hooks"), { python, scripts: () => host("node") }, warn), { engine, host, facts, warn }));
		}
		if (copied !== undefined) {
			// Whatever its settings say: a process for this project alone.
			const projectHost = () => hostOnce("project", async () => copyingHost(await makeHost("node", projectHostOptions(hostOptions, copied, store)), copied));
			extensions.push(await loadExtensions(projectExtensions(copied), { engine, host: projectHost, facts, warn }));
			const python = pythonOf(projectHostOptions(hostOptions, copied, store));
			extensions.push(await loadExtensions(projectPackages(copied, async (settings) => packagesIn(python, settings)), { engine, host, facts, warn }));
		}
		// Loaded only where there are any.
		if (options.hooks && config.hooks !== undefined && config.hooks !== null) {
			const { loadShellHooks } = await import("./extensions/shell/load.ts");
			const ways = { flag: options.acceptHooks, environment, setting: config.hooks_auto_accept };
			shell = await loadShellHooks({ read, file: home.config, home, environment, cwd, surface, engine, sessions: store.sessions, toolNames: ownTools.map(({ name }) => name), ways, warn });
		}
		let agent: Promise<AgentParts> | undefined;
		const agentParts = async (stop: AbortSignal): Promise<AgentParts> => {
			const models = openModels(options.model, environment, config, warn);
			servers = await startServers(config, { environment, stop, warn, log: (from, line) => logFile.write("info", from, line) });
			return {
				engine,
				models,
				get model() {
					return models.current;
				},
				get tools() {
					return servers === undefined ? ownTools : [...ownTools, ...servers.tools];
				},
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
			extensions: {
				loaded: extensions.flatMap(({ loaded }) => loaded),
				failed: extensions.flatMap(({ failed }) => failed),
				disabled: extensions.flatMap(({ disabled }) => disabled),
			},
			shellHooks: shell?.settled ?? [],
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

interface HostOptions {
	/** Of the trust domain. */
	readonly name: string;
	readonly onStray: (stray: Stray) => void;
	readonly log: (from: string, message: string) => void;
	readonly stateOf: (extension: string) => DurableState;
}

async function makeHost(kind: "inline" | "node", options: HostOptions): Promise<Host> {
	if (kind === "inline") return (await import("./hosts/inline.ts")).inlineHost(options);
	return (await import("./hosts/node.ts")).nodeHost(options);
}

/** What goes wrong outside of any call is told with its place, so the unit's name stands for its file. */
async function makePython({ name, onStray, log }: HostOptions, { python }: Config, home: Home): Promise<PythonHost> {
	const { pythonHost } = await import("./hosts/python/host.ts");
	const { choosePython } = await import("./hosts/python/find.ts");
	return pythonHost({ name, services: {}, log, onStray: ({ unit, message, during }) => onStray({ extension: unit, file: unit, message, during }), python: choosePython(python, home.path) });
}

/** Two projects may have an extension of the same name: each has its own durable state. */
function projectHostOptions({ onStray, log }: HostOptions, copied: Copied, { state }: Store): HostOptions {
	const { folder } = copied.project;
	return {
		name: "project",
		onStray: (stray) => onStray(strayInProject(stray, copied)),
		log: (from, message) => log(from, inProject(message, { folder, copy: copied.copy })),
		stateOf: (extension) => durable(state.of(`${extension} of ${folder}`)),
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
		...(approvals?.timeout_s !== undefined && { approvalTimeoutMs: approvals.timeout_s * 1000 }),
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
