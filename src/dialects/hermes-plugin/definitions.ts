// The hooks of a plugin as the engine takes them: one for each callback, in the order in which plugins are loaded and register.
import { specOf } from "../../events/catalog.ts";
import type { HookContext } from "../../events/context.ts";
import type { Payloads } from "../../events/payloads/all.ts";
import type { Facts, JsonObject } from "../../events/payloads/facts.ts";
import { type HookDefinition, type HookOptions, maxTimeoutMs, type Source } from "../../events/registration.ts";
import type { LoadedUnit } from "../../hosts/python/unit.ts";
import { isMeant } from "../hermes-shell/events.ts";
import { argumentsOf, type Conversations, namesOf } from "./arguments.ts";
import { type AroundOptions, aroundDefinition } from "./around.ts";
import { decisionIn, modified } from "./decisions.ts";
import { eventOfHook, isPluginHook, type PluginHook, specOfHook } from "./events.ts";
import type { Registered, RegisteredHook } from "./registered.ts";
import { SessionStarts } from "./session-starts.ts";

export interface HookSettings extends AroundOptions {
	readonly conversations: Conversations;
	/** Of the hooks that Hermes bounds. */
	readonly timeoutMs: number;
	/** Whether on_stream_delta hears reasoning as well. */
	readonly reasoningDeltas: boolean;
}

/** Where they stand among other hooks of the same priority: middleware sees a call before the callbacks, what those change is taken over after the last of them, and shell hooks come then. */
const ranks = { around: 0.75, callback: 1, modified: 1.5 } as const;

interface Making {
	readonly loaded: LoadedUnit;
	readonly settings: HookSettings;
	readonly starts: SessionStarts;
	readonly source: Omit<Source, "dialect" | "rank">;
	readonly named: (wanted: string) => Pick<HookOptions, "name">;
}

type Partly = Pick<HookDefinition, "event" | "stage" | "handler" | "options"> & Partial<HookDefinition>;

export function definitionsOf(loaded: LoadedUnit, source: Making["source"], settings: HookSettings): readonly HookDefinition[] {
	const making: Making = { loaded, settings, source, starts: new SessionStarts(), named: namer() };
	const registered = loaded.callbacks.map(({ id, what }) => [id, what as unknown as Registered] as const);
	const found = registered.flatMap(([id, one]) => definitionOf(one, id, making) ?? []);
	const changesCalls = registered.some(([, one]) => one.kind === "hook" && one.hook === "pre_tool_call");
	return changesCalls ? [...found, whole(takingOver(loaded.name), ranks.modified, source)] : found;
}

function definitionOf(one: Registered, id: number, making: Making): HookDefinition | undefined {
	const { loaded, settings, source, named } = making;
	if (one.kind === "middleware") return whole({ ...aroundDefinition(one, id, loaded, settings), options: { ...named(`${one.middleware}.${one.name}`), timeoutMs: maxTimeoutMs, onError: "open" } }, ranks.around, source);
	if (one.kind !== "hook") return undefined;
	if (one.hook === "system_prompt_section") return whole({ ...section(one, id, making), options: { ...named(`section.${one.name}`), timeoutMs: settings.timeoutMs, onError: "open" } }, ranks.callback, source);
	return isPluginHook(one.hook) ? whole(callbackDefinition(one, one.hook, id, making), ranks.callback, source) : undefined;
}

const whole = (definition: Partly, rank: number, source: Making["source"]): HookDefinition => ({ host: "python", ...definition, source: { ...source, dialect: "hermes-plugin", rank } });

function callbackDefinition(registered: RegisteredHook, hook: PluginHook, id: number, { loaded, settings, source, starts, named }: Making): Partly {
	const { name } = named(`${hook}.${registered.name}`);
	const { bound, apart } = specOfHook(hook);
	const callback: Callback = {
		hook, id, loaded,
		takes: takesOf(registered),
		name: name === undefined ? source.extension : `${source.extension}/${name}`,
		timeoutMs: bound === "unbounded" ? maxTimeoutMs : settings.timeoutMs,
	};
	const event = eventOfHook(hook);
	const options = { ...(name !== undefined && { name }), timeoutMs: callback.timeoutMs };
	// One after the other, as in Hermes: a plugin that counts tool calls has counted them all when it hears that the turn is over.
	if (specOf(event).kind === "observe") return { event, stage: "observe", handler: telling(callback, settings, starts), options, ...(!apart && { inOrder: source.extension }) };
	return { event, stage: "transform", handler: deciding(callback, settings, starts), options: { ...options, onError: bound === "closed" ? "closed" : "open" }, ...(judging.has(hook) && { judges: true }) };
}

