// The conversation in a full terminal, seen through a terminal emulator.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { callTerminal, extension, fileWritten, Place } from "./program.ts";
import { onScreen, type Screen, type ScreenOptions } from "./screen.ts";

const skip = spawnSync("python3", ["-c", "import pty"]).status === 0 ? false : "there is no python3 to make a pseudo-terminal with";
const ctrlC = "\u0003";
const ctrlD = "\u0004";
const ctrlO = "\u000f";
const escape = "\u001b";
const altEnter = "\u001b\r";
const up = "\u001b[A";

/** Starts it and waits for its editor. */
async function open(place: Place, args: readonly string[] = [], options: ScreenOptions = {}): Promise<Screen> {
	const person = onScreen(place, args, options);
	await person.shows(/─{20}[\s\S]*─{20}[\s\S]*\d hooks? ·/);
	return person;
}

async function leave(person: Screen): Promise<void> {
	person.type(ctrlD);
	const { code, stdout } = await person.ended;
	assert.equal(code, 0, stdout.slice(-2000));
}

/** Enter is typed apart: together with other keys in one piece it would be part of a paste to some terminals. */
const send = (person: Screen, text: string) => person.type(`${text}\r`);

/** Ctrl-C empties the editor once nothing runs any more; before that it stops what runs. */
async function emptyEditor(person: Screen): Promise<void> {
	await person.hides(/Working|Stopping/);
	person.type(ctrlC);
}

test("a first conversation without a key: what runs, what to do next, an editor, a status line; Ctrl-D leaves", { skip }, async () => {
	await using place = new Place();
	const person = await open(place);
	const seen = person.lines.join("\n");
	assert.match(seen, /^hookline \d+\.\d+\.\d+ · model rehearsal · 0 hooks from 0 extensions · session \S+\n/);
	assert.match(seen, /The rehearsal model is offline and does what you write.*Set another with --model or\s+HOOKLINE_MODEL\./s);
	assert.match(seen, /\nrehearsal · 0 hooks · \d{8}-\d{6}-\w{4}$/);
	send(person, "SAY a heron");
	await person.shows(/❯ SAY a heron\n\na heron\n/);
	await leave(person);
	assert.deepEqual(person.all.filter((line) => line.trim() !== "").slice(-2), ["❯ SAY a heron", "a heron"], "editor and status are gone, the conversation stays");
});

test("what hooks did to a tool call stands under it: who rewrote what in how many ms, who blocked it and why", { skip }, async () => {
	await using place = new Place();
	place.extension(
		"house.ts",
		extension(`	hooks.transform("tool.calling", { name: "nice", tool: "terminal" }, (call) => rewrite({ ...call.args, command: call.args.command + " hooked" }));
	hooks.guard("tool.calling", { name: "no-rm", tool: "terminal" }, (call) => call.args.command.startsWith("rm") ? block("Not here.") : undefined);`),
	);
	const person = await open(place);
	send(person, callTerminal("echo it is"));
	await person.shows("DONE");
	await person.shows(/● terminal echo it is hooked \d+(\.\d+)? ms\n {4}⚑ house\/nice rewrote args\.command: "echo it is" → "echo it is hooked" in \d+(\.\d+)? ms\n {2}│ it is hooked\n/);
	send(person, callTerminal("rm x"));
	await person.shows(/⊘ terminal rm x blocked by house\/no-rm\n(.*\n)? {4}⚑ house\/no-rm blocked it in \d+(\.\d+)? ms: Not here\.\n/);
	await leave(person);
});

test("a question shows what would run; what was being typed is no answer to it and is there again afterwards", { skip }, async () => {
	await using place = new Place();
	place.extension("gate.ts", extension(`hooks.guard("tool.calling", { name: "gate", tool: "terminal" }, async (call) => { await new Promise((r) => setTimeout(r, 300)); return ask("Sure?"); });`));
	const person = await open(place);
	send(person, callTerminal("touch made"));
	await person.shows("Working");
	person.type("yes, and");
	const seen = await person.shows("Allow this?");
	assert.match(seen, /The agent wants to call terminal with\n {4}\{\n {6}"command": "touch made"\n {4}\}\ngate\/gate asks: Sure\?/);
	assert.match(seen, /waits for your answer/);
	send(person, "");
	await person.shows("Please answer y or n.");
	assert.ok(!place.made("made"));
	send(person, "y");
	await person.shows(/Allowed by you after \d/);
	await person.shows("DONE");
	assert.ok(place.made("made"));
	await person.shows(/─\nyes, and\s*\n─/);
	await emptyEditor(person);
	await person.hides("yes, and");
	send(person, callTerminal("touch other"));
	await person.shows(/Allow this\?[\s\S]*❯ *\n/);
	send(person, "n not now");
	await person.shows("The user said no: not now");
	assert.ok(!place.made("other"));
	await leave(person);
});

