// The gateway with all that it is made of, and how it takes up changed settings without an end.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../../agent/conversation.ts";
import { changedSettings } from "../../config/changed.ts";
import type { GatewayConfig } from "../../config/gateway.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import { cronCommand } from "../../gateway/cron-commands.ts";
import type { CronPlace } from "../../gateway/cron/actions.ts";
import { Cron } from "../../gateway/cron/cron.ts";
import { cronTool } from "../../gateway/cron/tool.ts";
import type { Deliverer } from "../../gateway/deliverer.ts";
import { Gateway, type GatewayParts } from "../../gateway/gateway.ts";
import { factsOf } from "../../gateway/letters.ts";
import type { Metrics } from "../../gateway/metrics.ts";
import type { Platform } from "../../gateway/platform.ts";
import { sendMessage } from "../../gateway/send-message.ts";
import { Http } from "../../platforms/http/http.ts";
import { openRuntime, type Runtime } from "../../runtime.ts";
import type { SessionEngine } from "../../stores/session-engine.ts";
import type { CronStore } from "../../stores/cron.ts";
import { openSqliteCronStore } from "../../stores/sqlite/cron.ts";
import { openSqliteSessionEngine } from "../../stores/sqlite/session-engine.ts";
import type { Home } from "../../system/home.ts";
import { silent } from "../answers.ts";
import { CommandError } from "../exit.ts";
import { extensionsCommand } from "../extensions/loaded-command.ts";
import { note, warn } from "../output.ts";
import { Platforms } from "./platforms.ts";
import { secretIn } from "./secrets.ts";
import { tokenOf } from "./token.ts";

export interface GatewayRunOptions {
	readonly model?: string;
	readonly hooks: boolean;
	readonly acceptHooks?: boolean;
}

interface ServingOptions extends GatewayRunOptions {
	readonly version: string;
	readonly home: Home;
	readonly metrics: Metrics;
	/** Gives up the start. */
	readonly signal: AbortSignal;
}

const ownAddress = { host: "127.0.0.1", port: 7717 } as const;

/** Who answers requests to a path. */
type Route = (path: string) => ((request: Request) => Promise<Response>) | undefined;

export class Serving implements AsyncDisposable {
	readonly #options: ServingOptions;
	readonly #platforms: Platforms;
	readonly #sessions: SessionEngine;
	readonly #jobs: CronStore;
	#runtime: Runtime;
	#cron: Cron | undefined;
	#webhooks: Route = () => undefined;
	#http: { readonly settings: string; readonly platform: Http; readonly token: string } | undefined;
	#gateway: Gateway | undefined;
	#parts: GatewayParts | undefined;
	#isStopped = false;
	/** The last one that was asked for; it never rejects. */
	#reloading: Promise<unknown> = Promise.resolve();

	private constructor(options: ServingOptions, runtime: Runtime) {
		const { home } = options;
		this.#options = options;
		this.#runtime = runtime;
		const folder = join(home.path, "gateway");
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		this.#sessions = openSqliteSessionEngine(home.database);
		this.#jobs = openSqliteCronStore(home.database);
		this.#platforms = new Platforms({ environment: process.env, folder, commands: this.#commands, warn: (message) => this.#tell(message) });
	}

	/** @throws CommandError when it cannot serve; what openRuntime throws */
	static async open(options: ServingOptions): Promise<Serving> {
		let serving: Serving | undefined;
		const runtime = await openFor(options, () => serving);
		try {
			if (!runtime.store.durable) throw new CommandError("Nothing can be kept in this home now, and a gateway that loses messages is none. Mend what was said above, then start it again.");
			serving = new Serving(options, runtime);
			await serving.#start();
			return serving;
		} catch (error) {
			await (serving ?? runtime)[Symbol.asyncDispose]();
			throw error;
		}
	}