const judging: ReadonlySet<PluginHook> = new Set<PluginHook>(["pre_tool_call", "pre_gateway_dispatch"]);

interface Callback {
	readonly hook: PluginHook;
	readonly id: number;
	readonly loaded: LoadedUnit;
	readonly takes: (name: string) => boolean;
	readonly name: string;
	readonly timeoutMs: number;
}

const takesOf = ({ takes }: RegisteredHook) => (name: string) => takes === null || takes.includes(name);

/** What Hermes calls one thing can be more than one here. */
function isHeard(hook: PluginHook, payload: Facts, { reasoningDeltas }: HookSettings): boolean {
	if (hook === "on_stream_delta" && !reasoningDeltas && (payload as Payloads["model.streamed"]).channel === "reasoning") return false;
	return isMeant(hook, payload);
}

function calling({ hook, id, loaded, takes, timeoutMs }: Callback, { conversations }: HookSettings): (payload: Facts, signal: AbortSignal) => Promise<unknown> {
	return (payload, signal) => loaded.call(id, { payload: called({ hook }, argumentsOf(hook, payload, conversations, takes), payload), timeoutMs, signal });
}

const called = (what: JsonObject, given: JsonObject, { sessionId = "", turnId }: Facts): JsonObject => ({ ...what, arguments: given, session_id: sessionId, turn_id: turnId ?? null });

function telling(callback: Callback, settings: HookSettings, starts: SessionStarts): (payload: Facts, context: HookContext) => Promise<void> | undefined {
	const call = calling(callback, settings);
	const { hook } = callback;
	return (payload, { signal }) => {
		if (!isHeard(hook, payload, settings)) return undefined;
		const heard = call(payload, signal).then(() => undefined);
		if (hook === "on_session_start") starts.add(payload.sessionId ?? "", heard);
		return heard;
	};
}

function deciding(callback: Callback, settings: HookSettings, starts: SessionStarts): (payload: Facts, context: HookContext) => Promise<unknown> | undefined {
	const call = calling(callback, settings);
	const { hook, loaded, name } = callback;
	const decide = async (payload: Facts, context: HookContext) => {
		const { signal, metadata } = context;
		await starts.over(payload);
		const answer = await call(payload, signal);
		return decisionIn(hook, answer, payload, { plugin: loaded.name, callback: name, metadata, log: (message) => context.log(message) });
	};
	return (payload, context) => (isHeard(hook, payload, settings) ? decide(payload, context) : undefined);
}

/** All callbacks of all plugins are asked about the same arguments; then this puts in what those of one plugin changed, and the engine asks them all again about what will run. */
function takingOver(plugin: string): Partly {
	const handler = (payload: Payloads["tool.calling"], { metadata }: HookContext) => modified(plugin, payload, metadata);
	return { event: "tool.calling", stage: "transform", handler, options: { name: "pre_tool_call-modify", onError: "closed" }, host: "inline" };
}

/** A section of the system prompt: Python gives the same text throughout a session. */
function section({ name }: RegisteredHook, id: number, { loaded, settings: { timeoutMs } }: Making): Omit<Partly, "options"> {
	const handler = async (payload: Payloads["turn.starting"], { signal }: HookContext) => {
		const { sessionId = "", platform = "cli", profile, cwd, model } = payload;
		const given = { session_id: sessionId, ...namesOf(model), platform, profile_name: profile, cwd };
		const text = await loaded.call(id, { payload: called({ hook: "system_prompt_section", name }, given, payload), timeoutMs, signal });
		return typeof text === "string" && text.trim() !== "" ? { kind: "inject", text, as: "system" } : undefined;
	};
	return { event: "turn.starting", stage: "transform", handler };
}

/** Names are short, plain and each there once; a callback without such a name is numbered. */
function namer(): (wanted: string) => Pick<HookOptions, "name"> {
	const taken = new Set<string>();
	return (wanted) => {
		const usable = /^[\w.-]{1,64}$/.test(wanted) && !taken.has(wanted);
		taken.add(wanted);
		return usable ? { name: wanted } : {};
	};
}
