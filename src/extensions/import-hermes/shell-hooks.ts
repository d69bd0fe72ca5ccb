// `hooks:` of Hermes's config.yaml: each entry as it is read there, with the scripts it names in Hermes's home copied and its command naming the copies.
import { eventOf } from "../../dialects/hermes-shell/events.ts";
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import { shellHooksIn } from "../../dialects/hermes-shell/settings.ts";
import { redactOutput } from "../../system/redact.ts";
import type { Import } from "./bring.ts";
import { sections } from "./report.ts";
import type { Scripts } from "./scripts.ts";
import { holdsSecret } from "./secrets.ts";

/** A hook that is to stand in our config.yaml. */
export interface NewEntry {
	/** As config.yaml names it. */
	readonly event: string;
	readonly entry: Readonly<Record<string, unknown>>;
	/** As Hermes's config.yaml has it. */
	readonly theirs: string;
}

/** A command of theirs, and what it is here: for the list of approvals. */
export interface Rewritten {
	readonly event: string;
	readonly from: string;
	readonly to: string;
}

export interface ImportedHooks {
	readonly added: readonly NewEntry[];
	readonly commands: readonly Rewritten[];
}

/** `here` are the hooks our config.yaml has. */
export async function importShellHooks(at: Import, scripts: Scripts, here: readonly ShellHook[], toolNames: readonly string[]): Promise<ImportedHooks> {
	const { hermes, findings } = at;
	const added: NewEntry[] = [];
	const commands: Rewritten[] = [];
	const seen = new Set<string>();
	for (const { event, hook } of hooksOf(at, toolNames)) {
		const key = JSON.stringify([hook.event, hook.command, hook.matcher]);
		// Hermes registers the same hook once.
		if (seen.has(key)) continue;
		seen.add(key);
		const name = `${event}: ${hook.command}`;
		if (holdsSecret(hook.command)) {
			findings.problems.push({ kind: "shell hook", name: `${event} at line ${hook.line} of ${hermes.configFile}`, message: "Its command holds what looks like a secret, and secrets are not copied. Let the script read a variable, name that below 'env', and write the hook into config.yaml yourself." });
			continue;
		}
		const command = await scripts.rewrite(hook, event);
		if (command === undefined) {
			findings.problems.push({ kind: "shell hook", name, message: "It was left out, as the script it would run was not copied." });
			continue;
		}
		commands.push({ event, from: hook.command, to: command });
		const twin = here.find((other) => other.event === hook.event && other.command === command && other.matcher === hook.matcher);
		if (twin === undefined) added.push({ event, entry: entryOf(hook, command), theirs: hook.command });
		else if (twin.timeoutMs === hook.timeoutMs && twin.failClosed === hook.failClosed) findings.present.push({ kind: "shell hook", name, to: `hooks.${event}` });
		else findings.problems.push({ kind: "shell hook", name, message: `${twin.id} in ${at.home.config} is the same hook with another timeout or fail_closed, and was left as it is. Change it there if Hermes's settings are the right ones.` });
		tell(hook, at);
	}
	return { added, commands };
}

/** What can only be said of a hook that was brought. */
function tell({ written, failClosed, matcher }: ShellHook, { findings }: Import): void {
	findings.rule("consent");
	if (written.startsWith("transform_") || written === "pre_tool_call") findings.rule("spellings");
	if (failClosed) findings.rule("closed");
	if (matcher !== undefined && written !== "pre_tool_call" && written !== "post_tool_call") findings.changed(`The matcher '${matcher}' of a hook of ${written} counts here; Hermes passes over it and runs the hook for every tool.`, sections.shellHooks);
}

/** What Hermes passes over, and would begin to mean something here. */
const ourKeys = ["name", "env", "priority", "async", "sandbox", "mode"];

function* hooksOf({ hermes, findings, userHome }: Import, toolNames: readonly string[]): Generator<{ readonly event: string; readonly hook: ShellHook }> {
	const { configFile: file, config, placeOf } = hermes;
	const { hooks } = config;
	if (hooks === undefined || hooks === null) return;
	const read = (value: unknown, place: typeof placeOf) => shellHooksIn({ value: { hooks: value }, placeOf: place }, { file, userHome, toolNames });
	if (typeof hooks !== "object" || Array.isArray(hooks)) {
		for (const { line, column, message } of read(hooks, placeOf).mistakes) findings.problems.push({ kind: "shell hook", name: "hooks", message: `${file}:${line}:${column}: ${message} Hermes has no hooks of it either.` });
		return;
	}
	for (const [event, entries] of Object.entries(hooks)) {
		if (event === "outbound") continue;
		for (const [index, entry] of (Array.isArray(entries) ? entries : [entries]).entries()) {
			const place = (path: readonly string[]) => placeOf(Array.isArray(entries) && path.length > 2 ? [...path.slice(0, 2), String(index), ...path.slice(3)] : path);
			const { hooks: found, mistakes, warnings } = read({ [event]: Array.isArray(entries) ? [theirPart(entry)] : entries }, place);
			for (const { line, column, message } of mistakes) {
				const told = redactOutput(`${file}:${line}:${column}: ${message}`);
				// Of an event that does not exist Hermes has no hooks either; any other hook here may be a guard that ran there.
				if (eventOf(event) === undefined) findings.leave(told);
				else findings.problems.push({ kind: "shell hook", name: event, message: told });
			}
			for (const warning of warnings) findings.leave(redactOutput(warning));
			for (const key of ourKeys) if (hasKey(entry, key)) findings.leave(`${file}:${place(["hooks", event, "0"]).line}: '${key}' of a hook of ${event} was left out: Hermes passes over it, and here it would mean something. Set it in config.yaml if that is wanted.`);
			for (const hook of found) yield { event, hook };
		}
	}
}

const hasKey = (entry: unknown, key: string): entry is Record<string, unknown> => typeof entry === "object" && entry !== null && Object.hasOwn(entry, key);

function theirPart(entry: unknown): unknown {
	if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry;
	return Object.fromEntries(Object.entries(entry).filter(([key]) => !ourKeys.includes(key)));
}

/** As it was understood, so that the same warnings do not come back at each start. */
function entryOf({ matcher, timeoutMs, failClosed }: ShellHook, command: string): NewEntry["entry"] {
	return { ...(matcher !== undefined && { matcher }), command, ...(timeoutMs !== 60_000 && { timeout: timeoutMs / 1000 }), ...(failClosed && { fail_closed: true }) };
}
