// A Discord platform and its fake, in a folder that goes with them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Discord } from "../../src/platforms/discord/discord.ts";
import { DiscordFake } from "./discord-fake.ts";

export interface OpenedDiscord extends AsyncDisposable {
	readonly fake: DiscordFake;
	readonly platform: Discord;
	readonly warnings: string[];
	readonly folder: string;
	/** Another process, after this one. */
	again(token?: string): Discord;
}

export async function openDiscord(): Promise<OpenedDiscord> {
	const fake = await DiscordFake.start();
	const folder = mkdtempSync(join(tmpdir(), "hookline-discord-"));
	const warnings: string[] = [];
	const platforms: Discord[] = [];
	const again = (token = fake.token) => {
		const commands = [
			{ name: "help", summary: "what there is" },
			{ name: "deny", summary: "no" },
		];
		const platform = new Discord({ token, api: fake.api, folder, commands, warn: (message) => warnings.push(message), pauseMs: () => 10 });
		platforms.push(platform);
		return platform;
	};
	return {
		fake,
		platform: again(),
		warnings,
		folder,
		again,
		async [Symbol.asyncDispose]() {
			for (const platform of platforms) {
				await platform.stop();
				await platform.close();
			}
			await fake.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
