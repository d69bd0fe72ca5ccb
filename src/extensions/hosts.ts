// The hosts that extensions run in: one of each kind for code that is trusted alike, opened when somebody needs it.
import { isDeepStrictEqual } from "node:util";
import type { Config, ExtensionConfig } from "../config/schema.ts";
import type { NextCalls } from "../dialects/hermes-plugin/next-calls.ts";
import type { Engine } from "../engine/engine.ts";
import type { DurableState } from "../events/context.ts";
import type { Facts } from "../events/payloads/facts.ts";
import type { AgentRequests } from "../events/requests.ts";
import type { Ui } from "../events/ui.ts";
import type { AgentSide } from "../hosts/asks.ts";
import { Bus } from "../hosts/bus.ts";
import type { Host, Stray } from "../hosts/host.ts";
import type { PythonHost } from "../hosts/python/unit.ts";
import type { Sandbox } from "../hosts/shell/sandbox.ts";
import type { Sessions } from "../stores/sessions.ts";
import type { Home } from "../system/home.ts";
import { newId } from "../system/ids.ts";
import type { Examined } from "./examine.ts";
import type { Permissions } from "./permissions.ts";
import { type Copied, inProject, projectPrefix, strayInProject } from "./project/load.ts";
import { Refusals } from "./refusals.ts";

export interface HostOptions {
	readonly home: Home;
	readonly config: Config;
	/** The trusted project in whose folder we are. */
	readonly project: Copied | undefined;
	readonly engine: Engine;
	/** What extensions ask of the agent. */
	readonly requests: AgentRequests;
	readonly sessions: Sessions;
	/** How an extension shows itself; nobody is there when absent. */
	readonly uiOf?: ((extension: string) => Ui) | undefined;
	/** What the person chose for the flags of extensions, by name. */
	readonly flags?: Readonly<Record<string, boolean | string>> | undefined;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Where the agent works, absolute. */
	readonly cwd: string;
	readonly facts: () => Facts;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string, from?: string) => void;
	/** A line that an extension writes. */
	readonly log: (from: string, message: string) => void;
	/** The durable state of that name. */
	readonly stateOf: (name: string) => DurableState;
}

/** What code is trusted alike, and so may share a process. */
type Domain = "user" | "project";

export class Hosts implements AsyncDisposable {
	readonly #options: HostOptions;
	readonly #hosts = new Map<string, Promise<Host>>();
	readonly #pythons = new Map<Domain, Promise<PythonHost>>();
	readonly #buses = { user: new Bus(), project: new Bus() };
	readonly #nextCalls = new Map<Domain, Promise<NextCalls>>();
	/** Of the user's extensions, as they stand now. */
	settings: Readonly<Record<string, ExtensionConfig>> = {};
	/** The user's extensions, as they stand now: those that were installed run within what they were granted. */
	examined: readonly Examined[] = [];
	readonly refusals: Refusals;
	#sandbox: Promise<Sandbox> | undefined;
	readonly #opened: AsyncDisposable[] = [];

	constructor(options: HostOptions) {
		this.#options = options;
		this.refusals = new Refusals(options);
	}

