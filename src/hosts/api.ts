// The API of one extension, put together where the extension runs. What lies in the agent it reaches through a link: a function call in our own
// process, a wire from another.
import type { Asking, Emission, Executed, ExecOptions, ExtensionApi } from "../events/api.ts";
import type { Brings } from "../events/brings.ts";
import type { DurableState } from "../events/context.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { ToolResult } from "../events/payloads/tool.ts";
import { describe, RegistrationError } from "../events/registration.ts";
import type { Completion, Conversed, ModelInUse } from "../events/requests.ts";
import type { Ui, UiPart } from "../events/ui.ts";
import { copyPlain } from "../system/plain.ts";
import { type AskName, askMistake } from "./asks.ts";
import { Bringing } from "./bringing.ts";
import { emissionJson, emissionRate, tooManyEmissions } from "./bus.ts";
import { calling, type Enter } from "./calling.ts";
import { kebabHooks } from "./kebab-hooks.ts";
import type { Lifetime } from "./lifetime.ts";
import { perSecond } from "./rate.ts";
import type { Registrar } from "./registrar.ts";

/** Handlers of the bus, as the link calls them. */
export type Hearing = (payload: unknown, emission: Emission, depth: number) => unknown;

export interface Link {
	readonly config: JsonObject;
	readonly flags: Readonly<Record<string, boolean | string>>;
	readonly state: DurableState;
	/** As part of the extension, and of that call. */
	readonly enter: Enter;
	can(part: UiPart): boolean;
	ask(what: AskName, args: JsonObject, from: { readonly sessionId: string | undefined; readonly signal: AbortSignal }): Promise<unknown>;
	/** The same where nobody waits for an answer. */
	tell(what: AskName, args: JsonObject): void;
	/** Hears that event of the bus. */
	on(event: string, hear: Hearing): Disposable;
	log(text: string): void;
}

export interface OpenApi {
	readonly api: ExtensionApi;
	readonly brings: () => Brings;
}

const logLinesPerSecond = 100;
const shownPerSecond = 50;

/** `onBrings` is told in the next moment of each change. */
export function openApi(name: string, link: Link, { registrar, lifetime, onBrings }: { readonly registrar: Registrar; readonly lifetime: Lifetime; readonly onBrings: () => void }): OpenApi {
	let telling = false;
	const onChange = () => {
		if (telling) return;
		telling = true;
		queueMicrotask(() => {
			telling = false;
			onBrings();
		});
	};
	const bringing = new Bringing({ extension: name, enter: link.enter, onChange });
	const registering =
		<Given>(register: (given: Given) => () => void) =>
		(given: Given): Disposable =>
			registrar.take(() => lifetime.own(() => register(given)));
	const ask = async <Answer>(what: AskName, args: object, { sessionId = calling.getStore()?.sessionId, signal }: Asking = {}): Promise<Answer> => {
		const given = argumentsOf(what, args);
		const stop = signal === undefined ? lifetime.signal : AbortSignal.any([signal, lifetime.signal]);
		stop.throwIfAborted();
		// Each ask names what it answers; the other side is ours.
		return link.ask(what, given, { sessionId, signal: stop }) as Promise<Answer>;
	};
	const mayLog = perSecond(logLinesPerSecond);
	const tools = (options?: Asking) => ask<{ readonly all: readonly string[]; readonly active: readonly string[] }>("tools", {}, options);
	const api: ExtensionApi = {
		name,
		config: link.config,
		state: link.state,
		signal: lifetime.signal,
		ui: uiOf(link, lifetime, ask),
		events: eventsOf(name, link, { registrar, lifetime }),
		flags: Object.freeze({
			get(flag: string) {
				const known = bringing.flagNamed(flag);
				if (known === undefined) throw new Error(`${name}: there is no flag '${String(flag)}'. Register it first.`);
				const chosen = Object.hasOwn(link.flags, flag) ? link.flags[flag] : undefined;
				return typeof chosen === known.type ? chosen : known.default;
			},
		}),
		registerTool: registering(bringing.tool.bind(bringing)) as ExtensionApi["registerTool"],
		registerCommand: registering(bringing.command.bind(bringing)),
		registerShortcut: registering(bringing.shortcut.bind(bringing)),
		registerFlag: registering(bringing.flag.bind(bringing)),
		registerProvider: registering(bringing.provider.bind(bringing)),
		registerHook: kebabHooks(name, registrar),
		callTool: (tool, args, options) => ask<ToolResult>("callTool", { tool, args }, options),
		sendMessage: (text, options) => ask("sendMessage", { text }, options),
		complete: (request, options) => ask<Completion>("complete", request, options),
		converse: (request, options) => ask<Conversed>("converse", request, options),
		model: (options) => ask<ModelInUse>("model", {}, options),
		getActiveTools: async (options) => (await tools(options)).active,
		getAllTools: async (options) => (await tools(options)).all,
		setActiveTools: (names, options) => ask<void>("setActiveTools", { names }, options),
		exec: (command, args = [], { signal, ...more }: ExecOptions = {}) => ask<Executed>("exec", { ...more, command, args }, { ...(signal && { signal }) }),
		fetch: (input, init = {}) => fetch(input, { ...init, signal: AbortSignal.any([lifetime.signal, ...(init.signal ? [init.signal] : [])]) }),
		log(text) {
			if (mayLog()) link.log(String(text).slice(0, 10_000));
		},
		onUnload(run) {
			if (typeof run !== "function") throw new RegistrationError(`${name}: onUnload(): it takes a function, not ${describe(run)}.`);
			return registrar.take(() => lifetime.own(() => run));
		},
	};
	return { api: Object.freeze(api), brings: () => bringing.brings };
}

