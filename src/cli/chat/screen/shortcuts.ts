// Keys that extensions bind. Nobody loses a key: one that the chat, the editor or another extension has is refused, and so is one that types.
import { type KeyId, matchesKey, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import type { Shortcut } from "../view.ts";

/** What the chat itself does, for the list of keys. */
const chatKeys: readonly (readonly [keys: string, does: string])[] = [
	["enter", "sends; while the agent works the text joins the turn at its next step"],
	["alt+enter", "while the agent works: keeps the text for after the turn"],
	["shift+enter, ctrl+j", "a new line"],
	["tab", "completes commands and paths"],
	["up, down", "what you typed before"],
	["ctrl+c, escape", "stop the turn; ctrl+c twice with nothing running leaves"],
	["ctrl+d", "leaves"],
	["ctrl+o", "unfolds what tools gave, and folds it again"],
	["ctrl+l", "draws the screen anew"],
	["ctrl+z", "suspends"],
];

/** Terminals send the same for both. */
const sameAs: Readonly<Record<string, string>> = { "ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+[": "escape" };
const modifiers = ["ctrl", "shift", "alt", "super"];
const named = new Set(["escape", "enter", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end", "pageup", "pagedown", "up", "down", "left", "right"]);

interface Bound {
	/** The extension. */
	readonly by: string;
	readonly shortcut: Shortcut;
}

export class Shortcuts {
	/** By key, in one spelling. */
	readonly #bound = new Map<string, Bound>();
	/** Those whose last press is still being worked on. */
	readonly #running = new Set<Bound>();
	readonly #failed: (extension: string, message: string) => void;

	constructor(failed: (extension: string, message: string) => void) {
		this.#failed = failed;
	}

	/** All that an extension binds now, in the place of what it bound before. Gives why not, for each key that cannot be had. */
	bind(extension: string, shortcuts: readonly Shortcut[]): readonly string[] {
		for (const [key, { by }] of this.#bound) if (by === extension) this.#bound.delete(key);
		return shortcuts.flatMap((shortcut) => {
			const key = canonical(shortcut.key);
			const why = key === undefined ? `is no key; write it like 'alt+g', 'ctrl+alt+p' or 'f5'.` : this.#taken(key);
			if (why !== undefined) return [`The key '${shortcut.key}' of the extension '${extension}' ${why}`];
			this.#bound.set(key!, { by: extension, shortcut });
			return [];
		});
	}

	/** True when the key was one. A key that is held down does not pile up. */
	press(data: string): boolean {
		for (const [key, bound] of this.#bound) {
			if (!matchesKey(data, key as KeyId)) continue;
			if (!this.#running.has(bound)) void this.#run(bound);
			return true;
		}
		return false;
	}

	/** All keys, a line each. */
	get lines(): readonly string[] {
		const all = [...chatKeys, ...[...this.#bound].map(([key, { by, shortcut }]) => [key, `${by}: ${shortcut.summary}`] as const)];
		return all.map(([keys, does]) => `${keys.padEnd(20)} ${does}`);
	}

	async #run(bound: Bound): Promise<void> {
		this.#running.add(bound);
		try {
			await bound.shortcut.run();
		} catch (error) {
			this.#failed(bound.by, `The key ${bound.shortcut.key} failed: ${error instanceof Error ? error.message : String(error)}`);
		} finally {
			this.#running.delete(bound);
		}
	}

	#taken(key: string): string | undefined {
		const bound = this.#bound.get(key);
		if (bound !== undefined) return `is taken: the extension '${bound.by}' has it (${bound.shortcut.summary}).`;
		if (!/^(?:shift\+)?f\d+$|ctrl\+|alt\+|super\+/.test(key)) return "needs ctrl, alt or super with it; only f1 to f12 go alone.";
		if (sameAs[key] !== undefined) return `cannot be told from ${sameAs[key]} on most terminals.`;
		const chat = chatKeys.find(([keys]) => keys.split(", ").includes(key));
		if (chat !== undefined) return `is taken: the chat has it (${chat[1]}).`;
		const editor = Object.entries(TUI_KEYBINDINGS).find(([name, { defaultKeys }]) => /^tui\.(?:editor|input)\./.test(name) && [defaultKeys].flat().some((one: string) => canonical(one) === key));
		if (editor !== undefined) return `is taken: the editor has it (${editor[1].description.toLowerCase()}).`;
		return undefined;
	}
}

/** One spelling for each key; undefined when it is none. */
function canonical(key: string): string | undefined {
	const parts = key.toLowerCase().trim().split("+");
	const given = parts.pop()!;
	const name = { esc: "escape", return: "enter" }[given] ?? given;
	if ((!named.has(name) && !/^(?:[!-~]|f[1-9]|f1[0-2])$/.test(name)) || parts.some((part) => !modifiers.includes(part)) || new Set(parts).size < parts.length) return undefined;
	return [...modifiers.filter((one) => parts.includes(one)), name].join("+");
}
