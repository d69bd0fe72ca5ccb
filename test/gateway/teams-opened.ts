// A Teams bot beside the fake of Microsoft's side.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Teams } from "../../src/platforms/teams/teams.ts";
import { clientId, secret, TeamsFake, tenantId } from "./teams-fake.ts";

export const signal = new AbortController().signal;
export const outbound = (text: string, chatId = "a:1") => ({ key: text, chatId, text, purpose: "answer" as const });

export async function openTeams({ given = secret }: { readonly given?: string } = {}) {
	const folder = mkdtempSync(join(tmpdir(), "hookline-teams-"));
	const fake = await TeamsFake.open();
	for (const chat of ["a:1", "a:2"]) fake.has(chat);
	const warnings: string[] = [];
	const file = join(folder, "teams.db");
	const again = () => new Teams({ clientId, tenantId, secret: given, baseUrl: fake.address, file, warn: (message) => warnings.push(message) });
	const platform = again();
	await fake.serve(platform);
	return {
		platform,
		fake,
		warnings,
		file,
		again,
		say: fake.say.bind(fake),
		sees: async (chat: string) => fake.sees(chat),
		press: fake.press.bind(fake),
		buttons: async (chat: string) => fake.buttons(chat),
		async [Symbol.asyncDispose]() {
			await platform.stop();
			await platform.close();
			await fake.close();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
