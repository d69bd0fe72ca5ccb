// Inline handlers that have nothing against a call: what the engine puts around them, beside libraries that only call them.
import Emittery from "emittery";
import { createHooks } from "hookable";
import { AsyncSeriesHook } from "tapable";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { deepFreeze } from "../../src/system/plain.ts";
import type { ToolCalling } from "../../src/events/payloads/tool.ts";
import { type AsyncHandler, asyncHandlers, define, type Handler, handlers, toolCall } from "../handlers.ts";
import { type Contestant, keep, race } from "../measure.ts";
import { atMost, type Budget, type Measurement, raceRow, us } from "../row.ts";

/** A guard's budget in µs with the trace, and without it. */
const syncBudgets = [
	{ count: 1, traced: 0.3, untraced: 0.03 },
	{ count: 5, traced: 0.9, untraced: 0.06 },
	{ count: 20, traced: 3, untraced: 0.15 },
] as const;
const asyncBudgets = [
	{ count: 1, limit: 0.5 },
	{ count: 5, limit: 1.5 },
	{ count: 20, limit: 5 },
] as const;

export const measurements: readonly Measurement[] = [
	...syncBudgets.map(({ count, traced }) => traceOn(count, atMost(traced * us))),
	...syncBudgets.map(({ count, untraced }) => traceOff(count, atMost(untraced * us))),
	...asyncBudgets.map(({ count, limit }) => asyncGuards(count, atMost(limit * us))),
	...asyncBudgets.map(({ count, limit }) => asyncTransforms(count, atMost(limit * us))),
];

function dispatches(engine: Engine) {
	return (times: number): void => {
		for (let i = 0; i < times; i++) {
			const outcome = engine.dispatch("tool.calling", toolCall(i));
			if (outcome instanceof Promise) throw new Error("A dispatch of synchronous guards made a promise.");
			keep(outcome.kind);
		}
	};
}

function awaited(engine: Engine) {
	return async (times: number): Promise<void> => {
		for (let i = 0; i < times; i++) keep((await engine.dispatch("tool.calling", toolCall(i))).kind);
	};
}

function bareLoop(used: readonly Handler[]): Contestant {
	return {
		name: "bare loop",
		work(times) {
			for (let i = 0; i < times; i++) {
				const call = toolCall(i);
				for (const handler of used) keep(handler(call));
			}
		},
	};
}

function bareAwaits(used: readonly AsyncHandler[]): Contestant {
	return {
		name: "await in a loop",
		async work(times) {
			for (let i = 0; i < times; i++) {
				const call = toolCall(i);
				for (const handler of used) keep(await handler(call));
			}
		},
	};
}

function traceOn(count: number, budget: Budget): Measurement {
	const about = counted(count, "synchronous guard");
	return {
		about,
		async measure() {
			const used = handlers.slice(0, count);
			const timings = await race([{ name: "engine", work: dispatches(engineOf(used, "guard")) }, bareLoop(used), ...peersOf(used)]);
			return [raceRow(timings, { what: `${about}: policy, timing, trace`, budget })];
		},
	};
}

function traceOff(count: number, budget: Budget): Measurement {
	const about = `${counted(count, "synchronous guard")}, trace off`;
	return {
		about,
		async measure() {
			const used = handlers.slice(0, count);
			const freezing = (times: number) => {
				for (let i = 0; i < times; i++) keep(deepFreeze(toolCall(i)));
			};
			const [ours, floor, frozen] = await race([{ name: "engine", work: dispatches(engineOf(used, "guard", false)) }, bareLoop(used), { name: "freezing", work: freezing }]);
			return [raceRow([ours!, floor!], { what: about, budget, note: `of this, freezing the payload ${frozen!.median.toFixed(0)} ns` })];
		},
	};
}

function asyncGuards(count: number, budget: Budget): Measurement {
	const about = counted(count, "asynchronous guard");
	return {
		about,
		async measure() {
			const used = asyncHandlers.slice(0, count);
			const timings = await race([{ name: "engine", work: awaited(engineOf(used, "guard")) }, bareAwaits(used), ...peersOf(used)]);
			return [raceRow(timings, { what: `${about}, at once: time-out, policy, timing, trace`, budget })];
		},
	};
}

function asyncTransforms(count: number, budget: Budget): Measurement {
	const about = counted(count, "asynchronous transform");
	return {
		about,
		async measure() {
			const used = asyncHandlers.slice(0, count);
			const timings = await race([{ name: "engine", work: awaited(engineOf(used, "transform")) }, bareAwaits(used)]);
			return [raceRow(timings, { what: `${about}, one after the other: the same`, budget })];
		},
	};
}

function engineOf(used: readonly (Handler | AsyncHandler)[], stage: "guard" | "transform", trace?: false): Engine {
	const engine = createEngine(trace === false ? { trace } : {});
	engine.register(used.map((handler) => define("tool.calling", stage, handler)));
	return engine;
}

/** The same handlers and the same payloads. All three give a promise, which is awaited; emittery wraps the payload, so its listeners unwrap it. */
function peersOf(used: readonly (Handler | AsyncHandler)[]): readonly Contestant[] {
	const tapable = new AsyncSeriesHook<[ToolCalling]>(["call"]);
	const hookable = createHooks<{ call: (call: ToolCalling) => Promise<void> | void }>();
	const emittery = new Emittery<{ call: ToolCalling }>();
	for (const [i, handler] of used.entries()) {
		if (isAsync(handler)) tapable.tapPromise(`hook ${i}`, handler);
		else tapable.tap(`hook ${i}`, handler);
		hookable.hook("call", handler);
		emittery.on("call", ({ data }) => handler(data));
	}
	const calls = (name: string, call: (payload: ToolCalling) => unknown): Contestant => ({
		name,
		async work(times) {
			for (let i = 0; i < times; i++) await call(toolCall(i));
		},
	});
	return [
		calls("tapable AsyncSeriesHook.promise", (payload) => tapable.promise(payload)),
		calls("hookable callHook", (payload) => hookable.callHook("call", payload)),
		calls("emittery emitSerial", (payload) => emittery.emitSerial("call", payload)),
	];
}

const isAsync = (handler: Handler | AsyncHandler): handler is AsyncHandler => (asyncHandlers as readonly unknown[]).includes(handler);

function counted(count: number, what: string): string {
	return `${count} ${what}${count === 1 ? "" : "s"}`;
}
