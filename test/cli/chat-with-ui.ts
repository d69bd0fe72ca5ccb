// A conversation whose extensions can reach the view: as `ui("its name")`, and `view` itself.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { extension, type Place } from "./program.ts";
import { onScreen, type Screen, type ScreenOptions } from "./screen.ts";

export const skip = spawnSync("python3", ["-c", "import pty"]).status === 0 ? false : "there is no python3 to make a pseudo-terminal with";
export const program = [process.execPath, "--disable-warning=ExperimentalWarning", join(import.meta.dirname, "../programs/chat-with-ui.ts")];
export const ctrlC = "\u0003";
export const ctrlD = "\u0004";

/** An extension that does something for each text the person sends: `me` is its ui, `say` tells what came of it. */
export const doing = (body: string): string =>
	extension(`	const me = ui("painter");
	const say = (what) => me.notify("got " + JSON.stringify(what) + (what === undefined ? "nothing" : ""));
	hooks.transform("input.receiving", { name: "do" }, async ({ text }) => {
		${body}
	});`);

/** Starts it and waits for its editor. */
export async function openWithUi(place: Place, options: ScreenOptions = {}): Promise<Screen> {
	const person = onScreen(place, [], { ...options, program });
	await person.shows(/─{20}[\s\S]*─{20}[\s\S]*\d hooks? ·/);
	return person;
}

export async function leave(person: Screen): Promise<void> {
	person.type(ctrlD);
	const { code, stdout } = await person.ended;
	if (code !== 0) throw new Error(`it ended with ${code}:\n${stdout.slice(-2000)}`);
}

export const send = (person: Screen, text: string): void => person.type(`${text}\r`);
