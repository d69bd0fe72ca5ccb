// Completion in the editor: slash commands, and paths after Tab or an at-sign.
import { type AutocompleteItem, type AutocompleteProvider, CombinedAutocompleteProvider } from "@earendil-works/pi-tui";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Command } from "../../../agent/conversation.ts";

const mostOffered = 50;

export function completionFor(commands: readonly Command[], cwd: string): AutocompleteProvider {
	const known = new CombinedAutocompleteProvider(
		commands.map(({ name, summary }) => ({ name, description: summary })),
		cwd,
	);
	return {
		triggerCharacters: ["@"],
		async getSuggestions(lines, line, column, options) {
			const at = /(?:^|\s)@([^\s@]*)$/.exec((lines[line] ?? "").slice(0, column));
			if (at === null) return known.getSuggestions(lines, line, column, options);
			const items = entriesFor(at[1]!, cwd);
			return items.length === 0 ? null : { items, prefix: `@${at[1]!}` };
		},
		applyCompletion: (lines, line, column, item, prefix) => known.applyCompletion(lines, line, column, item, prefix),
		shouldTriggerFileCompletion: (lines, line, column) => known.shouldTriggerFileCompletion(lines, line, column),
	};
}

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
