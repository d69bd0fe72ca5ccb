/// <reference lib="esnext.disposable" preserve="true" />
// What an extension can do beside hooks: the second thing its factory is given. The same in every host, so nothing in it needs shared memory: what
// crosses is plain data, and what has to be asked of the agent is a promise.
import type { CallPlace, ToolCallPlace } from "./brings.ts";
import type { DurableState } from "./context.ts";
import type { RegisterHook } from "./kebab-hooks.ts";
import type { JsonObject } from "./payloads/facts.ts";
import type { ToolResult } from "./payloads/tool.ts";
import type { ProviderDefinition } from "./providers.ts";
import type { Completion, CompletionRequest, Conversed, ConverseRequest, ModelInUse } from "./requests.ts";
import type { StandardSchema } from "./standard-schema.ts";
import type { Ui } from "./ui.ts";

/**
 * Everything registered here belongs to the extension and leaves with it, in reverse order. Registering works in the factory and later, and each
 * registration can be taken back by disposing of what it gave. A registration that can never work throws a RegistrationError that names extension and line.
 */
export interface ExtensionApi {
	/** The extension's name in lists, messages and the trace. */
	readonly name: string;
	/** What `extensions.<name>.config` in config.yaml says; frozen, `{}` when it says nothing. */
	readonly config: JsonObject;
	/** Durable, of this extension alone: what it keeps is there the next time. */
	readonly state: DurableState;
	/** Aborted when the extension is unloaded, after everything else of it has left. */
	readonly signal: AbortSignal;
	/** How it shows itself to the person and asks them. */
	readonly ui: Ui;
	/** Words between extensions. */
	readonly events: ExtensionEvents;
	/** What the person chose for its flags. */
	readonly flags: Flags;

	/** Gives the model a tool. A name that another tool has becomes `<extension>__<name>`, unless this one `overrides` a built-in. */
	registerTool<Args = JsonObject>(tool: ToolDefinition<Args>): Disposable;
	/** Gives the person a slash command. A name that is taken becomes `<extension>:<name>`. */
	registerCommand(command: CommandDefinition): Disposable;
	/** Runs something at a key of the chat. */
	registerShortcut(shortcut: ShortcutDefinition): Disposable;
	/** Lets the person choose something when they start the program. */
	registerFlag(flag: FlagDefinition): Disposable;
	/** Brings a provider of models, `PROVIDER:NAME` for `--model` and `/model`. A name that is taken becomes `<extension>.<name>`. */
	registerProvider(provider: ProviderDefinition): Disposable;
	/** Hooks by the names of the OpenClaw description, in the factory only: another door to the same engine. Its handlers of one event run at the same time. */
	registerHook: RegisterHook;

	/** Runs a tool as if the model had called it: through all hooks and approvals. @throws Error when there is no such tool, or more than 8 calls cause each other. */
	callTool(name: string, args: JsonObject, options?: Asking): Promise<ToolResult>;
	/**
	 * Puts a text into a conversation in the user's place, marked as coming from this extension: into the turn under way (`steered`) or as a turn of its
	 * own (`queued`). False when nobody has a conversation open.
	 */
	sendMessage(text: string, options?: Asking): Promise<"steered" | "queued" | false>;
	/** One model call without tools, through the hooks of model calls. */
	complete(request: CompletionRequest, options?: Asking): Promise<Completion>;
	/** A whole turn of the agent in a session of its own, with all hooks. Nobody can be asked there. */
	converse(request: ConverseRequest, options?: Asking): Promise<Conversed>;
	/** The model of the conversation. */
	model(options?: Asking): Promise<ModelInUse>;
	/** Names of the tools that the model is offered. */
	getActiveTools(options?: Asking): Promise<readonly string[]>;
	/** Names of all tools there are, also those that are not offered now. */
	getAllTools(options?: Asking): Promise<readonly string[]>;
	/** From the next step on only these are offered to the model. @throws Error when one of them is not there. */
	setActiveTools(names: readonly string[], options?: Asking): Promise<void>;

	/**
	 * Runs a program: never through a shell, in a process group of its own that ends with it, without variables whose names look like secrets.
	 * An exit code other than 0 is a result. @throws Error when it cannot be started, its time is up, or the signal is aborted.
	 */
	exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<Executed>;
	/** The global `fetch`, ended when the extension is unloaded. */
	fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
	/** Writes a line to Hookline's log under the extension's name; at most 100 a second. */
	log(text: string): void;
	/** Runs when the extension is unloaded, or the program ends; what was registered later runs earlier. All of it has 2 s. */
	onUnload(run: () => void | Promise<void>): Disposable;
}

