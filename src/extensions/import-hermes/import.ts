// `hookline import hermes`: a person's hooks, plugins, extensions and settings from a home of Hermes Agent into Hookline's. Nothing is overwritten, nothing of it is run,
// and a second time there is nothing to do.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, readConfigFile } from "../../config/read.ts";
import { type Change, changeConfig } from "../../config/write.ts";
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import { shellHooksIn } from "../../dialects/hermes-shell/settings.ts";
import { ensureHome, type Home } from "../../system/home.ts";
import { isHarmless } from "../shell/environment.ts";
import { importApproved } from "./approved.ts";
import type { Import, NewSetting } from "./bring.ts";
import { importBoot, importExtensions, importGatewayHooks, importPlugins } from "./folders.ts";
import { messageOf, objectOf, openHermesHome } from "./home.ts";
import { importOutbound } from "./outbound.ts";
import { Findings, type Report, sections } from "./report.ts";
import { Scripts } from "./scripts.ts";
import { importSettings } from "./settings.ts";
import { importShellHooks, type NewEntry } from "./shell-hooks.ts";

export interface ImportOptions {
	/** The home of Hermes; HERMES_HOME or `~/.hermes` when left out. */
	readonly from: string | undefined;
	readonly home: Home;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** What `~` is. */
	readonly userHome: string;
	/** The tools there are before any MCP server has started. */
	readonly toolNames: readonly string[];
	readonly dryRun: boolean;
	readonly signal: AbortSignal;
}

/** @throws ImportError, ConfigError when our own config.yaml has mistakes, HomeError; the signal's reason. */
export async function importHermes({ from, home, environment, userHome, toolNames, dryRun, signal }: ImportOptions): Promise<Report> {
	const hermes = await openHermesHome({ from, environment, userHome, ownHome: home.path });
	const ours = await readConfigFile(home.config);
	if (ours.mistakes.length > 0) throw new ConfigError(`${home.config} has mistakes, so nothing was imported. 'hookline config check' lists them.`);
	const read = { value: ours.value, placeOf: ours.placeOf };
	const settings = { file: home.config, userHome, toolNames };
	const findings = new Findings();
	const at: Import = { hermes, home, findings, userHome, dryRun, signal };
	if (!dryRun) ensureHome(home);
	if (hermes.configProblem !== undefined) findings.problems.push({ kind: "setting", name: "config.yaml", message: `${hermes.configProblem} None of its hooks and settings were taken over.` });
	const hooks = await importShellHooks(at, new Scripts(at, isHarmless), shellHooksIn(read, settings).hooks, toolNames);
	await importGatewayHooks(at);
	const plugins = await importPlugins(at);
	const extensions = await importExtensions(at);
	await importBoot(at);
	const wanted = importSettings(at, { value: ours.value, plugins, extensions });
	const added = [...hooks.added, ...importOutbound(at, ours.value, toolNames)];
	const isWritten = await writeConfig(at, added, wanted, ours.value);
	await importApproved(at, isWritten ? hooks.commands : []);
	tellOfSecrets(at);
	const merged = shellHooksIn({ value: { hooks: isWritten ? withEntries(ours.value, added) : {} }, placeOf: ours.placeOf }, settings).hooks;
	nextSteps(at, merged.filter(({ command, written }) => hooks.commands.some(({ event, to }) => event === written && to === command)));
	const { copied, present, problems, changes, leftOut, next } = findings;
	return { from: hermes.path, home: home.path, dryRun, copied, present, problems, changes, leftOut, next };
}

/** All of it in one step; gives whether it is there. */
async function writeConfig({ home, findings, dryRun, signal }: Import, entries: readonly NewEntry[], settings: readonly NewSetting[], here: unknown): Promise<boolean> {
	signal.throwIfAborted();
	try {
		if (!dryRun) await changeConfig(home.config, [...entryChanges(entries, here), ...settings]);
	} catch (error) {
		findings.problems.push({ kind: "setting", name: "config.yaml", message: `${messageOf(error)}. So none of the hooks and settings of Hermes's config.yaml were taken over.` });
		return false;
	}
	findings.copied.push(...entries.map(({ event, theirs }) => ({ kind: event === "outbound" ? "outbound webhook" : "shell hook", name: `${event}: ${theirs}`, to: `hooks.${event}` }) as const));
	findings.copied.push(...settings.map(({ theirs, path }) => ({ kind: "setting", name: theirs, to: path.join(".") }) as const));
	return true;
}

/** Behind the entries an event has already, so that they and what was written beside them stay. */
function entryChanges(entries: readonly NewEntry[], here: unknown): readonly Change[] {
	return [...Map.groupBy(entries, ({ event }) => event)].flatMap(([event, added]): readonly Change[] => {
		const before = objectOf(objectOf(here)["hooks"])[event];
		if (!Array.isArray(before) || before.length === 0) return [{ path: ["hooks", event], value: added.map(({ entry }) => entry) }];
		return added.map(({ entry }, i) => ({ path: ["hooks", event, String(before.length + i)], value: entry }));
	});
}

function withEntries(here: unknown, entries: readonly NewEntry[]): Record<string, unknown> {
	const hooks: Record<string, unknown> = { ...objectOf(objectOf(here)["hooks"]) };
	for (const { event, entry } of entries) hooks[event] = [...(Array.isArray(hooks[event]) ? (hooks[event] as unknown[]) : []), entry];
	return hooks;
}

function tellOfSecrets({ hermes, findings }: Import): void {
	if (existsSync(join(hermes.path, ".env"))) findings.leave("No key and no token in .env was copied. Put the variables you need into the environment of Hookline.");
	const named = ["auth.json", "plugin-data"].filter((name) => existsSync(join(hermes.path, name)));
	if (named.length > 0) findings.leave(`${named.join(", ")} ${named.length === 1 ? "was" : "were"} not read and not copied: logins and what plugins have stored stay with Hermes.`);
}

function nextSteps({ findings }: Import, hooks: readonly ShellHook[]): void {
	const { copied, changes, next } = findings;
	if (copied.length === 0) return;
	const ids = hooks.map(({ id }) => id);
	const one = ids.length === 1;
	if (ids.length > 0) next.push(`Look at the shell hook${one ? "" : "s"} and say yes, in the next conversation on a terminal or with: hookline hooks allow ${one ? ids[0]! : `ID, for ${ids.join(", ")}`}`);
	if (copied.some(({ kind }) => kind !== "setting" && kind !== "file")) next.push("See what is live: hookline hooks list", "See whether all of it would run as it should: hookline hooks doctor; hookline doctor");
	if (copied.some(({ to }) => to.startsWith("gateway."))) next.push("Stop the gateway of Hermes, as two of them take each other's messages, and start this one where its tokens are set: hookline gateway run");
	if (changes.some(({ see }) => see === sections.settings)) next.push("See which settings there are: hookline config get");
}
