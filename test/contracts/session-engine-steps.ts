// What every session engine has to do with the steps of a turn, and with messages that cannot be handled.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type Effect, type Handler, IndeterminateError, type SessionEngine, type StepCall, StepFailedError, type StepOptions, StepTimeoutError, type Turn } from "../../src/stores/session-engine.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { type Implementation, message, options, outgoing } from "./session-engine.ts";
import { storeError } from "./store.ts";

const optionsOf = (effect: Effect, timeoutMs = 5000): StepOptions<unknown> => (effect === "verify" ? { effect, timeoutMs, verify: () => ({ happened: false }) } : { effect, timeoutMs });
const effects: readonly Effect[] = ["pure", "idempotent", "verify", "once"];

export function sessionEngineStepsContract(implementation: Implementation): void {
	describe(`${implementation.name}: steps`, () => {
		let engine: SessionEngine;
		beforeEach(() => {
			engine = implementation.open(implementation.newPlace());
		});
		afterEach(() => engine.close());

		/** Serves one message until the handler has emitted its answer. */
		async function answerOf(handler: Handler): Promise<unknown> {
			await engine.append("s", message(1));
			await engine.serve(handler, options);
			const [answer] = await outgoing(engine, 1);
			return answer?.body;
		}

		for (const effect of effects) {
			it(`the recorded result of a step is given to later attempts, and it does not run again (${effect})`, async () => {
				let runs = 0;
				const seen: unknown[] = [];
				await answerOf(async (turn) => {
					const result = await turn.step("a", optionsOf(effect), ({ key, fence }) => ({ run: ++runs, key, fence, at: new Date(0), nothing: undefined }));
					seen.push(result);
					assert.equal(await turn.step("b", optionsOf(effect), () => undefined), undefined);
					if (turn.attempt < 3) throw new Error("not yet");
					turn.emit("answer", 1);
				});
				assert.equal(runs, 1);
				const { key } = seen[0] as StepCall;
				assert.match(key, /^[0-9a-f]{32}$/);
				// As JSON gives it, the first time too.
				assert.deepEqual(seen, Array.from({ length: 3 }, () => ({ run: 1, key, fence: 1, at: "1970-01-01T00:00:00.000Z" })));
			});
		}

		for (const effect of ["pure", "idempotent", "verify"] as const) {
			it(`a step that threw runs again in the next attempt, with the same key and a higher fence (${effect})`, async () => {
				const calls: StepCall[] = [];
				const answer = await answerOf(async (turn) => {
					turn.emit("answer", await turn.step("a", optionsOf(effect), (call) => {
						if (calls.push(call) === 1) throw new Error("refused");
						return "done";
					}));
				});
				assert.equal(answer, "done");
				assert.equal(calls[0]!.key, calls[1]!.key);
				assert.ok(calls[1]!.fence > calls[0]!.fence);
			});
		}

		it("a once step that threw has its outcome: later attempts are told of it and it does not run again", async () => {
			let runs = 0;
			const errors: unknown[] = [];
			await answerOf(async (turn) => {
				try {
					await turn.step("a", optionsOf("once"), () => {
						runs++;
						throw new RangeError("the card was refused");
					});
				} catch (error) {
					errors.push(error);
				}
				if (turn.attempt === 1) throw new Error("not yet");
				turn.emit("answer", 1);
			});
			assert.equal(runs, 1);
			assert.ok(errors[0] instanceof RangeError && errors[1] instanceof StepFailedError);
			assert.equal(errors[1].message, "the card was refused");
		});

		it("keys differ between steps, messages and sessions", async () => {
			const keys: string[] = [];
			await engine.serve(async (turn) => {
				for (const name of ["a", "b"]) keys.push(await turn.step(name, { effect: "pure", timeoutMs: 5000 }, ({ key }) => key));
				turn.emit("answer", 1);
			}, options);
			for (const [session, id] of [["s", 1], ["s", 2], ["t", 1]] as const) await engine.append(session, message(id));
			await outgoing(engine, 3);
			assert.equal(new Set(keys).size, 6);
		});

		it("two steps of one name in a turn are refused, and so are a nonsensical time and a result that is no data", async () => {
			const errors: unknown[] = [];
			const refused = (work: Promise<unknown>) => work.catch((error: unknown) => errors.push(error));
			await answerOf(async (turn) => {
				await turn.step("a", optionsOf("pure"), () => 1);
				await refused(turn.step("a", optionsOf("pure"), () => 2));
				await refused(turn.step("b", optionsOf("pure", 0), () => 2));
				await refused(turn.step("c", optionsOf("pure"), () => 2n));
				turn.emit("answer", 1);
			});
			for (const [i, sentence] of [/^Step 'a' was already done in this turn\. Give each step/, /^Step 'b': timeoutMs must be a number of ms above 0/, /^The result of step 'c' cannot be kept, .*BigInt/].entries()) storeError("bad-value", sentence)(errors[i]);
		});

		for (const effect of effects) {
			it(`a step that takes too long is not waited for, and is told to stop (${effect})`, async () => {
				let told: unknown;
				const answer = await answerOf(async (turn) => {
					const step = turn.step("a", optionsOf(effect, 30), ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => {
						told = signal.reason;
						setTimeout(() => reject(new Error("too late to count")), 20);
					})));
					turn.emit("answer", await step.catch((error: Error) => error.message));
				});
				assert.ok(told instanceof StepTimeoutError);
				assert.match(String(answer), effect === "once" ? /^Step 'a' was begun and nobody knows whether it happened/ : /^Step 'a' did not end within 30 ms\.$/);
			});
		}

		it("verify is asked in the next attempt whether it happened: yes gives its result, no runs it, unknown is for a person", async () => {
			const verdicts = { happened: { happened: true, result: "found" }, missing: { happened: false }, unclear: "unknown" } as const;
			const runs: string[] = [];
			const keys = new Set<string>();
			const answer = await answerOf(async (turn) => {
				const answers: string[] = [];
				for (const [name, verdict] of Object.entries(verdicts)) {
					const verify = ({ key }: StepCall) => {
						keys.add(key);
						return verdict;
					};
					const step = turn.step<string>(name, { effect: "verify", timeoutMs: 5000, verify }, ({ key }) => {
						runs.push(name);
						keys.add(key);
						if (turn.attempt === 1) throw new Error("the line was cut");
						return "ran";
					});
					answers.push(await step.catch((error: Error) => error.name));
				}
				if (turn.attempt === 1) throw new Error("not yet");
				turn.emit("answer", answers);
			});
			assert.deepEqual(answer, ["found", "ran", "IndeterminateError"]);
			assert.deepEqual(runs, ["happened", "missing", "unclear", "missing"]);
			assert.equal(keys.size, 3);
		});

		it("an interrupt tells the step that runs, whose answer counts, and no other step begins", async () => {
			const inside = Promise.withResolvers<void>();
			const answer = answerOf(async (turn) => {
				const first = await turn.step("a", optionsOf("once"), ({ signal }) => new Promise((resolve) => {
					signal.addEventListener("abort", () => resolve("half of it"));
					inside.resolve();
				}));
				turn.emit("answer", [first, await turn.step("b", optionsOf("once"), () => 1).catch((error: Error) => error.message)]);
			});
			await inside.promise;
			await engine.interrupt("s", "enough");
			assert.deepEqual(await answer, ["half of it", "The turn was interrupted: enough"]);
		});
	});

	describe(`${implementation.name}: dead letters`, () => {
		let engine: SessionEngine;
		let problems: string[];
		const quiet = { ...options, attempts: 3, onProblem: (text: string) => void problems.push(text) };
		beforeEach(() => {
			problems = [];
			engine = implementation.open(implementation.newPlace());
		});
		afterEach(() => engine.close());

		it("a message that fails too often is put aside with its reason, the next ones go on, and it can be put back", async () => {
			let isBroken = true;
			const tried: number[] = [];
			await engine.serve(async (turn) => {
				tried.push(turn.attempt);
				if (turn.message.id === "m1" && isBroken) throw new Error(`no answer, attempt ${turn.attempt}`);
				turn.emit("answer", turn.message.body);
			}, quiet);
			await engine.append("s", message(1, "one"));
			await engine.append("s", message(2, "two"));
			await outgoing(engine, 1);
			assert.deepEqual(tried, [1, 2, 3, 1]);
			const [letter, ...others] = await engine.deadLetters();
			assert.deepEqual(others, []);
			assert.deepEqual([letter?.session, letter?.message.id, letter?.message.body, letter?.attempts, letter?.why, letter?.indeterminate], ["s", "m1", "one", 3, "no answer, attempt 3", []]);
			assert.deepEqual(problems, ["Message m1 of session s was given up and is a dead letter now. no answer, attempt 3"]);
			assert.deepEqual(await engine.deadLetters({ after: letter!.number }), []);
			assert.equal(await engine.append("s", message(1)), "duplicate");
			assert.equal((await engine.read("s"))?.waiting, 0);

			isBroken = false;
			assert.equal(await engine.requeue("s", "m1"), true);
			assert.deepEqual((await outgoing(engine, 2)).map(({ body }) => body), ["two", "one"]);
			assert.equal(await engine.requeue("s", "m1"), false);
			assert.deepEqual(await engine.deadLetters(), []);
		});

		it("a dead letter that is discarded is gone, with its body, and its id stays known", async () => {
			await engine.serve(async () => {
				throw new Error("never");
			}, { ...quiet, attempts: 1 });
			await engine.append("s", message(1, "one"));
			await eventually(() => problems.length > 0, "it is given up");
			assert.equal(await engine.discard("s", "m2"), false);
			assert.equal(await engine.discard("s", "m1"), true);
			assert.equal(await engine.discard("s", "m1"), false);
			assert.deepEqual([await engine.deadLetters(), await engine.requeue("s", "m1"), await engine.append("s", message(1))], [[], false, "duplicate"]);
		});

		it("between attempts there is a pause, longer each time", async () => {
			const asked: number[] = [];
			const began: number[] = [];
			await engine.serve(async (turn) => {
				began.push(performance.now());
				if (turn.attempt < 3) throw new Error("not yet");
				turn.emit("answer", 1);
			}, { ...options, pauseMs: (failures) => (asked.push(failures), 300 * failures) });
			await engine.append("s", message(1));
			await outgoing(engine, 1);
			assert.deepEqual(asked, [1, 2]);
			// By the clock on the wall, which may be a moment off from the other.
			assert.ok(began[1]! - began[0]! > 280 && began[2]! - began[1]! > 580, String(began));
		});

		/** Leaves an indeterminate step, and throws what comes of it. */
		const charge = async (turn: Turn) => {
			turn.emit("answer", await turn.step("charge", { effect: "once", timeoutMs: 20 }, () => (turn.attempt === 1 && isFirst ? new Promise(() => {}) : "ran")));
		};
		let isFirst = true;

		for (const [what, settlement, expected] of [["it happened", { result: "receipt 7" }, "receipt 7"], ["it did not", "run again", "ran"]] as const) {
			it(`a message whose step is indeterminate is put aside at once, and put back when a person knows (${what})`, async () => {
				isFirst = true;
				await engine.serve(charge, quiet);
				await engine.append("s", message(1));
				await eventually(() => problems.length > 0, "it is given up");
				isFirst = false;
				const [letter] = await engine.deadLetters();
				assert.deepEqual([letter?.attempts, letter?.indeterminate], [1, ["charge"]]);
				assert.match(letter?.why ?? "", /^Step 'charge' was begun and nobody knows whether it happened: .+ Let a person look, then settle it\.$/);

				assert.equal(await engine.requeue("s", "m1"), true);
				await eventually(() => problems.length > 1, "it is given up again, since nobody settled it");
				await assert.rejects(engine.requeue("s", "m1", { chrage: "run again" }), storeError("bad-value", /^Message m1 of session s has no indeterminate step 'chrage'; they are 'charge'\.$/));
				assert.equal(await engine.requeue("s", "m1", { charge: settlement }), true);
				assert.equal((await outgoing(engine, 1))[0]?.body, expected);
			});
		}

		for (const [what, forget] of [
			["the second attempt does not ask for it", async (turn: Turn) => {
				if (turn.attempt > 1) return;
				await turn.step("charge", { effect: "once", timeoutMs: 20 }, () => new Promise(() => {})).catch(() => {
					throw new Error("not yet");
				});
			}],
			["the handler does not wait for it", async (turn: Turn) => void turn.step("charge", { effect: "once", timeoutMs: 20 }, () => assert.fail("its turn is over")).catch(() => {})],
		] as const) {
			it(`a step in doubt is not forgotten: ${what}`, async () => {
				await engine.serve(forget, quiet);
				await engine.append("s", message(1));
				await eventually(() => problems.length > 0, "it is given up");
				assert.match(problems[0]!, /^Message m1 of session s was given up .+ 'charge' was begun, nobody knows whether it happened, and the turn ended without waiting for it or asking again\. Let a person look/);
				assert.deepEqual((await engine.deadLetters())[0]?.indeterminate, ["charge"]);
			});
		}

		it("a handler may take an indeterminate step upon itself: it is told, asks, and its turn ends well", async () => {
			await engine.serve(async (turn) => {
				const error = await turn.step("charge", { effect: "once", timeoutMs: 20 }, () => new Promise(() => {})).catch((thrown: unknown) => thrown);
				assert.ok(error instanceof IndeterminateError);
				turn.set("pending", { step: error.step, key: error.key });
				turn.emit("question", "Was the card charged?");
			}, quiet);
			await engine.append("s", message(1));
			assert.equal((await outgoing(engine, 1))[0]?.kind, "question");
			assert.deepEqual([problems, await engine.deadLetters()], [[], []]);
		});
	});
}
