// The scripts that commands of shell hooks name: those in Hermes's home are copied below agent-hooks/, and the command names the copy.
import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import { splitCommand } from "../../dialects/hermes-shell/words.ts";
import { readRegular } from "../../system/regular-file.ts";
import { bring, type Import } from "./bring.ts";
import { messageOf, namesHermesFolder } from "./home.ts";
import { putFile } from "./put.ts";
import { sections } from "./report.ts";
import { isSecretFile } from "./secrets.ts";
import { modeOf, mostBytes } from "./tree.ts";

export class Scripts {
	readonly #at: Import;
	readonly #harmless: (name: string) => boolean;
	/** By what they are in Hermes's home: the copy, or undefined for what was not copied. */
	readonly #copies = new Map<string, string | undefined>();

	/** `isHarmless`: whether every hook gets a variable of this name. */
	constructor(at: Import, isHarmless: (name: string) => boolean) {
		this.#at = at;
		this.#harmless = isHarmless;
	}

	/** The command as it is to stand here; undefined when a file it needs could not be copied. */
	async rewrite({ command, words, line }: ShellHook, event: string): Promise<string | undefined> {
		const here: string[] = [];
		for (const word of words) {
			const script = this.#inHermes(word);
			if (script === undefined) {
				if (word.startsWith("~/")) this.#note(`${event}: the ~ of '${word}' stays a ~, in Hermes as here, as only the one a command begins with is your home folder. Write the path out.`);
				else if (word.includes(".hermes")) this.#note(`${event}: '${word}' still names the folder of Hermes, as it is no script there that could be copied.`);
				else if (here.length === 0 && word.startsWith("/") && !isSystems(word)) this.#note(`${event}: ${word} is outside of Hermes's home and stays where it is.`);
				here.push(word);
				continue;
			}
			const copy = await this.#copyOf(script, `${this.#at.hermes.configFile}:${line}`);
			if (copy === undefined) return undefined;
			here.push(copy);
		}
		return words.every((word, i) => word === here[i]) ? command : this.#written(here);
	}

	/** The path a word names, below Hermes's home; undefined when it names none that could be copied. */
	#inHermes(word: string): string | undefined {
		const { spellings, path: home } = this.#at.hermes;
		for (const spelling of spellings) {
			const below = relative(spelling, word);
			if (!word.startsWith("/") || below === "" || below.startsWith("..")) continue;
			// An interpreter of a virtual environment only works where that is.
			if (existsSync(join(home, dirname(below), "../pyvenv.cfg"))) continue;
			if (isFile(join(home, below)) && !below.endsWith(".log") && !isSecretFile(basename(below))) return below;
		}
		return undefined;
	}

	async #copyOf(below: string, named: string): Promise<string | undefined> {
		if (this.#copies.has(below)) return this.#copies.get(below);
		const { hermes, home } = this.#at;
		const file = join(hermes.path, below);
		const target = join(home.path, "agent-hooks", below.startsWith(`agent-hooks${sep}`) ? below.slice("agent-hooks".length + 1) : below);
		const isHere = await bring({ kind: "script", name: below, to: target }, this.#at, async () => {
			const real = realpathSync(file);
			if (!real.startsWith(`${hermes.path}${sep}`)) throw new Error(`${named} names ${file}, which is a link out of Hermes's home, and is not followed. Copy what it leads to, or let the command name that`);
			const read = readRegular(real, mostBytes);
			if (read === "too long") throw new Error(`${file} is larger than ${mostBytes / 1024 / 1024} MB`);
			this.#look(below, read.bytes.toString("utf8"));
			return putFile(target, { bytes: read.bytes, mode: modeOf(lstatSync(real).mode) }, this.#at);
		});
		const copy = isHere ? target : undefined;
		this.#copies.set(below, copy);
		return copy;
	}

	/** What the script does that is another thing here. */
	#look(below: string, text: string): void {
		const { findings, hermes } = this.#at;
		const variables = [...new Set(variablesIn(text))].filter((name) => !this.#harmless(name));
		if (variables.length > 0) findings.changed(`${below} reads ${variables.join(", ")}: a shell hook gets only the variables it names, so add env: [${variables.join(", ")}] to it in config.yaml.`, sections.shellHooks);
		const beside = siblingsIn(dirname(join(hermes.path, below)), basename(below), text);
		if (beside.length > 0) findings.changed(`${below} seems to use ${beside.join(", ")} beside it. A private copy of the script runs, without that: put all of it into one folder $HOOKLINE_HOME/hooks/NAME/ and name the script there.`, sections.shellHooks);
		const lines = namesHermesFolder(text);
		if (lines.length > 0) {
			findings.rule("ownFolder");
			findings.changed(`${below}:${lines[0]}: the folder of Hermes is named in a script that was copied as it is.`, sections.import);
		}
	}

	/** The words as a command, with the home folder as `~` where it begins with that. */
	#written(words: readonly string[]): string {
		const { userHome } = this.#at;
		const [first = "", ...rest] = words.map(quoted);
		const short = first.startsWith(`${userHome}/`) ? `~${first.slice(userHome.length)}` : first;
		const command = [short, ...rest].join(" ");
		const read = splitCommand(command, userHome);
		if ("mistake" in read || read.words.some((word, i) => word !== words[i])) throw new Error(`'${command}' would not be read as it is meant${"mistake" in read ? `: it ${messageOf(read.mistake)}` : ""}`);
		return command;
	}

	#note(message: string): void {
		this.#at.findings.changed(message, sections.shellHooks);
	}
}

function isFile(path: string): boolean {
	try {
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

const quoted = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith("~") ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
const isSystems = (path: string): boolean => /^\/(?:usr|bin|sbin|opt|nix|etc)\//.test(path);

/** Names of environment variables that code reads: in a shell script those it uses and never sets. */
function variablesIn(text: string): readonly string[] {
	const named = /(?:environ(?:\.get)?|getenv)\s*[[(]\s*["']([A-Za-z_]\w*)["']|process\.env(?:\.([A-Za-z_]\w*)|\[["']([A-Za-z_]\w*)["']\])/g;
	const explicit = [...text.matchAll(named)].map(([, a, b, c]) => a ?? b ?? c ?? "");
	if (!/^#!.*\b(?:sh|bash|zsh|ksh|dash)\b/.test(text)) return explicit;
	const used = [...text.matchAll(/\$\{?([A-Z][A-Z0-9_]{2,})\b/g)].map(([, name]) => name!);
	const isSet = (name: string) => new RegExp(`(?:\\b${name}=|\\bread\\b[^\\n]*\\b${name}\\b|\\bfor ${name}\\b)`).test(text);
	return [...explicit, ...used.filter((name) => !isSet(name) && !/^(?:BASH.*|PWD|OLDPWD|IFS|RANDOM|SECONDS|LINENO|PPID|UID|EUID|HOSTNAME|FUNCNAME|OPTARG|OPTIND|REPLY|PIPESTATUS|SHLVL|TERM|EDITOR)$/.test(name))];
}

/** Files beside a script that its text names. */
function siblingsIn(folder: string, own: string, text: string): readonly string[] {
	const isNamed = (name: string) => text.includes(name) || (name.endsWith(".py") && new RegExp(`^\\s*(?:import|from)\\s+${name.slice(0, -3).replace(/[^\w]/g, "\\$&")}\\b`, "m").test(text));
	try {
		return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && entry.name !== own && entry.name.length > 3 && isNamed(entry.name)).map(({ name }) => name);
	} catch {
		return [];
	}
}