for (const [what, command, hook] of [
	["a running command", "echo $$ > pid; sleep 60", ""],
	["a hanging hook", "touch made", `hooks.guard("tool.calling", { name: "stuck" }, () => new Promise(() => {}));`],
] as const) {
	for (const [name, key] of [["Ctrl-C", ctrlC], ["Escape", escape]] as const) {
		test(`${name} stops ${what} at once, and the conversation goes on`, { skip }, async () => {
			await using place = new Place();
			if (hook !== "") place.extension("slow.ts", extension(hook));
			const person = await open(place);
			send(person, callTerminal(command));
			if (hook === "") await fileWritten(join(place.work, "pid"));
			else await person.shows(/slow\/stuck holds up tool\.calling[\s\S]*1 of 1 hook pending/);
			person.type(key);
			await person.shows("Stopped.");
			if (hook === "") await eventually(() => isDead(Number(place.read("pid"))), "the command is gone");
			assert.ok(!place.made("made"));
			send(person, "SAY still here");
			await person.shows(/\nstill here\n/);
			await leave(person);
		});
	}
}

test("Ctrl-C at an empty editor warns, and again it leaves", { skip }, async () => {
	await using place = new Place();
	const person = await open(place);
	person.type(ctrlC);
	await person.shows("Press Ctrl-C once more to leave.");
	person.type(ctrlC);
	assert.equal((await person.ended).code, 0);
});

test("what is sent while it works joins the turn at its next step; Alt-Enter keeps it for after the turn", { skip }, async () => {
	await using place = new Place();
	const person = await open(place);
	send(person, `SEQ${"\n"}${callTerminal("until [ -e go ]; do sleep 0.05; done")}${"\n"}${callTerminal("echo two")}`);
	await person.shows("Working");
	send(person, "SAY a rudder");
	await person.shows("↪ joins at the next step: SAY a rudder");
	person.type("SEEN rudder");
	person.type(altEnter);
	await person.shows("after this turn: SEEN rudder");
	writeFileSync(join(place.work, "go"), "");
	await person.shows(/❯ SAY a rudder\n\na rudder\n\n❯ SEEN rudder\n\n2\n/);
	assert.ok(!person.lines.join("\n").includes("● terminal echo two"), "the turn went another way");
	await leave(person);
});

test("what had not joined when the turn was stopped comes back into the editor", { skip }, async () => {
	await using place = new Place();
	const person = await open(place);
	send(person, callTerminal("sleep 60"));
	await person.shows("Working");
	send(person, "one more thing");
	await person.shows("↪ joins");
	person.type(escape);
	await person.shows(/Stopped\.[\s\S]*─\none more thing\s*\n─/);
	assert.equal((await place.sessions())[0]?.messages, 3);
	await emptyEditor(person);
	await leave(person);
});

test("a command about the run works while it runs, another waits for its end", { skip }, async () => {
	await using place = new Place();
	const person = await open(place);
	send(person, callTerminal("sleep 60"));
	await person.shows("Working");
	send(person, "/status");
	await person.shows(/session {3}\S+, 2 messages/);
	send(person, "/new");
	await person.shows("after this turn: /new");
	send(person, "/stop");
	await person.shows(/Stopped\.[\s\S]*─\n\/new\s*\n─/);
	await emptyEditor(person);
	await leave(person);
});

test("a line with an exclamation mark runs in the shell, past the model, which then knows of it; two keep it from the model", { skip }, async () => {
	await using place = new Place();
	const person = await open(place);
	send(person, "!echo a heron; exit 3");
	await person.shows(/\$ echo a heron; exit 3\n {2}│ a heron\n {2}│ \[exit code 3\]/);
	send(person, "!!echo a stork");
	await person.shows(/│ a stork/);
	send(person, "SEEN heron");
	await person.shows(/❯ SEEN heron\n\n1\n/);
	send(person, "SEEN stork");
	await person.shows(/❯ SEEN stork\n\n0\n/);
	send(person, "!sleep 60");
	await person.shows(/\$ sleep 60[\s\S]*Working/);
	person.type(ctrlC);
	await person.hides("Working");
	await leave(person);
});

test("hooks of shell.running rewrite, answer and refuse a command of the user's own, and terminal.returning sees its output", { skip }, async () => {
	await using place = new Place();
	place.extension(
		"mine.ts",
		extension(`	hooks.transform("shell.running", { name: "mine" }, ({ command }) => command === "no" ? block("Not that one.") : command === "what" ? respond("an answer") : rewrite(command + " there"));
	hooks.transform("terminal.returning", { name: "hide" }, ({ output }) => rewrite(output.replace("secret", "******")));`),
	);
	const person = await open(place);
	send(person, "!echo secret");
	await person.shows(/│ \*{6} there/);
	send(person, "!no");
	await person.shows("[Blocked by mine/mine] Not that one.");
	send(person, "!what");
	await person.shows(/\$ what\n {2}│ an answer/);
	send(person, "SEEN secret there");
	await person.shows(/\n1\n/);
	await leave(person);
	const records = await place.trace("--event", "shell.running");
	assert.deepEqual(records.map(({ outcome }) => outcome).toSorted(), ["blocked", "go", "responded"]);
});

