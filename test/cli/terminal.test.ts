// On a pseudo-terminal, where a person is: questions, Ctrl-C, Ctrl-D.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { eventually, isDead } from "../../src/system/test-waiting.ts";
import { callTerminal, extension, fileWritten, Place, type Running } from "./program.ts";

const skip = spawnSync("python3", ["-c", "import pty"]).status === 0 ? false : "there is no python3 to make a pseudo-terminal with";
/** The banner and the prompt are there. */
const ready = /Ctrl-D leaves\.[\s\S]*> /;
const ctrlC = "\u0003";
const ctrlD = "\u0004";
const text = ({ stdout }: Pick<Running, "stdout">): string => stripVTControlCharacters(stdout).replaceAll("\r", "");

const asking = extension(`	hooks.transform("tool.calling", { tool: "terminal" }, (call) => rewrite({ ...call.args, command: call.args.command + " # checked" }));
	hooks.guard("tool.calling", { name: "gate", tool: "terminal" }, () => ask("This makes a \\u001b[31mfile."));`);

test("without a terminal a question is answered no, and the model is told", async () => {
	await using place = new Place();
	place.extension("gate.ts", asking);
	const { code, stdout } = await place.run([], { stdin: `${callTerminal("touch made")}\nSEEN nobody is there to give it\n` });
	assert.deepEqual([code, stdout], [0, "DONE\n1\n"]);
	assert.ok(!place.made("made"));
	const [record] = await place.trace("--event", "tool.calling");
	assert.deepEqual([record?.outcome, record?.by], ["blocked", "nobody-there"]);
});

