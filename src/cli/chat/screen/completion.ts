// Completion in the editor: slash commands, and paths after Tab or an at-sign.
import { type AutocompleteItem, type AutocompleteProvider, CombinedAutocompleteProvider } from "@earendil-works/pi-tui";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Opening } from "../view.ts";

const mostOffered = 50;

export function completionFor({ commands, completions, cwd }: Pick<Opening, "commands" | "completions" | "cwd">): AutocompleteProvider {
	// Commands come and go with extensions.
	const known = () => new CombinedAutocompleteProvider(commands().map(({ name, summary }) => ({ name, description: summary })), cwd);
	return {
		triggerCharacters: ["@"],
		async getSuggestions(lines, line, column, options) {
			const typed = (lines[line] ?? "").slice(0, column);
			const at = /(?:^|\s)@([^\s@]*)$/.exec(typed);
			if (at !== null) return offer(entriesFor(at[1]!, cwd), `@${at[1]!}`);
			const [, name, args] = /^\/(\S+) (.*)$/.exec(typed) ?? [];
			const command = line === 0 && lines.length === 1 ? commands().find((one) => one.name === name) : undefined;
			if (command?.complete === undefined) return known().getSuggestions(lines, line, column, options);
			const found = await completions(command, args!, options.signal);
			return offer(found.slice(0, mostOffered).map((value) => ({ value, label: value })), args!);
		},
		applyCompletion: (lines, line, column, item, prefix) => known().applyCompletion(lines, line, column, item, prefix),
		shouldTriggerFileCompletion: (lines, line, column) => known().shouldTriggerFileCompletion(lines, line, column),
	};
}

const offer = (items: AutocompleteItem[], prefix: string) => (items.length === 0 ? null : { items, prefix });

/** What lies where a half-typed path leads to, folders first. */
function entriesFor(typed: string, cwd: string): AutocompleteItem[] {
	const folder = typed.endsWith("/") ? typed : typed.includes("/") ? `${dirname(typed)}/` : "";
	const begun = typed.slice(folder.length).toLowerCase();
	try {
		return readdirSync(resolve(cwd, folder.replace(/^~(?=\/)/, homedir())), { withFileTypes: true })
			.filter(({ name }) => name.toLowerCase().startsWith(begun) && (begun.startsWith(".") || !name.startsWith(".")))
			.toSorted((a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1))
			.slice(0, mostOffered)
			.map((entry) => {
				const name = `${entry.name}${entry.isDirectory() ? "/" : ""}`;
				return { value: `@${folder}${name}`, label: name };
			});
	} catch {
		return [];
	}
}