	/** The host of that kind for an extension of that name. */
	of(domain: Domain, kind: "inline" | "node", name?: string): Promise<Host> {
		const installed = domain === "user" && kind === "node" ? this.examined.find((one) => one.name === name)?.locked : undefined;
		if (installed !== undefined) return this.#enclosed(installed.granted);
		return this.#once(this.#hosts, `${domain} ${kind}`, async () => {
			const options = { ...this.#ownOf(domain), ...this.#sideOf(domain) };
			if (kind === "inline") return (await import("../hosts/inline.ts")).inlineHost(options);
			return (await import("../hosts/node.ts")).nodeHost(options);
		});
	}

	/** A process for those alone that were granted exactly this: in there, nothing keeps them apart. */
	#enclosed(granted: Permissions): Promise<Host> {
		const alike = this.examined.filter(({ locked, language, enabled, problems }) => language === "script" && enabled && problems.length === 0 && locked !== undefined && isDeepStrictEqual(locked.granted, granted));
		const code = alike.map(({ folder, file }) => folder ?? file);
		return this.#once(this.#hosts, `installed ${JSON.stringify([granted, code])}`, async () => {
			const { home, cwd, environment, warn, config } = this.#options;
			const refuse = (extension: string, area: string, wanted: string) => this.refusals.refuse(extension, area, wanted);
			const sandboxed = (this.#sandbox ??= import("./border.ts").then(({ sandboxHere }) => sandboxHere(environment)));
			const [sandbox, { nodeHost }, { compileCacheFor, enclosureFor }, { gateFor }] = await Promise.all([sandboxed, import("../hosts/node.ts"), import("./enclosure.ts"), import("./gate.ts")]);
			const gates = new Map(alike.map(({ name }) => [name, gateFor({ granted, environment, allowHosts: config.web?.allow_hosts ?? [], refuse: (area, wanted) => refuse(name, area, wanted) })]));
			return nodeHost({
				...this.#ownOf("user"),
				name: alike.map(({ name }) => name).join(", "),
				...this.#sideOf("user"),
				gateOf: (extension) => gates.get(extension),
				enclosure: enclosureFor(granted, { code, home: home.path, cwd, environment, sandbox, compileCache: compileCacheFor(home.path, [granted, alike.map(({ file, locked }) => [file, locked?.content])]), warn }),
				onRefused: refuse,
			});
		});
	}

	python(domain: Domain): Promise<PythonHost> {
		return this.#once(this.#pythons, domain, async () => {
			const { config, home, requests, environment, warn } = this.#options;
			const { name, onStray, log, stateOf } = this.#ownOf(domain);
			const { pythonHost } = await import("../hosts/python/host.ts");
			const { choosePython } = await import("../hosts/python/find.ts");
			const { pythonServices } = await import("./requests-from-python.ts");
			const { pythonEnvironment } = await import("./python-environment.ts");
			return pythonHost({
				name,
				services: { ...pythonServices(requests, stateOf), ...(await this.nextCalls(domain)).services },
				environment: pythonEnvironment(domain === "user" ? config.python?.env : undefined, home, environment, warn),
				log,
				// What goes wrong outside of any call is told with its place, so the unit's name stands for its file.
				onStray: ({ unit, message, during }) => onStray({ extension: unit, file: unit, message, during }),
				python: choosePython(config.python, home.path),
			});
		});
	}

	/** Those that callbacks in that Python run around. */
	nextCalls(domain: Domain): Promise<NextCalls> {
		let made = this.#nextCalls.get(domain);
		if (made === undefined) {
			made = import("../dialects/hermes-plugin/next-calls.ts").then(({ NextCalls: Calls }) => new Calls());
			this.#nextCalls.set(domain, made);
		}
		return made;
	}

	#once<Key, Made extends AsyncDisposable>(all: Map<Key, Promise<Made>>, key: Key, make: () => Promise<Made>): Promise<Made> {
		let made = all.get(key);
		if (made === undefined) {
			made = make().then((one) => {
				this.#opened.push(one);
				return one;
			});
			all.set(key, made);
		}
		return made;
	}

	#ownOf(domain: Domain) {
		const { project, log, stateOf } = this.#options;
		if (domain === "user" || project === undefined) return { name: domain, onStray: (stray: Stray) => this.#tellStray(stray), log, stateOf };
		const { folder } = project.project;
		return {
			name: domain,
			onStray: (stray: Stray) => this.#tellStray(strayInProject(stray, project)),
			log: (from: string, message: string) => log(from, inProject(message, { folder, copy: project.copy })),
			// Two projects may have an extension of the same name.
			stateOf: (extension: string) => stateOf(`${extension} of ${folder}`),
		};
	}

	#sideOf(domain: Domain): AgentSide {
		const { requests, uiOf, flags, cwd, project } = this.#options;
		const ofProject = project?.project.config.extensions ?? {};
		return {
			agent: requests,
			...(uiOf && { uiOf }),
			configOf: (extension) => (domain === "user" ? this.settings[extension] : ofProject[extension.slice(projectPrefix.length)])?.config ?? {},
			flagsOf: () => flags ?? {},
			bus: this.#buses[domain],
			cwd,
		};
	}

	#tellStray({ extension, file, line, message, during }: Stray): void {
		const { engine, facts, warn } = this.#options;
		warn(`The extension '${extension}' failed outside of any call (${file}${line === undefined ? "" : `:${line}`}): ${message}`, extension);
		if (engine.has("extension.failed")) engine.tell("extension.failed", { ...facts(), eventId: newId("e"), extension, file, message, during, ...(line !== undefined && { line }) });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const host of this.#opened.splice(0).reverse()) await host[Symbol.asyncDispose]();
	}
}
