import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { guardsBeforeLateRewrites, lastAnswerWins } from "./broken-orders.ts";
import { acceptedByEveryGuard, closedFailureNeverGoes, orderOfGuardsDoesNotMatter, projectsAllowNothing, type Property, strongerIsNeverWeakened } from "./decisions.ts";
import { essence, hookSets, persons, run, throughEngine } from "./hook-sets.ts";

// fast-check prints the seed and the smallest counterexample when one of these fails.
const runs = { numRuns: 400 };

test("what runs was accepted by every guard, exactly as it runs", () => fc.assert(acceptedByEveryGuard(throughEngine), runs));
test("a failing closed hook never yields go", () => fc.assert(closedFailureNeverGoes(throughEngine), runs));
test("the order of guards does not matter", () => fc.assert(orderOfGuardsDoesNotMatter(throughEngine), runs));
test("a stronger decision is never weakened", () => fc.assert(strongerIsNeverWeakened(throughEngine), runs));
test("the allow of a project's hook never changes anything", () => fc.assert(projectsAllowNothing(throughEngine), runs));

test("the sets that are tried have every kind of end", async () => {
	const ends = new Set<string>();
	await fc.assert(
		fc.asyncProperty(hookSets, persons, async (set, yes) => {
			ends.add(essence(await run(throughEngine, set, yes)).replace(/ by .*| with .*/, ""));
		}),
		{ ...runs, seed: 1 },
	);
	assert.deepEqual([...ends].toSorted(), ["asked, blocked", "asked, go, approved", "blocked", "go", "go, allowed"]);
});

/** The counterexample fast-check finds against a broken order. Fails the test when it finds none. */
async function refuted(property: Property): Promise<string> {
	const { failed, errorInstance } = await fc.check(property, { numRuns: 2000, seed: 7 });
	assert.ok(failed, "no counterexample was found");
	return errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
}

test("guards that judge before late rewrites do not have the first property", async () => {
	assert.match(await refuted(acceptedByEveryGuard(guardsBeforeLateRewrites)), /did not see the very value that runs/);
});

test("an order in which the last answer wins has none of three properties", async () => {
	assert.match(await refuted(acceptedByEveryGuard(lastAnswerWins)), /refused what runs|blocks whatever comes|did not see/);
	assert.match(await refuted(strongerIsNeverWeakened(lastAnswerWins)), /then with one more/);
	assert.ok(await refuted(orderOfGuardsDoesNotMatter(lastAnswerWins)));
	assert.match(await refuted(closedFailureNeverGoes(lastAnswerWins)), /is closed and failed/);
});
