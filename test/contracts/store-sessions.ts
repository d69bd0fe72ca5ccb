// What every store has to do with sessions beyond keeping them: read a part, search, name, fork, delete.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Message } from "../../src/events/payloads/model.ts";
import { SessionInUseError } from "../../src/stores/leases.ts";
import type { MessageSearch } from "../../src/stores/sessions.ts";
import { stateOfSession } from "../../src/stores/state.ts";
import type { Store, StoreOptions } from "../../src/stores/store.ts";
import { dispatch, newSession, storeError } from "./store.ts";

const user = (text: string): Message => ({ role: "user", text });
const says = (text: string): Message => ({ role: "assistant", text });
const calls = (...ids: readonly string[]): Message => ({ role: "assistant", text: "", toolCalls: ids.map((id) => ({ id, name: "terminal", arguments: '{"command":"ls walrus"}' })) });
const result = (callId: string, text: string): Message => ({ role: "tool", callId, name: "terminal", text });

export function storeSessionsContract(name: string, open: (options: StoreOptions) => Store): void {
	describe(name, () => {
		let store: Store;
		beforeEach(() => void (store = open({ onProblem: assert.fail })));
		afterEach(() => store.close());

		const kept = (id: string, messages: readonly Message[], more = {}) => {
			store.sessions.create(newSession(id, more));
			store.sessions.append(id, messages);
		};
		const found = (words: string, more: Partial<MessageSearch> = {}) => store.sessions.search({ words, ...more }).map(({ sessionId, number }) => `${sessionId}:${number}`);

		it("entries give the messages with their numbers and times, however many there are", () => {
			const texts = Array.from({ length: 450 }, (_, i) => `message ${i}`);
			const before = Date.now();
			kept("s1", texts.map(user));
			const entries = [...store.sessions.entries("s1")];
			assert.deepEqual(entries.map(({ message }) => message), texts.map(user));
			assert.deepEqual(entries.map(({ number }) => number), texts.map((_, i) => i + 1));
			assert.ok(entries.every(({ at }) => at >= before && at <= Date.now()));
			assert.deepEqual([...store.sessions.entries("unknown")], []);
		});

		describe("search", () => {
			it("finds messages in which all words begin, the newest first, also those added since the last search", () => {
				kept("s1", [user("A heron stood in the Reeds"), says("herons fish"), user("reeds")]);
				kept("s2", [user("no birds")]);
				assert.deepEqual(found("heron"), ["s1:2", "s1:1"]);
				assert.deepEqual(found("REED her"), ["s1:1"]);
				store.sessions.append("s2", [says("one heron")]);
				assert.deepEqual(found("heron"), ["s2:2", "s1:2", "s1:1"]);
				assert.deepEqual(found("heron", { limit: 1 }), ["s2:2"]);
				assert.deepEqual(found("eron"), []);
			});

			it("looks into what tools were asked and what they gave", () => {
				kept("s1", [user("go"), calls("1"), result("1", "narwhal.txt")]);
				assert.deepEqual([found("walrus"), found("narwhal")], [["s1:2"], ["s1:3"]]);
			});

			it("can be bounded by role, folder and time", async () => {
				kept("s1", [user("heron"), says("heron")], { cwd: "/a" });
				await new Promise((resolve) => setTimeout(resolve, 5));
				const since = Date.now();
				kept("s2", [user("heron")], { cwd: "/b" });
				assert.deepEqual(found("heron", { role: "user" }), ["s2:1", "s1:1"]);
				assert.deepEqual(found("heron", { cwd: "/a" }), ["s1:2", "s1:1"]);
				assert.deepEqual(found("heron", { since }), ["s2:1"]);
				assert.deepEqual(found("heron", { cwd: "/a", role: "assistant", since: 0 }), ["s1:2"]);
			});

			it("takes what is typed as words, not as a query language", () => {
				kept("s1", [user('say "NOT this" OR (that) é naïve 東京 null\0inside half \ud800 end')]);
				for (const words of ['"NOT', "OR", "(that)", "e", "naive", "東京", "inside", "half end", "src/a*b:NEAR(", "-- ;"]) {
					assert.deepEqual(found(words), words.startsWith("src") || words.startsWith("--") ? [] : ["s1:1"], words);
				}
				for (const nothing of ["", "  ", "*", "\0", "\ud800", "null\0inside"]) assert.deepEqual(found(nothing), []);
			});

			it("gives the message, its session's folder and what the session is called", () => {
				kept("s1", [user("a heron")]);
				const [first] = store.sessions.search({ words: "heron" });
				assert.deepEqual([first?.message, first?.cwd, first?.title], [user("a heron"), "/work", "a heron"]);
				store.sessions.rename("s1", "birds");
				assert.equal(store.sessions.search({ words: "heron" })[0]?.title, "birds");
			});
		});

		it("a name is one line, is seen in lists, and can be taken away", () => {
			kept("s1", [user("hi")]);
			store.sessions.rename("s1", " the \x1b[2Jrelease\n notes ");
			assert.equal(store.sessions.get("s1")?.name, "the [2Jrelease notes");
			assert.equal(store.sessions.list()[0]?.name, "the [2Jrelease notes");
			store.sessions.rename("s1", undefined);
			assert.equal(store.sessions.get("s1")?.name, undefined);
			assert.equal(store.sessions.create(newSession("s2", { name: "from the start" })).name, "from the start");
			assert.equal(store.sessions.get("s2")?.name, "from the start");
			assert.throws(() => store.sessions.rename("s9", "x"), storeError("unknown-session", /^There is no session s9/));
		});

		describe("fork", () => {
			it("a fork begins with the first messages, says where it came from, and goes its own way", () => {
				kept("s1", [user("one"), says("1"), user("two"), says("2")], { systemPrompt: "exactly \ud800", tools: "[1]" });
				const fork = store.sessions.fork("s1", "f1", 2);
				assert.deepEqual(fork.forkedFrom, { sessionId: "s1", messages: 2 });
				assert.deepEqual([fork.turns, fork.messages, fork.title, fork.systemPrompt, fork.tools], [1, 2, "one", "exactly \ud800", "[1]"]);
				store.sessions.append("f1", [user("other")]);
				assert.deepEqual(store.sessions.messages("f1"), [user("one"), says("1"), user("other")]);
				assert.equal(store.sessions.messages("s1").length, 4);
				assert.equal(fork.parentId, undefined, "it is nobody's child: --continue takes it up");
			});

			it("without a number it takes all messages, with the times they had", () => {
				kept("s1", [user("one"), says("1")]);
				store.sessions.fork("s1", "f1");
				assert.deepEqual([...store.sessions.entries("f1")], [...store.sessions.entries("s1")]);
				assert.deepEqual(found("one"), ["f1:1", "s1:1"]);
			});

			it("it cannot be cut where there is nothing, or between a call and its results", () => {
				kept("s1", [user("go"), calls("1", "2"), result("1", "a"), result("2", "b"), says("done")]);
				for (const at of [0, 6, 1.5, -1, Number.NaN]) assert.throws(() => store.sessions.fork("s1", "f1", at), storeError("bad-value", /^Session s1 has messages 1 to 5; it cannot be forked at /));
				for (const at of [2, 3]) {
					assert.throws(() => store.sessions.fork("s1", "f1", at), storeError("bad-value", /^Message \d of session s1 stands between a tool call and its results\. Fork at 1 or 4\.$/));
				}
				assert.equal(store.sessions.fork("s1", "f4", 4).messages, 4);
				assert.throws(() => store.sessions.fork("s9", "f1"), storeError("unknown-session", /^There is no session s9/));
				store.sessions.create(newSession("empty"));
				assert.throws(() => store.sessions.fork("empty", "f1"), storeError("bad-value", /^Session empty has no message yet, so there is nothing to fork\.$/));
				assert.equal(store.sessions.get("f1"), undefined);
			});
		});

		it("the last messages can be taken away again, with their words and what lists say of them", () => {
			kept("s1", [user("one"), says("1"), user("heron"), says("2")]);
			assert.equal(found("heron").length, 1);
			store.sessions.dropLast("s1", 2);
			assert.deepEqual(store.sessions.messages("s1"), [user("one"), says("1")]);
			assert.deepEqual([store.sessions.get("s1")?.turns, store.sessions.get("s1")?.messages, store.sessions.get("s1")?.title], [1, 2, "one"]);
			store.sessions.append("s1", [user("stork")]);
			assert.deepEqual([found("heron"), found("stork")], [[], ["s1:3"]]);
			store.sessions.dropLast("s1", 3);
			store.sessions.append("s1", [user("new")]);
			assert.deepEqual([store.sessions.get("s1")?.turns, store.sessions.get("s1")?.title], [1, "new"]);
			assert.throws(() => store.sessions.dropLast("s9", 1), storeError("unknown-session", /^There is no session s9/));
		});

		it("the model it is led with can change", () => {
			kept("s1", [user("one")]);
			store.sessions.setModel("s1", "anthropic:other");
			assert.deepEqual([store.sessions.get("s1")?.model, store.sessions.list()[0]?.model], ["anthropic:other", "anthropic:other"]);
			assert.throws(() => store.sessions.setModel("s9", "x"), storeError("unknown-session", /^There is no session s9/));
		});

		it("images come back as they were given, in the sessions that refer to them", () => {
			const data = Buffer.from("89504e470d0a1a0a00ff", "hex");
			const part = { mediaType: "image/png", bytes: data.length, sha256: "a".repeat(64), name: "pelican.png" } as const;
			store.sessions.create(newSession("s1"));
			store.sessions.append("s1", [{ role: "user", text: "look", images: [part] }], [{ part, data }]);
			store.sessions.fork("s1", "f1");
			for (const id of ["s1", "f1"]) assert.deepEqual([store.sessions.image(id, part.sha256)?.mediaType, Buffer.from(store.sessions.image(id, part.sha256)!.data)], ["image/png", data]);
			assert.equal(store.sessions.image("s2", part.sha256), undefined);
			store.sessions.delete("s1");
			assert.ok(store.sessions.image("f1", part.sha256));
		});

		it("a summary counts as a message, and not as a turn of the user", () => {
			kept("s1", [user("one"), says("1"), { role: "user", text: "so far: one", summarises: { butKeeps: 0 } }, user("two")]);
			assert.deepEqual([store.sessions.get("s1")?.turns, store.sessions.get("s1")?.messages], [2, 4]);
			assert.equal(store.sessions.fork("s1", "f1", 3).turns, 1);
			store.sessions.dropLast("s1", 1);
			assert.equal(store.sessions.get("s1")?.turns, 1);
		});

		describe("delete", () => {
			it("nothing of a deleted session is left, and nothing of another one goes", () => {
				for (const id of ["s1", "s2"]) {
					kept(id, [user("heron")]);
					store.trace.record(dispatch(`d-${id}`, { sessionId: id, ran: ["a", "b"] }));
				}
				assert.equal(found("heron").length, 2);
				store.trace.flush();
				assert.deepEqual(store.sessions.delete("s1"), ["s1"]);
				assert.equal(store.sessions.get("s1"), undefined);
				assert.deepEqual(store.sessions.messages("s1"), []);
				assert.deepEqual(found("heron"), ["s2:1"]);
				assert.deepEqual(store.trace.recent().map(({ id }) => id), ["d-s2"]);
				assert.deepEqual(store.trace.recent({ hook: "a" }).map(({ id }) => id), ["d-s2"]);
				assert.throws(() => store.sessions.delete("s1"), storeError("unknown-session", /^There is no session s1/));
			});

			it("what is said after a deletion is found, though SQLite numbers it as before", () => {
				kept("s1", [user("heron")]);
				assert.deepEqual(found("heron"), ["s1:1"]);
				store.sessions.delete("s1");
				kept("s2", [user("stork")]);
				assert.deepEqual([found("heron"), found("stork")], [[], ["s2:1"]]);
			});

			it("what a session kept for itself goes with it, and a fork has a copy of its own", () => {
				kept("s1", [user("one")]);
				const state = (id: string) => store.state.of(stateOfSession(id));
				state("s1").set("todo", ["a"]);
				store.sessions.fork("s1", "s2");
				state("s2").set("todo", ["a", "b"]);
				assert.deepEqual(state("s1").get("todo"), ["a"]);
				store.sessions.delete("s1");
				assert.deepEqual([state("s1").entries(), state("s2").get("todo")], [[], ["a", "b"]]);
			});

			it("sessions it delegated to go with it; forks stay", () => {
				kept("s1", [user("go")]);
				kept("child", [user("a part")], { parentId: "s1" });
				kept("grandchild", [user("a smaller part")], { parentId: "child" });
				store.sessions.fork("s1", "fork");
				assert.deepEqual([...store.sessions.delete("s1")].sort(), ["child", "grandchild", "s1"]);
				assert.deepEqual(store.sessions.list().map(({ id }) => id), ["fork"]);
			});

			it("one that is in use stays, with all that belongs to it", () => {
				kept("s1", [user("go")]);
				kept("child", [user("a part")], { parentId: "s1" });
				for (const id of ["s1", "child"]) {
					const lease = store.leases.acquire(id);
					assert.throws(() => store.sessions.delete("s1"), SessionInUseError);
					lease.release();
				}
				assert.equal(store.sessions.list().length, 2);
			});
		});

		it("what was recorded of a session comes back oldest first, at the asked events only", () => {
			for (let i = 0; i < 450; i++) store.trace.record(dispatch(`d${i}`, { sessionId: i % 2 === 0 ? "s1" : "s2", event: i % 3 === 0 ? "tool.called" : "tool.calling" }));
			const ids = [...store.trace.ofSession("s1", ["tool.calling"])].map(({ id }) => id);
			assert.deepEqual(ids, Array.from({ length: 450 }, (_, i) => i).filter((i) => i % 2 === 0 && i % 3 !== 0).map((i) => `d${i}`));
			assert.equal([...store.trace.ofSession("s1", ["tool.calling", "tool.called"])].length, 225);
			assert.deepEqual([...store.trace.ofSession("s1", [])], []);
		});
	});
}
