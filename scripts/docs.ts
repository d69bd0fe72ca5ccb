// Writes the pages that derive from code, and the tables that do in pages that are otherwise written by hand. A test holds them against it.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { settingNames } from "../src/config/key.ts";
import { projectSchema } from "../src/config/project.ts";
import { configSchema } from "../src/config/schema.ts";
import { events as extensionHooks } from "../src/dialects/hermes-extension/events.ts";
import { type Subscription, subscriptionsOf, toldNames, whichOf as whichTold } from "../src/dialects/hermes-gateway/events.ts";
import { allArguments } from "../src/dialects/hermes-plugin/arguments.ts";
import { hookNames, specOfHook } from "../src/dialects/hermes-plugin/events.ts";
import { eventOf, type HermesName, isHermesName, knownNames, notCarried, whichOf } from "../src/dialects/hermes-shell/events.ts";
import { eventNames, isEventName, specOf } from "../src/events/catalog.ts";
import { manifestSchema } from "../src/extensions/manifest/schema.ts";
import { type AreaName, areaNames, areas, type Held } from "../src/extensions/permissions.ts";
import type { EventName } from "../src/events/payloads/all.ts";

const written = "<!-- Written by scripts/docs.ts; change the code it derives from. -->";

/** Each page's path below the repository, and its text. */
export const pages: Readonly<Record<string, () => string>> = { "docs/events.md": eventsPage, "docs/configuration.md": configurationPage, "docs/config.schema.json": () => schemaPage("config.yaml of Hookline", configSchema), "docs/extension.schema.json": () => schemaPage("EXTENSION.yaml of Hookline", manifestSchema), "docs/coming-from-hermes.md": () => withTables("docs/coming-from-hermes.md"), "docs/shell-hooks.md": () => withTables("docs/shell-hooks.md"), "docs/extensions-install.md": () => withTables("docs/extensions-install.md") };

/** By the name in the page: `<!-- table: NAME … -->`, up to `<!-- end of table -->`. */
const tables: Readonly<Record<string, () => readonly string[]>> = { "hermes events": hermesEvents, "hermes only": hermesOnly, permissions: permissionsTable, manifest: manifestTable, "shell events": shellEvents, "plugin hooks": pluginHooks };

function withTables(page: string): string {
	const text = readFileSync(new URL(`../${page}`, import.meta.url), "utf8");
	return text.replace(/(<!-- table: ([\w ]+)\. .*-->\n)[\s\S]*?(<!-- end of table -->)/g, (_, start: string, name: string, end: string) => `${start}\n${tables[name]!().join("\n")}\n\n${end}`);
}

/** Every name that something written for Hermes may be declared with, and where it is heard of here. */
function hermesEvents(): readonly string[] {
	const gateway = [
		...toldNames.map((name) => ({ name, of: "gateway hooks", event: subscribed(name), which: whichTold(name) })),
		{ name: "command:NAME", of: "gateway hooks", event: subscribed("command:x"), which: undefined },
	];
	const extensions = Object.entries(extensionHooks).map(([name, event]) => ({ name, of: "extensions, shell hooks", event, which: undefined }));
	const scripts = knownNames.filter(isHermesName).map((name) => ({ name, of: "plugins, shell hooks", event: eventOf(name)!, which: whichOf(name) }));
	return ["| In Hermes | For | Here | When |", "|---|---|---|---|", ...[...scripts, ...extensions, ...gateway].map(({ name, of, event, which }) => `| \`${name}\` | ${of} | \`${event}\`${which === undefined ? "" : `: ${which}`} | ${specOf(event).summary} |`)];
}

function subscribed(name: string): EventName {
	const [meant] = subscriptionsOf(name) as readonly Subscription[];
	return meant!.event;
}

function shellEvents(): readonly string[] {
	return ["| Hermes Agent | Hookline | |", "|---|---|---|", ...knownNames.filter((name) => !isEventName(name)).map((name) => `| \`${name}\` | \`${eventOf(name)!}\` |${` ${whichOf(name as HermesName) ?? ""} `.trimEnd()} |`)];
}

function hermesOnly(): readonly string[] {
	const whys = Map.groupBy(Object.entries(notCarried), ([, why]) => why);
	return ["| Not here | Why |", "|---|---|", ...[...whys].map(([why, names]) => `| ${names.map(([name]) => `\`${name}\``).join(", ")} | ${why} |`)];
}

/** Each hook a plugin can register, with what its callbacks get beyond what all get, and what becomes of what they return. */
function pluginHooks(): readonly string[] {
	const given = allArguments();
	const common = given.pre_command.filter((name) => hookNames.every((hook) => given[hook].includes(name)));
	const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");
	const rows = hookNames.map((hook) => {
		const { answer, bound } = specOfHook(hook);
		const fails = bound === "closed" ? "blocks" : "goes on";
		return `| \`${hook}\` | ${listed(given[hook].filter((name) => !common.includes(name)))} | ${answer ?? "–"} | ${bound === "unbounded" ? "600 s" : "30 s"}; ${fails} |`;
	});
	return [`All get ${listed(common)}.`, "", "| Hook | It gets | It may return | Time-out; a failure |", "|---|---|---|---|", ...rows];
}

