// What the gateway of Hermes served, as its .env says: which platforms, for whom, and where it spoke by itself. Tokens stay where they are.
import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { readRegular } from "../../system/regular-file.ts";
import type { Import, NewSetting } from "./bring.ts";
import { messageOf, objectOf } from "./home.ts";
import { sections } from "./report.ts";
import { holdsSecret } from "./secrets.ts";

interface Served {
	/** Below `gateway` in our config.yaml. */
	readonly name: string;
	/** What the names of its variables begin with. */
	readonly prefix: string;
	/** Our settings that name a variable (`…_env`), and which one. */
	readonly secrets: Readonly<Record<string, string>>;
	/** Our settings that hold what a variable holds. */
	readonly values?: Readonly<Record<string, string>>;
	/** How it writes the id of a person. Some lists of Hermes hold names as well, which say nothing for certain. */
	readonly person: RegExp;
}

const served: readonly Served[] = [
	{ name: "telegram", prefix: "TELEGRAM", secrets: { token_env: "TELEGRAM_BOT_TOKEN" }, person: /^\d+$/ },
	{ name: "discord", prefix: "DISCORD", secrets: { token_env: "DISCORD_BOT_TOKEN" }, person: /^\d+$/ },
	{ name: "slack", prefix: "SLACK", secrets: { bot_token_env: "SLACK_BOT_TOKEN", app_token_env: "SLACK_APP_TOKEN" }, person: /^[UW][A-Z0-9]+$/ },
	{
		name: "whatsapp",
		prefix: "WHATSAPP_CLOUD",
		secrets: { token_env: "WHATSAPP_CLOUD_ACCESS_TOKEN", app_secret_env: "WHATSAPP_CLOUD_APP_SECRET", verify_token_env: "WHATSAPP_CLOUD_VERIFY_TOKEN" },
		values: { phone_number_id: "WHATSAPP_CLOUD_PHONE_NUMBER_ID" },
		person: /^\d+$/,
	},
	{ name: "teams", prefix: "TEAMS", secrets: { client_secret_env: "TEAMS_CLIENT_SECRET" }, values: { client_id: "TEAMS_CLIENT_ID", tenant_id: "TEAMS_TENANT_ID" }, person: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i },
];

/** One variable that shows that Hermes served it, and what it is. */
const elsewhere: Readonly<Record<string, string>> = {
	WHATSAPP_ENABLED: "WhatsApp by its web bridge",
	SIGNAL_HTTP_URL: "Signal",
	EMAIL_ADDRESS: "e-mail",
	TWILIO_PHONE_NUMBER: "SMS",
	MATRIX_HOMESERVER: "Matrix",
	GOOGLE_CHAT_PROJECT_ID: "Google Chat",
	DINGTALK_CLIENT_ID: "DingTalk",
	FEISHU_APP_ID: "Feishu",
	WECOM_BOT_ID: "WeCom",
	WEIXIN_ACCOUNT_ID: "Weixin",
};

const mostBytes = 1024 * 1024;
const mostJobsBytes = 8 * 1024 * 1024;

/** @param here what our config.yaml says */
export function gatewaySettings(at: Import, here: unknown): readonly NewSetting[] {
	const variables = variablesOf(at);
	const found = served.filter((platform) => isWhole(platform, variables, at)).flatMap((platform) => platformSettings(platform, variables, at));
	tellOfTheRest(at, variables);
	tellOfJobs(at);
	if (found.length === 0) return [];
	const { findings } = at;
	const names = [...new Set(found.flatMap(({ value }) => Object.entries(objectOf(value)).flatMap(([key, name]) => (key.endsWith("_env") ? [String(name)] : []))))];
	findings.changed(`The tokens of the gateway stay in .env of Hermes: give Hookline's gateway ${names.join(", ")} in its environment.`, sections.gateway);
	findings.rule("groups");
	if (found.some(({ path }) => path[1] === "access") && objectOf(objectOf(objectOf(here)["gateway"])["access"])["owners"] === undefined) findings.rule("owners");
	if (found.some(({ path }) => path[1] === "whatsapp" || path[1] === "teams")) findings.rule("addresses");
	return withOneHome(found, at);
}

function variablesOf({ hermes, findings }: Import): Readonly<Record<string, string | undefined>> {
	const file = join(hermes.path, ".env");
	try {
		if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return {};
		const read = readRegular(realpathSync(file), mostBytes);
		if (read === "too long") throw new Error("it is larger than 1 MB");
		return parseEnv(read.bytes.toString("utf8"));
	} catch (error) {
		findings.leave(`.env could not be read (${messageOf(error)}), so the platforms of the gateway were not taken over.`);
		return {};
	}
}

/** Whether all is there that the platform needs. */
function isWhole({ name, secrets, values }: Served, variables: Readonly<Record<string, string | undefined>>, { findings }: Import): boolean {
	const needed = [...Object.values(secrets), ...Object.values(values ?? {})];
	const missing = needed.filter((variable) => !variables[variable]);
	if (missing.length > 0 && missing.length < needed.length) findings.leave(`gateway.${name} was not taken over: .env has no ${missing.join(", ")}.`);
	return missing.length === 0;
}

