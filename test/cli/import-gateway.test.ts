// The gateway of a home of Hermes, imported by the real program: what then serves, and what is only told.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { Served } from "../gateway/served.ts";
import { TelegramFake } from "../gateway/telegram-fake.ts";
import { HermesPlace } from "./hermes-place.ts";

let place: HermesPlace;
beforeEach(() => void (place = new HermesPlace()));
afterEach(() => place[Symbol.asyncDispose]());

const settings = async () => JSON.parse((await place.run(["config", "get", "--json"])).stdout) as unknown;

test("a home with a Telegram bot serves the same people with the same token, which stays where it is", { timeout: 60_000 }, async () => {
	await using fake = await TelegramFake.start();
	place.theirs(".env", `# mine\nexport TELEGRAM_BOT_TOKEN="${fake.token}"\nTELEGRAM_ALLOWED_USERS=11, 12\nTELEGRAM_HOME_CHANNEL=11\nOPENAI_API_KEY=something\n`, 0o600);
	const { code, copied, changes, leftOut, next } = await place.import();
	assert.equal(code, 0);
	assert.deepEqual(copied.map(({ name, to }) => `${name} → ${to}`), ["TELEGRAM_BOT_TOKEN → gateway.telegram", "TELEGRAM_ALLOWED_USERS → gateway.access.users", "TELEGRAM_HOME_CHANNEL → gateway.home_chat"]);
	assert.deepEqual(await settings(), { gateway: { telegram: { token_env: "TELEGRAM_BOT_TOKEN" }, access: { users: ["telegram:11", "telegram:12"] }, home_chat: "telegram:11" } });
	assert.doesNotMatch(place.ours("config.yaml"), new RegExp(fake.token.slice(-20)));
	assert.match(changes[0]!.message, /give Hookline's gateway TELEGRAM_BOT_TOKEN in its environment/);
	assert.match(changes.map(({ message }) => message).join("\n"), /there is none yet: put your own id into gateway\.access\.owners/);
	assert.match(leftOut.join("\n"), /^No key and no token in \.env was copied/m);
	assert.match(next.join("\n"), /^Stop the gateway of Hermes/m);
	const again = await place.import();
	assert.deepEqual([again.copied, again.present.length], [[], 3]);

	for (const [name, value] of [["telegram.base_url", fake.url], ["http.port", "0"]] as const) assert.equal((await place.run(["config", "set", `gateway.${name}`, value])).code, 0);
	const gateway = await Served.in(place, place.home, { TELEGRAM_BOT_TOKEN: fake.token });
	await fake.say(12, "SAY the same as ever");
	await eventually(() => fake.shown.some(({ chat, text }) => chat === 12 && text === "the same as ever"), "they are answered");
	assert.equal(await gateway.stop(), 0);
});

test("every platform that both serve comes along with what it needs; their people are one list, and there is one home chat", async () => {
	const id = "00000000-0000-4000-8000-00000000000a";
	place.theirs(
		".env",
		[
			"DISCORD_BOT_TOKEN=d1", "DISCORD_ALLOWED_USERS=100000000000000001,somebody", "DISCORD_HOME_CHANNEL=5", "DISCORD_HOME_CHANNEL_THREAD_ID=6",
			"SLACK_BOT_TOKEN=s1", "SLACK_APP_TOKEN=s2", "SLACK_ALLOWED_USERS=U012ABCDEF", "SLACK_HOME_CHANNEL=C1",
			"WHATSAPP_CLOUD_PHONE_NUMBER_ID=106540352242922", "WHATSAPP_CLOUD_ACCESS_TOKEN=w1", "WHATSAPP_CLOUD_APP_SECRET=w2", "WHATSAPP_CLOUD_VERIFY_TOKEN=w3",
			"TEAMS_CLIENT_ID=c1", "TEAMS_TENANT_ID=t1", "TEAMS_CLIENT_SECRET=x1", `TEAMS_ALLOWED_USERS=${id}`,
		].join("\n"),
	);
	const { code, leftOut, changes } = await place.import();
	assert.equal(code, 0);
	assert.deepEqual(await settings(), {
		gateway: {
			discord: { token_env: "DISCORD_BOT_TOKEN" },
			home_chat: "discord:5#6",
			slack: { bot_token_env: "SLACK_BOT_TOKEN", app_token_env: "SLACK_APP_TOKEN" },
			whatsapp: { phone_number_id: "106540352242922", token_env: "WHATSAPP_CLOUD_ACCESS_TOKEN", app_secret_env: "WHATSAPP_CLOUD_APP_SECRET", verify_token_env: "WHATSAPP_CLOUD_VERIFY_TOKEN" },
			teams: { client_id: "c1", tenant_id: "t1", client_secret_env: "TEAMS_CLIENT_SECRET" },
			access: { users: ["discord:100000000000000001", "slack:U012ABCDEF", `teams:${id}`] },
		},
	});
	assert.match(leftOut.join("\n"), /^DISCORD_ALLOWED_USERS: 1 of 2 entries are no ids of people/m);
	assert.match(leftOut.join("\n"), /^SLACK_HOME_CHANNEL: there is one home chat, gateway\.home_chat, and it is the one of DISCORD_HOME_CHANNEL\./m);
	assert.match(changes.map(({ message }) => message).join("\n"), /\/platforms\/teams and \/platforms\/whatsapp/);
	assert.deepEqual((await place.import()).copied, []);
});

test("what is set here stays, half a platform is none, nobody is let in by a star, and what has no place is named", async () => {
	place.theirs(".env", "TELEGRAM_BOT_TOKEN=t1\nTELEGRAM_ALLOW_ALL_USERS=true\nDISCORD_ALLOWED_USERS=*\nSLACK_BOT_TOKEN=s1\nWHATSAPP_ENABLED=false\nSIGNAL_HTTP_URL=http://127.0.0.1:1\nTELEGRAM_REQUIRE_MENTION=true\n");
	place.theirs("cron/jobs.json", JSON.stringify({ jobs: [{ id: "a1", name: "report", schedule_display: "0 9 * * *" }, { id: "b2", name: `key sk-${"a1b2".repeat(6)}` }, 7] }));
	mkdirSync(join(place.hermes, "pairing"));
	place.config("gateway: {telegram: {token_file: /projects/token}, access: {owners: ['telegram:11']}}\n");
	const { code, copied, leftOut, changes } = await place.import();
	assert.deepEqual([code, copied], [0, []]);
	for (const one of [
		/^TELEGRAM_BOT_TOKEN: gateway\.telegram is set in .*, to something else, and was left as it is\./m,
		/^gateway\.slack was not taken over: \.env has no SLACK_APP_TOKEN\./m,
		/^DISCORD_ALLOWED_USERS, TELEGRAM_ALLOW_ALL_USERS: not taken over, as that lets everybody in/m,
		/^Hookline's gateway does not serve Signal\.$/m,
		/^TELEGRAM_REQUIRE_MENTION was not taken over/m,
		/^pairing was not read/m,
		/^The jobs in cron\/jobs\.json were not taken over: report \(0 9 \* \* \*\), b2, one without a name\. Add those/m,
	]) assert.match(leftOut.join("\n"), one);
	assert.doesNotMatch(changes.map(({ message }) => message).join("\n"), /there is none yet/);
});