/** A private copy. @throws TypeError for what is no plain data, or not what the ask takes. */
function argumentsOf(what: AskName, args: object): JsonObject {
	const given = copyPlain(args, what) as JsonObject;
	const mistake = askMistake(what, given);
	if (mistake !== undefined) throw new TypeError(`${mistake} is not what it takes; see docs/extensions.md.`);
	return given;
}

function uiOf(link: Link, lifetime: Lifetime, ask: <Answer>(what: AskName, args: object, options?: Asking) => Promise<Answer>): Ui {
	const may = perSecond(shownPerSecond);
	const shown = new Map<string, Disposable>();
	/** What is shown under a key leaves with the extension. */
	const show = (what: "status" | "widget", key: string, args: object, isThere: boolean): void => {
		const given = argumentsOf(what, args);
		const id = `${what} ${key}`;
		if (isThere && !shown.has(id)) shown.set(id, lifetime.own(() => () => link.tell(what, what === "status" ? { key } : { key, place: "above" })));
		// The last word counts: what takes something away is never left out.
		if (!isThere || may()) link.tell(what, given);
	};
	const asking = (signal?: AbortSignal): Asking => (signal === undefined ? {} : { signal });
	return Object.freeze({
		can: (part) => link.can(part),
		notify(text, kind = "info") {
			const given = argumentsOf("notify", { text, kind });
			if (may()) link.tell("notify", given);
		},
		select: (title, options, signal) => ask("select", { title, options }, asking(signal)),
		confirm: (title, text, signal) => ask("confirm", { title, text }, asking(signal)),
		input: (title, placeholder, signal) => ask("input", { title, placeholder }, asking(signal)),
		status: (key, text) => show("status", key, { key, text }, text !== undefined),
		widget: (key, lines, place = "above") => show("widget", key, { key, lines, place }, lines !== undefined),
	} satisfies Ui);
}

function eventsOf(name: string, link: Link, { registrar, lifetime }: { readonly registrar: Registrar; readonly lifetime: Lifetime }): ExtensionApi["events"] {
	const may = emissionRate();
	return Object.freeze({
		emit(event: string, payload?: unknown) {
			const depth = (calling.getStore()?.emits ?? 0) + 1;
			emissionJson(payload, depth);
			const given = argumentsOf("emit", { name: event, payload, depth });
			if (!may()) throw new Error(tooManyEmissions);
			link.tell("emit", given);
		},
		on(event: string, handler: (payload: unknown, emission: Emission) => unknown): Disposable {
			return registrar.take(() => {
				const refuse = (why: string): never => {
					throw new RegistrationError(`${name}: events.on(${typeof event === "string" ? `'${event}'` : ""}): ${why}`);
				};
				if (typeof event !== "string" || !/^.+:[\w.-]{1,64}$/.test(event)) refuse("the event is '<extension>:<name>', such as 'deploy:done'.");
				if (typeof handler !== "function") refuse(`the handler must be a function, not ${describe(handler)}.`);
				return lifetime.own(() => {
					const heard = link.on(event, (payload, emission, depth) => calling.run({ sessionId: undefined, ...calling.getStore(), emits: depth }, () => handler(payload, emission)));
					return () => heard[Symbol.dispose]();
				});
			});
		},
	});
}