	async #start(): Promise<void> {
		const { home } = this.#options;
		const { platforms, ...parts } = await this.#partsOf(this.#runtime);
		this.#parts = parts;
		const warn = (message: string) => this.#tell(message);
		this.#gateway = await Gateway.open({ ...parts, platforms, home, sessions: this.#sessions, commands: this.#commands, warn }).catch((error: unknown) => {
			throw new CommandError(`The gateway cannot start: ${error instanceof Error ? error.message : String(error)}`);
		});
		this.#cron = new Cron({ ...this.cronPlace, jobs: this.#gateway, warn });
		await this.#cron.start();
	}

	/** Beside the gateway's own. */
	get #commands(): readonly Command[] {
		return [cronCommand(this.cronPlace), extensionsCommand(() => this.#runtime)];
	}

	/** What jobs are kept in, and how they reach people. */
	get cronPlace(): CronPlace {
		return { store: this.#jobs, sessions: this.#sessions, deliverer: through(() => this.gateway) };
	}

	get address(): string {
		return this.#http!.platform.address;
	}

	get token(): string {
		return this.#http!.token;
	}

	get model(): string {
		return this.#parts!.agent.model.name;
	}

	get runtime(): Runtime {
		return this.#runtime;
	}

	get sessions(): SessionEngine {
		return this.#sessions;
	}

	/** Prometheus' text format. */
	async metrics(): Promise<string> {
		return this.#options.metrics.text(await this.#sessions.counts(), this.gateway.status.platforms);
	}

	get settings(): GatewayConfig {
		return this.#parts!.settings;
	}

	get gateway(): Gateway {
		return this.#gateway!;
	}

	/**
	 * Takes up what has changed in the configuration, the hooks and the extensions, once the turns that run have ended. One at a time.
	 * @throws what is wrong with it; everything stays as it was then.
	 */
	reload(): Promise<readonly string[]> {
		const reloaded = this.#reloading.then(() => this.#reload());
		this.#reloading = reloaded.catch(() => {});
		return reloaded;
	}

	async #reload(): Promise<readonly string[]> {
		if (this.#isStopped) throw new Error("The gateway is stopping.");
		const next = await openFor(this.#options, () => this);
		const before = this.#runtime;
		try {
			const failures = await this.gateway.renew(async () => {
				const { platforms, ...parts } = await this.#partsOf(next);
				this.#parts = parts;
				this.#runtime = next;
				return { ...parts, platforms };
			});
			this.#tellChanged(before, next);
			return failures;
		} finally {
			await (this.#runtime === next ? before : next)[Symbol.asyncDispose]();
		}
	}

	#tellChanged(before: Runtime, { config }: Runtime): void {
		const { agent, place } = this.#parts!;
		const changed = changedSettings(before.config, config);
		if (changed.length > 0 && agent.engine.has("config.changed")) agent.engine.tell("config.changed", { ...factsOf(place), file: this.#options.home.config, changed, config: config as JsonObject });
	}

	async stop(graceMs: number, reason: string): Promise<void> {
		this.#isStopped = true;
		await this.#cron?.stop();
		await this.gateway.stop(graceMs, reason);
		await this.#reloading;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		// Where the start failed behind it, or whatever stopped it did.
		if (!this.#isStopped && this.#gateway !== undefined) await this.stop(0, "failed");
		await this.#cron?.stop();
		await this.#sessions.close();
		this.#jobs[Symbol.dispose]();
		await this.#runtime[Symbol.asyncDispose]();
	}

	async #partsOf(runtime: Runtime): Promise<GatewayParts & { readonly platforms: readonly Platform[] }> {
		const agent = await runtime.agent(this.#options.signal);
		const { gateway: settings = {} } = runtime.config;
		const { metrics } = this.#options;
		metrics.observe(agent.engine);
		const http = await this.#httpFor(settings);
		this.#webhooks = await this.#webhooksFor(settings);
		const platforms = [http, ...(await this.#platforms.take(settings, (platform) => this.#isStarted(platform)))].map((platform) => metrics.watched(platform));
		return { settings, agent, place: runtime.place, platforms };
	}

	#isStarted({ name: wanted }: Platform): boolean {
		return this.#gateway?.status.platforms.some(({ name, started }) => started && name === wanted) === true;
	}

	async #httpFor({ http = {} }: GatewayConfig): Promise<Http> {
		const { home, version } = this.#options;
		const settings = JSON.stringify(http);
		if (this.#http?.settings === settings && this.#isStarted(this.#http.platform)) return this.#http.platform;
		const { host, port } = { ...ownAddress, ...http };
		const token = await tokenOf(http, host, home, process.env);
		const platform = new Http({ host, port, token, log: join(home.path, "gateway-http.db"), files: join(home.path, "gateway", "http-files"), version, route: (path) => this.#route(path), metrics: () => this.metrics(), warn: (message) => this.#tell(message) });
		this.#http = { settings, platform, token };
		return platform;
	}

	async #webhooksFor({ webhooks: hooks = {}, home_chat: homeChat }: GatewayConfig): Promise<Route> {
		if (Object.keys(hooks).length === 0) return () => undefined;
		const { webhooksHandler } = await import("../../gateway/webhooks.ts");
		const routes: Route[] = [];
		for (const [name, hook] of Object.entries(hooks)) {
			try {
				const secret = await secretIn(hook, "secret", `gateway.webhooks.${name}`, process.env);
				const secrets = new Map(secret === undefined ? [] : [[name, secret]]);
				routes.push(webhooksHandler({ hooks: { [name]: hook }, secrets, begin: (job) => this.gateway.begin(job), warn: (message) => this.#tell(message), ...(homeChat !== undefined && { homeChat }) }));
			} catch (error) {
				this.#tell(`The webhook ${name} is not served: ${error instanceof Error ? error.message : String(error)}`);
			}
		}
		return (path) => routes.map((route) => route(path)).find((found) => found !== undefined);
	}

	/** Who answers a request that another program sends. */
	#route(path: string): ReturnType<Route> {
		const [, kind, name = ""] = path.split("/");
		return kind === "platforms" ? this.#platforms.get(name)?.webhook : this.#webhooks(path);
	}

	/** On the terminal, and into the log. */
	#tell(message: string): void {
		(this.#parts?.agent.warn ?? warn)(message);
	}
}

/** @param serving once it is there: tools are made before the gateway that they act through */
function openFor({ model, hooks, acceptHooks, metrics }: ServingOptions, serving: () => Serving | undefined): Promise<Runtime> {
	const place = () => {
		const found = serving();
		if (found === undefined) throw new Error("The gateway is still starting.");
		return found.cronPlace;
	};
	const jobs: CronPlace = {
		get store() {
			return place().store;
		},
		get sessions() {
			return place().sessions;
		},
		get deliverer() {
			return place().deliverer;
		},
	};
	return openRuntime({
		environment: process.env,
		cwd: process.cwd(),
		surface: "gateway",
		model,
		hooks,
		acceptHooks,
		tools: [sendMessage(through(() => place().deliverer)), cronTool(jobs)],
		output: silent,
		warn,
		log: (hook, message) => note(`[${hook}] ${message}`),
		onRecord: (record) => metrics.record(record),
	});
}

/** What is there when it is needed. */
const through = (find: () => Deliverer): Deliverer => ({
	deliver: (to, text, how) => find().deliver(to, text, how),
	platforms: () => find().platforms(),
	maxFileBytes: (platform) => find().maxFileBytes(platform),
	get home() {
		return find().home;
	},
});
