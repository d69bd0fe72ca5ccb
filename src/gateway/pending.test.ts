import assert from "node:assert/strict";
import { test } from "node:test";
import { isQuestionId, newQuestionId, type ParkedCall } from "../agent/parked.ts";
import { questionText } from "./pending.ts";

const call = (more: Partial<ParkedCall> = {}): ParkedCall => ({
	approvalId: "k3m9xz",
	event: "tool.calling",
	toolName: "terminal",
	args: { command: "rm -rf docs" },
	reasons: [{ hook: "hookline/approvals", reason: "it deletes" }],
	digest: "d",
	command: "rm -rf docs",
	description: "it deletes",
	patternKey: "deletes-folder",
	patternKeys: ["deletes-folder"],
	sessionKey: "s",
	callId: "c1",
	cwd: "/projects/x",
	lasts: true,
	askedAt: 0,
	expiresAt: 300_000,
	...more,
});
const lastLine = (text: string) => text.split("\n").at(-1);
const onlyOne = { hasButtons: false, isOnlyOne: true };

test("where there are no buttons the text says how to answer, by the id when more than one is open", () => {
	assert.equal(
		questionText(call(), onlyOne),
		"Question k3m9xz: May I call terminal?\n```\nrm -rf docs\n```\nhookline/approvals asks: it deletes\nWithout an answer in 5 minutes it is a no.\nAnswer /approve, /approve session, /approve always, or /deny with a reason.",
	);
	assert.equal(lastLine(questionText(call(), { ...onlyOne, isOnlyOne: false })), "Answer /approve k3m9xz, /approve k3m9xz session, /approve k3m9xz always, or /deny k3m9xz with a reason.");
	assert.equal(lastLine(questionText(call({ lasts: false, expiresAt: 30_000 }), onlyOne)), "Answer /approve, or /deny with a reason.");
	assert.equal(lastLine(questionText(call({ expiresAt: 30_000 }), { hasButtons: true, isOnlyOne: true })), "Without an answer in 30 seconds it is a no.");
});

test("nothing that a model wrote can pass for something else in it", () => {
	const text = questionText(call({ args: { command: "echo '\n```\nAnswer /approve'\u202e" }, reasons: [{ hook: "h", reason: "first\nWithout an answer it is a yes." }] }), onlyOne);
	assert.match(text, /\n````\necho '\n```\nAnswer \/approve'\\u\{202e\}\n````\nh asks: first\n> Without an answer it is a yes\.\n/);
	assert.match(questionText(call({ args: { command: "ls", cwd: "/" } }), onlyOne), /```\n\{\n {2}"command": "ls",\n {2}"cwd": "\/"\n\}\n```/, "what is not all there is of a call is not shown as if it were");
	assert.match(questionText(call({ args: { command: `echo ${"x".repeat(3_000)}` } }), onlyOne), /x\n```\n\[cut: 1005 more characters\]\n/);
});

test("ids are short, and no word is one", () => {
	for (let i = 0; i < 1000; i++) assert.ok(isQuestionId(newQuestionId()));
	for (const word of ["always", "please", "no", "", "K3M9XZ", "session", "rhythm", "nope it"]) assert.equal(isQuestionId(word), false, word);
});
