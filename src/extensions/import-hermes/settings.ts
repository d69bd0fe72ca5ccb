// Settings of Hermes's config.yaml that have a counterpart in ours. Only what is certain is taken over, and never what stands in our file already.
import { isDeepStrictEqual } from "node:util";
import { configSchema } from "../../config/schema.ts";
import { mistakesIn } from "../../system/schema.ts";
import type { Import, NewSetting } from "./bring.ts";
import type { ImportedPlugin } from "./folders.ts";
import { gatewaySettings } from "./gateway.ts";
import { objectOf } from "./home.ts";
import { modelSettings } from "./model.ts";
import { sections } from "./report.ts";
import { withoutSecrets } from "./secrets.ts";

export interface Here {
	/** What our config.yaml says. */
	readonly value: unknown;
	readonly plugins: readonly ImportedPlugin[];
	/** The names of the extensions that were brought. */
	readonly extensions: readonly string[];
}

export function importSettings(at: Import, here: Here): readonly NewSetting[] {
	const { config } = at.hermes;
	const wanted = [...approvals(at), ...plugins(at, here), ...extensions(at, here), ...gatewaySettings(at, here.value), ...Object.entries(modelSettings(at, here.value)).map(([key, value]) => ({ theirs: "model", path: ["model", key], value }))];
	if (autoAccepts(config["hooks_auto_accept"])) at.findings.leave("hooks_auto_accept was not taken over: here each shell hook is to be seen once. Set it in config.yaml yourself if you want to approve them without a question.");
	const carried = ["hooks", "hooks_auto_accept", "approvals", "plugins", "extensions", "model", "_config_version"];
	const others = Object.keys(config).filter((key) => !carried.includes(key));
	if (others.length > 0) at.findings.leave(`Other settings were not taken over: ${others.join(", ")}. 'hookline init' asks for what is needed, docs/configuration.md lists what there is.`);
	return wanted.map((setting) => ({ ...setting, value: together(valueAt(here.value, setting.path), setting.value) })).filter((setting) => isNew(setting, at, here.value));
}

/** Tells of what is here already, and of what would not fit. */
function isNew({ theirs, path, value }: NewSetting, { findings, home }: Import, here: unknown): boolean {
	const name = path.join(".");
	const old = valueAt(here, path);
	const [mistake] = mistakesIn(configSchema, path.reduceRight((inner: unknown, key) => ({ [key]: inner }), value));
	if (mistake !== undefined) findings.leave(`${theirs}: ${mistake.message}, so it was not taken over.`);
	else if (isDeepStrictEqual(old, value)) findings.present.push({ kind: "setting", name: theirs, to: name });
	else if (old !== undefined && !Array.isArray(value)) findings.leave(`${theirs}: ${name} is set in ${home.config}, to something else, and was left as it is.`);
	else return true;
	return false;
}

/** A list comes behind the one that is there. */
const together = (old: unknown, value: unknown): unknown => (Array.isArray(old) && Array.isArray(value) ? [...new Set([...(old as unknown[]), ...(value as unknown[])])] : value);

function approvals({ hermes, findings }: Import): readonly NewSetting[] {
	const { mode, timeout, deny, ...others } = objectOf(hermes.config["approvals"]);
	const found: NewSetting[] = [];
	const take = (theirs: string, name: string, value: unknown) => void found.push({ theirs: `approvals.${theirs}`, path: ["approvals", name], value });
	// Hermes's file may have been read as YAML 1.1, where `off` is false.
	if (mode === "off" || mode === false) {
		take("mode", "mode", "off");
		findings.changed("approvals.mode is off: as in Hermes, nobody is asked about dangerous commands, and only the floor blocks.", sections.settings);
	} else if (mode === "manual") take("mode", "mode", "ask");
	else if (mode === "smart" || (mode === undefined && Object.keys(hermes.config).length > 0)) findings.changed("Approvals are asked of a person here; there is no model that decides them ('smart', Hermes's default).", sections.settings);
	else if (mode !== undefined) findings.leave(`approvals.mode is ${JSON.stringify(mode)}, which means nothing here.`);
	if (timeout !== undefined) take("timeout", "timeout", timeout);
	if (Array.isArray(deny)) {
		const patterns = deny.filter((pattern) => typeof pattern === "string" && pattern !== "");
		const [sets, globs] = [patterns.filter((pattern) => pattern.includes("[")), patterns.filter((pattern) => !pattern.includes("["))];
		if (globs.length > 0) take("deny", "deny", globs);
		if (sets.length > 0) findings.leave(`approvals.deny: a '[' stands for itself here, so ${sets.map((pattern) => `'${pattern}'`).join(", ")} was not taken over. Write it without.`);
	}
	for (const key of Object.keys(others)) findings.leave(`approvals.${key} was not taken over.${key.endsWith("mode") ? " approvals.unattended says what becomes of dangerous commands when nobody is there; deny unless it is set." : ""}`);
	if (hermes.config["command_allowlist"] !== undefined) findings.leave("command_allowlist was not taken over: its entries are names of rules of Hermes. What you approve for good here is kept by its command.");
	return found;
}

