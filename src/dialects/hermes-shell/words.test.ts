import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { askPython } from "../../../test/python.ts";
import { shellWords, splitCommand, splitWords } from "./words.ts";

test("words are split as Python's shlex splits them", (t) => {
	const pieces = fc.constantFrom("a", "b c", "'", '"', "\\", " ", "\t", "\n", "$x", "~", "é", "#", "|", "\\\n", '\\"', "''", "x=1");
	const commands = fc.sample(fc.array(pieces, { maxLength: 10 }).map((parts) => parts.join("")), { numRuns: 5000, seed: 3 });
	const program = "import sys, json, shlex\ndef split(c):\n  try: return shlex.split(c)\n  except ValueError: return None\nprint(json.dumps([split(c) for c in json.load(sys.stdin)]))";
	const expected = askPython(t, program, commands);
	if (expected === undefined) return;
	const ours = commands.map((command) => {
		const split = splitWords(command);
		return "mistake" in split ? null : split;
	});
	for (const [i, words] of (expected as unknown[]).entries()) assert.deepEqual(ours[i], words, JSON.stringify(commands[i]));
	assert.ok(ours.includes(null) && ours.some((words) => words !== null && words.length > 2));
});

test("a tilde is the home folder at the beginning alone, whatever that folder is called", () => {
	assert.deepEqual(splitCommand("~/a.sh ~/b", "/home/it's me"), { words: ["/home/it's me/a.sh", "~/b"] });
	assert.deepEqual(splitCommand("~ x", "/home/me"), { words: ["/home/me", "x"] });
	assert.deepEqual(splitCommand("~/my\\ hook.sh", "/home/me"), { words: ["/home/me/my hook.sh"] });
	assert.deepEqual(splitCommand("~you/a.sh", "/home/me"), { mistake: "begins with another user's home: write that path out" });
});

test("a command without a program is none", () => {
	for (const command of ["", "  ", "''", "'' x"]) assert.deepEqual(splitCommand(command, "/home/me"), { mistake: "names no program" });
	assert.deepEqual(splitCommand('a "b', "/home/me"), { mistake: 'has a " that is never closed' });
	assert.deepEqual(splitCommand("a \\", "/home/me"), { mistake: "ends with a backslash that escapes nothing" });
});

test("words that only a shell understands are found, others are not", () => {
	assert.deepEqual(shellWords(["cat", "|", "a|b", "&&", ">x", "2>&1", "$HOME", "$(date)", "<"]), ["|", "&&", ">x", "2>&1", "$HOME", "$(date)", "<"]);
	assert.deepEqual(shellWords(["--price=$5", "a>b", "-c", "x;y", "100%"]), []);
});
