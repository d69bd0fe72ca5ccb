// What every store has to do, whatever it is made of.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { EventName } from "../../src/events/payloads/all.ts";
import type { Message } from "../../src/events/payloads/model.ts";
import type { DispatchRecord } from "../../src/events/record.ts";
import { SessionInUseError } from "../../src/stores/leases.ts";
import type { NewSession } from "../../src/stores/sessions.ts";
import { stateQuota } from "../../src/stores/state.ts";
import { type Store, StoreError, type StoreOptions, type StoreProblem } from "../../src/stores/store.ts";

export const newSession = (id: string, more: Partial<NewSession> = {}): NewSession => ({
	id,
	cwd: "/work",
	model: "rehearsal",
	surface: "run",
	systemPrompt: "Be good.",
	tools: "[]",
	...more,
});

export const dispatch = (id: string, more: Partial<DispatchRecord> & { readonly ran?: readonly string[]; readonly sessionId?: string } = {}): DispatchRecord => {
	const { ran = [], sessionId, ...fields } = more;
	return {
		id,
		event: "tool.calling",
		at: Date.now(),
		ms: 0.2,
		facts: { eventId: id, ...(sessionId !== undefined && { sessionId }) },
		outcome: "go",
		hookSet: "set-1",
		hooks: ran.map((hook) => ({ hook, stage: "guard", startedAt: 1, ms: 0.1, decision: "pass" })),
		...fields,
	};
};

/** For assert.throws: a StoreError of this kind whose sentence matches. */
export const storeError = (problem: StoreProblem, sentence: RegExp) => (error: unknown) => {
	assert.ok(error instanceof StoreError, String(error));
	assert.equal(error.problem, problem);
	assert.match(error.message, sentence);
	return true;
};

const strange = 'tab\t nul\0 quote" line\u2028 emoji 👩‍💻 half \ud800 end';

