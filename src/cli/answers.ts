// The agent's texts on stdout, in the three ways commands want them.
import type { Output } from "../agent/surface.ts";
import { visible } from "../system/visible.ts";
import { note, print } from "./output.ts";

/** A terminal would obey what is hidden in a model's text; a file or a program gets it as it is. */
const shown = (text: string) => (process.stdout.isTTY ? visible(text) : text);

/** Nothing: the command prints something else. */
export const silent: Output = { delta: () => {}, discard: () => {}, message: () => {} };

/** Complete texts only, so that stdout holds nothing a hook might still have changed; what is no answer goes to stderr. */
export const complete: Output = {
	delta: () => {},
	discard: () => {},
	message: (text, purpose) => (purpose === "interim" ? note(text) : print(shown(text))),
};

/** Pieces as they come; the complete text adds what they did not show. */
export function streaming(): Output {
	let before = "";
	return {
		delta(text) {
			before += text;
			process.stdout.write(shown(text));
		},
		discard() {
			if (before !== "") print("\n[the answer broke off]");
			before = "";
		},
		message(text) {
			if (before === "") print(shown(text));
			else if (text.startsWith(before)) print(shown(text.slice(before.length)));
			else print(`\n${shown(text)}`);
			before = "";
		},
	};
}