for (const [way, args] of [["run", ["run", callTerminal("touch made")]], ["a conversation", []]] as const) {
	const begin = async (place: Place): Promise<Running> => {
		place.extension("gate.ts", asking);
		const running = place.onTerminal(args);
		if (args.length === 0) {
			await running.shows(ready);
			running.write(`${callTerminal("touch made")}\r`);
		}
		await running.shows("Allow this?");
		return running;
	};
	const leave = async (running: Running, code: number): Promise<void> => {
		if (args.length === 0) {
			await running.shows(/DONE[\s\S]*> /);
			running.write(ctrlD);
		}
		assert.equal((await running.ended).code, code);
	};

	test(`${way}: the question shows what will run, exactly and harmlessly; yes runs it`, { skip }, async () => {
		await using place = new Place();
		const running = await begin(place);
		const question = text(running);
		assert.match(question, /The agent wants to call terminal with\n {4}\{\n {4} {2}"command": "touch made # checked"\n {4}\}\ngate\/gate asks: This makes a \\u\{1b\}\[31mfile\.\nAllow this\? \[y = yes, once \/ n = no, or n REASON\] /);
		running.write("yse\r");
		await running.shows("Please answer y or n.");
		assert.ok(!place.made("made"), "only a clear yes is one");
		running.write("y\r");
		await leave(running, 0);
		assert.ok(place.made("made"));
	});

	test(`${way}: no does not run it, and its reason reaches the model`, { skip }, async () => {
		await using place = new Place();
		const running = await begin(place);
		running.write("n not in this folder\r");
		await leave(running, 0);
		assert.ok(!place.made("made"));
		assert.equal((await place.run(["run", "--continue", "SEEN The user said no: not in this folder"])).stdout, "1\n");
	});

	test(`${way}: a yes typed before the question was asked is no answer to it`, { skip }, async () => {
		await using place = new Place();
		place.extension(
			"gate.ts",
			`import { existsSync } from "node:fs";\nimport { setTimeout } from "node:timers/promises";\n${extension(`	hooks.guard("tool.calling", async (call, context) => {
		context.log("thinking");
		while (!existsSync("typed")) await setTimeout(10);
		return ask("Really?");
	});`)}`,
		);
		const running = place.onTerminal(args);
		if (args.length === 0) {
			await running.shows(ready);
			running.write(`${callTerminal("touch made")}\r`);
		}
		await running.shows("thinking");
		// A whole line, and the beginning of another. It is echoed when it has arrived.
		running.write("y\ryes");
		await running.shows(/thinking[\s\S]*y[\s\S]*yes/);
		writeFileSync(`${place.work}/typed`, "");
		await running.shows("Allow this?");
		running.write("\r");
		await running.shows(/Please answer y or n\.[\s\S]*Allow this\? /);
		running.write("n\r");
		await leave(running, 0);
		assert.ok(!place.made("made"));
	});

	test(`${way}: Ctrl-C at the question stops the turn`, { skip }, async () => {
		await using place = new Place();
		const running = await begin(place);
		running.write(ctrlC);
		await running.shows("Stopped.");
		if (args.length === 0) {
			// What was typed of an answer is gone, and the conversation goes on.
			await running.shows(/Stopped\.[\s\S]*> /);
			running.write("SAY still here\r");
			await running.shows(/still here[\s\S]*still here/);
			running.write(ctrlD);
		}
		assert.equal((await running.ended).code, args.length === 0 ? 0 : 130);
		assert.ok(!place.made("made"));
	});
}


test("a conversation: banner, prompt, answers once each, slash commands, Ctrl-D leaves", { skip }, async () => {
	await using place = new Place();
	place.extension("one.ts", extension(`hooks.guard("tool.calling", () => undefined);`));
	place.extension("two.ts", "export default 1;\n");
	const running = place.onTerminal([]);
	await running.shows(ready);
	assert.match(text(running), /hookline \d+\.\d+\.\d+ · model rehearsal · 1 hook from 1 extension, 1 NOT LOADED · session \d{8}-\d{6}-\w{4}\n/);
	running.write("SLOW 20 one two three four five six seven\r");
	await running.shows(/one two three four five six seven\r?\n[\s\S]*> /);
	assert.equal(text(running).match(/^one two three four five six seven$/gm)?.length, 1);
	running.write("/help\r");
	await running.shows("what can be typed here");
	running.write("/quti\r");
	await running.shows("There is no command /quti. Did you mean 'quit'?");
	running.write("/hooks\r");
	await running.shows("one#1  guard tool.calling");
	running.write("/new\r");
	await running.shows("New session ");
	running.write(ctrlD);
	assert.equal((await running.ended).code, 0);
	assert.equal((await place.sessions()).length, 1, "a session without a message is not kept");
});

test("Ctrl-C stops a running tool and the conversation goes on; /quit leaves", { skip }, async () => {
	await using place = new Place();
	const running = place.onTerminal([]);
	await running.shows(ready);
	running.write(`${callTerminal("sleep 60 & echo $$ $! > pids; wait")}\r`);
	const pids = (await fileWritten(`${place.work}/pids`)).split(" ").map(Number);
	running.write(ctrlC);
	await running.shows(/Stopped\.[\s\S]*> /);
	running.write("SEEN the user stopped the turn\r");
	await running.shows(/\n1\r?\n/);
	await eventually(() => pids.every(isDead), "what the tool started is ended");
	running.write("/quit\r");
	assert.equal((await running.ended).code, 0);
});

test("an answer streams, and Ctrl-C stops it; twice at the prompt it leaves", { skip }, async () => {
	await using place = new Place();
	const running = place.onTerminal([]);
	await running.shows(ready);
	running.write("SLOW 50 " + "word ".repeat(1000) + "\r");
	await running.shows(/\nword word/);
	running.write(ctrlC);
	await running.shows("[the answer broke off]");
	await running.shows(/Stopped\.[\s\S]*> /);
	running.write(ctrlC);
	await running.shows("Press Ctrl-C once more to leave.");
	running.write(ctrlC);
	assert.equal((await running.ended).code, 0);
});

test("a closed terminal ends the conversation and what its tool had started", { skip }, async () => {
	await using place = new Place();
	const running = place.onTerminal([]);
	await running.shows(ready);
	running.write(`${callTerminal("sleep 60 & echo $$ $! > pids; wait")}\r`);
	const pids = (await fileWritten(`${place.work}/pids`)).split(" ").map(Number);
	running.signal("SIGKILL");
	await running.ended;
	await eventually(() => pids.every(isDead), "the tool is ended when its terminal is closed");
});
