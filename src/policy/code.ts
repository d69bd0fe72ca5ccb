// Code of other languages in a command: not parsed, but its words and texts tell what it could do.

export interface Code {
	/** Every text in quotes. */
	readonly literals: readonly string[];
	/** Those handed to a shell. */
	readonly shell: readonly string[];
	/** It hands a shell something that is no constant text. */
	readonly handsOver: boolean;
	readonly writes: boolean;
	readonly deletes: boolean;
	/** It makes copies of itself without end. */
	readonly multiplies: boolean;
	/** It runs text that comes from somewhere else. */
	readonly runsText: boolean;
}

/** Interpreters by name: the options whose value is code. */
const interpreters: readonly (readonly [names: RegExp, code: RegExp])[] = [
	[/^python[\d.]*$|^pypy3?$/, /^-[bBdEiIOqsSuvx]*c$/],
	[/^(?:node|nodejs|bun|deno)$/, /^(?:-e|-p|-pe|--eval|--print|eval)$/],
	[/^perl[\d.]*$/, /^-[a-zA-Z0-9]*[eE]$/],
	[/^ruby[\d.]*$/, /^-[a-zA-Z]*e$/],
	[/^php[\d.]*$/, /^-[rBRE]$/],
	[/^(?:lua[\d.]*|luajit|Rscript|osascript|julia|elixir|swift|groovy|guile|tclsh|expect)$/, /^(?:-e|-c|-E)$/],
	[/^(?:pwsh|powershell)$/, /^-(?:c|Command|EncodedCommand)$/i],
];

/** The code among the arguments of an interpreter; `file` when it runs one; `reads` when the code comes in; undefined when it is no interpreter. */
export function codeIn(name: string, args: readonly string[]): { readonly code: string } | { readonly file: string } | { readonly reads: true } | { readonly none: true } | undefined {
	if (/^[gmn]?awk$|^mawk$/.test(name)) {
		const program = args.find((arg, i) => !arg.startsWith("-") && !/^-[vFf]$/.test(args[i - 1] ?? ""));
		return program === undefined ? { none: true } : { code: program };
	}
	const found = interpreters.find(([names]) => names.test(name));
	if (found === undefined) return undefined;
	const at = args.findIndex((arg) => found[1].test(arg));
	if (at >= 0) return { code: args[at + 1] ?? "" };
	if (args.some((arg) => /^(?:--?version|-V|-v|--help|-h|-m|--check|--test)$/.test(arg))) return { none: true };
	const operand = args.find((arg) => !arg.startsWith("-") || arg === "-");
	return operand === undefined || operand === "-" || operand === "/dev/stdin" ? { reads: true } : { file: operand };
}

const text = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
const handing = /\b(?:os\.system|os\.popen|subprocess\.\w+|popen|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|system|shell_exec|passthru|proc_open|qx|os\.execute|io\.popen|do shell script|Deno\.Command|Bun\.spawn)\b/;

export function readCode(code: string): Code {
	// Texts that are only cut in pieces are put together again.
	const whole = code.replace(/(["'])\s*(?:\+|\.|\.\.)\s*\1/g, "");
	const literals = [...whole.matchAll(text)].map(([found]) => unquoted(found));
	const shell = [...whole.matchAll(new RegExp(`${handing.source}\\s*\\(?\\s*\\[?\\s*(?:f|r|b)?((?:(?:${text.source})[\\s,[\\]]*)+)`, "g"))].map(([, words]) => [...words!.matchAll(text)].map(([found]) => unquoted(found)).join(" "));
	const backticks = /\bperl|\$\w|`/.test(whole) ? [...whole.matchAll(/`((?:[^`\\]|\\.)*)`/g)].map(([, inner]) => inner!) : [];
	const pipes = [...whole.matchAll(/\|\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/g)].map(([, found]) => unquoted(found!));
	return {
		literals,
		shell: [...shell, ...backticks, ...pipes, ...(handing.test(whole) || /%x|\bqx/.test(whole) ? quoteOperators(whole) : [])],
		handsOver: handing.test(whole) && shell.length === 0,
		writes: /\b(?:write\w*|append\w*|open\w*\s*\([^)]*,\s*(?:mode\s*=\s*)?["'][rwax+bt>]*[wax+>]|"[wa]b?"|'[wa]b?'|>>?|dump|copy\w*|move|rename\w*|replace|symlink\w*|link\w*|chmod|chown|mkdir\w*|makedirs|touch|truncate\w*|\w*put_contents|copytree|extractall|print\s*>|-i\b)/.test(whole) || /\bprint\b[^;]*>/.test(whole),
		deletes: /\b(?:rmtree|rm_rf?|rm_r|remove_dir_all|rmSync|rmdir\w*|unlink\w*|removedirs|remove_tree|deltree|RemoveAll|delete_file|os\.remove|Deno\.remove\w*|fs\.remove\w*|fs\.rm|fs\.promises\.rm|File\.delete|Remove-Item)\b/.test(whole),
		multiplies: /\bfork\b/.test(whole) && /\b(?:while|for|loop|until|redo)\b/.test(whole),
		runsText: /\b(?:eval|exec|compile|Function|instance_eval|loadstring)\s*\(?/.test(whole) && /b64decode|base64|atob|fromhex|urlopen|requests\.get|fetch\s*\(|unpack|decode\(|unhexlify/.test(whole),
	};
}

/** What perl and ruby have in `q(…)`, `qx{…}` and `%x(…)`. */
const quoteOperators = (code: string): string[] => [...code.matchAll(/(?:\bq[qx]?|%[xqQ])\s*(?:\(([^)]*)\)|\{([^}]*)\}|\[([^\]]*)\]|([|!/#])(.*?)\4)/g)].map((found) => found[1] ?? found[2] ?? found[3] ?? found[5] ?? "");

const unquoted = (literal: string): string => literal.slice(1, -1).replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))/g, (_, hex: string | undefined, code: string | undefined, other: string) => (hex ?? code) !== undefined ? String.fromCharCode(Number.parseInt((hex ?? code)!, 16)) : other === "n" ? "\n" : other);
