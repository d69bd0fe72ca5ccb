// What an extension can ask of the agent, by name: one table for all hosts. Arguments are checked on both sides of a wire: for the author's sake where
// the extension runs, for ours where they arrive.
import type { Executed, ExecOptions } from "../events/api.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { AgentRequests, Asker, CompletionRequest, ConverseRequest } from "../events/requests.ts";
import { noUi, type Ui } from "../events/ui.ts";
import type { Bus } from "./bus.ts";
import { anything, boolean, type Check, fields, isObject, listOf, number, oneOf, optional, string } from "./checks.ts";
import type { FetchRequest, Gate } from "./gate.ts";

/** What a host needs from above for the API of extensions. All of it may be missing: then what is asked says so. */
export interface AgentSide {
	readonly agent?: AgentRequests;
	/** How that extension shows itself; nobody is there when not given. */
	readonly uiOf?: (extension: string) => Ui;
	/** `extensions.<name>.config`; `{}` when not given. */
	readonly configOf?: (extension: string) => JsonObject;
	/** What the person chose for the flags of that extension. */
	readonly flagsOf?: (extension: string) => Readonly<Record<string, boolean | string>>;
	/** One for all hosts of a trust domain; one of the host's own when not given. */
	readonly bus?: Bus;
	/** Where the agent works, absolute; the process's own folder when not given. */
	readonly cwd?: string;
	/** What its programs inherit; our environment when not given. Never what looks like a secret. */
	readonly env?: NodeJS.ProcessEnv;
	/** What that extension does through us; undefined for one that may do everything by itself. */
	readonly gateOf?: (extension: string) => Gate | undefined;
}

/** Who asks, with all that is known of it. */
export interface From extends Asker {
	readonly signal: AbortSignal;
	/** Stands for one version of the extension: when it leaves, what a newer one shows in its place stays. */
	readonly version?: object;
}

interface Ask {
	readonly takes: Readonly<Record<string, Check>>;
	readonly run: (side: AgentSide, from: From, args: never) => unknown;
}

const longestExecMs = 3_600_000;
const mostExecBytes = 4 * 1024 * 1024;

const text = (most: number): Check => (value) => typeof value === "string" && value.length <= most;
const between = (least: number, most: number): Check => (value) => typeof value === "number" && value >= least && value <= most;
const role = fields({ role: oneOf("system", "user", "assistant", "tool"), text: string });
const system = fields({ text: string, replaces: boolean });
const surface = oneOf("terminal", "run", "dashboard", "editor", "gateway", "cron", "boot", "test");
const title = text(2_000);

