// The platforms config.yaml names, each loaded only when it is named.
import { join } from "node:path";
import type { Command } from "../../agent/conversation.ts";
import type { GatewayConfig } from "../../config/gateway.ts";
import type { Platform } from "../../gateway/platform.ts";
import { neededSecret } from "./secrets.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface PlatformPlace {
	readonly environment: Environment;
	/** The gateway's own folder in the home, for what a platform has to keep. It is there. */
	readonly folder: string;
	/** Slash commands beside the gateway's own. */
	readonly commands: readonly Command[];
	readonly warn: (message: string) => void;
}

type Opens<Name extends keyof GatewayConfig> = (settings: NonNullable<GatewayConfig[Name]>, place: PlatformPlace) => Promise<Platform>;

const openers: { readonly [Name in keyof GatewayConfig]?: Opens<Name> } = {
	async slack(settings, { environment, warn }) {
		const { base_url: baseUrl } = settings;
		const secret = (name: string) => neededSecret(settings, name, "gateway.slack", environment);
		const [botToken, appToken] = [await secret("bot_token"), await secret("app_token")];
		const { Slack } = await import("../../platforms/slack/slack.ts");
		return new Slack({ botToken, appToken, warn, ...(baseUrl !== undefined && { baseUrl }) });
	},
	async telegram(settings, { environment, warn }) {
		const token = await neededSecret(settings, "token", "gateway.telegram", environment);
		const [{ Telegram }, { gatewayCommands, refusalOf }] = await Promise.all([import("../../platforms/telegram/telegram.ts"), import("../../gateway/commands.ts")]);
		// Everybody sees the menu.
		const commands = gatewayCommands(() => false).filter(({ name }) => refusalOf(name, "user") === undefined);
		return new Telegram({ token, baseUrl: settings.base_url, webhookUrl: settings.webhook_url, commands, warn });
	},
	async discord(settings, { environment, folder, commands, warn }) {
		const { base_url: api } = settings;
		const token = await neededSecret(settings, "token", "gateway.discord", environment);
		const [{ Discord }, { gatewayCommands }, { answerCommands }] = await Promise.all([import("../../platforms/discord/discord.ts"), import("../../gateway/commands.ts"), import("../../gateway/answers.ts")]);
		// Those for owners too: Discord lets nobody type a command that it does not know.
		return new Discord({ token, folder, commands: [...gatewayCommands(() => false), ...answerCommands, ...commands], warn, ...(api !== undefined && { api }) });
	},
	async whatsapp(settings, { environment, warn }) {
		const { phone_number_id: phoneNumberId, base_url: baseUrl } = settings;
		const secret = (name: string) => neededSecret(settings, name, "gateway.whatsapp", environment);
		if (phoneNumberId === undefined) throw new Error("gateway.whatsapp needs phone_number_id, the id of the number (not the number itself).");
		const [token, appSecret, verifyToken] = [await secret("token"), await secret("app_secret"), await secret("verify_token")];
		const { WhatsApp } = await import("../../platforms/whatsapp/whatsapp.ts");
		return new WhatsApp({ phoneNumberId, token, appSecret, verifyToken, warn, ...(baseUrl !== undefined && { baseUrl }) });
	},
	async teams(settings, { environment, folder, warn }) {
		const { client_id: clientId, tenant_id: tenantId, base_url: baseUrl } = settings;
		if (clientId === undefined) throw new Error("gateway.teams needs client_id, the bot's app id.");
		const secret = await neededSecret(settings, "client_secret", "gateway.teams", environment);
		const { Teams } = await import("../../platforms/teams/teams.ts");
		return new Teams({ clientId, tenantId, secret, baseUrl, file: join(folder, "teams.db"), warn });
	},
};

/** The platforms of one gateway: those whose settings are as they were stay the ones they are. */
export class Platforms {
	readonly #place: PlatformPlace;
	#open = new Map<string, { readonly settings: string; readonly platform: Platform }>();

	constructor(place: PlatformPlace) {
		this.#place = place;
	}

	get(name: string): Platform | undefined {
		return this.#open.get(name)?.platform;
	}

	/** Those that these settings name. One that cannot be opened is left out, with a warning. `stays` says whether one that is open may go on. */
	async take(settings: GatewayConfig, stays: (platform: Platform) => boolean): Promise<readonly Platform[]> {
		const open = new Map<string, { readonly settings: string; readonly platform: Platform }>();
		for (const [name, opener] of Object.entries(openers) as [keyof GatewayConfig, (settings: unknown, place: PlatformPlace) => Promise<Platform>][]) {
			const given = settings[name] as { readonly enabled?: boolean } | undefined;
			if (given === undefined || given.enabled === false) continue;
			const text = JSON.stringify(given);
			const known = this.#open.get(name);
			try {
				const platform = known?.settings === text && stays(known.platform) ? known.platform : await opener(given, this.#place);
				open.set(name, { settings: text, platform });
			} catch (error) {
				this.#place.warn(`${name} was not started: ${error instanceof Error ? error.message : String(error)}`);
			}
		}
		this.#open = open;
		return [...open.values()].map(({ platform }) => platform);
	}
}