/** Where something is asked, when it is not the session that the asking hook, tool or command belongs to. */
export interface Asking {
	readonly sessionId?: string;
	/** Ends what was asked for. */
	readonly signal?: AbortSignal;
}

type Maybe<Value> = Value | Promise<Value>;

/** What a tool's `run` is told beside the arguments. */
export type ToolCall = ToolCallPlace;

export interface ToolDefinition<Args = JsonObject> {
	/** What the model calls it: 1 to 64 letters, digits, `_` or `-`. */
	readonly name: string;
	/** For the model; at most 10,000 characters. */
	readonly description: string;
	/** JSON Schema (2020-12) of an object, at most 100,000 characters; or a schema of a library that follows Standard Schema, which types and checks `args`. */
	readonly parameters: JsonObject | StandardSchema<Args>;
	/** The JSON Schema, where `parameters` is of a library that cannot give it. */
	readonly jsonSchema?: JsonObject;
	/** Set to take the place of the built-in tool of this name. */
	readonly overrides?: true;
	/** In ms, at most 3,600,000; 600,000 when not given. */
	readonly timeoutMs?: number;
	/**
	 * Gets arguments that fit `parameters`. What goes wrong in the tool's own trade is best a result with `isError`; the model is told the message of what
	 * it throws.
	 */
	run(args: Args, call: ToolCall): Maybe<string | ToolResult>;
}

export interface CommandDefinition {
	/** Without the slash: 1 to 32 letters, digits, `_` or `-`. */
	readonly name: string;
	/** One line for /help. */
	readonly summary: string;
	/** Set where it may run while a turn does. */
	readonly anytime?: true;
	/** `args` is what stands behind the name. Gives the text to show, when there is one. */
	run(args: string, call: CallPlace): Maybe<string | undefined | void>;
	/** What the arguments typed so far could become, whole. */
	complete?(args: string, call: CallPlace): Maybe<readonly string[]>;
}

export interface ShortcutDefinition {
	/** `ctrl+g`, `alt+shift+x`, `f5`: modifiers first, at least one of ctrl and alt unless it is a function key. */
	readonly key: string;
	/** One line for the help. */
	readonly summary: string;
	run(call: CallPlace): Maybe<unknown>;
}

export interface FlagDefinition {
	/** 1 to 32 lower-case letters, digits or `-`. */
	readonly name: string;
	readonly summary: string;
	readonly type: "boolean" | "string";
	/** What it is when the person chose nothing. */
	readonly default?: boolean | string;
}

export interface Flags {
	/** What the person chose, else the default; undefined where there is neither. @throws Error for a flag that was not registered. */
	get(name: string): boolean | string | undefined;
}

/** What a handler of the bus is told beside the payload. */
export interface Emission {
	/** `<extension>:<name>`. */
	readonly event: string;
	/** The extension that emitted it. */
	readonly from: string;
	/** Aborted when the handler has taken 30 s. */
	readonly signal: AbortSignal;
}

export interface ExtensionEvents {
	/**
	 * Tells extensions of the same trust domain, in whatever host they run, under `<this extension>:<name>`. Each handler gets a copy of its own.
	 * @throws TypeError for a payload that is no plain data, RangeError for one over 256 KB, Error when 8 emissions have caused each other or 1,000 were made within a second.
	 */
	emit(name: string, payload?: unknown): void;
	/**
	 * Hears `<extension>:<name>`, one at a time and in order. A handler that throws harms nobody else; while one is slow 64 emissions wait for it, and what comes
	 * beyond is dropped and logged.
	 */
	on(event: string, handler: (payload: unknown, emission: Emission) => unknown): Disposable;
}

export interface ExecOptions {
	/** Absolute; the agent's working folder when not given. */
	readonly cwd?: string;
	/** Written to its standard input. */
	readonly input?: string;
	/** Variables beside the agent's own. */
	readonly env?: Readonly<Record<string, string>>;
	/** At most 3,600,000; 60,000 when not given. */
	readonly timeoutMs?: number;
	/** Of each of the two outputs, at most 4 MiB; 1 MiB when not given. What is beyond is dropped in the middle, and a line says so. */
	readonly maxBytes?: number;
	readonly signal?: AbortSignal;
}

export interface Executed {
	/** Null when a signal ended it. */
	readonly exitCode: number | null;
	readonly signal: string | null;
	readonly stdout: string;
	readonly stderr: string;
}