export function storeContract(name: string, open: (options: StoreOptions) => Store): void {
	describe(name, () => {
		let store: Store;
		let problems: string[];
		beforeEach(() => {
			problems = [];
			store = open({ onProblem: (message) => problems.push(message), maxRecords: 100 });
		});
		afterEach(() => {
			store.close();
			assert.deepEqual(problems, []);
		});

		describe("sessions", () => {
			it("a session comes back as it was made, byte for byte", () => {
				const made = store.sessions.create(newSession("s1", { systemPrompt: strange, tools: '[ {"name":"b", "a":1.0} ]', parentId: "s0" }));
				assert.deepEqual(store.sessions.get("s1"), made);
				assert.equal(made.systemPrompt, strange);
				assert.equal(made.tools, '[ {"name":"b", "a":1.0} ]');
				assert.deepEqual([made.turns, made.messages, made.title], [0, 0, undefined]);
			});

			it("a second session of the same id is refused and the first one stays", () => {
				store.sessions.create(newSession("s1", { model: "first" }));
				assert.throws(() => store.sessions.create(newSession("s1", { model: "second" })), storeError("session-exists", /^There already is a session s1\. /));
				assert.equal(store.sessions.get("s1")?.model, "first");
			});

			it("messages of every kind come back in order, exactly as they were", () => {
				store.sessions.create(newSession("s1"));
				const messages: Message[] = [
					{ role: "user", text: strange },
					{ role: "assistant", text: "", reasoning: "hm", toolCalls: [{ id: "1", name: "terminal", arguments: '{"command": no json' }] },
					{ role: "tool", callId: "1", name: "terminal", text: "x".repeat(300_000), isError: true },
					{ role: "system", text: "noted" },
				];
				store.sessions.append("s1", messages.slice(0, 2));
				store.sessions.append("s1", messages.slice(2));
				store.sessions.append("s1", []);
				assert.deepEqual(store.sessions.messages("s1"), messages);
				assert.equal(store.sessions.get("s1")?.messages, 4);
				assert.deepEqual(store.sessions.messages("unknown"), []);
			});

			it("messages are added all or not at all", () => {
				store.sessions.create(newSession("s1"));
				const broken = { role: "assistant", text: 1n } as unknown as Message;
				assert.throws(() => store.sessions.append("s1", [{ role: "assistant", text: "fine" }, broken]));
				assert.deepEqual(store.sessions.messages("s1"), []);
				assert.equal(store.sessions.get("s1")?.messages, 0);
			});

			it("nothing can be added to a session that does not exist", () => {
				assert.throws(() => store.sessions.append("s9", [{ role: "user", text: "hi" }]), storeError("unknown-session", /^There is no session s9 in this store/));
				assert.throws(() => store.sessions.setSystemPrompt("s9", "x"), storeError("unknown-session", /^There is no session s9 in this store/));
			});

			it("the title is the first thing the user said, on one line", () => {
				store.sessions.create(newSession("s1"));
				store.sessions.append("s1", [{ role: "assistant", text: "welcome" }]);
				assert.equal(store.sessions.list()[0]?.title, undefined);
				store.sessions.append("s1", [{ role: "user", text: `  fix\n\tthe \x1b[2J build ${"👍".repeat(200)}` }]);
				store.sessions.append("s1", [{ role: "user", text: "and then?" }]);
				const [session] = store.sessions.list();
				assert.match(session?.title ?? "", /^fix the \[2J build 👍+…$/u);
				assert.equal([...(session?.title ?? "")].length, 120);
				assert.deepEqual([session?.turns, session?.messages], [2, 3]);
			});

			it("a session is found by the start of its id, as long as only one starts so", () => {
				for (const id of ["20261121-153012-k3f9", "20261121-153012-m000", "20261122-080000-abcd"]) store.sessions.create(newSession(id));
				assert.equal(store.sessions.get("20261122")?.id, "20261122-080000-abcd");
				assert.equal(store.sessions.get("20261121-153012-k3f9")?.id, "20261121-153012-k3f9");
				assert.throws(
					() => store.sessions.get("20261121"),
					storeError("ambiguous", /^'20261121' could be 20261121-153012-m000, 20261121-153012-k3f9\. Give more of the session's id\.$/),
				);
				for (const nothing of ["2027", "", "%", "2026_"]) assert.equal(store.sessions.get(nothing), undefined);
			});

			it("an id is found exactly even when others start with it", () => {
				for (const id of ["s1", "s10", "s11"]) store.sessions.create(newSession(id));
				assert.equal(store.sessions.get("s1")?.id, "s1");
			});

			it("a mistyped id leads to the nearest known one", () => {
				for (const id of ["20261121-153012-k3f9", "20270101-000000-abcd"]) store.sessions.create(newSession(id));
				assert.equal(store.sessions.nearest("20261121-153021-k3f9"), "20261121-153012-k3f9");
				assert.equal(store.sessions.nearest("no such thing at all, nowhere"), undefined);
			});

			it("the latest session is the one last written to, in its folder, and never a subagent's", async () => {
				assert.equal(store.sessions.latest(), undefined);
				store.sessions.create(newSession("a", { cwd: "/a" }));
				store.sessions.create(newSession("b", { cwd: "/b" }));
				await nextMillisecond();
				store.sessions.append("a", [{ role: "user", text: "hi" }]);
				await nextMillisecond();
				store.sessions.create(newSession("child", { cwd: "/a", parentId: "a" }));
				assert.equal(store.sessions.latest()?.id, "a");
				assert.equal(store.sessions.latest("/b")?.id, "b");
				assert.equal(store.sessions.latest("/c"), undefined);
				assert.deepEqual(store.sessions.list().map(({ id }) => id), ["child", "a", "b"]);
				assert.deepEqual(store.sessions.list({ limit: 1 }).map(({ id, parentId }) => [id, parentId]), [["child", "a"]]);
			});

			it("the system prompt can be replaced", () => {
				store.sessions.create(newSession("s1"));
				store.sessions.setSystemPrompt("s1", strange);
				assert.equal(store.sessions.get("s1")?.systemPrompt, strange);
			});
		});

		describe("leases", () => {
			it("a session is run by one holder at a time, and the refusal names it", () => {
				store.sessions.create(newSession("s1"));
				const lease = store.leases.acquire("s1");
				assert.throws(() => store.leases.acquire("s1"), (error) => {
					assert.ok(error instanceof SessionInUseError);
					const sentence = /^Session s1 is in use by process (\d+) on \S+ since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\. End it there first, or start a new session\.$/;
					assert.equal(sentence.exec(error.message)?.[1], String(process.pid));
					return true;
				});
				assert.equal(store.sessions.list()[0]?.inUseBy?.pid, process.pid);
				store.leases.acquire("s2").release();
				lease.release();
				lease.release();
				assert.equal(store.sessions.list()[0]?.inUseBy, undefined);
				using again = store.leases.acquire("s1");
				lease.release();
				assert.throws(() => store.leases.acquire(again.sessionId), SessionInUseError);
			});

			it("its holder can write to the session", () => {
				store.sessions.create(newSession("s1"));
				using lease = store.leases.acquire("s1");
				store.sessions.append("s1", [{ role: "user", text: "hi" }]);
				assert.equal(lease.lost.aborted, false);
			});
		});

		describe("state", () => {
			it("plain data comes back as a fresh copy", () => {
				const state = store.state.of("notes");
				const value = { list: [1, null, "x"], text: strange, ["__proto__x"]: true };
				state.set("k", value);
				assert.deepEqual(state.get("k"), value);
				assert.notEqual(state.get("k"), state.get("k"));
				for (const plain of [null, false, 0, "", []]) {
					state.set("k", plain);
					assert.deepEqual(state.get("k"), plain);
				}
			});

			it("extensions do not see each other's values", () => {
				store.state.of("a").set("k", 1);
				assert.equal(store.state.of("b").get("k"), undefined);
				assert.deepEqual(store.state.of("b").entries(), []);
				assert.equal(store.state.of("b").delete("k"), false);
				assert.equal(store.state.of("a").get("k"), 1);
			});

			it("entries are sorted, and a deleted one is gone", () => {
				const state = store.state.of("notes");
				for (const key of ["b", "a", "c"]) state.set(key, key);
				assert.equal(state.delete("b"), true);
				assert.equal(state.delete("b"), false);
				assert.deepEqual(state.entries(), [["a", "a"], ["c", "c"]]);
			});

			it("what JSON cannot hold is refused with a sentence and the old value stays", () => {
				const state = store.state.of("notes");
				state.set("k", "old");
				const circle: unknown[] = [];
				circle.push(circle);
				for (const value of [undefined, () => 1, Symbol("s"), 1n, circle]) {
					assert.throws(() => state.set("k", value), storeError("bad-value", /^notes: the value for 'k' cannot be kept, .+\. State holds plain data/s));
				}
				for (const key of ["", "x".repeat(257), "a\0b", "\ud800", 7 as unknown as string]) {
					assert.throws(() => state.set(key, 1), storeError("bad-value", /^notes: a key of its state must be text of 1 to 256 characters, not /));
				}
				assert.deepEqual(state.entries(), [["k", "old"]]);
			});

			it("an extension keeps 1 MB and no more, whatever it replaced and deleted before", () => {
				const state = store.state.of("notes");
				const half = "x".repeat(stateQuota / 2 - 100);
				for (let i = 0; i < 5; i++) state.set("a", half);
				state.set("b", half);
				assert.throws(() => state.set("c", "y".repeat(300)), storeError("over-quota", /^notes: its state would grow to 1048\d+ bytes with 'c' \(303 bytes\), and an extension may keep 1048576\. /));
				assert.equal(state.get("c"), undefined);
				store.state.of("other").set("c", half);
				state.delete("a");
				state.set("c", "y".repeat(300));
			});
		});

		describe("trace", () => {
			const idsOf = (records: readonly DispatchRecord[]) => records.map(({ id }) => id);

			it("a record comes back whole, also before it was written", () => {
				const record = dispatch("d1", { ran: ["audit/log"], sessionId: "s1", payload: { args: { command: strange } }, outcome: "blocked", by: "audit/log", reason: "no" });
				store.trace.record(record);
				assert.deepEqual(store.trace.recent(), [record]);
			});

			it("records are found by event, hook and session, the newest first", () => {
				store.trace.record(dispatch("1", { ran: ["a"], sessionId: "s1" }));
				store.trace.record(dispatch("2", { ran: ["a", "b", "b"], sessionId: "s2" }));
				store.trace.record(dispatch("3", { ran: ["a"], sessionId: "s1", event: "tool.called" }));
				store.trace.record(dispatch("4", { event: "tool.called" }));
				const found = (filter: Parameters<Store["trace"]["recent"]>[0]) => idsOf(store.trace.recent(filter)).join("");
				assert.equal(found({}), "4321");
				assert.equal(found({ limit: 2 }), "43");
				assert.equal(found({ event: "tool.calling" }), "21");
				assert.equal(found({ hook: "a" }), "321");
				assert.equal(found({ hook: "b" }), "2");
				assert.equal(found({ hook: "a", event: "tool.called" }), "3");
				assert.equal(found({ sessionId: "s1" }), "31");
				assert.equal(found({ sessionId: "s1", event: "tool.calling" }), "1");
				assert.equal(found({ sessionId: "s2", hook: "b" }), "2");
				assert.equal(found({ sessionId: "s1", hook: "b" }), "");
				assert.equal(found({ sessionId: "s1", hook: "a", event: "tool.called" }), "3");
			});

			it("the last of several events is the one recorded last", () => {
				const ask = (...events: EventName[]) => store.trace.lastOf(events)?.id;
				for (const [id, event] of [["1", "tool.called"], ["2", "tool.calling"], ["3", "turn.started"]] as const) store.trace.record(dispatch(id, { event }));
				assert.equal(ask("tool.called", "tool.calling"), "2");
				assert.equal(store.trace.lastOf("tool.called")?.id, "1");
				assert.equal(ask("gateway.started"), undefined);
				assert.equal(ask(), undefined);
			});

			it("the hooks a record refers to are kept with it", () => {
				const set = { id: "set-1", hooks: [] };
				store.trace.hookSet(set);
				store.trace.hookSet(set);
				store.trace.record(dispatch("1"));
				assert.deepEqual(store.trace.findHookSet("set-1"), set);
				store.trace.hookSet(set);
				assert.deepEqual(store.trace.findHookSet("set-1"), set);
				assert.equal(store.trace.findHookSet("set-2"), undefined);
			});

			it("the oldest records go when there are more than the store keeps, with all that belongs to them", { timeout: 30_000 }, async () => {
				store.trace.hookSet({ id: "set-0", hooks: [] });
				for (let i = 0; i < 700; i++) store.trace.record(dispatch(`d${i}`, { ran: ["a", "b"], sessionId: "s1", hookSet: i < 300 ? "set-0" : "set-1", at: Date.now() + 60_000 }));
				store.trace.flush();
				await until(() => store.trace.recent({ limit: 1000 }).length === 100);
				for (const filter of [{ hook: "a" }, { hook: "b" }, { sessionId: "s1" }, { event: "tool.calling" }] as const) {
					const kept = idsOf(store.trace.recent({ ...filter, limit: 1000 }));
					assert.deepEqual([kept.length, kept[0], kept.at(-1)], [100, "d699", "d600"]);
				}
				assert.equal(store.trace.findHookSet("set-0"), undefined);
				store.trace.record(dispatch("late", { hookSet: "set-0" }));
				assert.deepEqual(store.trace.findHookSet("set-0"), { id: "set-0", hooks: [] }, "a set that is used again is kept again");
			});

			it("after closing, a record is ignored and a question is refused", () => {
				store.close();
				store.close();
				store.trace.record(dispatch("late"));
				store.trace.hookSet({ id: "late", hooks: [] });
				store.trace.flush();
				assert.throws(() => store.trace.recent(), storeError("closed", /was used after it had been closed/));
				assert.throws(() => store.sessions.list(), storeError("closed", /was used after it had been closed/));
			});
		});
	});

	it(`${name}: a record that is no plain data does not hold up the others, and is told once`, () => {
		const problems: string[] = [];
		using store = open({ onProblem: (message) => problems.push(message) });
		store.trace.record(dispatch("1"));
		store.trace.record(dispatch("2", { payload: { n: 1n } }));
		store.trace.record(dispatch("3", { payload: { n: 1n } }));
		store.trace.record(dispatch("4"));
		assert.deepEqual(store.trace.recent().map(({ id }) => id), ["4", "1"]);
		assert.equal(problems.length, 1);
		assert.match(problems[0] ?? "", /^Trace records could not be written, and some may be lost: 2 is no plain data \(.+\)\. The agent goes on; this is told once\.$/);
	});
}

/** Two writes in one millisecond have no order. */
async function nextMillisecond(): Promise<void> {
	const now = Date.now();
	await until(() => Date.now() > now);
}

/** Waits without a limit of its own: the test's time-out is generous, and a slow machine is no failure. */
export async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
