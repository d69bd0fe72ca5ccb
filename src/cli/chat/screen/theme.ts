// Colours. Few, and from the terminal's own palette where that is readable; none where NO_COLOR is set (https://no-color.org).
import type { EditorTheme, MarkdownTheme, SelectListTheme } from "@earendil-works/pi-tui";

/** Puts a text into a style. */
export type Style = (text: string) => string;

export type Background = "dark" | "light";

export interface Theme {
	readonly faint: Style;
	readonly strong: Style;
	readonly accent: Style;
	readonly good: Style;
	readonly bad: Style;
	readonly warning: Style;
	/** By the first part of a highlighter's class. */
	readonly code: Readonly<Record<string, Style>>;
	readonly markdown: MarkdownTheme;
	readonly editor: EditorTheme;
}

const between = (open: string, close: string): Style => (text) => `\u001b[${open}m${text}\u001b[${close}m`;
const plain: Style = (text) => text;

/** Colours of the 256 that both kinds of background carry well; the palette's own yellow and blue do not. */
const palette = {
	dark: { faint: "38;5;245", accent: "38;5;80", good: "38;5;114", bad: "38;5;210", warning: "38;5;221", keyword: "38;5;176", text: "38;5;150", number: "38;5;216", name: "38;5;111" },
	light: { faint: "38;5;242", accent: "38;5;30", good: "38;5;28", bad: "38;5;160", warning: "38;5;130", keyword: "38;5;90", text: "38;5;22", number: "38;5;94", name: "38;5;25" },
} as const;

export function themeFor(background: Background, environment: Readonly<Record<string, string | undefined>>): Theme {
	const colours = palette[background];
	const inColour = (name: keyof typeof colours): Style => (environment["NO_COLOR"] ? plain : between(colours[name], "39"));
	const faint = inColour("faint");
	const accent = inColour("accent");
	const strong = between("1", "22");
	const italic = between("3", "23");
	const underline = between("4", "24");
	const keyword = inColour("keyword");
	const text = inColour("text");
	const number = inColour("number");
	const name = inColour("name");
	const selectList: SelectListTheme = { selectedPrefix: accent, selectedText: accent, description: faint, scrollInfo: faint, noMatch: faint };
	return {
		faint,
		strong,
		accent,
		good: inColour("good"),
		bad: inColour("bad"),
		warning: inColour("warning"),
		code: { keyword, built_in: name, type: name, literal: number, number, regexp: text, string: text, comment: faint, quote: faint, meta: faint, title: name, section: name, name: keyword, tag: faint, attr: name, attribute: name, symbol: number, variable: name, addition: inColour("good"), deletion: inColour("bad"), selector: keyword, bullet: accent },
		markdown: {
			heading: (given) => strong(accent(given)),
			link: underline,
			linkUrl: faint,
			code: accent,
			codeBlock: plain,
			codeBlockBorder: faint,
			quote: italic,
			quoteBorder: faint,
			hr: faint,
			listBullet: accent,
			bold: strong,
			italic,
			strikethrough: between("9", "29"),
			underline,
		},
		editor: { borderColor: faint, selectList },
	};
}

/** What the environment says of the background; undefined when it says nothing. `COLORFGBG` is "foreground;background" of the 16 colours. */
export function backgroundIn(environment: Readonly<Record<string, string | undefined>>): Background | undefined {
	const last = environment["COLORFGBG"]?.split(";").at(-1);
	if (last === undefined || !/^\d+$/.test(last)) return undefined;
	return last === "7" || Number(last) >= 9 ? "light" : "dark";
}

/** A colour as terminals tell their own: 0 to 255 each. */
export function backgroundOf({ r, g, b }: { readonly r: number; readonly g: number; readonly b: number }): Background {
	return 0.2126 * r + 0.7152 * g + 0.0722 * b > 127 ? "light" : "dark";
}
