// An event nobody hooks: a look-up, and nothing else.
import { createEngine } from "../../src/engine/engine.ts";
import type { EventName } from "../../src/events/payloads/all.ts";
import { define, handlers, toolCall } from "../handlers.ts";
import { type Contestant, heapGrowth, keep, race } from "../measure.ts";
import { atMost, type Measurement, ns, raceRow, row } from "../row.ts";

// The eight a turn asks for most. One function answers for all of them, so measuring a single name would flatter it.
const names: readonly EventName[] = ["model.calling", "model.called", "model.streamed", "step.started", "step.ended", "tool.returning", "tool.persisting", "tool.called"];

/** An engine with hooks, but for none of these events. */
function engineWithOthers() {
	const engine = createEngine();
	for (const [i, event] of (["input.receiving", "command.running", "session.switching", "message.receiving", "shell.running"] as const).entries()) {
		engine.register([define(event, "guard", handlers[i]!)]);
	}
	return engine;
}

const emptyLoop: Contestant = {
	name: "empty loop",
	work(times) {
		let count = 0;
		for (let i = 0; i < times; i++) if (names[i & 7] === "hook.failed") count++;
		keep(count);
	},
};

export const measurements: readonly Measurement[] = [
	{
		about: "engine.has",
		async measure() {
			const engine = engineWithOthers();
			const work = (times: number) => {
				let count = 0;
				for (let i = 0; i < times; i++) if (engine.has(names[i & 7]!)) count++;
				keep(count);
			};
			const timings = await race([{ name: "has", work }, emptyLoop]);
			return [
				raceRow(timings, { what: "engine.has", budget: atMost(15 * ns) }),
				row({ what: "engine.has: heap a call", unit: "bytes", measured: heapGrowth(work, 200_000), budget: atMost(0.01) }),
			];
		},
	},
	{
		about: "engine.dispatch without hooks",
		async measure() {
			const engine = engineWithOthers();
			const payload = Object.freeze(toolCall(1));
			let promises = 0;
			const work = (times: number) => {
				for (let i = 0; i < times; i++) {
					const outcome = engine.dispatch("tool.calling", payload);
					if (outcome instanceof Promise) promises++;
					else keep(outcome.kind);
				}
			};
			const timings = await race([{ name: "dispatch", work }, emptyLoop]);
			const growth = heapGrowth(work, 50_000);
			return [
				raceRow(timings, { what: "engine.dispatch, as tool calls do without asking has", budget: atMost(15 * ns), note: `${promises} promises; the heap grows by ${growth.median.toFixed(0)} bytes a call` }),
			];
		},
	},
];
