// Every setting of config.yaml, once: the check, its messages and the documentation derive from it.
import { type GatewayConfig, gatewaySchema } from "./gateway.ts";

/** Settings as the rest of the program sees them. Absent ones are undefined; defaults stand where they are used. */
export interface Config {
	readonly model?: AccessConfig & {
		readonly provider?: string;
		readonly name?: string;
		readonly fallbacks?: readonly string[];
		readonly reasoning?: (typeof efforts)[number];
	};
	/** By the whole name of the model, `PROVIDER:NAME`. */
	readonly models?: Readonly<Record<string, ModelConfig>>;
	readonly agent?: {
		readonly max_steps?: number;
		readonly max_attempts?: number;
		readonly retry_base_ms?: number;
		readonly max_parallel_tools?: number;
	};
	readonly approvals?: {
		readonly mode?: "ask" | "off";
		readonly timeout?: number;
		readonly deny?: readonly string[];
		readonly unattended?: "deny" | "allow";
	};
	readonly redact?: "on" | "off";
	readonly web?: {
		readonly allow_hosts?: readonly string[];
		readonly search?: { readonly provider: "searxng" | "brave"; readonly base_url?: string; readonly api_key_env?: string };
	};
	readonly trace?: { readonly max_records?: number };
	/** By event; `readShellHooks` of the dialect makes hooks of it. */
	readonly hooks?: unknown;
	readonly file_hooks?: readonly FileHookConfig[];
	readonly hooks_auto_accept?: boolean | "true" | "yes" | "on" | "1";
	/** One of them; `findPython` says so when there are both. */
	readonly python?: { readonly executable?: string; readonly venv?: string; readonly env?: readonly string[] };
	readonly mcp?: Readonly<Record<string, McpServerConfig>>;
	readonly extensions?: Readonly<Record<string, ExtensionConfig>>;
	readonly plugins?: PluginsConfig;
	readonly gateway?: GatewayConfig;
}

/** Where a model answers, and where its key is. */
export interface AccessConfig {
	readonly base_url?: string;
	readonly api_key_env?: string;
	readonly api_key_file?: string;
	readonly api_key_keychain?: string;
}

export interface ModelConfig extends AccessConfig {
	readonly context_tokens?: number;
	readonly max_output_tokens?: number;
	readonly images?: boolean;
	readonly price?: { readonly input: number; readonly output: number; readonly cached_input?: number; readonly cache_write?: number };
}

/** Either `command` or `url`; `mcpMistakes` sees to that. */
export interface McpServerConfig {
	readonly command?: string;
	readonly args?: readonly string[];
	readonly env?: readonly string[];
	readonly cwd?: string;
	readonly url?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly token_env?: string;
	readonly enabled?: boolean;
	readonly required?: boolean;
	readonly timeout_s?: number;
	readonly tools?: readonly string[];
}

/** A file that handles one event. */
export interface FileHookConfig {
	/** One of ours, or one of the thirteen kebab-case names. */
	readonly event: string;
	/** From the home's folder on, or absolute. */
	readonly handler: string;
	readonly priority?: number;
}

export interface ExtensionConfig {
	readonly enabled?: boolean;
	readonly required?: boolean;
	readonly host?: "inline" | "node";
	readonly config?: Readonly<Record<string, unknown>>;
}

/** Plugins that were written for Hermes Agent, by their folders or the names in their manifests. */
export interface PluginsConfig {
	readonly enabled?: readonly string[];
	readonly disabled?: readonly string[];
	readonly entries?: Readonly<Record<string, PluginConfig>>;
	/** Seconds; 0 for as long as a hook can have. */
	readonly hook_callback_timeout?: number;
	readonly stream_reasoning_deltas?: boolean;
}

