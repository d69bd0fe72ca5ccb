// A project's content as a person is shown it before they decide.
import { join } from "node:path";
import { settingsIn } from "../../config/key.ts";
import { ownFolder } from "../../extensions/project/find.ts";
import { changesInWords, type Project } from "../../extensions/project/project.ts";
import { visible, visibleLine } from "../../system/visible.ts";
import { definitionLines, wholeText } from "../hooks/describe.ts";

/** Files with their sizes, settings with their values, shell hooks with what they run, and what has changed since it was trusted. */
export function describeProject({ folder, content, hooks, hash, config, problems, wasTrusted, changes }: Project): string {
	const marked = (path: string) => (!wasTrusted ? "" : changes.changed.includes(path) ? "  (changed)" : changes.added.includes(path) ? "  (new)" : "");
	const width = Math.max(0, ...content.files.map(({ bytes }) => String(bytes.length).length));
	const { hooks: _, ...others } = config;
	const settings = settingsIn(others);
	return [
		`${visibleLine(join(folder, ownFolder))} would load:`,
		...content.files.map(({ path, bytes }) => `    ${String(bytes.length).padStart(width)} bytes  ${visibleLine(path)}${marked(path)}`),
		...changes.gone.map((path) => `    ${visibleLine(path)}  (gone)`),
		...(settings.length > 0 ? ["Its config.yaml sets:", ...settings.map(([name, value]) => `    ${visibleLine(name)}: ${visibleLine(JSON.stringify(value))}`)] : []),
		...hooks.flatMap(({ hook, taken }) => ["It would hook this program:", ...definitionLines(hook, taken.program)]),
		...(wasTrusted && hooks.length > 0 ? [`What is another since you trusted it: ${visibleLine(changesInWords(changes)) || "nothing"}.`] : []),
		...(problems.length > 0 ? ["It cannot be trusted as it is:", ...problems.map((problem) => `    ${visibleLine(problem)}`)] : []),
		`SHA-256 ${hash}`,
	].join("\n");
}

/** Every file in full, indented, so that no file can look like the beginning of the next. */
export function textOf({ content, hooks }: Project): string {
	const files = content.files.map(({ path, bytes }) => `${visibleLine(path)}:\n${inWords(bytes).replace(/^/gm, "    ")}`);
	return [...files, ...hooks.map(({ taken }) => wholeText(taken)).filter((text) => text !== "")].join("\n");
}

function inWords(bytes: Buffer): string {
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
		if (!text.includes("\0")) return visible(text);
	} catch {
		// Said below, in one way for both.
	}
	return `(no text, ${bytes.length} bytes)`;
}
