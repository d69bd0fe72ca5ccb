// Code in colours. The highlighter and each language are loaded when a block first needs them; until then code is plain.
import type { Theme } from "./theme.ts";

/** What is used of highlight.js. Its own types would bring a browser's globals into the whole program. */
interface Highlighting {
	highlight(code: string, options: { readonly language: string; readonly ignoreIllegals: boolean }): { readonly value: string };
	registerLanguage(name: string, language: unknown): void;
}
const load = async (module: string) => ((await import(`highlight.js/lib/${module}`)) as { readonly default: unknown }).default;

/** Names people write, as the highlighter's files are called. */
const files: Readonly<Record<string, string>> = {
	ts: "typescript", tsx: "typescript", mts: "typescript", js: "javascript", jsx: "javascript", mjs: "javascript", cjs: "javascript", py: "python", python3: "python", rb: "ruby", rs: "rust", sh: "bash", shell: "bash", zsh: "bash", console: "bash", yml: "yaml",
	html: "xml", svg: "xml", vue: "xml", md: "markdown", "c++": "cpp", cc: "cpp", h: "c", hpp: "cpp", cs: "csharp", kt: "kotlin", golang: "go", toml: "ini", jsonc: "json", json5: "json", docker: "dockerfile", make: "makefile", patch: "diff", ps1: "powershell", ex: "elixir", hs: "haskell",
};

export class Highlighter {
	readonly #whenLoaded: () => void;
	#api: Highlighting | undefined;
	/** By file name; false for a language there is not. */
	readonly #languages = new Map<string, boolean | Promise<void>>();

	/** `whenLoaded` is called when a language has come, after those that waited for it. */
	constructor(whenLoaded: () => void) {
		this.#whenLoaded = whenLoaded;
	}

	/** The lines of some code, in colour as soon as its language is loaded; `later` is called then. Control characters must be visible already. */
	highlight(code: string, language: string, theme: Theme, later: () => void): readonly string[] {
		const name = language.toLowerCase().replace(/[^\w+-]/g, "");
		const file = files[name] ?? name;
		const state = file === "" ? false : this.#languages.get(file);
		if (state === true) return coloured(this.#api!.highlight(code, { language: file, ignoreIllegals: true }).value, theme);
		if (state !== false) void this.#load(file).then(later).then(this.#whenLoaded);
		return code.split("\n");
	}

	#load(file: string): Promise<void> {
		const known = this.#languages.get(file);
		if (known instanceof Promise) return known;
		const loading = this.#fetch(file);
		this.#languages.set(file, loading);
		return loading;
	}

	async #fetch(file: string): Promise<void> {
		try {
			// A name like `../x` cannot come here: only letters, digits, + and - are left of it.
			const [api, language] = await Promise.all([load("core"), load(`languages/${file}`)]);
			this.#api ??= api as Highlighting;
			this.#api.registerLanguage(file, language);
			this.#languages.set(file, true);
		} catch {
			this.#languages.set(file, false);
		}
	}
}

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };

/** The highlighter's HTML as lines for a terminal. A style ends with its line, and begins again on the next. */
function coloured(html: string, theme: Theme): readonly string[] {
	const open: string[] = [];
	return html.split("\n").map((line) => {
		let out = "";
		for (const [, name, end, text] of line.matchAll(/<span class="(?:hljs-)?([^"]*)">|(<\/span>)|([^<]+)/g)) {
			if (text !== undefined) out += styleOf(open.at(-1), theme)(text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity]!));
			else if (end !== undefined) open.pop();
			else open.push(name!);
		}
		return out;
	});
}

function styleOf(name: string | undefined, { code }: Theme): (text: string) => string {
	// `title function_`, `selector-tag`: the first word is the kind.
	return code[name?.split(/[\s.-]/, 1)[0] ?? ""] ?? ((text) => text);
}