/** In the words of `ExtensionApi`; what has no answer is in there too. */
const asks = {
	callTool: { takes: { tool: string, args: isObject }, run: (side, from, { tool, args }: { tool: string; args: JsonObject }) => agentOf(side).callTool(from, tool, args) },
	sendMessage: { takes: { text: string }, run: (side, from, { text: said }: { text: string }) => agentOf(side).say(from, said) },
	complete: {
		takes: { messages: listOf(role), model: optional(string), maxOutputTokens: optional(number) },
		run: (side, from, request: CompletionRequest) => agentOf(side).complete(from, request),
	},
	converse: {
		takes: { text: string, system: optional(system), model: optional(string), sessionId: optional(string), tools: optional(listOf(string)), maxSteps: optional(number), surface: optional(surface) },
		run: (side, from, request: ConverseRequest) => agentOf(side).converse(from, request),
	},
	model: { takes: {}, run: (side, from) => agentOf(side).model(from) },
	tools: { takes: {}, run: (side, from) => agentOf(side).tools(from) },
	setActiveTools: { takes: { names: listOf(string) }, run: (side, from, { names }: { names: readonly string[] }) => agentOf(side).setActiveTools(from, names) },
	notify: { takes: { text: text(10_000), kind: oneOf("info", "warning", "error") }, run: (side, from, { text: said, kind }: { text: string; kind: "info" }) => uiOf(side, from).notify(said, kind) },
	select: {
		takes: { title, options: listOf(text(1_000), 1_000) },
		run: (side, from, { title: asked, options }: { title: string; options: readonly string[] }) => uiOf(side, from).select(asked, options, from.signal),
	},
	confirm: { takes: { title, text: text(10_000) }, run: (side, from, { title: asked, text: said }: { title: string; text: string }) => uiOf(side, from).confirm(asked, said, from.signal) },
	input: {
		takes: { title, placeholder: optional(title) },
		run: (side, from, { title: asked, placeholder }: { title: string; placeholder?: string }) => uiOf(side, from).input(asked, placeholder, from.signal),
	},
	status: { takes: { key: text(64), text: optional(text(1_000)) }, run: (side, from, { key, text: said }: { key: string; text?: string }) => mayShow(side, from, `status ${key}`, said) && uiOf(side, from).status(key, said) },
	widget: {
		takes: { key: text(64), lines: optional(listOf(text(1_000), 10)), place: oneOf("above", "below") },
		run: (side, from, { key, lines, place }: { key: string; lines?: readonly string[]; place: "above" }) => mayShow(side, from, `widget ${key}`, lines) && uiOf(side, from).widget(key, lines, place),
	},
	exec: {
		takes: {
			command: string,
			args: listOf(string),
			cwd: optional(string),
			input: optional(string),
			env: optional((value) => isObject(value) && Object.values(value).every(string)),
			timeoutMs: optional(between(1, longestExecMs)),
			maxBytes: optional(between(1, mostExecBytes)),
		},
		async run(side, from, { cwd = side.cwd ?? process.cwd(), ...more }: ExecOptions & { command: string; args: readonly string[] }): Promise<Executed> {
			// Loaded when somebody runs something.
			const { exec } = await import("./exec.ts");
			const command = side.gateOf?.(from.extension)?.program(more.command, Object.keys(more.env ?? {})) ?? more.command;
			return exec({ ...more, command, cwd }, side.env ?? process.env, from.signal);
		},
	},
	fetch: {
		takes: { url: text(16_000), method: text(100), redirect: oneOf("follow", "manual", "error"), headers: listOf((value) => Array.isArray(value) && value.length === 2 && value.every(string), 1_000), body: optional(string) },
		run: (side, from, request: FetchRequest) => gateOf(side, from).fetch(request, from.signal),
	},
	fetchPiece: { takes: { body: number }, run: (side, from, { body }: { body: number }) => gateOf(side, from).piece(body) },
	fetchEnd: { takes: { body: number }, run: (side, from, { body }: { body: number }) => gateOf(side, from).end(body) },
	emit: {
		takes: { name: (value) => typeof value === "string" && /^[\w.-]{1,64}$/.test(value), payload: anything, depth: number },
		run: ({ bus }, { extension }, { name, payload, depth }: { name: string; payload?: unknown; depth: number }) => bus?.emit(extension, name, payload, depth),
	},
} satisfies Record<string, Ask>;

export type AskName = keyof typeof asks;

export const isAskName = (name: string): name is AskName => Object.hasOwn(asks, name);

/** The argument that does not fit, as `'tool' of callTool`; undefined when all do. */
export function askMistake(what: AskName, args: JsonObject): string | undefined {
	const takes: Ask["takes"] = asks[what].takes;
	const wrong = Object.entries(takes).find(([name, check]) => !check(args[name]));
	return wrong && `'${wrong[0]}' of ${what}`;
}

/** Does what was asked. Rejects in words for the author. */
export async function answerTo(side: AgentSide, from: From, what: AskName, args: JsonObject): Promise<unknown> {
	const mistake = askMistake(what, args);
	if (mistake !== undefined) throw new TypeError(`${mistake} is not what it takes.`);
	const { run }: Ask = asks[what];
	return run(side, from, args as never);
}

function agentOf({ agent }: AgentSide): AgentRequests {
	if (agent === undefined) throw new Error("there is no agent here to ask: no conversation is open in this program.");
	return agent;
}

function gateOf({ gateOf: of }: AgentSide, { extension }: From): Gate {
	const gate = of?.(extension);
	if (gate === undefined) throw new Error("nobody fetches for this extension: its own process does.");
	return gate;
}

const uiOf = ({ uiOf: of }: AgentSide, { extension }: From): Ui => of?.(extension) ?? noUi;

/** Which version showed what last, by the surface: a newer version may run in another host. */
const shownBy = new WeakMap<object, Map<string, object>>();

/** False where one takes away what a newer one shows. */
function mayShow({ uiOf: surface }: AgentSide, { extension, version }: From, what: string, shown: unknown): boolean {
	if (surface === undefined || version === undefined) return true;
	const by = shownBy.get(surface) ?? new Map<string, object>();
	shownBy.set(surface, by);
	const id = `${extension} ${what}`;
	if (shown !== undefined) by.set(id, version);
	else if ((by.get(id) ?? version) !== version) return false;
	else by.delete(id);
	return true;
}