function plugins({ hermes, findings }: Import, { plugins: brought }: Here): readonly NewSetting[] {
	const { enabled, disabled, entries, hook_callback_timeout, stream_reasoning_deltas, ...others } = objectOf(hermes.config["plugins"]);
	const found: NewSetting[] = [];
	const isHere = (name: string) => brought.some(({ names }) => names.includes(name));
	const list = (key: "enabled" | "disabled", given: unknown) => {
		const all = (Array.isArray(given) ? given : []).filter((name): name is string => typeof name === "string");
		for (const name of all.filter((one) => key === "enabled" && !isHere(one))) findings.leave(`plugins.enabled: '${name}' does not lie in the plugins folder of Hermes, so it was not brought. It may come with Hermes, or be a package of Python.`);
		if (all.some(isHere)) found.push({ theirs: `plugins.${key}`, path: ["plugins", key], value: all.filter(isHere) });
	};
	list("enabled", enabled);
	list("disabled", disabled);
	for (const [key, given] of Object.entries({ hook_callback_timeout, stream_reasoning_deltas })) if (given !== undefined) found.push({ theirs: `plugins.${key}`, path: ["plugins", key], value: given });
	for (const [id, entry] of Object.entries(objectOf(entries))) {
		const { settings, ...rest } = objectOf(entry);
		if (settings !== undefined && isHere(id)) found.push({ theirs: `plugins.entries.${id}`, path: ["plugins", "entries", id, "settings"], value: kept(settings, `plugins.entries.${id}.settings`, findings) });
		if (Object.keys(rest).length > 0) findings.leave(`plugins.entries.${id}: ${Object.keys(rest).join(", ")} ${Object.keys(rest).length === 1 ? "was" : "were"} not taken over. What a plugin may do beyond the usual is for you to say anew.`);
	}
	for (const key of Object.keys(others)) findings.leave(`plugins.${key} was not taken over.`);
	return found;
}

/** The block of #18148: three settings for all of them, and one map for each. */
function extensions({ hermes, findings }: Import, { extensions: brought }: Here): readonly NewSetting[] {
	const { enabled, global_dir, project_local, ...each } = objectOf(hermes.config["extensions"]);
	if (global_dir !== undefined || project_local !== undefined) findings.leave("extensions.global_dir and extensions.project_local are not there: extensions lie in the home, and those of a folder load when it is trusted.");
	const off = enabled === false ? brought.map((name): NewSetting => ({ theirs: "extensions.enabled", path: ["extensions", name, "enabled"], value: false })) : [];
	return [
		...off,
		...Object.entries(each).flatMap(([name, given]): readonly NewSetting[] => {
			if (!brought.includes(name)) {
				findings.leave(`extensions.${name} was not taken over, as no extension of that name was brought.`);
				return [];
			}
			return [{ theirs: `extensions.${name}`, path: ["extensions", name, "config"], value: kept(objectOf(given), `extensions.${name}`, findings) }];
		}),
	];
}

function kept(settings: unknown, name: string, findings: Import["findings"]): unknown {
	const { value, secrets } = withoutSecrets(settings);
	for (const secret of secrets) findings.leave(`${name}.${secret} looks like a secret, and secrets are not copied. Let the code read it from the environment, or set it in config.yaml yourself.`);
	return value;
}

/** As Hermes takes it: true, or one of these words; nothing else. */
const autoAccepts = (value: unknown): boolean => value === true || (typeof value === "string" && ["1", "true", "yes", "on"].includes(value.trim().toLowerCase()));

function valueAt(value: unknown, path: readonly string[]): unknown {
	return path.reduce((inner: unknown, key) => (Object.hasOwn(objectOf(inner), key) ? objectOf(inner)[key] : undefined), value);
}