test("from 40 to 200 columns and back everything stays readable, and nothing that scrolled off is emptied", { skip }, async () => {
	await using place = new Place();
	const person = await open(place, [], { columns: 100, rows: 24 });
	send(person, `SAY ${Array.from({ length: 60 }, (_, i) => `word${i} `.repeat(12).trim()).join("\n\n")}`);
	await person.shows(/word59( word59)+/);
	for (const columns of [40, 200, 60, 100]) {
		person.resize(columns, 24);
		const rule = new RegExp(`(^|\n)─{${columns}}\n\\s*\n─{${columns}}\nrehearsal`);
		await person.shows(rule);
		await person.shows("word59");
		for (const line of person.lines) assert.ok(line.length <= columns);
	}
	const all = person.all.join("\n");
	for (let i = 0; i < 60; i++) assert.ok(all.includes(`word${i} `), `word${i} is still there`);
	await leave(person);
});

test("five thousand lines stream by, each once and in order, and scrolled-off lines are not drawn again", { skip }, async () => {
	await using place = new Place();
	const person = await open(place, [], { columns: 80, rows: 24 });
	person.type(`\u001b[200~SAY ${Array.from({ length: 5000 }, (_, i) => `line ${i}`).join("\n")}\u001b[201~`);
	await person.shows("[paste #1");
	person.type("\r");
	await person.shows(/line 4999\n\n─/);
	const lines = person.all.filter((line) => /^line \d+$/.test(line)).map((line) => Number(line.slice(5)));
	assert.deepEqual(lines, Array.from({ length: 5000 }, (_, i) => i));
	await leave(person);
	assert.ok(!(await person.ended).stdout.includes("\u001b[3J"), "the terminal's own history is never emptied");
});

