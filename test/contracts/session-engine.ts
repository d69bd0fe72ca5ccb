// What every session engine has to do, whatever it is made of: queues, turns, the outbox. Steps and crashes have files of their own.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { InterruptError, type Outgoing, type ServeOptions, type SessionEngine, type Turn, TurnLostError } from "../../src/stores/session-engine.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { storeError } from "./store.ts";

export interface Implementation {
	readonly name: string;
	/** Opens what is kept at this place; used by several at once, in several processes. */
	open(place: string, options?: { readonly maxWaiting?: number }): SessionEngine;
	/** Where nothing is kept yet. */
	newPlace(): string;
	/** Exports `open`, for the programs the suite starts. */
	readonly module: string;
}

export const options: ServeOptions = { concurrency: 4, onProblem: (message) => assert.fail(message), pauseMs: () => 0 };
export const message = (id: string | number, body: unknown = null) => ({ id: `m${id}`, kind: "text", body });

/** The first so many of the outbox, which stay in it. */
export async function outgoing(engine: SessionEngine, count: number, after = 0): Promise<readonly Outgoing[]> {
	const found: Outgoing[] = [];
	if (count > 0) for await (const one of engine.outbox(after, new AbortController().signal)) if (found.push(one) === count) break;
	return found;
}

const answer = async (turn: Turn) => turn.emit("answer", turn.message.id);
const told = (found: readonly Outgoing[]) => found.map(({ session, body }) => `${session} ${String(body)}`);
const rejection = (signal: AbortSignal) => new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

