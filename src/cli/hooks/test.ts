// `hookline hooks test EVENT`: fires an event at the real hooks, with a sample payload or a given one, and prints each decision.
import { readFileSync } from "node:fs";
import { fire } from "../../agent/fire.ts";
import { eventOf as eventNamed } from "../../dialects/hermes-shell/events.ts";
import type { Payloads } from "../../events/payloads/all.ts";
import { samplePayload } from "../../events/samples.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { newId } from "../../system/ids.ts";
import { builtInTools } from "../../tools/built-in.ts";
import { visibleLine } from "../../system/visible.ts";
import { exitCodes, UsageError } from "../exit.ts";
import { print, printJson } from "../output.ts";
import { openLive } from "./live.ts";
import { eventOf, recordLines } from "./trace.ts";

export interface TestOptions {
	readonly payload?: string;
	readonly payloadFile?: string;
	readonly tool?: string;
	readonly forTool?: string;
	readonly json?: boolean;
}

/** @returns 1 when a hook failed. A block is what a guard is for, and no failure. */
export async function test(eventName: string, options: TestOptions): Promise<number> {
	// Names of Hermes Agent are known as well, as its hooks have them.
	const event = eventNamed(eventName) ?? eventOf(eventName);
	const tool = options.tool ?? options.forTool;
	const sample = samplePayload(event, { cwd: process.cwd(), at: Date.now(), eventId: newId("e") });
	const payload = { ...sample, ...given(options), ...(tool !== undefined && { toolName: tool }) } as Payloads[typeof event];
	await using runtime = await openLive();
	const { engine } = runtime;
	const fired = await fire(engine, event, payload, { tools: builtInTools() });
	const { outcome } = fired;
	const records = fired.records.filter((record) => record.event === event);
	const failed = records.some((record) => record.hooks.some((hook) => hook.decision === "failed"));
	const modes = runtime.shellHooks.flatMap(({ hook, differences = [] }) => differences.map((difference) => ({ hook: hook.id, ...difference })));
	if (options.json) printJson({ event, payload, outcome: outcome ?? "told", records, modes });
	else {
		if (!engine.has(event)) print(`Nothing is hooked at ${event}.`);
		for (const record of records) print(recordLines(record));
		for (const { hook, mode, does, other, would } of modes) print(visibleLine(`${hook}: ${mode} ${does}; with mode: ${other} it ${would}.`));
		if (outcome) print(`Outcome: ${inWords(outcome)}`);
	}
	return failed ? exitCodes.problems : exitCodes.fine;
}

function given({ payload, payloadFile }: TestOptions): object {
	if (payload !== undefined && payloadFile !== undefined) throw new UsageError("--payload and --payload-file contradict each other. Give one of them.");
	let text = payload;
	if (payloadFile !== undefined) {
		try {
			text = readFileSync(payloadFile === "-" ? 0 : payloadFile, "utf8");
		} catch (error) {
			throw new UsageError(`--payload-file ${payloadFile} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
	if (text === undefined) return {};
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return inOurWords(value);
	} catch (error) {
		throw new UsageError(`The payload is not JSON: ${error instanceof Error ? error.message : String(error)}`);
	}
	throw new UsageError(`The payload must be a JSON object with the fields to set, for example {"args":{"command":"ls"}}.`);
}

/** A payload as a script reads it names tool and arguments in the way of Hermes Agent. */
function inOurWords({ tool_name, tool_input, ...rest }: { readonly tool_name?: unknown; readonly tool_input?: unknown }): object {
	return { ...rest, ...(typeof tool_name === "string" && { toolName: tool_name }), ...(typeof tool_input === "object" && tool_input !== null && { args: tool_input }) };
}

function inWords(outcome: Outcome): string {
	if (outcome.kind === "blocked") return `blocked by ${outcome.by}: ${visibleLine(outcome.reason)}`;
	if (outcome.kind === "responded") return `answered by ${outcome.by}: ${visibleLine(outcome.text)}`;
	const injected = outcome.injections.map(({ by, as }) => `${by} added context (as ${as})`);
	return ["goes on", ...(outcome.allowedBy === undefined ? [] : [`allowed by ${outcome.allowedBy}`]), ...injected].join(", ");
}
