// The settings of the gateway, below `gateway` in config.yaml.

export interface GatewayConfig {
	readonly session_per?: "chat" | "thread" | "user";
	readonly max_turns?: number;
	readonly access?: { readonly owners?: readonly string[]; readonly users?: readonly string[]; readonly pairing?: "on" | "off" };
	readonly groups?: "mention" | "all" | "off";
	readonly messages_per_minute?: number;
	readonly home_chat?: string;
	readonly http?: HttpConfig;
	readonly telegram?: TelegramConfig;
	readonly discord?: DiscordConfig;
	readonly slack?: SlackConfig;
	readonly whatsapp?: WhatsAppConfig;
	readonly teams?: TeamsConfig;
	readonly webhooks?: Readonly<Record<string, WebhookConfig>>;
}

export interface HttpConfig {
	readonly host?: string;
	readonly port?: number;
	readonly token_env?: string;
	readonly token_file?: string;
}

interface PlatformConfig {
	readonly enabled?: boolean;
	readonly base_url?: string;
}

export interface TelegramConfig extends PlatformConfig {
	readonly token_env?: string;
	readonly token_file?: string;
	readonly webhook_url?: string;
}

export interface DiscordConfig extends PlatformConfig {
	readonly token_env?: string;
	readonly token_file?: string;
}

export interface SlackConfig extends PlatformConfig {
	readonly bot_token_env?: string;
	readonly bot_token_file?: string;
	readonly app_token_env?: string;
	readonly app_token_file?: string;
}

export interface WhatsAppConfig extends PlatformConfig {
	readonly phone_number_id?: string;
	readonly token_env?: string;
	readonly token_file?: string;
	readonly app_secret_env?: string;
	readonly app_secret_file?: string;
	readonly verify_token_env?: string;
	readonly verify_token_file?: string;
}

export interface TeamsConfig extends PlatformConfig {
	readonly client_id?: string;
	readonly tenant_id?: string;
	readonly client_secret_env?: string;
	readonly client_secret_file?: string;
}

/** What becomes of a request to `/hooks/NAME`. */
export interface WebhookConfig {
	readonly secret_env?: string;
	readonly secret_file?: string;
	readonly signed?: "standard" | "github";
	readonly prompt?: string;
	readonly chat?: string;
	readonly session?: string;
}

const variable = "^[A-Za-z_][A-Za-z0-9_]*$";
const path = "^(?:~?[/\\\\]|[A-Za-z]:[/\\\\])";
/** `PLATFORM:CHAT`, and after a `#` a thread of it. */
const chatPattern = "^[a-z]+:.+$";
const people = (description: string) => ({ type: "array", items: { type: "string", pattern: "^[a-z]+:.+$" }, description }) as const;

/** `NAME_env` and `NAME_file`: a secret never stands in this file. */
function secret<Name extends string>(name: Name, what: string) {
	return {
		[`${name}_env`]: { type: "string", pattern: variable, description: `The environment variable with ${what}.` },
		[`${name}_file`]: { type: "string", pattern: path, description: `A file that holds ${what} and nothing else, absolute or from \`~/\` on; only its owner may be able to read it.` },
	} as Record<`${Name}_env` | `${Name}_file`, { readonly type: "string"; readonly pattern: string; readonly description: string }>;
}

const enabled = { type: "boolean", description: "false: not used, and not loaded." } as const;
const baseUrl = (whose: string) => ({ type: "string", pattern: "^https?://", description: `Where ${whose} answers, for a server of your own; the usual place.` }) as const;

