// How extensions show themselves in the conversation, seen through a terminal emulator.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { isDead } from "../../src/system/test-waiting.ts";
import { ctrlC, doing, leave, openWithUi, program, send, skip } from "./chat-with-ui.ts";
import { extension, fileWritten, Place } from "./program.ts";
import { onScreen } from "./screen.ts";

test("texts of extensions share a line below the status line, harmless and fairly cut, and can be taken away", { skip }, async () => {
	await using place = new Place();
	place.extension("other.ts", extension(`ui("other").status("a", "short");`));
	place.extension(
		"painter.ts",
		doing(`if (text === "off") me.status("git", undefined);
		else if (text === "gone") view.dropUi("painter");
		else if (text === "many") for (let i = 0; i < 9; i++) me.status("k" + i, "text" + i);
		else { me.status("git", "main\\u001b[31m\\u202e"); me.status("long", "l".repeat(500)); me.status("longer", "m".repeat(500)); }
		return respond("done");`),
	);
	const person = await openWithUi(place, { columns: 120 });
	await person.shows(/rehearsal · .*\nother: short$/);
	send(person, "on");
	await person.shows(/\nother: short · painter: main\\u\{1b\}\[31m\\u\{202e\} · l{8,}… · m{8,}…$/);
	assert.ok(person.lines.every((line) => line.length <= 120));
	send(person, "off");
	await person.shows(/\nother: short · painter: l{8,}… · m{8,}…$/);
	send(person, "many");
	await person.shows(/\[painter\] warning: It has 8 texts on the status line already, so 'k6' is not shown\./);
	assert.ok(!person.lines.join("\n").includes("k7"), "said once");
	for (const columns of [40, 80]) {
		person.resize(columns, 30);
		await person.shows(new RegExp(`\n─{${columns}}\n[\\s\\S]*\nother: short · .*\\+\\d$`));
		assert.ok(person.lines.every((line) => line.length <= columns));
	}
	send(person, "gone");
	await person.shows(/\nother: short$/);
	await leave(person);
});

test("widgets stand above and below the editor, cut to the width and to a part of the screen, and can be taken away", { skip }, async () => {
	await using place = new Place();
	place.extension(
		"painter.ts",
		doing(`const lines = (what, n) => Array.from({ length: n }, (_, i) => what + i);
		if (text === "off") { me.widget("top", undefined); me.widget("under", undefined); me.widget("more", undefined); }
		else { me.widget("top", [...lines("top", 11), "x"]); me.widget("under", ["wide " + "w".repeat(300), "\\u001b[2Jb"], "below"); if (text === "more") me.widget("more", lines("more", 10)); }
		return respond("done");`),
	);
	const person = await openWithUi(place, { columns: 60, rows: 60 });
	send(person, "on");
	await person.shows(/┌ painter\n(│ top\d\n){10}└ 2 more lines\n─+\n\s*\n─+\n┌ painter\n│ wide w+…\n│ \\u\{1b\}\[2Jb\nrehearsal/);
	send(person, "more");
	await person.shows(/└ 2 more lines\n(│ more\d\n){10}─+\n\s*\n─+\n┌ painter\n└ 2 more lines\nrehearsal/);
	person.resize(40, 24);
	await person.shows(/┌ painter\n(│ top\d\n){8}└ 4 more lines\n└ 10 more lines\n─{40}\n\s*\n─{40}\n┌ painter\n└ 2 more lines\nrehearsal/);
	send(person, "off");
	await person.hides("painter\n│");
	await person.shows(/done\n\n─{40}\n\s*\n─{40}\nrehearsal/);
	await leave(person);
});

test("an extension that floods is cut short: what is left out is counted, and it costs few frames", { skip }, async () => {
	await using place = new Place();
	place.extension("painter.ts", doing(`for (let i = 0; i < 100_000; i++) { me.status("n", "tick" + i); me.widget("n", ["tick" + i]); me.notify("note" + i, "error"); } return respond("done");`));
	const person = await openWithUi(place);
	const before = person.written.length;
	send(person, "go");
	await person.shows("99980 more notices left out: it writes too many.");
	await person.shows(/│ tick99999\n[\s\S]*painter: tick99999$/);
	const all = person.all.join("\n");
	assert.ok(all.includes("[painter] error: note19\n") && !all.includes("note20"));
	assert.ok(person.written.length - before < 100_000, `${person.written.length - before} characters were written`);
	await leave(person);
});

test("a notice is in its colour, a long one is cut, and none passes for another's", { skip }, async () => {
	await using place = new Place();
	place.extension("painter.ts", doing(`me.notify("red", "error"); me.notify("x".repeat(3000)); me.notify("one\\n[hookline] two", "warning"); return respond("done");`));
	const person = await openWithUi(place, { rows: 60 });
	send(person, "go");
	await person.shows(/\[painter\] error: red\n/);
	await person.shows(/x\s… \(1000 more characters\)/);
	await person.shows(/\n\[painter\] warning: one\n {2}\[hookline\] two\n/);
	assert.match(person.written, /\u001b\[38;5;210m\[painter\] error: red/);
	await leave(person);
});

test("a key of an extension runs, its failure is shown, /keys lists it, and a key that somebody has is refused by name", { skip }, async () => {
	await using place = new Place();
	const binding = (body: string) => `import { defineExtension } from "hookline";\nexport default defineExtension((hooks, { ui, registerShortcut }) => {\n${body}\n});\n`;
	place.extension(
		"painter.ts",
		binding(`	const bind = (key, run = () => {}) => registerShortcut({ key, summary: "paints with " + key, run });
	const brush = bind("alt+g", ({ cwd }) => ui.notify("painted in " + cwd));
	bind("f6", () => { throw new Error("no brush"); });
	bind("ctrl+c");
	bind("ctrl+a");
	hooks.observe("turn.started", () => brush[Symbol.dispose]());
	for (const why of globalThis.view.bind("quill", ["ctrl+m", "g", "hyper+g", "f13"].map((key) => ({ key, summary: "", run: () => {} })))) console.log(why);`),
	);
	place.extension("quill.ts", binding(`	registerShortcut({ key: "alt+g", summary: "writes", run: () => {} });`));
	const person = await openWithUi(place, { rows: 50, columns: 140 });
	const said = person.all.join("\n");
	assert.match(said, /hookline: The key 'ctrl\+c' of the extension 'painter' is taken: the chat has it \(stop the turn; .*\)\./);
	assert.match(said, /hookline: The key 'ctrl\+a' of the extension 'painter' is taken: the editor has it \(move to line start\)\./);
	assert.match(said, /hookline: The key 'alt\+g' of the extension 'quill' is taken: the extension 'painter' has it \(paints with alt\+g\)\./);
	assert.match(said, /The key 'ctrl\+m' of the extension 'quill' cannot be told from enter on most terminals\./);
	assert.match(said, /The key 'g' of the extension 'quill' needs ctrl, alt or super with it; only f1 to f12 go alone\./);
	for (const key of ["hyper+g", "f13"]) assert.ok(said.includes(`The key '${key}' of the extension 'quill' is no key; write it like 'alt+g', 'ctrl+alt+p' or 'f5'.`));
	send(person, "/keys");
	await person.shows(/\nctrl\+o {15}unfolds what tools gave[\s\S]*\nalt\+g {16}painter: paints with alt\+g\nf6 {19}painter: paints with f6\n/);
	person.type("\u001bg");
	await person.shows(`[painter] painted in ${place.work}`);
	person.type("\u001b[17~");
	await person.shows("[painter] error: The key f6 failed: no brush");
	send(person, "SAY hi");
	await person.shows(/\nhi\n/);
	send(person, "/clear");
	await person.hides("painter: paints");
	send(person, "/keys");
	await person.shows("painter: paints with f6");
	assert.ok(!person.lines.join("\n").includes("alt+g"));
	await leave(person);
});

test("the arguments of a command are completed by the extension that brought it; one that hangs or fails holds nothing up", { skip }, async () => {
	await using place = new Place();
	place.extension(
		"painter.ts",
		`import { defineExtension } from "hookline";
export default defineExtension((_hooks, hookline) => {
	const complete = async (args) => {
		if (args.startsWith("late")) return new Promise(() => {});
		if (args.startsWith("bad")) throw new Error("no");
		return ["heron", "stork"].filter((bird) => bird.startsWith(args));
	};
	hookline.registerCommand({ name: "paint", summary: "paints a bird", run: async (args) => "painted " + args, complete });
});
`,
	);
	const person = await openWithUi(place);
	person.type("/pai");
	await person.shows("→ paint");
	person.type("\t");
	await person.shows(/─\n\/paint\s*\n─/);
	person.type("h");
	await person.shows("→ heron");
	person.type("\t");
	await person.shows(/─\n\/paint heron\s*\n─/);
	send(person, "");
	await person.shows("painted heron");
	for (const text of ["/paint late", "/paint bad"]) {
		person.type(`${text}\t`);
		await person.shows(new RegExp(`─\n${text}\\s*\n─`));
		person.type(ctrlC);
		await person.hides(text);
	}
	await leave(person);
});

test("Ctrl-C while a server that hangs is waited for at the start ends the program, and the server", { skip }, async () => {
	await using place = new Place();
	place.config(JSON.stringify({ mcp: { slow: { command: "sh", args: ["-c", `echo $$ > ${place.work}/pid; exec sleep 600`] } } }));
	const person = onScreen(place, []);
	const pid = Number(await fileWritten(join(place.work, "pid")));
	person.type(ctrlC);
	const { code, stdout } = await person.ended;
	assert.equal(code, 130, stdout);
	assert.ok(isDead(pid));
});

test("wrong arguments are told to the author, by call", { skip }, async () => {
	await using place = new Place();
	place.extension(
		"painter.ts",
		doing(`for (const wrong of [() => me.notify(7), () => me.notify("a", "loud"), () => me.select("a", "b"), () => me.status(null, "a"), () => me.widget("a", [1]), () => me.widget("a", [], "left"), () => me.select("a", Array(1001).fill("x"))]) await Promise.try(wrong).catch((error) => me.notify(error.message)); return respond("done");`),
	);
	const person = await openWithUi(place);
	send(person, "go");
	await person.shows("ui.select: 1001 options are too many for a person; 1000 at most.");
	const seen = person.lines.join("\n");
	for (const message of ["ui.notify: the text is a text, not a number.", "ui.notify: the kind is one of info, warning, error, not 'loud'.", "ui.select: the options are a list of texts, not 'b'.", "ui.status: the key is a text, not null.", "ui.widget: the lines are a list of texts, not a list of other things.", "ui.widget: the place is 'above' or 'below', not 'left'."]) assert.ok(seen.includes(message), message);
	await leave(person);
});

test("in a pipe notices go to stderr and nobody is asked", async () => {
	await using place = new Place();
	place.extension("painter.ts", doing(`me.status("a", "b"); say([["notify", "select", "status"].filter((part) => me.can(part)), await me.select("a", ["b"]) ?? "nobody", await me.confirm("a", "b")]); return respond("done");`));
	const { stdout, stderr } = await place.start([], { stdin: "go\n", program }).ended;
	assert.equal(stdout, "done\n");
	assert.match(stderr, /^\[painter\] got \[\["notify"\],"nobody",false\]\n/);
});
