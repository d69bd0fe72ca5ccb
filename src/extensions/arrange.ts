// The user's extensions as they were examined, in the sets that are loaded.
import type { Examination, Examined } from "./examine.ts";
import type { ExtensionSet } from "./load.ts";

/** Settings with the defaults of the manifests. */
export function withDefaults(settings: ExtensionSet["settings"], { extensions }: Examination): ExtensionSet["settings"] {
	const filled = extensions.filter(({ manifest, config }) => manifest?.config !== undefined && config !== undefined);
	return { ...settings, ...Object.fromEntries(filled.map(({ name, config }) => [name, { ...settings[name], config: config! }])) };
}

/** A set with those that can be loaded in their order, and why the others cannot. */
export function arranged(set: ExtensionSet, { extensions, strays }: Examination, language: Examined["language"]): ExtensionSet {
	const mine = extensions.filter((one) => one.language === language);
	// What is disabled may be as broken as it likes.
	const isLoadable = ({ problems, enabled }: Examined) => problems.length === 0 || !enabled;
	return {
		...set,
		found: mine.filter(isLoadable).map(({ name, file, folder, needs, granted, locked }) => ({ name, file, needs, granted, ...(folder !== undefined && { folder }), ...(locked && { host: locked.granted.inline ? "inline" : "node", pinned: locked.source.kind !== "link" }) })),
		problems: [...(language === "script" ? strays : []), ...mine.filter((one) => !isLoadable(one)).map(({ name, file, problems }) => ({ name, file, message: problems.join(" ") }))],
	};
}