export function sessionEngineContract(implementation: Implementation): void {
	describe(`${implementation.name}: queues and turns`, () => {
		let place: string;
		let engine: SessionEngine;
		beforeEach(() => {
			place = implementation.newPlace();
			engine = implementation.open(place, { maxWaiting: 50 });
		});
		afterEach(() => engine.close());

		it("messages of a session are handled in the order in which they were appended, whoever waits beside it", async () => {
			const running = new Map<string, number>();
			await engine.serve(async (turn) => {
				running.set(turn.session, 1 + (running.get(turn.session) ?? 0));
				await turn.step("a", { effect: "pure", timeoutMs: 5000 }, () => 1);
				assert.equal(running.get(turn.session), 1, "one turn of a session at a time");
				turn.emit("answer", turn.message.body);
				running.set(turn.session, 0);
			}, options);
			// Not awaited one by one: called in order is enough.
			await Promise.all(Array.from({ length: 120 }, (_, i) => engine.append(`s${i % 6}`, message(i, i))));
			const found = await outgoing(engine, 120);
			for (const [session, theirs] of Map.groupBy(found, (one) => one.session)) {
				const start = Number(session.slice(1));
				assert.deepEqual(theirs.map(({ body }) => body), Array.from({ length: 20 }, (_, i) => start + 6 * i));
			}
		});

		it("counts tell what waits, what runs, what is to be delivered and what was given up; a message whose time has not come does not wait", async () => {
			const release = Promise.withResolvers<void>();
			const begun = Promise.withResolvers<void>();
			for (const id of [1, 2]) await engine.append("s", message(id));
			await engine.append("later", { ...message(3), notBefore: Date.now() + 3600_000 });
			await engine.append("bad", message(4));
			assert.deepEqual(await engine.counts(), { waiting: 3, running: 0, outgoing: 0, deadLetters: 0 });
			await engine.serve(async (turn) => {
				if (turn.session === "bad") throw new Error("no");
				if (turn.message.id === "m1") await (begun.resolve(), release.promise);
				else turn.emit("answer", 1);
			}, { ...options, attempts: 1, onProblem: () => {} });
			await begun.promise;
			await eventually(async () => (await engine.counts()).deadLetters === 1, "the bad one is given up");
			assert.deepEqual(await engine.counts(), { waiting: 1, running: 1, outgoing: 0, deadLetters: 1 });
			release.resolve();
			await outgoing(engine, 1);
			await eventually(async () => (await engine.counts()).running === 0, "all is done");
			assert.deepEqual(await engine.counts(), { waiting: 0, running: 0, outgoing: 1, deadLetters: 1 });
		});

		it("an id the session has seen is a duplicate: while it waits, when it was handled, and after a restart; another session may have it", async () => {
			assert.equal(await engine.append("s", message(1, "first")), "accepted");
			assert.equal(await engine.append("s", message(1, "second")), "duplicate");
			assert.equal(await engine.append("other", message(1)), "accepted");
			const bodies: unknown[] = [];
			await engine.serve(async (turn) => {
				bodies.push(turn.message.body);
				await answer(turn);
			}, options);
			await outgoing(engine, 2);
			assert.equal(await engine.append("s", message(1)), "duplicate");
			await engine.close();
			engine = implementation.open(place);
			assert.equal(await engine.append("s", message(1)), "duplicate");
			assert.deepEqual(bodies.map(String).toSorted(), ["first", "null"]);
			assert.equal((await engine.read("s"))?.waiting, 0);
		});

		it("a message comes as it was given, byte for byte", async () => {
			const body = { text: 'tab\t nul\0 quote" emoji 👩‍💻 half \ud800', list: [1, 0.1, null], ["__proto__"]: 1 };
			await engine.append("s", { id: "ü 1", kind: "k", body });
			await engine.serve(async (turn) => {
				const { at, ...rest } = turn.message;
				assert.deepEqual(rest, { id: "ü 1", kind: "k", body });
				assert.ok(Math.abs(Date.now() - at) < 60_000);
				turn.set("kept", turn.message.body);
				turn.emit("answer", turn.message.body);
			}, options);
			const [sent] = await outgoing(engine, 1);
			assert.deepEqual(sent?.body, body);
			assert.deepEqual((await engine.read("s"))?.state, { kept: body });
		});

		it("as many turns run as are allowed, of different sessions, and no more", async () => {
			const gates = new Map<string, () => void>();
			let most = 0;
			await engine.serve(async (turn) => {
				await new Promise<void>((resolve) => {
					gates.set(turn.session, resolve);
					most = Math.max(most, gates.size);
				});
				gates.delete(turn.session);
				await answer(turn);
			}, { ...options, concurrency: 3 });
			for (const session of ["a", "a", "b", "c", "d", "e"]) await engine.append(session, message(Math.random()));
			await eventually(() => gates.size === 3, "three turns run at once");
			assert.deepEqual([...gates.keys()], ["a", "b", "c"]);
			for (let done = 1; done <= 6; done++) {
				await eventually(() => gates.size > 0, "another turn runs");
				[...gates.values()][0]!();
				await outgoing(engine, done);
			}
			assert.equal(most, 3);
		});

		it("sessions take turns: one with many messages does not keep the others waiting", async () => {
			for (let i = 0; i < 5; i++) await engine.append("busy", message(i));
			await engine.append("b", message(1));
			await engine.append("c", message(1));
			await engine.serve(answer, { ...options, concurrency: 1 });
			assert.deepEqual(told(await outgoing(engine, 7)), ["busy m0", "b m1", "c m1", "busy m1", "busy m2", "busy m3", "busy m4"]);
		});

		it("what a turn set, emitted and sent is there all at once when it has ended, and not before", async () => {
			const [inside, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
			await engine.append("s", message(1));
			await engine.serve(async (turn) => {
				if (turn.session === "child") return answer(turn);
				turn.set("a", 1);
				turn.set("b", 2);
				turn.set("a", undefined);
				turn.emit("answer", 1);
				turn.emit("answer", 2);
				turn.send("child", message("of 1"));
				assert.deepEqual([await turn.get("a"), await turn.get("b")], [undefined, 2], "the turn itself sees it");
				inside.resolve();
				await leave.promise;
			}, options);
			await inside.promise;
			assert.deepEqual(await engine.read("s"), { state: {}, waiting: 1, fence: 1, current: { id: "m1", attempt: 1, running: true } });
			assert.equal(await engine.read("child"), undefined);
			leave.resolve();
			assert.deepEqual(told(await outgoing(engine, 3)), ["s 1", "s 2", "child mof 1"]);
			assert.deepEqual(await engine.read("s"), { state: { b: 2 }, waiting: 0, fence: 1 });
		});

		it("a turn that throws leaves nothing, is tried again before any later message, and then leaves what it does once", async () => {
			const fences: number[] = [];
			await engine.append("s", message(1));
			await engine.append("s", message(2));
			await engine.serve(async (turn) => {
				fences.push(turn.fence);
				turn.set("count", Number((await turn.get("count")) ?? 0) + 1);
				turn.send("child", message(turn.message.id));
				await answer(turn);
				if (turn.session === "s" && turn.message.id === "m1" && turn.attempt < 3) throw new Error("not yet");
			}, { ...options, concurrency: 1 });
			const found = told(await outgoing(engine, 3));
			assert.deepEqual(found.filter((one) => one.startsWith("s")), ["s m1", "s m2"]);
			await eventually(async () => (await engine.read("child"))?.state["count"] === undefined ? false : (await engine.read("s"))?.state["count"] === 2, "both were counted");
			assert.deepEqual(fences.slice(0, 3), [1, 2, 3], "each attempt has a higher fence");
		});

		it("a message with a time waits for it, over a restart too, and holds up nobody", async () => {
			const at = Date.now() + 700;
			await engine.append("s", { ...message("late"), notBefore: at });
			await engine.append("s", { ...message("past"), notBefore: 1 });
			await engine.append("s", message("now"));
			await engine.close();
			engine = implementation.open(place);
			const times: number[] = [];
			await engine.serve(async (turn) => {
				times.push(Date.now());
				assert.equal(turn.message.notBefore, { mlate: at, mpast: 1, mnow: undefined }[turn.message.id]);
				await answer(turn);
			}, options);
			assert.deepEqual(told(await outgoing(engine, 3)), ["s mpast", "s mnow", "s mlate"]);
			assert.ok(times[2]! >= at, `${times[2]! - at} ms too early`);
		});

		it("what is emitted comes again until it is acknowledged, in order, with the same id", async () => {
			await engine.serve(async (turn) => {
				turn.emit("answer", `${turn.message.id} a`);
				turn.emit("answer", `${turn.message.id} b`);
			}, options);
			for (let i = 0; i < 3; i++) await engine.append("s", message(i));
			const first = await outgoing(engine, 6);
			assert.deepEqual(told(first), ["s m0 a", "s m0 b", "s m1 a", "s m1 b", "s m2 a", "s m2 b"]);
			assert.equal(new Set(first.map(({ id }) => id)).size, 6);
			await engine.acknowledge(first[0]!.number, first[3]!.number);
			await engine.close();
			engine = implementation.open(place);
			const left = [1, 2, 4, 5].map((i) => first[i]);
			assert.deepEqual(await outgoing(engine, 4), left);
			assert.deepEqual(await outgoing(engine, 2, left[1]!.number), left.slice(2), "from a number on");
			await engine.acknowledge(...first.map(({ number }) => number), 12_345);
			await engine.serve(answer, options);
			const next = outgoing(engine, 1);
			await engine.append("s", message("new"));
			const [after] = await next;
			assert.equal(after?.body, "mnew");
			assert.ok(after.number > first[5]!.number, "no number comes twice");
		});

		it("the outbox ends when its reader leaves or the engine is closed", async () => {
			const leaving = new AbortController();
			const read = async (signal: AbortSignal) => {
				for await (const one of engine.outbox(0, signal)) assert.fail(String(one.body));
			};
			const [leaves, stays] = [read(leaving.signal), read(new AbortController().signal)];
			leaving.abort();
			await leaves;
			await engine.close();
			await stays;
		});

		it("an interrupt reaches the turn that runs, from another engine too, and not the message after it", async () => {
			await using other = implementation.open(place);
			const reasons: unknown[] = [];
			let inside = Promise.withResolvers<void>();
			await engine.serve(async (turn) => {
				if (turn.message.id === "m3") return answer(turn);
				inside.resolve();
				await rejection(turn.signal).catch((why) => reasons.push(why));
				turn.emit("answer", "stopped");
			}, options);
			assert.equal(await engine.interrupt("s", "nothing runs"), false);
			for (const [i, where] of [engine, other].entries()) {
				inside = Promise.withResolvers();
				await engine.append("s", message(i + 1));
				await inside.promise;
				assert.equal(await where.interrupt("s", `stop ${i}`), true);
				await outgoing(engine, i + 1);
			}
			await engine.append("s", message(3));
			assert.deepEqual(told(await outgoing(engine, 3)), ["s stopped", "s stopped", "s m3"]);
			assert.ok(reasons.every((why) => why instanceof InterruptError));
			assert.deepEqual(reasons.map((why) => (why as InterruptError).why), ["stop 0", "stop 1"]);
			assert.equal(await engine.interrupt("s", "nothing runs"), false);
		});

		it("an interrupted turn that throws counts as handled, and nothing of it is kept; so one that waits for another attempt", async () => {
			const inside = Promise.withResolvers<void>();
			const failed = Promise.withResolvers<void>();
			await engine.serve(async (turn) => {
				turn.emit("answer", turn.message.id);
				if (turn.message.id === "m1") {
					inside.resolve();
					await rejection(turn.signal);
				}
				if (turn.message.id !== "m2") return;
				failed.resolve();
				turn.signal.throwIfAborted();
				throw new Error("to be tried again in an hour");
			}, { ...options, pauseMs: () => 3_600_000 });
			for (const i of [1, 2, 3]) await engine.append("s", message(i));
			await inside.promise;
			await engine.interrupt("s", "enough");
			await failed.promise;
			await eventually(async () => (await engine.read("s"))?.current?.running === false, "it waits for its next attempt");
			assert.equal(await engine.interrupt("s", "enough"), true);
			assert.deepEqual(told(await outgoing(engine, 1)), ["s m3"]);
			assert.deepEqual(await engine.deadLetters(), []);
		});

		it("stopping waits for the turns that run, and takes no more", async () => {
			const [inside, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
			const serving = await engine.serve(async (turn) => {
				inside.resolve();
				await leave.promise;
				await answer(turn);
			}, options);
			await engine.append("s", message(1));
			await engine.append("s", message(2));
			await inside.promise;
			const stopped = serving.stop();
			await engine.append("other", message(3));
			leave.resolve();
			await stopped;
			assert.deepEqual(told(await outgoing(engine, 1)), ["s m1"]);
			assert.deepEqual([(await engine.read("s"))?.waiting, (await engine.read("other"))?.waiting], [1, 1]);
		});

		it("a turn that does not end in time is given back unharmed, its attempt is not counted, and it cannot do anything any more", async () => {
			const [inside, late] = [Promise.withResolvers<Turn>(), Promise.withResolvers<void>()];
			const serving = await engine.serve(async (turn) => {
				turn.emit("answer", "late");
				inside.resolve(turn);
				await late.promise;
			}, options);
			await engine.append("s", message(1));
			const turn = await inside.promise;
			const patient = serving.stop();
			await serving.stop(0);
			await patient;
			assert.ok(turn.signal.reason instanceof TurnLostError);
			assert.throws(() => turn.emit("answer", 1), TurnLostError);
			await assert.rejects(turn.step("a", { effect: "pure", timeoutMs: 1000 }, () => 1), TurnLostError);
			const attempts: number[] = [];
			await engine.serve(async (again) => {
				attempts.push(again.attempt);
				await answer(again);
			}, options);
			late.resolve();
			assert.deepEqual(told(await outgoing(engine, 1)), ["s m1"]);
			assert.deepEqual(attempts, [1]);
		});

		it("a turn whose handler has returned refuses everything", async () => {
			const kept = Promise.withResolvers<Turn>();
			await engine.serve(async (turn) => kept.resolve(turn), options);
			await engine.append("s", message(1));
			const turn = await kept.promise;
			await eventually(async () => (await engine.read("s"))?.waiting === 0, "the turn is settled");
			const over = /^TurnLostError: The turn of session s is over: its handler has returned\. Await everything/;
			assert.throws(() => turn.set("a", 1), over);
			assert.throws(() => turn.send("a", message(1)), over);
			await assert.rejects(turn.get("a"), over);
		});

		it("a session with as many waiting as it may have takes no more from outside until some are handled", async () => {
			for (let i = 0; i < 50; i++) await engine.append("s", message(i));
			await assert.rejects(engine.append("s", message(50)), storeError("over-quota", /^Session s has 50 messages waiting and takes no more until some are handled\. Message m50 was not accepted: send it again later\.$/));
			assert.equal(await engine.append("s", message(7)), "duplicate");
			assert.equal(await engine.append("other", message(50)), "accepted");
			await engine.serve(answer, options);
			await outgoing(engine, 51);
			assert.equal(await engine.append("s", message(50)), "accepted");
		});

		it("what cannot be kept is refused with whose it is, and disturbs nobody", async () => {
			const fine = engine.append("s", message("fine"));
			await assert.rejects(engine.append("", message(1)), storeError("bad-value", /^The session of a message must be text of 1 to 512 characters, not ""\.$/));
			await assert.rejects(engine.append("s", { id: "x".repeat(513), kind: "k", body: 1 }), storeError("bad-value", /^The id of a message must be text of 1 to 512 characters, not "x{40}"\.$/));
			await assert.rejects(engine.append("s", message(1, 1n)), storeError("bad-value", /^The body of message m1 cannot be kept, .*BigInt/));
			await assert.rejects(engine.append("s", { ...message(1), notBefore: Number.NaN }), storeError("bad-value", /^Message m1: notBefore must be a time in ms since the epoch/));
			await assert.rejects(engine.serve(answer, { ...options, concurrency: 0 }), storeError("bad-value", /^concurrency must be a whole number of turns, 1 or more, not 0: /));
			assert.equal(await fine, "accepted");
			assert.equal((await engine.read("s"))?.waiting, 1);
			assert.equal(await engine.read("unknown"), undefined);
		});
	});
}