test("a paste of a megabyte is taken whole", { skip }, async () => {
	await using place = new Place();
	const person = await open(place);
	const lines = Array.from({ length: 20_000 }, (_, i) => `${i} ${"x".repeat(46)}`);
	person.type(`\u001b[200~SAY begin\n${lines.join("\n")}\nthe very end\u001b[201~`);
	await person.shows(/\[paste #1 \+2000\d lines\]/);
	send(person, "");
	await person.shows(/the very end\n\n─/);
	await leave(person);
	assert.equal((await place.run(["run", "--continue", "SEEN the very end"])).stdout, "2\n");
});

test("Markdown is shown as such, and code in colours; with NO_COLOR nothing has a colour", { skip }, async () => {
	await using place = new Place();
	const text = "SAY # A title\n\nSome **bold** `code`.\n\n- one\n- two\n\n```ts\nconst answer = 42; // why\n```\n\nThe end.";
	for (const [env, coloured] of [[{}, true], [{ NO_COLOR: "1" }, false]] as const) {
		const person = await open(place, [], { env });
		person.type(`\u001b[200~${text}\u001b[201~`);
		send(person, "");
		const seen = await person.shows(/The end\.\n\n─/);
		assert.match(seen, /\nA title\n\nSome bold code\.\n\n- one\n- two\n\n▏ const answer = 42; \/\/ why\n\nThe end\.\n/);
		if (coloured) await eventually(() => person.written.includes("\u001b[38;5;176mconst"), "the keyword has its colour");
		await leave(person);
		if (!coloured) assert.doesNotMatch(person.written, /\u001b\[[\d;]*(?:3[0-7]|38;5;\d+|9[0-7])m/);
	}
});

test("on a light background the colours are darker ones", { skip }, async () => {
	await using place = new Place();
	for (const options of [{ background: "rgb:ffff/ffff/ffff" }, { env: { COLORFGBG: "0;15" } }]) {
		const person = await open(place, [], options);
		await eventually(() => person.written.includes("\u001b[38;5;242mrehearsal"), "the status line is dark grey");
		await leave(person);
	}
});

test("Ctrl-O unfolds what tools gave, and folds it again", { skip }, async () => {
	await using place = new Place();
	const person = await open(place);
	send(person, callTerminal("seq 101 120"));
	await person.shows(/│ 105\n {2}└ 15 more lines, Ctrl-O shows them/);
	person.type(ctrlO);
	await person.shows(/│ 119\n {2}│ 120\n/);
	person.type(ctrlO);
	await person.shows(/│ 105\n {2}└ 15 more lines/);
	await leave(person);
});

test("a conversation that is taken up shows where it was, and what was typed before is a key away", { skip }, async () => {
	await using place = new Place();
	const before = await open(place);
	send(before, callTerminal("echo a heron"));
	await before.shows("DONE");
	send(before, "!echo mine");
	await before.shows("│ mine");
	await leave(before);
	const person = await open(place, ["--continue"]);
	assert.match(person.lines.join("\n"), /❯ CALL terminal \{"command":"echo a heron"\}\n\n● terminal echo a heron\n {2}│ a heron\n\nDONE\n\n\$ echo mine\n {2}│ mine\n/);
	person.type(up);
	await person.shows(/─\n!echo mine\s*\n─/);
	person.type(up);
	await person.shows(/─\nCALL terminal \{"command":"echo a heron"\}\s*\n─/);
	await emptyEditor(person);
	await leave(person);
});

test("commands and paths are completed; Enter sends what is typed unless an entry was picked", { skip }, async () => {
	await using place = new Place();
	writeFileSync(join(place.work, "heron.txt"), "");
	const person = await open(place);
	person.type("/st");
	await person.shows("→ stop");
	person.type("\t");
	await person.shows(/─\n\/stop\s*\n─/);
	await emptyEditor(person);
	person.type("look at @her");
	await person.shows("→ heron.txt");
	person.type("\t");
	await person.shows(/─\nlook at @heron\.txt\s*\n─/);
	await emptyEditor(person);
	send(person, "/sess");
	await person.shows("There is no command /sess. Did you mean 'sessions'?");
	await leave(person);
});

test("what an extension writes past everything stands in the conversation, not across the screen", { skip }, async () => {
	await using place = new Place();
	place.extension("loud.ts", extension(`hooks.observe("turn.started", () => { console.log("to stdout"); process.stderr.write("to stderr\\u001b[2J\\n"); });`));
	const person = await open(place);
	send(person, "SAY hi");
	await person.shows("to stdout");
	await person.shows("to stderr\\u{1b}[2J");
	await person.shows(/\nhi\n/);
	await leave(person);
});

test("/clear empties the screen and forgets nothing; /trace, /tools and /extensions say what there is", { skip }, async () => {
	await using place = new Place();
	place.extension("one.ts", extension(`hooks.guard("tool.calling", { name: "yes" }, () => allow());`));
	place.extension("two.ts", "throw new Error('no such luck');\n");
	const person = await open(place, [], { rows: 50 });
	send(person, callTerminal("echo a heron"));
	await person.shows("DONE");
	send(person, "/clear");
	await person.hides("heron");
	send(person, "SEEN heron");
	await person.shows(/❯ SEEN heron\n\n2\n/);
	send(person, "/trace");
	await person.shows(/tool\.calling terminal → go by one\/yes\n {4}one\/yes {2}guard {2}allow/);
	send(person, "/extensions");
	await person.shows(/one {2}inline {2}1 hook {2}\S+one\.ts\ntwo {2}NOT LOADED: .*no such luck/);
	send(person, "/tools");
	await person.shows(/terminal {9}Runs a shell command/);
	await leave(person);
});

test("a terminal that is closed ends the conversation and what its tool had started", { skip }, async () => {
	await using place = new Place();
	const person = await open(place);
	send(person, callTerminal("echo $$ > pid; sleep 60"));
	const pid = Number(await fileWritten(join(place.work, "pid")));
	person.signal("SIGKILL");
	await eventually(() => isDead(pid), "the command is gone");
	await eventually(async () => (await place.sessions())[0]?.inUseBy === undefined, "the session is given back");
	assert.equal((await place.sessions())[0]?.messages, 3);
});

test("Ctrl-Z where nobody could go on with it afterwards leaves everything as it was", { skip }, async () => {
	await using place = new Place();
	const person = await open(place);
	person.type("\u001a");
	// It takes the terminal once more.
	await eventually(() => person.written.split("\u001b[?2004h").length > 2, "the editor is back");
	send(person, "SAY still here");
	await person.shows(/\nstill here\n/);
	await leave(person);
});

test("without a screen to draw on, or when asked, it is lines", { skip }, async () => {
	await using place = new Place();
	for (const [args, env] of [[["--plain"], { TERM: "xterm-256color" }], [[], { TERM: "dumb" }]] as const) {
		const person = place.onTerminal(args, { env });
		await person.shows(/Ctrl-D leaves\.[\s\S]*> /);
		person.write("!echo a heron\r");
		await person.shows(/\na heron\r\n[\s\S]*> /);
		person.write(ctrlD);
		const { code, stdout } = await person.ended;
		assert.equal(code, 0);
		assert.ok(!stdout.includes("─"));
	}
	assert.equal((await place.run([], { stdin: "!echo a heron\n" })).stdout, "ECHO: !echo a heron\n", "what comes through a pipe is nobody's command");
});
