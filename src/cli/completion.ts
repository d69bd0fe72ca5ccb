// `hookline completion`, and what completes a command line: read from the commands themselves, so that none is forgotten.
import { existsSync } from "node:fs";
import type { Command, Option } from "commander";
import { settingNames } from "../config/key.ts";
import { findPackages } from "../dialects/hermes-extension/settings.ts";
import { eventNames } from "../events/catalog.ts";
import { findExtensions } from "../extensions/find.ts";
import { modelProviders } from "../models/find.ts";
import { knownModels } from "../models/known.ts";
import { openStore } from "../stores/open.ts";
import { homeOf } from "../system/home.ts";
import { didYouMean } from "../system/nearest.ts";
import { exitCodes, UsageError } from "./exit.ts";
import { print } from "./output.ts";

const scripts = {
	// Bash breaks words at ':', so what stands before it is taken off the answers again.
	bash: `# hookline: completion for bash
_hookline() {
	local cur words
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n : cur words
		words=("\${words[@]:1:COMP_CWORD}")
	else
		local line=\${COMP_LINE:0:COMP_POINT}
		read -ra words <<< "$line"
		case $line in *[[:space:]]) words+=("") ;; esac
		words=("\${words[@]:1}")
		cur=\${words[*]: -1}
	fi
	local IFS=$'\\n'
	COMPREPLY=($(hookline __complete -- "\${words[@]}" 2>/dev/null))
	case $cur in *:*) COMPREPLY=("\${COMPREPLY[@]#"\${cur%"\${cur##*:}"}"}") ;; esac
}
complete -o default -F _hookline hookline
`,
	zsh: `#compdef hookline
# hookline: completion for zsh
_hookline() {
	local -a answers
	answers=("\${(@f)$(hookline __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
	answers=(\${answers:#})
	if (( \${#answers} )); then compadd -- "\${answers[@]}"; else _files; fi
}
if [ "$funcstack[1]" = "_hookline" ]; then _hookline "$@"; else compdef _hookline hookline; fi
`,
	fish: `# hookline: completion for fish
function __hookline_complete
	set -l words (commandline -opc)[2..-1]
	hookline __complete -- $words (commandline -ct) 2>/dev/null
end
complete -c hookline -a '(__hookline_complete)'
`,
} as const;

export function completion(shell: string): number {
	if (!Object.hasOwn(scripts, shell)) throw new UsageError(`There is no completion for '${shell}'.${didYouMean(shell, Object.keys(scripts))} Known: ${Object.keys(scripts).join(", ")}.`);
	print(scripts[shell as keyof typeof scripts]);
	return exitCodes.fine;
}

/** Prints what the last of the words could become, one a line. Says nothing about mistakes: somebody is in the middle of typing. */
export function complete(program: Command, words: readonly string[]): number {
	const typed = words.at(-1) ?? "";
	for (const answer of answers(program, words.slice(0, -1), typed)) if (answer.startsWith(typed)) print(answer);
	return exitCodes.fine;
}

function answers(program: Command, before: readonly string[], typed: string): readonly string[] {
	let command = program;
	let given = 0;
	let waiting: Option | undefined;
	for (const word of before) {
		if (waiting !== undefined) waiting = undefined;
		else if (word.startsWith("-")) {
			const option = command.options.find(({ long, short }) => word === long || word === short);
			if (option?.required) waiting = option;
		} else {
			const below = command.commands.find((candidate) => candidate.name() === word);
			if (below !== undefined) command = below;
			else given++;
		}
	}
	if (waiting !== undefined) return valuesOf(waiting.long ?? "");
	if (typed.startsWith("-")) return [...command.options.flatMap(({ long }) => (long ? [long] : [])), "--help"];
	const visible = command.createHelp().visibleCommands(command).map((below) => below.name());
	if (visible.length > 0) return given === 0 ? visible.filter((name) => name !== "help") : [];
	const argument = command.registeredArguments[given];
	return argument === undefined ? [] : valuesOf(argument.name());
}

function valuesOf(name: string): readonly string[] {
	switch (name) {
		case "event":
		case "--event":
			return eventNames;
		case "extension":
			return knownExtensions();
		case "hook":
		case "--hook":
			return knownHooks();
		case "key":
			return settingNames().filter((setting) => !setting.includes("NAME"));
		case "shell":
			return Object.keys(scripts);
		case "--model":
			return [...Object.values(modelProviders).map((provider) => provider.replace("NAME", "")), ...knownModels];
		case "--provider":
			return Object.keys(modelProviders);
		case "--session":
			return fromStore(({ sessions }) => sessions.list({ limit: 50 }).map(({ id }) => id));
		default:
			return [];
	}
}

/** Those that were live when something was last dispatched: loading extensions would run their code at a press of a key. */
function knownHooks(): readonly string[] {
	return fromStore(({ trace }) => {
		const [last] = trace.recent({ limit: 1 });
		return [...new Set(last && trace.findHookSet(last.hookSet)?.hooks.flatMap((hook) => [hook.source.extension, hook.id]))];
	});
}

function knownExtensions(): readonly string[] {
	const { extensions } = homeOf(process.env);
	return [findExtensions, findPackages].flatMap((find) => find(extensions).found.map(({ name }) => name));
}

function fromStore(ask: (store: ReturnType<typeof openStore>) => readonly string[]): readonly string[] {
	const home = homeOf(process.env);
	if (!existsSync(home.database)) return [];
	using store = openStore(home, { onProblem: () => {} });
	return ask(store);
}
