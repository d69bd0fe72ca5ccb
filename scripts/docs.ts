// Writes the pages that derive from code: docs/events.md, docs/configuration.md and docs/config.schema.json. A test holds them against it.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { settingNames } from "../src/config/key.ts";
import { projectSchema } from "../src/config/project.ts";
import { configSchema } from "../src/config/schema.ts";
import { eventNames, specOf } from "../src/events/catalog.ts";

const written = "<!-- Written by scripts/docs.ts; change the code it derives from. -->";

/** Each page's path below the repository, and its text. */
export const pages: Readonly<Record<string, () => string>> = { "docs/events.md": eventsPage, "docs/configuration.md": configurationPage, "docs/config.schema.json": schemaPage };

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
function schemaPage(): string {
	return `${JSON.stringify({ $schema: "http://json-schema.org/draft-07/schema#", title: "config.yaml of Hookline", ...configSchema }, undefined, "\t")}\n`;
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
