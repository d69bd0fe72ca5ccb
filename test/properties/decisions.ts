// The decision algebra as properties of a dispatcher. The engine must have all of them; each is also shown to notice an order that is broken.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { type Dispatcher, essence, fails, guards, hookSets, matches, persons, type Run, run, shuffled, type Sketch } from "./hook-sets.ts";

/** Whatever the values it is tried with, a property is a thing to be asserted or refuted. */
export type Property = fc.IAsyncProperty<never>;
const property = (make: (dispatch: Dispatcher) => unknown) => make as (dispatch: Dispatcher) => Property;

/** Silence, allow, ask, block: how strict an outcome was. What a person decided counts as the question it was. */
function strictness({ outcome, asked }: Run): number {
	if (asked) return 2;
	return outcome.kind === "blocked" ? 3 : outcome.kind === "go" && outcome.allowedBy !== undefined ? 1 : 0;
}
const strictnessOf = { allow: 1, ask: 2, block: 3 } as const;

/** What runs was accepted by every guard: each saw exactly that, and none refused it. */
export const acceptedByEveryGuard = property((dispatch) =>
	fc.asyncProperty(hookSets, persons, async (set, yes) => {
		const { outcome, seen, refused } = await run(dispatch, set, yes);
		if (outcome.kind !== "go") return;
		for (const sketch of set.filter(matches)) {
			const lastSeen = seen.get(sketch.name)?.at(-1);
			if (sketch.stage === "guard") {
				assert.equal(lastSeen, outcome.payload, `${sketch.name} did not see the very value that runs`);
				assert.deepStrictEqual(lastSeen, outcome.payload);
			}
			// One that judges and changed nothing itself has seen what the others changed.
			if (sketch.judges && ["pass", "allow", "ask", "block-if-rewritten"].includes(sketch.does)) assert.deepStrictEqual(lastSeen!.args, outcome.payload.args);
			assert.ok(!refused.has(sketch.name), `${sketch.name} refused what runs`);
			if (sketch.does === "block" && (sketch.stage === "guard" || seen.has(sketch.name))) assert.fail(`${sketch.name} blocks whatever comes`);
		}
		// An event nobody hooks is let through untouched.
		if (set.length > 0) assert.ok(Object.isFrozen(outcome.payload) && Object.isFrozen(outcome.payload.args));
	}),
);

/** A hook that is closed and failed never lets anything go ahead. */
export const closedFailureNeverGoes = property((dispatch) =>
	fc.asyncProperty(hookSets, persons, async (set, yes) => {
		const { outcome, seen } = await run(dispatch, set, yes);
		const culprit = set.find((sketch) => matches(sketch) && fails(sketch) && sketch.onError === "closed" && seen.has(sketch.name));
		if (culprit !== undefined) assert.equal(outcome.kind, "blocked", `${culprit.name} is closed and failed`);
		const unasked = set.find((sketch) => matches(sketch) && sketch.stage === "guard" && !seen.has(sketch.name));
		if (unasked !== undefined) assert.equal(outcome.kind, "blocked", `${unasked.name} was not even asked`);
	}),
);

/** The order in which guards were registered, and their order at equal priority, changes nothing. */
export const orderOfGuardsDoesNotMatter = property((dispatch) =>
	fc.asyncProperty(
		hookSets.chain((set) => {
			const places = set.flatMap(({ stage }, i) => (stage === "guard" ? [i] : []));
			return fc.tuple(
				fc.constant(set),
				shuffled(places).map((order) => set.map((sketch, i) => (sketch.stage === "guard" ? set[order[places.indexOf(i)]!]! : sketch))),
			);
		}),
		persons,
		async ([set, reordered], yes) => {
			assert.equal(essence(await run(dispatch, reordered, yes)), essence(await run(dispatch, set, yes)));
		},
	),
);

/** One guard more, with whatever it says, makes an outcome as strict as it was or as the guard is, whichever is more. */
export const strongerIsNeverWeakened = property((dispatch) =>
	fc.asyncProperty(hookSets, fc.constantFrom("allow", "ask", "block"), fc.constantFrom(1, 100, 200), fc.nat({ max: 9 }), persons, async (set, does, priority, at, yes) => {
		const before = await run(dispatch, set, yes);
		const more: Sketch = { ...another, does, priority, onError: "closed" };
		const after = await run(dispatch, set.toSpliced(Math.min(at, set.length), 0, more), yes);
		const expected = Math.max(strictness(before), strictnessOf[does]);
		assert.equal(strictness(after), expected, `${essence(before)}, then with one more ${does}: ${essence(after)}`);
		if (before.outcome.kind === "blocked" && !before.asked) assert.equal(after.outcome.kind, "blocked");
	}),
);

/** An allow of a hook from a project folder is as good as silence. */
export const projectsAllowNothing = property((dispatch) =>
	fc.asyncProperty(hookSets, guards, persons, async (set, more, yes) => {
		const project = [...set, ...more.map((sketch, i) => ({ ...sketch, name: `p${i}`, trust: "project" as const, does: "allow" as const }))];
		const silenced = project.map((sketch) => (sketch.trust === "project" && sketch.does === "allow" ? { ...sketch, does: "pass" as const } : sketch));
		assert.equal(essence(await run(dispatch, project, yes)), essence(await run(dispatch, silenced, yes)));
	}),
);

const another: Sketch = { name: "x", stage: "guard", priority: 100, does: "pass", later: false, onError: "closed", trust: "user", judges: false, tool: undefined };
