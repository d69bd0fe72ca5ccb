// A failure is one class: whatever the kind, its policy alone says what it means.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, engineWith, guard, hook, inWords, never, observe, toolCall, toolCalled, transform } from "../../test/engine.ts";
import type { FailurePolicy } from "../events/catalog.ts";
import { rewrite } from "../events/decision.ts";
import { HookFailure } from "../events/failure.ts";
import type { HookFailed } from "../events/payloads/house.ts";
import { OperationBlocked } from "./perform.ts";

const result = { text: "done", isError: false };
const broken = () => {
	throw new Error("no disk");
};
const failing = {
	threw: { handler: broken, says: "no disk" },
	"threw by promise": { handler: async () => broken(), says: "no disk" },
	"timed-out": { handler: never, says: /^(gave no answer within 20 ms|took more than 20 ms of its own)$/ },
	"bad-answer": { handler: () => ({ kind: "blok" }), says: /which is no decision\. Did you mean 'block'\?$/ },
	"host-ended": { handler: () => Promise.reject(new HookFailure("host-ended", "its process is gone")), says: "its process is gone" },
	"cannot-start": { handler: () => Promise.reject(new HookFailure("cannot-start", "there is no python3")), says: "there is no python3" },
} as const;

/** What became of a tool call with one broken hook, and what was said about it. */
async function run(stage: "transform" | "guard" | "wrap", onError: FailurePolicy, handler: () => unknown) {
	const told: HookFailed[] = [];
	const check = () => (stage === "wrap" ? "what is no result" : undefined);
	const engine = engineWith([hook("tool.calling", stage, handler, { onError, name: "broken", ...(handler === never && { timeoutMs: 20 }) }), observe("hook.failed", (failure) => void told.push(failure))]);
	const outcome = await engine.dispatch("tool.calling", toolCall());
	let became: string = inWords(outcome);
	if (outcome.kind === "go" && stage === "wrap") {
		try {
			became = (await engine.perform("tool.calling", outcome, async () => result, { check })).text;
		} catch (error) {
			assert.ok(error instanceof OperationBlocked);
			became = inWords(error.outcome);
		}
	}
	await engine.idle();
	return { became, told, record: engine.recent().findLast(({ event, hooks }) => event === "tool.calling" && hooks.length > 0)! };
}

for (const stage of ["transform", "guard", "wrap"] as const) {
	for (const [name, { handler, says }] of Object.entries(failing)) {
		// Wrappers give a result, not a decision: the operation's own check says what is none.
		const kind = name.split(" ")[0]!;
		const message = stage === "wrap" && kind === "bad-answer" ? "gave what is no result" : says;
		test(`${stage}, ${name}: closed blocks and names the hook, open goes on, both are told and traced`, async () => {
			for (const policy of ["closed", "open"] as const) {
				const { became, told, record } = await run(stage, policy, handler);
				if (policy === "open") assert.equal(became, stage === "wrap" ? "done" : "go");
				else assert.match(became, new RegExp(`^blocked by test/broken \\(failure\\): Hook test/broken failed \\(${kind}\\): .*\\. It is closed, so nothing goes on without its answer\\.$`));
				assert.equal(told.length, 1);
				const [failure] = told;
				assert.deepEqual(
					[failure!.hook, failure!.extension, failure!.event, failure!.failure, failure!.effect, failure!.suspended],
					["test/broken", "test", "tool.calling", kind, policy === "closed" ? "blocked" : "passed", false],
				);
				assert.deepEqual([failure!.sessionId, failure!.turnId, failure!.surface], ["s1", "t1", "test"]);
				const [noted] = record.hooks;
				assert.deepEqual([noted!.decision, noted!.failure], ["failed", kind]);
				if (typeof message === "string") assert.equal(noted!.reason, message);
				else assert.match(noted!.reason!, message);
				assert.equal(record.outcome, policy === "closed" ? "blocked" : "go");
			}
		});
	}
}

test("transform, invalid-rewrite: closed blocks, open goes on with the value as it was", async () => {
	const wrong = () => rewrite("no object");
	assert.match((await run("transform", "closed", wrong)).became, /^blocked by test\/broken \(failure\): Hook test\/broken failed \(invalid-rewrite\)/);
	assert.equal((await run("transform", "open", wrong)).became, "go");
});

test("unless they say otherwise, a broken guard stops the call and a broken transform does not", async () => {
	assert.equal((await engineWith([guard("tool.calling", broken)]).dispatch("tool.calling", toolCall())).kind, "blocked");
	assert.equal(commandOf(await engineWith([transform("tool.calling", broken)]).dispatch("tool.calling", toolCall())), "ls");
});

test("a broken open transform does not keep the next one from its work", async () => {
	const outcome = await engineWith([transform("tool.calling", broken), transform("tool.calling", () => rewrite({ command: "pwd" }))]).dispatch("tool.calling", toolCall());
	assert.equal(commandOf(outcome), "pwd");
});

test("a broken observer has no say, and is told and traced all the same", async () => {
	const { told, engine } = (() => {
		const told: HookFailed[] = [];
		return { told, engine: engineWith([observe("tool.called", broken, { name: "o" }), observe("hook.failed", (failure) => void told.push(failure))]) };
	})();
	engine.tell("tool.called", toolCalled());
	await engine.idle();
	assert.deepEqual([told[0]!.hook, told[0]!.effect, told.length], ["test/o", "none", 1]);
	assert.equal(engine.recent().find(({ event }) => event === "tool.called")!.hooks[0]!.failure, "threw");
});

test("the log says who failed where, how, and what it meant", async () => {
	const lines: string[] = [];
	const log = (hook: string, message: string) => void lines.push(`${hook} ${message}`);
	const engine = engineWith([guard("tool.calling", broken, { name: "g" }), transform("tool.calling", broken, { name: "t" })], { log });
	await engine.dispatch("tool.calling", toolCall());
	assert.deepEqual(lines, ["test/t failed at tool.calling (threw): no disk; it is open, so things go on without it", "test/g failed at tool.calling (threw): no disk, which blocks it"]);
});
