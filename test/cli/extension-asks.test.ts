// How extensions ask in the conversation, seen through a terminal emulator.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { ctrlC, ctrlD, doing, leave, openWithUi, program, send, skip } from "./chat-with-ui.ts";
import { callTerminal, extension, Place } from "./program.ts";
import { onScreen } from "./screen.ts";

const escape = "\u001b";
const down = "\u001b[B";

/** To the program, not to its terminal. */
function signal({ pid }: { readonly pid: number }, name: NodeJS.Signals): void {
	const { stdout } = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
	process.kill(Number(stdout.trim()), name);
}

test("a choice is made with the arrow keys or found by typing, Escape makes none, and it says who asks", { skip }, async () => {
	await using place = new Place();
	place.extension("painter.ts", doing(`say(await me.select("Which bird?", ["heron", "stork", "crane", "li\\u001b[2Jon"])); return respond("done");`));
	const person = await openWithUi(place);
	send(person, "go");
	const seen = await person.shows("Esc leaves it");
	assert.match(seen, /The extension 'painter' asks: Which bird\?\n→ heron\n {2}stork\n {2}crane\n {2}li\\u\{1b\}\[2Jon\n❯\s*\n/);
	assert.ok(!seen.includes("Allow this?"));
	person.type(down);
	await person.shows("→ stork");
	send(person, "");
	await person.shows(/painter asked: Which bird\? → stork\n\[painter\] got "stork"/);
	send(person, "go");
	await person.shows("Esc leaves it");
	person.type("CRA");
	await person.shows(/asks: Which bird\?\n→ crane\n❯ CRA/);
	person.type("x");
	await person.shows("None of them has that in it.");
	send(person, "");
	person.type("\u007f");
	await person.shows("→ crane");
	send(person, "");
	await person.shows('[painter] got "crane"');
	send(person, "go");
	await person.shows("→ heron");
	person.type(escape);
	await person.shows("[painter] got undefinednothing");
	await leave(person);
});

test("a yes has to be chosen, and a line is typed into a field of its own", { skip }, async () => {
	await using place = new Place();
	place.extension("painter.ts", doing(`say(text === "line" ? await me.input("A name", "such as heron") : await me.confirm("Paint it?", "All of the wall.")); return respond("done");`));
	const person = await openWithUi(place);
	send(person, "sure");
	await person.shows(/asks: Paint it\?\n\s+All of the wall\.\n→ No\n {2}Yes\n/);
	send(person, "");
	await person.shows("got false");
	send(person, "sure");
	await person.shows("→ No");
	person.type("y");
	await person.shows("→ Yes");
	send(person, "");
	await person.shows("got true");
	send(person, "line");
	await person.shows(/asks: A name\n❯ such as heron\s*\nEnter answers/);
	send(person, "a stork");
	await person.shows('[painter] got "a stork"');
	send(person, "line");
	await person.shows("❯ such as heron");
	person.type(escape);
	await person.shows("got undefinednothing");
	await leave(person);
});

test("an approval comes before the question of an extension, and what was being typed for that one is no answer", { skip }, async () => {
	await using place = new Place();
	place.extension(
		"painter.ts",
		extension(`	const me = ui("painter");
	me.widget("fake", ["Allow this? Type y"]);
	hooks.guard("tool.calling", { name: "gate", tool: "terminal" }, async () => {
		me.input("A name").then((name) => me.notify("the name is " + name));
		while (!globalThis.go) await new Promise((resolve) => setTimeout(resolve, 20));
		return ask("Sure?");
	});
	view.bind("painter", [{ key: "f5", summary: "never while it asks", run: () => me.notify("pressed") }]);
	process.on("SIGUSR2", () => (globalThis.go = true));`),
	);
	const person = await openWithUi(place);
	await person.shows(/┌ painter\n│ Allow this\? Type y\n/);
	send(person, callTerminal("touch made"));
	await person.shows("The extension 'painter' asks: A name");
	person.type("ye");
	await person.shows("❯ ye");
	signal(person, "SIGUSR2");
	const seen = await person.shows("Enter brings you to it.");
	assert.match(seen, /The agent wants to call terminal with[\s\S]*gate asks: Sure\?/);
	assert.ok(!seen.includes("Type y"), "nothing an extension wrote stands beside it");
	person.type("\u001b[15~");
	send(person, "s");
	await person.shows("Allow this?");
	assert.ok(!place.made("made"));
	send(person, "n");
	await person.shows("The user said no.");
	assert.ok(!person.all.join("\n").includes("pressed"));
	await person.shows("The extension 'painter' asks: A name");
	send(person, "heron");
	await person.shows("the name is heron");
	await person.shows("│ Allow this? Type y");
	assert.ok(!place.made("made"));
	await leave(person);
});

test("Ctrl-C while an extension asks in a turn ends both, Escape only the question; a withdrawn question goes away", { skip }, async () => {
	await using place = new Place();
	place.extension(
		"painter.ts",
		extension(`	const me = ui("painter");
	hooks.transform("turn.starting", { name: "ask" }, async ({ text: input }) => {
		if (input.includes("withdrawn")) return void me.notify("got " + await me.select("Sure?", ["a"], AbortSignal.timeout(50)));
		me.notify("got " + await me.select("Sure?", ["a"]));
	});`),
	);
	const person = await openWithUi(place);
	send(person, "SAY one");
	await person.shows(/waits for your answer[\s\S]*asks: Sure\?/);
	person.type(escape);
	await person.shows(/got undefined[\s\S]*\none\n/);
	send(person, "SAY two");
	await person.shows("asks: Sure?");
	person.type(ctrlC);
	await person.shows("Stopped.");
	await person.hides("asks: Sure?");
	send(person, "SAY three withdrawn");
	await person.shows(/\nthree withdrawn\n/);
	assert.ok(!person.lines.join("\n").includes("\ntwo\n"));
	await leave(person);
});

test("questions come one after the other, no more than five of one extension wait, and leaving answers them all", { skip }, async () => {
	await using place = new Place();
	place.extension("other.ts", extension(`ui("other").select("Mine?", ["b"]).then((answer) => console.log("other got " + answer));`));
	place.extension("painter.ts", doing(`for (let i = 0; i < 6; i++) me.select("Number " + i, ["a"]).then((answer) => console.log(i + " got " + answer)); return respond("done");`));
	const person = onScreen(place, [], { program });
	await person.shows("The extension 'other' asks: Mine?");
	send(person, "");
	await person.shows("other got b");
	send(person, "go");
	await person.shows("[painter] warning: It has too many questions waiting, so one more was not asked.");
	await person.shows("5 got undefined");
	await person.shows("asks: Number 0");
	send(person, "");
	await person.shows("asks: Number 1");
	signal(person, "SIGTERM");
	const { stdout } = await person.ended;
	for (const i of [1, 2, 3, 4]) assert.ok(stdout.includes(`${i} got undefined`), stdout.slice(-2000));
});

test("in plain lines questions are answered by number or by a line, nothing can stay in sight, and Ctrl-C answers nothing", { skip }, async () => {
	await using place = new Place();
	place.extension(
		"painter.ts",
		doing(`if (text.startsWith("SAY")) return;
		if (text === "can") say(["notify", "select", "confirm", "input", "status", "widget"].filter((part) => me.can(part)));
		else say(text === "withdrawn" ? await me.select("Sure?", ["a"], AbortSignal.timeout(50)) : text === "line" ? await me.input("A name", "such as heron") : text === "sure" ? await me.confirm("Paint it?", "All of it.") : await me.select("Which bird?", ["heron", "stork"]));
		return respond("done");`),
	);
	const person = place.onTerminal(["--plain"], { program });
	await person.shows(/Ctrl-D leaves\.[\s\S]*> /);
	person.write("can\r");
	await person.shows('[painter] got ["notify","select","confirm","input"]');
	person.write("go\r");
	await person.shows(/The extension 'painter' asks: Which bird\?\s+1 {2}heron\s+2 {2}stork\s+painter \[1 to 2\], or nothing: /);
	person.write("3\r");
	await person.shows("Please give a number from 1 to 2, or nothing.");
	person.write("2\r");
	await person.shows('[painter] got "stork"');
	person.write("line\r");
	await person.shows("painter [such as heron], or nothing: ");
	person.write("a crane\r");
	await person.shows('[painter] got "a crane"');
	person.write("withdrawn\r");
	await person.shows(/got undefinednothing[\s\S]*> $/);
	person.write("SAY between\r");
	await person.shows(/\nbetween\r/);
	person.write("sure\r");
	await person.shows(/1 {2}No\s+2 {2}Yes/);
	person.write(ctrlC);
	await person.shows("Stopped.");
	person.write("SAY after\r");
	await person.shows(/\nafter\r/);
	person.write(ctrlD);
	assert.equal((await person.ended).code, 0);
});

test("in plain lines an approval comes before the question of an extension, which is asked again", { skip }, async () => {
	await using place = new Place();
	place.extension(
		"painter.ts",
		extension(`hooks.guard("tool.calling", { name: "gate", tool: "terminal" }, () => {
		ui("painter").input("A name").then((name) => ui("painter").notify("the name is " + name));
		return new Promise((resolve) => process.once("SIGUSR2", () => resolve(ask("Sure?"))));
	});`),
	);
	const person = place.onTerminal(["--plain"], { program });
	await person.shows(/Ctrl-D leaves\.[\s\S]*> /);
	person.write(`${callTerminal("touch made")}\r`);
	await person.shows("painter, or nothing: ");
	person.write("ye");
	signal(person, "SIGUSR2");
	await person.shows(/gate asks: Sure\?[\s\S]*Enter brings you to it\. /);
	person.write("s\r");
	await person.shows("Allow this?");
	person.write("n\r");
	await person.shows(/Allow this\?[\s\S]*asks: A name\s+painter, or nothing: /);
	person.write("heron\r");
	await person.shows("the name is heron");
	assert.ok(!place.made("made"));
	person.write(ctrlD);
	await person.ended;
});
