// Shell hooks from config.yaml to live hooks: agreed to by the user, started when they are called.
import { homedir } from "node:os";
import type { ConfigMistake } from "../../config/read.ts";
import { definitionsOf } from "../../dialects/hermes-shell/definitions.ts";
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import type { ModeDifference } from "../../dialects/hermes-shell/modes.ts";
import { readShellHooks } from "../../dialects/hermes-shell/settings.ts";
import type { Engine } from "../../engine/engine.ts";
import { shellHost } from "../../hosts/shell/host.ts";
import type { Sessions } from "../../stores/sessions.ts";
import type { Home } from "../../system/home.ts";
import { Consent } from "../consent/consent.ts";
import { announce } from "../consent/live.ts";
import { acceptedBy, type Settled, settle } from "../consent/settle.ts";
import { starterOf, type StartOptions } from "../consent/start.ts";
import type { OutboundState } from "../outbound/load.ts";
import type { Project } from "../project/project.ts";
import { TrustedHooks } from "../project/trusted.ts";
import { hookEnvironment } from "./environment.ts";
import { Transcripts } from "./transcripts.ts";

export interface ShellHooksOptions {
	/** The configuration as it was read, and its file, absolute. */
	readonly read: { readonly value: unknown; readonly placeOf: (path: readonly string[]) => Pick<ConfigMistake, "line" | "column"> };
	readonly file: string;
	readonly home: Home;
	/** The home's database; undefined where nothing can be kept. */
	readonly database: string | undefined;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** The trusted project in whose folder we are. */
	readonly project?: Project | undefined;
	/** Absolute. */
	readonly cwd: string;
	readonly surface: string;
	readonly engine: Engine;
	readonly sessions: Sessions;
	/** The tools there are before any MCP server has started. */
	readonly toolNames: readonly string[];
	/** How the user may have said yes to all hooks. */
	readonly ways: Parameters<typeof acceptedBy>[0];
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

export interface LoadedShellHooks extends AsyncDisposable {
	/** Each with what became of it at the start: the user's, then the project's. */
	readonly settled: readonly Settled[];
	/** The receivers of `hooks.outbound`. */
	readonly outbound: readonly OutboundState[];
}

/**
 * Registers the hooks of the user's configuration and of a project. What may not run is left out with a warning, or blocks when it is closed; nobody is asked here.
 * @throws ConfigError for a hook that is written wrong; HomeError, StoreError.
 */
export async function loadShellHooks(options: ShellHooksOptions): Promise<LoadedShellHooks> {
	const { read, file, project, environment, toolNames, warn } = options;
	const { hooks, outbound: targets, warnings } = readShellHooks(read, { file, userHome: environment["HOME"] || homedir(), toolNames });
	for (const warning of [...warnings, ...(project?.warnings ?? [])]) warn(warning);
	const programs = hooks.length === 0 && (project?.hooks ?? []).length === 0 ? undefined : await loadPrograms(options, hooks);
	try {
		// Loaded only where there are any.
		const outbound = targets.length === 0 ? undefined : (await import("../outbound/load.ts")).loadOutbound({ ...options, targets });
		return {
			settled: programs?.settled ?? [],
			outbound: outbound?.states ?? [],
			async [Symbol.asyncDispose]() {
				await outbound?.[Symbol.asyncDispose]();
				await programs?.[Symbol.asyncDispose]();
			},
		};
	} catch (error) {
		await programs?.[Symbol.asyncDispose]();
		throw error;
	}
}

async function loadPrograms(options: ShellHooksOptions, hooks: readonly ShellHook[]): Promise<Omit<LoadedShellHooks, "outbound">> {
	const { home, project, environment, cwd, surface, engine, ways, warn } = options;
	const consent = new Consent({ home, environment, warn });
	const settled = await settle(consent, hooks, { cwd, accept: acceptedBy(ways), looksOnly: surface === "test", warn, onLeftOut: warn });
	const host = shellHost({ path: environment["PATH"] ?? "" });
	const transcripts = new Transcripts(home, options.sessions);
	const register = ({ hook, consented }: Settled, consent: StartOptions["consent"]): Settled => {
		const start = starterOf(hook, { consent, host, env: hookEnvironment(hook, home, environment), cwd });
		// A closed one is looked at again at each call, so that a yes that comes later counts.
		const unapproved = consented.kind === "unapproved" && !hook.failClosed ? consented.reason : undefined;
		const differences: ModeDifference[] = [];
		const onDifference = surface === "test" ? (difference: ModeDifference) => void differences.push(difference) : undefined;
		engine.register(definitionsOf(hook, start, unapproved, { transcriptOf: transcripts.of, onDifference }));
		return { hook, consented, differences };
	};
	const live = settled.map((one) => register(one, consent));
	if (project !== undefined) {
		const trusted = new TrustedHooks(project, home);
		for (const one of await settleTrusted(project, trusted, warn)) live.push(register(one, trusted));
	}
	const announced = surface === "test" ? undefined : await announce(home, { surface, cwd, settled });
	return {
		settled: live,
		async [Symbol.asyncDispose]() {
			announced?.[Symbol.dispose]();
			await host[Symbol.asyncDispose]();
			transcripts[Symbol.dispose]();
		},
	};
}

/** The trust of the folder is the consent to its hooks. */
async function settleTrusted({ hooks }: Project, trusted: TrustedHooks, warn: (message: string) => void): Promise<readonly Settled[]> {
	const settled: Settled[] = [];
	for (const { hook } of hooks) {
		const consented = await trusted.for(hook);
		if (consented.kind === "unapproved") warn(`${consented.reason} ${hook.failClosed ? `It is a guard that is closed when it fails, so it blocks every ${hook.written} it is for.` : "It is left out."}`);
		settled.push({ hook, consented });
	}
	return settled;
}
