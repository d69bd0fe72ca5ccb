// What the loop itself costs: CPU of whole steps and turns, sessions in a real store, above the fetches nobody can do without.
import { join } from "node:path";
import { Conversation } from "../../src/agent/conversation.ts";
import type { AgentParts } from "../../src/agent/parts.ts";
import { chatBody } from "../../src/models/chat-body.ts";
import { openAiCompatibleModel } from "../../src/models/openai-compatible.ts";
import { rehearsalModel } from "../../src/models/rehearsal.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { history, noop, partsFor, place, resumed, stepsInTurn } from "../agent.ts";
import { LineChild, program, temporaryFolder } from "../child.ts";
import { type Figure, figureOf, processCpu } from "../measure.ts";
import { atMost, type Measurement, ms, type Row, row, timesTheFloor } from "../row.ts";

/** Nanoseconds of CPU of one piece of work done `times` times, with what it leaves to be done later: observers, the trace. */
async function cost({ engine, store }: AgentParts, times: number, work: () => Promise<unknown>): Promise<number> {
	const began = processCpu();
	await work();
	await engine.idle();
	store.trace.flush();
	return ((processCpu() - began) * ms) / times;
}

const stop = new AbortController().signal;

/** One turn of exactly `stepsInTurn` steps: the model never stops calling, the limit of steps ends it. */
async function turn(conversation: Conversation, prompt: string): Promise<void> {
	const { error } = await conversation.submit(prompt, "typed", stop);
	if (!error?.includes(`${stepsInTurn} steps`)) throw new Error(`The turn ended otherwise than by its limit: ${error ?? "completed"}`);
}

/** For the compiler, whose own threads are charged to us as well. */
const warmUpRounds = (messages: number) => (messages > 1000 ? 2 : 10);

interface Case {
	readonly messages: number;
	readonly hooks: number;
	readonly rounds: number;
}

async function stepsThroughFetch({ messages, hooks, rounds }: Case): Promise<{ readonly above: Figure; readonly floor: number; readonly whole: number; readonly bytes: number }> {
	await using folder = await temporaryFolder();
	await using server = new LineChild(process.execPath, ["--disable-warning=ExperimentalWarning", program("model-server.ts")]);
	const baseUrl = await server.line();
	using store = openSqliteStore(join(folder.path, "bench.db"), { onProblem: (message) => console.error(message) });
	const parts = partsFor(openAiCompatibleModel({ model: "bench", baseUrl }), store, hooks);
	const body = JSON.stringify(chatBody("bench", { messages: [{ role: "system", text: "Be brief." }, ...history(messages), { role: "user", text: "go" }], tools: [noop] }));
	const fetches = async () => {
		for (let n = 0; n < stepsInTurn; n++) {
			const response = await fetch(`${baseUrl}/chat/completions`, { method: "POST", headers: { "content-type": "application/json" }, body });
			await response.arrayBuffer();
		}
	};
	const steps: number[] = [];
	const floor: number[] = [];
	// Long sessions are opened once: what they grow by does not matter. Short ones anew for each round, or they would soon be long.
	let conversation = await resumed(parts, messages);
	for (let round = -warmUpRounds(messages); round < rounds; round++) {
		if (messages < 1000) {
			await conversation.close("finished");
			conversation = await resumed(parts, messages);
		}
		const step = await cost(parts, stepsInTurn, () => turn(conversation, "go"));
		const fetched = await cost(parts, stepsInTurn, fetches);
		if (round < 0) continue;
		steps.push(step);
		floor.push(fetched);
	}
	await conversation.close("finished");
	const least = figureOf(floor).median;
	// Not round by round: a large collection falls into one or the other by chance, and is as large as what is measured.
	return { above: figureOf(steps.map((value) => value - least)), floor: least, whole: figureOf(steps).median, bytes: body.length };
}

async function stepsThroughRehearsal({ messages, hooks, rounds }: Case): Promise<Figure> {
	await using folder = await temporaryFolder();
	using store = openSqliteStore(join(folder.path, "bench.db"), { onProblem: (message) => console.error(message) });
	const parts = partsFor(rehearsalModel(), store, hooks);
	const steps: number[] = [];
	let conversation = await resumed(parts, messages);
	for (let round = -warmUpRounds(messages); round < rounds; round++) {
		if (messages < 1000) {
			await conversation.close("finished");
			conversation = await resumed(parts, messages);
		}
		const step = await cost(parts, stepsInTurn, () => turn(conversation, "LOOP 1000000 noop {}"));
		if (round >= 0) steps.push(step);
	}
	await conversation.close("finished");
	return figureOf(steps);
}

const sizes = [10, 1000, 10_000] as const;
const named = (count: number) => count.toLocaleString("en");

function fetchMeasurement(hooks: number): Measurement {
	const about = `one step above a bare fetch, ${hooks} hooks`;
	return {
		about,
		async measure() {
			const rows: Row[] = [];
			let first: Figure | undefined;
			for (const messages of sizes) {
				const { above, floor, whole, bytes } = await stepsThroughFetch({ messages, hooks, rounds: messages > 1000 ? 6 : 20 });
				first ??= above;
				const note = `× floor is that of the whole step; the request has ${(bytes / 1024).toFixed(0)} KB${messages === 10 ? "" : `; ${(above.median / first.median).toFixed(1)} times the step at ${named(sizes[0])} messages`}`;
				rows.push(row({ what: `step above fetch, ${hooks} hooks, ${named(messages)} messages`, unit: "ns", measured: above, floor: { name: "bare fetch, same bytes", median: floor }, ratio: whole / floor, budget: atMost(1.5 * ms), note }));
			}
			return rows;
		},
	};
}

export const measurements: readonly Measurement[] = [
	fetchMeasurement(0),
	fetchMeasurement(10),
	{
		about: "one step, rehearsal",
		async measure() {
			const rows: Row[] = [];
			for (const hooks of [0, 10]) {
				let first: Figure | undefined;
				for (const messages of sizes) {
					const measured = await stepsThroughRehearsal({ messages, hooks, rounds: 20 });
					const floor = first && { name: `at ${named(sizes[0])} messages`, median: first.median };
					first ??= measured;
					rows.push(row({ what: `step, rehearsal, ${hooks} hooks, ${named(messages)} messages`, unit: "ns", measured, ...(floor && { floor, ratio: measured.median / floor.median, budget: timesTheFloor(2) }) }));
				}
			}
			return rows;
		},
	},
	{
		about: "one turn, rehearsal",
		async measure() {
			await using folder = await temporaryFolder();
			using store = openSqliteStore(join(folder.path, "bench.db"), { onProblem: (message) => console.error(message) });
			const parts = partsFor(rehearsalModel(), store, 10);
			const conversation = await Conversation.open(parts, place, []);
			const turns: number[] = [];
			for (let round = -10; round < 20; round++) {
				const took = await cost(parts, 10, async () => {
					for (let n = 0; n < 10; n++) if (!(await conversation.submit("CALL noop {}", "typed", stop)).completed) throw new Error("The turn did not complete.");
				});
				if (round >= 0) turns.push(took);
			}
			await conversation.close("finished");
			return [row({ what: "turn, rehearsal: 2 model calls, 1 tool call, 10 hooks", unit: "ns", measured: figureOf(turns), note: "in a running process, with its session and its trace in the store" })];
		},
	},
];
