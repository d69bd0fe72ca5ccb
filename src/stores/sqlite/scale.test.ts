// Work that must cost the same however much is stored: shown by the query plans, and by ratios within one run.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { storeOn } from "../sqlite.ts";
import { openDatabase } from "./database.ts";
import { recentQuery } from "./trace-query.ts";

function openInMemory() {
	const database = openDatabase(":memory:");
	return { database, store: storeOn(database, { durable: false, location: "memory" }, { onProblem: assert.fail }) };
}

/** The shortest of several runs, in ms: what the machine does beside only ever adds. */
function shortest(work: () => unknown): number {
	return Math.min(
		...Array.from({ length: 15 }, () => {
			const start = performance.now();
			work();
			return performance.now() - start;
		}),
	);
}

describe("the trace with many records", () => {
	it("every question is answered from an index, in its order, without looking at all records", () => {
		const { database, store } = openInMemory();
		const filters = [{}, { event: "tool.calling" }, { hook: "a" }, { hook: "a", event: "tool.calling" }, { sessionId: "s" }, { sessionId: "s", event: "tool.calling" }, { sessionId: "s", hook: "a" }] as const;
		const plans = filters.map((filter) => {
			const { sql, values } = recentQuery(filter);
			return database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({ detail }) => detail);
		});
		// The words of a plan differ between versions of SQLite, but a scan or a sort is always called so.
		const [unfiltered, ...others] = plans.map((plan) => plan.join("; "));
		assert.equal(unfiltered, "SCAN dispatches", "from its end, as far as the limit goes");
		const [byEvent, byHook, bySession] = ["INDEX dispatches_by_event (event=?)", "PRIMARY KEY (hook=?)", "INDEX dispatches_by_session (session_id=?)"];
		for (const [i, index] of [byEvent, byHook, byHook, bySession, bySession, bySession].entries()) {
			assert.ok(others[i]?.replace(/^SEARCH \S+ USING /, "").startsWith(index), others[i]);
			assert.doesNotMatch(others[i] ?? "", /SCAN|TEMP B-TREE/);
		}
		store.close();
	});

	it("the last records of an event, a hook or a session take no longer among 40,000 than among 400", { timeout: 60_000 }, () => {
		const timings = [400, 40_000].map((count) => {
			const { store } = openInMemory();
			for (let i = 0; i < count; i++) {
				const [event, sessionId] = [i % 20 === 0 ? "tool.called" : "tool.calling", `s${i >> 5}`] as const;
				store.trace.record({ id: `d${i}`, event, at: i, ms: 0, facts: { sessionId }, outcome: "go", hookSet: "", hooks: [{ hook: `audit/${i % 3}`, stage: "guard", startedAt: i, ms: 0, decision: "pass" }] });
				if (i % 100 === 99) store.trace.flush();
			}
			const ask = () => [{ event: "tool.called" }, { hook: "audit/1" }, { sessionId: "s7" }, {}].map((filter) => store.trace.recent({ ...filter, limit: 10 } as never).length);
			assert.deepEqual(ask(), [10, 10, 10, 10]);
			const time = shortest(ask);
			store.close();
			return time;
		});
		assert.ok(timings[1]! < 8 * timings[0]!, `${timings}`);
	});
});

describe("many sessions, long sessions", () => {
	it("the list, the latest and one session by prefix take no longer among 10,000 sessions than among 100", { timeout: 60_000 }, () => {
		const timings = [100, 10_000].map((count) => {
			const { database, store } = openInMemory();
			database.run("BEGIN");
			const insert = "INSERT INTO sessions (id, cwd, model, surface, started_at, updated_at) VALUES (?, ?, 'm', 'run', ?, ?)";
			for (let i = 0; i < count; i++) {
				database.run(insert, `id-${String(i).padStart(6, "0")}`, `/work/${i % 10}`, i, i);
				database.run("INSERT INTO session_texts (session_id, system_prompt, tools) VALUES (?, '\"\"', '\"\"')", `id-${String(i).padStart(6, "0")}`);
			}
			database.run("COMMIT");
			const ask = () => [store.sessions.list().length, store.sessions.latest("/work/3")?.id, store.sessions.get("id-00009")?.id.slice(0, 8)];
			assert.throws(ask, /'id-00009' could be /);
			const fast = () => [store.sessions.list().length, store.sessions.latest("/work/3")?.id, store.sessions.get("id-000093")?.id];
			assert.deepEqual(fast(), [20, `id-${String(count - 7).padStart(6, "0")}`, "id-000093"]);
			const time = shortest(fast);
			store.close();
			return time;
		});
		assert.ok(timings[1]! < 8 * timings[0]!, `${timings}`);
	});

	it("adding to a session of 10,000 messages costs what it did at the start", { timeout: 60_000 }, () => {
		const { store } = openInMemory();
		store.sessions.create({ id: "s1", cwd: "/work", model: "rehearsal", surface: "run", systemPrompt: "x".repeat(20_000), tools: "[]" });
		const add = (count: number) => {
			for (let i = 0; i < count; i++) store.sessions.append("s1", [{ role: "user", text: "hi" }]);
		};
		add(200);
		const early = shortest(() => add(20));
		add(10_000);
		const late = shortest(() => add(20));
		assert.ok(late < 8 * early, `${early} ${late}`);
		store.close();
	});

	it("a search among 20,000 messages finds its few hits as fast as among 200; a word that stands everywhere takes no more than their number", { timeout: 60_000 }, () => {
		const timings = [200, 20_000].map((count) => {
			const { store } = openInMemory();
			store.sessions.create({ id: "s1", cwd: "/work", model: "rehearsal", surface: "run", systemPrompt: "", tools: "[]" });
			const messages = Array.from({ length: count }, (_, i) => ({ role: "user", text: i % (count / 10) === 0 ? `a heron ${i}` : `common words ${i}` }) as const);
			store.sessions.append("s1", messages);
			const few = () => store.sessions.search({ words: "heron" }).length;
			const many = () => store.sessions.search({ words: "common", limit: 5 }).length;
			assert.deepEqual([few(), many()], [10, 5]);
			const time = { few: shortest(few), many: shortest(many) };
			store.close();
			return time;
		});
		assert.ok(timings[1]!.few < 8 * timings[0]!.few, JSON.stringify(timings));
		// The index merges the places of all words that begin so before it gives the newest: 4 ms among 200,000 messages.
		assert.ok(timings[1]!.many < 100 * timings[0]!.many, JSON.stringify(timings));
	});

	it("10,000 messages and their dispatches are read in time that grows with their number and not faster", { timeout: 60_000 }, () => {
		const timings = [1000, 10_000].map((count) => {
			const { store } = openInMemory();
			store.sessions.create({ id: "s1", cwd: "/work", model: "rehearsal", surface: "run", systemPrompt: "", tools: "[]" });
			store.sessions.append("s1", Array.from({ length: count }, (_, i) => ({ role: "user", text: `message ${i}` }) as const));
			for (let i = 0; i < count; i++) {
				store.trace.record({ id: `d${i}`, event: "tool.calling", at: i, ms: 0, facts: { sessionId: "s1" }, outcome: "go", hookSet: "", hooks: [] });
				if (i % 100 === 99) store.trace.flush();
			}
			const read = () => [[...store.sessions.entries("s1")].length, [...store.trace.ofSession("s1", ["tool.calling"])].length];
			assert.deepEqual(read(), [count, count]);
			const time = shortest(read);
			store.close();
			return time;
		});
		assert.ok(timings[1]! < 40 * timings[0]!, `${timings}`);
	});
});