export interface PluginConfig {
	readonly settings?: Readonly<Record<string, unknown>>;
	readonly granted_capabilities?: readonly string[];
	readonly allow_tool_override?: boolean;
}

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
const dollars = (description: string) => ({ type: "number", minimum: 0, description }) as const;
const count = (minimum: number, maximum: number, description: string) => ({ type: "integer", minimum, maximum, description }) as const;
const keyPlaces = {
	api_key_env: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$", description: "The environment variable that holds the key. The key itself never stands in this file." },
	api_key_file: { type: "string", pattern: "^(?:~?[/\\\\]|[A-Za-z]:[/\\\\])", description: "A file that holds the key and nothing else, absolute or from `~/` on; only its owner may be able to read it." },
	api_key_keychain: { type: "string", pattern: "^[A-Za-z0-9_][A-Za-z0-9_.@:-]*$", description: "The name of the key in the system's keychain, stored there for the service `hookline`." },
} as const;

/** JSON Schema (2020-12) of config.yaml. */
export const configSchema = {
	type: "object",
	additionalProperties: false,
	properties: {
		model: {
			type: "object",
			description: "The model to talk to. HOOKLINE_MODEL, HOOKLINE_BASE_URL, HOOKLINE_API_KEY and --model come before it.",
			additionalProperties: false,
			properties: {
				provider: { type: "string", minLength: 1, description: "rehearsal (offline, needs nothing), anthropic, openai, google, openai-compatible, or one that an extension brings." },
				name: { type: "string", minLength: 1, description: "What the provider calls the model." },
				base_url: { type: "string", minLength: 1, description: "Where an OpenAI-compatible server answers, for example http://127.0.0.1:8080/v1; for other providers only when it is not their own address." },
				...keyPlaces,
				fallbacks: { type: "array", items: { type: "string", minLength: 1 }, description: "Models to ask in this order when the model fails, `PROVIDER:NAME`; none." },
				reasoning: { type: "string", enum: efforts, description: "How hard the model is to think before it answers; left to the provider unless given." },
			},
		},
		models: {
			type: "object",
			description: "What is known of models, and how they are reached, by their whole name (`anthropic:claude-opus-4-5`); it comes before what Hookline knows itself.",
			additionalProperties: {
				type: "object",
				additionalProperties: false,
				properties: {
					context_tokens: count(1000, 1_000_000_000, "Tokens of request and answer together."),
					base_url: { type: "string", minLength: 1, description: "Where this model answers, when that is not the address for all models of its provider." },
					...keyPlaces,
					max_output_tokens: count(1, 1_000_000_000, "Tokens of one answer at most; it is asked for with each request."),
					images: { type: "boolean", description: "false: it does not read images, and is told in words that there were some." },
					price: {
						type: "object",
						description: "US dollars per million tokens.",
						additionalProperties: false,
						required: ["input", "output"],
						properties: {
							input: dollars("Of what is sent, in US dollars per million tokens."),
							output: dollars("Of what comes back, reasoning included."),
							cached_input: dollars("Of what is sent and read from the provider's cache."),
							cache_write: dollars("Of what is sent and written to it."),
						},
					},
				},
			},
		},
		agent: {
			type: "object",
			additionalProperties: false,
			properties: {
				max_steps: count(1, 10_000, "Model answers in one turn; 50."),
				max_attempts: count(1, 20, "Tries of one model call, the first included; 4."),
				retry_base_ms: count(1, 60_000, "Wait before the second try in milliseconds, doubled for each further one; 1000."),
				max_parallel_tools: count(1, 256, "Tool calls of one answer that run at the same time; 16."),
			},
		},
		approvals: {
			type: "object",
			additionalProperties: false,
			properties: {
				mode: { type: "string", enum: ["ask", "off"], description: "ask: a person is asked about dangerous commands. off: nobody is, and only the floor still blocks." },
				timeout: count(1, 86_400, "How long a question to a person waits, in seconds, before it counts as a no; 300."),
				deny: { type: "array", items: { type: "string", minLength: 1 }, description: "Commands that nothing can approve: globs (`*` any text, `?` one character) of a whole normal form, such as `git push*`." },
				unattended: { type: "string", enum: ["deny", "allow"], description: "What becomes of a dangerous command when nobody is there to be asked; deny." },
			},
		},
		redact: { type: "string", enum: ["on", "off"], description: "on: keys and passwords are taken out of terminal output before the model or the store gets it. Trace and logs never have them; on." },
		web: {
			type: "object",
			additionalProperties: false,
			properties: {
				allow_hosts: {
					type: "array",
					items: { type: "string", pattern: "^[^\\s/@]+$" },
					description: "Hosts (`host` or `host:port`) that web_extract may read although their address is private, local or reserved; none.",
				},
				search: {
					type: "object",
					description: "Where web_search asks; without it there is no search.",
					additionalProperties: false,
					required: ["provider"],
					properties: {
						provider: { type: "string", enum: ["searxng", "brave"], description: "searxng (needs base_url, and `json` among its search.formats) or brave (needs api_key_env)." },
						base_url: { type: "string", pattern: "^https?://", description: "Where it answers; for brave only when it is not Brave's own address." },
						api_key_env: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$", description: "The environment variable that holds its key." },
					},
				},
			},
		},
		trace: {
			type: "object",
			additionalProperties: false,
			properties: { max_records: count(1000, 100_000_000, "How many dispatches the trace keeps; 1000000.") },
		},
		hooks: {
			type: "object",
			description: "Shell hooks: programs that are started at an event, by its name.",
			properties: {
				outbound: {
					type: "array",
					description: "Addresses that are told of events (docs/outbound-webhooks.md), each with `url`, `events` and what else is named there.",
					items: {
						type: "object",
						required: ["url", "events"],
						properties: {
							url: { type: "string", pattern: "^https?://", description: "Where each event is sent with POST." },
							events: { type: "array", minItems: 1, items: { type: "string" }, description: "The events: names of ours, of Hermes Agent's shell hooks or of its gateway hooks." },
							name: { type: "string", description: "What lists call it; its host otherwise." },
							secret_env: { type: "string", description: "The environment variable with the secret that what is sent is signed with." },
							secret: { type: "string", description: "The secret itself, where it stands in this file; secret_env comes before it." },
							matcher: { type: "string", description: "A regular expression for the whole name of a tool, at events about one; all tools." },
							timeout: { type: "number", minimum: 1, maximum: 60, description: "Seconds one try may take; 10." },
							format: { type: "string", enum: ["hermes", "standard"], description: "hermes: what Hermes Agent sends. standard: Standard Webhooks with the payload of ours; hermes." },
						},
					},
				},
			},
			additionalProperties: {
				type: "array",
				description: "Programs to start at this event, each with `command` and what else docs/shell-hooks.md names.",
				items: {
					type: "object",
					required: ["command"],
					properties: {
						command: { type: "string", minLength: 1, description: "The program and its arguments, split into words; no shell reads it. A leading ~ is your home folder." },
						matcher: { type: "string", description: "A regular expression for the whole name of a tool; all tools." },
						timeout: count(1, 300, "Seconds the program may take; 60."),
						fail_closed: { type: "boolean", description: "true: when the hook fails, what it was asked about does not happen." },
						name: { type: "string", pattern: "^[\\w.-]{1,64}$", description: "What lists and traces call it, as shell/NAME; its number in this file." },
						env: { type: "array", items: { type: "string", pattern: "^[A-Za-z_]\\w*$" }, description: "Environment variables it gets beside the harmless ones." },
						priority: { type: "number", description: "Lower runs earlier; 100." },
						async: { type: "boolean", description: "true: nobody waits for it; only for events that have happened." },
						sandbox: { type: "string", enum: ["off", "auto", "required"], description: "Whether it runs inside bubblewrap; off." },
						mode: { type: "string", enum: ["strict", "faithful"], description: "strict: a refusal counts in every spelling. faithful: bug for bug what Hermes Agent does." },
					},
				},
			},
		},
		file_hooks: {
			type: "array",
			description: "Files that handle an event, in TypeScript or JavaScript; they run in a process that is not Hookline's own.",
			items: {
				type: "object",
				additionalProperties: false,
				required: ["event", "handler"],
				properties: {
					event: { type: "string", minLength: 1, description: "One of the thirteen kebab-case names, such as `before-tool-call` (docs/extensions.md), or an event as `hookline hooks events` lists it." },
					handler: { type: "string", minLength: 1, description: "The file, whose default export (or `handler`) is the function: from the home's folder on, and inside it, or absolute." },
					priority: { type: "number", description: "Lower counts earlier; 100." },
				},
			},
		},
		hooks_auto_accept: { type: ["boolean", "string"], enum: [true, false, "true", "yes", "on", "1"], description: "true: shell hooks run without you having been asked about them." },
		python: {
			type: "object",
			description: "The Python that hooks run in, 3.9 or newer; `.venv` in the home when there is one, else python3.",
			additionalProperties: false,
			properties: {
				executable: { type: "string", minLength: 1, description: "The interpreter: a name that is found on PATH, or a path, absolute or from `~/` on." },
				venv: { type: "string", pattern: "^~?/", description: "The folder of a virtual environment, absolute or from `~/` on; instead of executable." },
				env: { type: "array", items: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*(?:=|$)" }, description: "Variables for your own hooks in Python: `NAME` hands on yours, `NAME=value` sets one. Without that they get none that may be a secret." },
			},
		},
		mcp: {
			type: "object",
			description: "MCP servers whose tools the agent gets, by a name of yours: programs (`command`) or addresses (`url`).",
			additionalProperties: {
				type: "object",
				additionalProperties: false,
				properties: {
					command: { type: "string", minLength: 1, description: "The program: a name that is found on PATH, or an absolute path." },
					args: { type: "array", items: { type: "string" }, description: "Its arguments." },
					env: { type: "array", items: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*(?:=|$)" }, description: "Variables for it: `NAME` hands on yours, `NAME=value` sets one. Without that it gets none that looks like a secret." },
					cwd: { type: "string", minLength: 1, description: "The folder it runs in, absolute or from `~` on; your home folder." },
					url: { type: "string", minLength: 1, description: "Where it answers over Streamable HTTP." },
					headers: { type: "object", additionalProperties: { type: "string", pattern: "^[\\t\\x20-\\x7e]*$", description: "A header for each request." } },
					token_env: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$", description: "The environment variable with the bearer token for it." },
					enabled: { type: "boolean", description: "false leaves it out." },
					required: { type: "boolean", description: "true: when it is not there, nothing starts." },
					timeout_s: count(1, 3600, "How long one call may take, in seconds; 60. To start it has as long, but 20 s at most."),
					tools: { type: "array", items: { type: "string" }, description: "The tools to take, as the server calls them; all." },
				},
			},
		},
		extensions: {
			type: "object",
			description: "Settings of extensions, by their name.",
			additionalProperties: {
				type: "object",
				additionalProperties: false,
				properties: {
					enabled: { type: "boolean", description: "false leaves it out." },
					required: { type: "boolean", description: "true: when it does not load, nothing starts." },
					host: { type: "string", enum: ["inline", "node"], description: "inline (in this process, fastest) or node (in a process of its own, which it can only harm itself)." },
					config: { type: "object", description: "Settings of the extension's own; one in Python reads them with get_config." },
				},
			},
		},
		plugins: {
			type: "object",
			description: "Plugins that were written for Hermes Agent, in the home's `plugins/`.",
			additionalProperties: false,
			properties: {
				enabled: { type: "array", items: { type: "string", minLength: 1 }, description: "Those that run; none." },
				disabled: { type: "array", items: { type: "string", minLength: 1 }, description: "Those that never run, whatever else is said; those of projects too." },
				entries: {
					type: "object",
					description: "Settings of plugins, by their name.",
					additionalProperties: {
						type: "object",
						additionalProperties: false,
						properties: {
							settings: { type: "object", description: "What the plugin reads with ctx.get_config." },
							granted_capabilities: { type: "array", items: { type: "string" }, description: "`tools.override`: its tools may take the place of built-in ones. Others mean nothing here." },
							allow_tool_override: { type: "boolean", description: "true: the same as tools.override above." },
						},
					},
				},
				hook_callback_timeout: { type: "number", minimum: 0, maximum: 600, description: "Seconds a callback may take, 0 for 600; 30." },
				stream_reasoning_deltas: { type: "boolean", description: "true: on_stream_delta hears what a model thinks as well." },
			},
		},
		gateway: gatewaySchema,
	},
} as const;