function eventsPage(): string {
	const lines = ["# Events", "", written, "", "A name that ends in *-ing* is about to happen: the agent waits, and hooks decide. Any other name has happened: observers are told, and nobody waits.", ""];
	lines.push("## About to happen", "", "| Event | When | Decisions | A rewrite replaces | Time-out | When blocked, or a closed hook fails | Afterwards |", "|---|---|---|---|---|---|---|");
	for (const name of eventNames) {
		const spec = specOf(name);
		if (spec.kind !== "intercept") continue;
		const decisions = spec.decisions.map((kind) => (kind === "inject" ? `inject (as ${spec.injects!.join(" or ")})` : kind)).join(", ");
		const rewrites = Object.keys(spec.rewrites).map((field) => `\`${field}\``).join(", ") || "–";
		lines.push(`| \`${name}\`${spec.wrappable ? " (can be wrapped)" : ""} | ${spec.summary} | ${decisions} | ${rewrites} | ${spec.timeoutMs / 1000} s | ${spec.ifBlocked} | ${spec.twin ? `\`${spec.twin}\`` : "–"} |`);
	}
	lines.push("", "Where a rewrite replaces one field, `rewrite(value)` gives its value; where it can replace more, `rewrite({ field: value })` gives those that change.");
	lines.push("", "## Has happened", "", "| Event | When |", "|---|---|");
	for (const name of eventNames) {
		const spec = specOf(name);
		if (spec.kind === "observe") lines.push(`| \`${name}\` | ${spec.summary} |`);
	}
	lines.push("", "The payload types are in `src/events/payloads/`. All carry `eventId, at, surface, cwd, profile` and, where they exist, `sessionId, parentSessionId, turnId, step, platform, userId, chatId, threadId, chatType, cause`.", "");
	return lines.join("\n");
}

/** What an extension may be granted, and whether it is held to that. */
function permissionsTable(): readonly string[] {
	const cell = ({ as, how }: Held) => `${as === "enforced" ? "" : `**${as}**: `}${how}`;
	const row = (area: AreaName) => [`\`${area}\``, `${areas[area].words} …`.replace("hold it …", "hold it"), cell(areas[area].held.sandbox), cell(areas[area].held["seat belt"])];
	return ["| Permission | It may | With bubblewrap | Without |", "|---|---|---|---|", ...areaNames.map((area) => `| ${row(area).join(" | ")} |`)];
}

function manifestTable(): readonly string[] {
	return ["| Field | Kind | Meaning |", "|---|---|---|", ...rows(manifestSchema as unknown as SettingSchema, "")];
}

interface SettingSchema {
	readonly type: string;
	readonly description?: string;
	readonly properties?: Readonly<Record<string, SettingSchema>>;
	readonly additionalProperties?: boolean | SettingSchema;
}

function configurationPage(): string {
	const lines = ["# Configuration", "", written, "", "`config.yaml` in the home (`~/.hookline`, or `HOOKLINE_HOME`). There need be none. A setting that is unknown or of the wrong kind stops the start, with its line and column.", ""];
	lines.push("| Setting | Kind | Meaning |", "|---|---|---|", ...rows(configSchema as unknown as SettingSchema, ""));
	lines.push("", `A project's own \`.hookline/config.yaml\` may set only ${settingNames(projectSchema as unknown as SettingSchema).map((name) => `\`${name}\``).join(", ")}: [trust.md](trust.md).`);
	lines.push("", "| Environment | Meaning |", "|---|---|", "| `HOOKLINE_HOME` | where everything of yours is kept; `~/.hookline` |", "| `HOOKLINE_MODEL` | `rehearsal`, `anthropic:NAME`, `openai:NAME`, `google:NAME` or `openai-compatible:NAME` |", "| `HOOKLINE_BASE_URL` | the address of an OpenAI-compatible server, or another one than the provider's own |", "| `HOOKLINE_API_KEY` | the key; otherwise the variable `model.api_key_env` names, the file or the keychain that `model.api_key_file` or `model.api_key_keychain` names, or the usual one of the provider: `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GOOGLE_GENERATIVE_AI_API_KEY` |", "| `HOOKLINE_ACCEPT_HOOKS` | `1`, `true`, `yes` or `on`: shell hooks are approved without a question, as with `--accept-hooks` ([consent.md](consent.md)) |", "");
	return lines.join("\n");
}

/** For editors. It uses nothing that drafts differ in, and this is the draft that most of them know. */
function schemaPage(title: string, schema: object): string {
	return `${JSON.stringify({ $schema: "http://json-schema.org/draft-07/schema#", title, ...schema }, undefined, "\t")}\n`;
}

function rows(schema: SettingSchema, path: string): string[] {
	const found: string[] = [];
	const below = typeof schema.additionalProperties === "object" ? { ...schema.properties, "NAME": schema.additionalProperties } : schema.properties;
	if (below === undefined) return [`| \`${path}\` | ${schema.type} | ${schema.description ?? ""} |`];
	for (const [key, part] of Object.entries(below)) found.push(...rows(part, path === "" ? key : `${path}.${key}`));
	return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	for (const [page, text] of Object.entries(pages)) writeFileSync(new URL(`../${page}`, import.meta.url), text());
}
