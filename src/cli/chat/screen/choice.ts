// One of several, chosen with the arrow keys or found by typing.
import { type Component, type Focusable, Input, matchesKey, truncateToWidth } from "@earendil-works/pi-tui";
import { visibleLine } from "../../../system/visible.ts";
import type { Look } from "./items.ts";

/** More are scrolled to. */
const mostShown = 8;

export class Choice implements Component, Focusable {
	readonly #look: Look;
	readonly #options: readonly string[];
	readonly #done: (option: string | undefined) => void;
	readonly #field = new Input({ prompt: "❯ " });
	#at = 0;

	/** `done` gets the chosen option as it was given, or nothing after Escape. */
	constructor(look: Look, options: readonly string[], done: (option: string | undefined) => void) {
		this.#look = look;
		this.#options = options;
		this.#done = done;
	}

	get focused(): boolean {
		return this.#field.focused;
	}

	set focused(focused: boolean) {
		this.#field.focused = focused;
	}

	handleInput(key: string): void {
		const found = this.#found();
		const moved = (by: number) => void (this.#at = Math.max(0, Math.min(found.length - 1, this.#at + by)));
		if (matchesKey(key, "escape")) this.#done(undefined);
		else if (matchesKey(key, "enter")) {
			if (found.length > 0) this.#done(found[this.#at]);
		} else if (matchesKey(key, "up")) moved(-1);
		else if (matchesKey(key, "down")) moved(1);
		else if (matchesKey(key, "pageUp")) moved(-mostShown);
		else if (matchesKey(key, "pageDown")) moved(mostShown);
		else {
			this.#field.handleInput(key);
			this.#at = 0;
		}
	}

	render(width: number): string[] {
		const { theme } = this.#look;
		const found = this.#found();
		const first = Math.max(0, Math.min(this.#at - Math.floor(mostShown / 2), found.length - mostShown));
		const lines = found.slice(first, first + mostShown).map((option, i) => {
			const chosen = first + i === this.#at;
			const line = truncateToWidth(`${chosen ? "→" : " "} ${visibleLine(option)}`, width, "…");
			return chosen ? theme.accent(line) : line;
		});
		if (found.length === 0) lines.push(theme.faint("  None of them has that in it."));
		else if (found.length > mostShown) lines.push(theme.faint(`  ${this.#at + 1} of ${found.length}`));
		return [...lines, ...this.#field.render(width)];
	}

	invalidate(): void {}

	#found(): readonly string[] {
		const typed = this.#field.getValue().toLowerCase();
		return typed === "" ? this.#options : this.#options.filter((option) => option.toLowerCase().includes(typed));
	}
}
