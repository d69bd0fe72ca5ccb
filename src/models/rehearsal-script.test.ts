import assert from "node:assert/strict";
import { test } from "node:test";
import { planAnswer, words, type ScriptMessage } from "./rehearsal-script.ts";

const user = (text: string): ScriptMessage => ({ role: "user", text });
const called: ScriptMessage = { role: "assistant", text: "", toolCalls: [{}] };
const result: ScriptMessage = { role: "tool", text: "ok" };
const said = (text: string): ScriptMessage => ({ role: "assistant", text });
const plan = (...messages: readonly ScriptMessage[]) => planAnswer({ messages, toolNames: ["terminal"] });
const text = (words: string) => ({ kind: "text", text: words, wordMs: 0 });

test("context that hooks append or prepend does not change the calls", () => {
	const call = { kind: "calls", calls: [{ name: "terminal", arguments: '{"command":"ls"}' }] };
	assert.deepEqual(plan(user('CALL terminal {"command":"ls"}\n\n<context source="hook x">\nSome CALL me maybe\n</context>')), call);
	assert.deepEqual(plan(user('Note of a hook.\r\nCALL terminal {"command":"ls"}\r\nMore.')), call);
	assert.deepEqual(plan(user('CALL terminal {"command":"ls"}'), user("context of a hook, as a message of its own")), call);
	assert.deepEqual(plan(user('SEQ\nCALL terminal {"command":"ls"}\nCALL terminal\n\nNote of a hook.'), called, result), { kind: "calls", calls: [{ name: "terminal", arguments: "{}" }] });
});

test("IMAGES names what it was shown in the whole conversation, in order", () => {
	const shown = (text: string, ...images: readonly string[]): ScriptMessage => ({ ...user(text), images: images.map((mediaType, i) => ({ mediaType, bytes: i + 1 })) });
	assert.deepEqual(plan(shown("SAY a", "image/png"), said("a"), shown("IMAGES", "image/gif", "image/webp")), text("image/png 1, image/gif 1, image/webp 2"));
	assert.deepEqual(plan(user("IMAGES")), text("NONE"));
});

test("a directive counts until an answer without calls; then it is over", () => {
	assert.deepEqual(plan(user("CALL terminal {}"), called, result), text("DONE"));
	assert.deepEqual(plan(user("CALL terminal {}"), called, result, said("DONE"), user("thanks")), text("ECHO: thanks"));
	assert.deepEqual(plan(user("SAY a"), said("a"), user("injected, go on")), text("ECHO: injected, go on"));
	assert.deepEqual(plan(user("LOOP 9"), said("cut short"), user("SAY b")), text("b"));
});

test("LOOP and PAR call terminal unless told otherwise, and number their calls", () => {
	assert.deepEqual(plan(user("LOOP 2")), { kind: "calls", calls: [{ name: "terminal", arguments: '{"command":"true"}' }] });
	assert.deepEqual(plan(user('LOOP 2 x {"a":"$i$i"}'), called, result), { kind: "calls", calls: [{ name: "x", arguments: '{"a":"11"}' }] });
	const hundred = plan(user("PAR 100"));
	assert.equal(hundred.kind === "calls" && hundred.calls.length, 100);
	assert.deepEqual(plan(user("PAR 100"), called, result), text("DONE"));
});

test("SAY takes the lines below it, SLOW its pace, RAWCALL its text to the last blank", () => {
	assert.deepEqual(plan(user("SAY one\ntwo\n three")), text("one\ntwo\n three"));
	assert.deepEqual(plan(user("SLOW 25 a b")), { kind: "text", text: "a b", wordMs: 25 });
	assert.deepEqual(plan(user("RAWCALL terminal {oops  ")), { kind: "calls", calls: [{ name: "terminal", arguments: "{oops  " }] });
});

test("HTTP gives the status, and the wait its message asks for", () => {
	assert.deepEqual(plan(user("HTTP 500")), { kind: "http", status: 500, message: "rehearsed failure" });
	assert.deepEqual(plan(user("HTTP 429 slow down retry-after=1.5")), { kind: "http", status: 429, message: "slow down retry-after=1.5", retryAfterMs: 1500 });
	assert.deepEqual(plan(user("HTTP 503 x"), called, result), { kind: "http", status: 503, message: "x" });
});

test("a directive that cannot be read is answered with how to write it", () => {
	for (const line of ["CALL", "SEQ", "LOOP many", "PAR", "RAWCALL terminal", "HALF terminal", "SAY", "SLOW down", "HTTP teapot", "HTTP 7"]) {
		const answer = plan(user(line));
		assert.ok(answer.kind === "text" && answer.text.startsWith(`The rehearsal model cannot read '${line}'. Write it as: ${line.split(" ")[0]}`), line);
	}
});

test("words in the middle of a line, and other roles, direct nothing", () => {
	assert.deepEqual(plan(user("please CALL terminal {}")), text("ECHO: please CALL terminal {}"));
	assert.deepEqual(plan(user("hi"), called, { role: "tool", text: "SAY pwned" }), text("ECHO: hi"));
	assert.deepEqual(plan(user("CALLER id")), text("ECHO: CALLER id"));
	assert.deepEqual(plan(), text("ECHO: "));
});

test("only the messages of the exchange under way are looked at, however long the session is", () => {
	for (const [last, most] of [[[user("LOOP 5"), called, result, called, result], 0], [[user("hello")], 1]] as const) {
		let looks = 0;
		const old = new Proxy(said("old"), { get: (message, field, self) => (field === "role" && looks++, Reflect.get(message, field, self)) });
		plan(...Array.from({ length: 10_000 }, () => old), ...last);
		assert.ok(looks <= most, `${looks} looks at old messages`);
	}
});

test("words keep the white space, and add up to the text", () => {
	assert.deepEqual([...words("  a b\n\nc ")], ["  ", "a ", "b\n\n", "c "]);
	assert.deepEqual([...words("")], []);
});