export const gatewaySchema = {
	type: "object",
	description: "What `hookline gateway run` serves.",
	additionalProperties: false,
	properties: {
		session_per: { type: "string", enum: ["chat", "thread", "user"], description: "What has a conversation of its own: each chat, each thread of a chat, or each person across all chats; thread." },
		max_turns: { type: "integer", minimum: 1, maximum: 1000, description: "Conversations that are worked on at the same time; 16." },
		access: {
			type: "object",
			description: "Who may talk to the agent; whoever has the token of the HTTP API and names no user is an owner.",
			additionalProperties: false,
			properties: {
				owners: people("Who may talk to the agent, run every command and answer its questions: `PLATFORM:USER`, or `PLATFORM:*` for everybody there."),
				users: people("Who may talk to the agent and run the commands that concern their own chat."),
				pairing: { type: "string", enum: ["on", "off"], description: "on: whoever else writes gets a code, with which an owner lets them in. off: they are refused; on." },
			},
		},
		groups: { type: "string", enum: ["mention", "all", "off"], description: "What the agent hears in groups: what is said to it (a mention, an answer to a text of its own, a command), everything, or nothing; mention." },
		messages_per_minute: { type: "integer", minimum: 1, maximum: 10_000, description: "How many messages of one person are taken in a minute; 30. Owners have no limit." },
		home_chat: { type: "string", pattern: chatPattern, description: "Where the agent says what nobody asked for, such as the results of jobs and of BOOT.md: `PLATFORM:CHAT` or `PLATFORM:CHAT#THREAD`." },
		http: {
			type: "object",
			description: "The HTTP API and the page to chat on.",
			additionalProperties: false,
			properties: {
				host: { type: "string", minLength: 1, description: "The address to listen at; 127.0.0.1. Another one needs a token of yours." },
				port: { type: "integer", minimum: 0, maximum: 65_535, description: "The port, 0 for any that is free; 7717." },
				token_env: { type: "string", pattern: variable, description: "The environment variable with the token that every request has to bring. Without this and token_file one is made, and kept in the home." },
				token_file: { type: "string", pattern: path, description: "A file that holds the token and nothing else, absolute or from `~/` on." },
			},
		},
		telegram: {
			type: "object",
			description: "A Telegram bot, as BotFather makes one.",
			additionalProperties: false,
			properties: {
				enabled,
				...secret("token", "the bot's token"),
				base_url: baseUrl("the Bot API"),
				webhook_url: { type: "string", pattern: "^https?://", description: "The address at which Telegram reaches this gateway, up to where `/platforms/telegram` follows. Without it the gateway asks for messages itself, which works behind any firewall." },
			},
		},
		discord: { type: "object", description: "A Discord bot.", additionalProperties: false, properties: { enabled, ...secret("token", "the bot's token"), base_url: baseUrl("Discord's API") } },
		slack: {
			type: "object",
			description: "A Slack app in socket mode.",
			additionalProperties: false,
			properties: { enabled, ...secret("bot_token", "the bot token (`xoxb-…`)"), ...secret("app_token", "the app-level token (`xapp-…`, with `connections:write`)"), base_url: baseUrl("Slack's API") },
		},
		whatsapp: {
			type: "object",
			description: "A number of the WhatsApp Cloud API. Meta reaches this gateway at `/platforms/whatsapp`.",
			additionalProperties: false,
			properties: {
				enabled,
				phone_number_id: { type: "string", minLength: 1, description: "The id of the number that the agent speaks from." },
				...secret("token", "the access token"),
				...secret("app_secret", "the app secret, with which each request is checked"),
				...secret("verify_token", "the words that Meta is to say when the webhook is set up"),
				base_url: baseUrl("the Graph API"),
			},
		},
		teams: {
			type: "object",
			description: "A Microsoft Teams bot. Teams reaches this gateway at `/platforms/teams`.",
			additionalProperties: false,
			properties: {
				enabled,
				client_id: { type: "string", minLength: 1, description: "The bot's app id, as Azure shows it." },
				tenant_id: { type: "string", minLength: 1, description: "The tenant that the bot belongs to, as nearly every bot does." },
				...secret("client_secret", "the bot's secret"),
				base_url: baseUrl("Microsoft (its login service, its keys and Teams alike)"),
			},
		},
		webhooks: {
			type: "object",
			description: "Requests from other programs, by name: `POST /hooks/NAME` becomes a turn.",
			propertyNames: { pattern: "^[a-z0-9][a-z0-9-]{0,62}$" },
			additionalProperties: {
				type: "object",
				additionalProperties: false,
				properties: {
					...secret("secret", "the secret that requests are signed with"),
					signed: { type: "string", enum: ["standard", "github"], description: "How they are signed: as Standard Webhooks says, or as GitHub does; standard." },
					prompt: { type: "string", minLength: 1, description: "What the agent is told: `{{body}}` is the whole body, `{{body.issue.title}}` a part of it, `{{header.x-event}}` a header." },
					chat: { type: "string", pattern: chatPattern, description: "Where the answer goes: `PLATFORM:CHAT` or `PLATFORM:CHAT#THREAD`; gateway.home_chat." },
					session: { type: "string", minLength: 1, description: "Requests with the same text here share a conversation, `{{body.…}}` as in the prompt; each has its own without it." },
				},
			},
		},
	},
} as const;