function platformSettings({ name, prefix, secrets, values = {}, person }: Served, variables: Readonly<Record<string, string | undefined>>, { findings }: Import): readonly NewSetting[] {
	const copied = Object.fromEntries(Object.entries(values).map(([key, variable]) => [key, variables[variable]!.trim()]));
	if (holdsSecret(Object.values(copied).join("\n"))) {
		findings.leave(`gateway.${name} was not taken over: what should be an id in .env looks like a secret.`);
		return [];
	}
	const found: NewSetting[] = [{ theirs: Object.values(secrets)[0]!, path: ["gateway", name], value: { ...copied, ...secrets } }];
	const listed = `${prefix}_ALLOWED_USERS`;
	const people = (variables[listed] ?? "").split(",").map((one) => one.trim()).filter((one) => one !== "" && one !== "*");
	const known = people.filter((one) => person.test(one));
	if (known.length > 0) found.push({ theirs: listed, path: ["gateway", "access", "users"], value: known.map((one) => `${name}:${one}`) });
	if (known.length < people.length) findings.leave(`${listed}: ${people.length - known.length} of ${people.length} entries are no ids of people, and were not taken over. Who writes gets a code with which you let them in.`);
	const home = `${prefix}_HOME_CHANNEL`;
	const [chat, thread] = [variables[home]?.trim(), variables[`${home}_THREAD_ID`]?.trim()];
	if (chat && !holdsSecret(chat)) found.push({ theirs: home, path: ["gateway", "home_chat"], value: `${name}:${chat}${thread ? `#${thread}` : ""}` });
	return found;
}

/** There is one home chat for all platforms. */
function withOneHome(found: readonly NewSetting[], { findings }: Import): readonly NewSetting[] {
	const [first, ...others] = found.filter(({ path }) => path[1] === "home_chat");
	for (const { theirs } of others) findings.leave(`${theirs}: there is one home chat, gateway.home_chat, and it is the one of ${first!.theirs}.`);
	return together(found.filter((setting) => !others.includes(setting)));
}

/** Their lists of people are one list here. */
function together(found: readonly NewSetting[]): readonly NewSetting[] {
	const lists = found.filter(({ path }) => path[1] === "access");
	if (lists.length < 2) return found;
	const all: NewSetting = { theirs: lists.map(({ theirs }) => theirs).join(", "), path: lists[0]!.path, value: lists.flatMap(({ value }) => value as readonly string[]) };
	return [...found.filter((setting) => !lists.includes(setting)), all];
}

function tellOfTheRest({ hermes, findings }: Import, variables: Readonly<Record<string, string | undefined>>): void {
	const isOn = (name: string) => !["", "0", "false", "no", "off"].includes((variables[name] ?? "").trim().toLowerCase());
	const open = Object.keys(variables).filter((name) => (name.endsWith("_ALLOW_ALL_USERS") && isOn(name)) || (name.endsWith("_ALLOWED_USERS") && variables[name]?.trim() === "*"));
	if (open.length > 0) findings.leave(`${open.join(", ")}: not taken over, as that lets everybody in. Where it is meant, say so in gateway.access.users: PLATFORM:*.`);
	const others = Object.keys(elsewhere).filter(isOn);
	if (others.length > 0) findings.leave(`Hookline's gateway does not serve ${others.map((name) => elsewhere[name]).join(", ")}.`);
	const rules = Object.keys(variables).filter((name) => /^(?:TELEGRAM|DISCORD|SLACK)_(?:GROUP_ALLOWED_\w+|ALLOWED_(?:ROLES|CHANNELS|CHATS)|\w*REQUIRE_MENTION|FREE_RESPONSE_CHANNELS|WEBHOOK_URL|PROXY)$/.test(name) && isOn(name));
	if (rules.length > 0) findings.leave(`${rules.join(", ")} ${rules.length === 1 ? "was" : "were"} not taken over: docs/gateway.md and docs/platforms say what there is.`);
	if (lstatSync(join(hermes.path, "pairing"), { throwIfNoEntry: false }) !== undefined) findings.leave("pairing was not read: who was paired with Hermes gets a new code when they write.");
}

/** Both would run them. */
function tellOfJobs({ hermes, findings }: Import): void {
	const file = join(hermes.path, "cron", "jobs.json");
	try {
		if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
		const read = readRegular(realpathSync(file), mostJobsBytes);
		if (read === "too long") throw new Error("it is larger than 8 MB");
		const { jobs } = objectOf(JSON.parse(read.bytes.toString("utf8").replace(/^\ufeff/, "")));
		const named = (Array.isArray(jobs) ? jobs : []).map(objectOf).map(({ name, id, schedule_display: when }) => `${textOf(name) ?? textOf(id) ?? "one without a name"}${textOf(when) === undefined ? "" : ` (${textOf(when)})`}`);
		if (named.length > 0) findings.leave(`The jobs in cron/jobs.json were not taken over: ${named.slice(0, 10).join(", ")}${named.length > 10 ? ` and ${named.length - 10} more` : ""}. Add those you want with 'hookline cron add', and take them out of Hermes, or both run them.`);
	} catch (error) {
		findings.leave(`The jobs in cron/jobs.json were not taken over, and cannot be read: ${messageOf(error)}.`);
	}
}

/** What is short enough to be shown and holds no key. */
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value.trim() !== "" && !holdsSecret(value) ? value.trim().slice(0, 60) : undefined);
