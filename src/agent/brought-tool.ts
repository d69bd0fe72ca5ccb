// A tool of an extension as the agent has its own: bounded in time, and what it gives is checked.
import type { ExtensionTool } from "../events/brings.ts";
import type { ToolResult } from "../events/payloads/tool.ts";
import { bringsMistake } from "../hosts/brings-check.ts";
import { orAborted } from "../system/abort.ts";
import { copyPlain } from "../system/plain.ts";
import { mistakesIn, SchemaError } from "../system/schema.ts";
import { visibleLine } from "../system/visible.ts";
import { failed } from "../tools/result.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentToolContext } from "./tool-context.ts";

const defaultTimeoutMs = 600_000;
const shownCharacters = 100_000;

/** Why a tool cannot be offered to a model, in words for its author. */
export function toolMistake(tool: ExtensionTool): string | undefined {
	const { name, parameters } = tool;
	const mistake = bringsMistake.tool({ ...tool });
	if (mistake !== undefined) return `${quoted(name)}: ${mistake}`;
	try {
		mistakesIn(parameters, {});
		return undefined;
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		return `${quoted(name)}: its parameters are no JSON Schema (${error.message}).`;
	}
}

const quoted = (name: string): string => `'${visibleLine(name.slice(0, 80))}'`;

export function toolOf(extension: string, tool: ExtensionTool): Tool {
	const { name, description, parameters, timeoutMs = defaultTimeoutMs } = tool;
	return {
		name,
		description,
		parameters,
		async run(args, context) {
			const { session, cwd, callId, onOutput } = context as AgentToolContext;
			const time = new AbortController();
			const timer = setTimeout(() => time.abort(new Error("Its time was up.")), timeoutMs);
			const signal = AbortSignal.any([context.signal, time.signal]);
			try {
				const place = { signal, cwd, sessionId: session.id, ...(session.turnId !== undefined && { turnId: session.turnId }), callId, update: (text: string) => onOutput?.(Buffer.from(text)) };
				return checked(await orAborted(tool.run(args, place), signal), extension, name);
			} catch (error) {
				if (context.signal.aborted) throw error;
				if (time.signal.aborted) return failed(`The tool ${name} of the extension '${extension}' gave nothing within ${timeoutMs / 1000} s and was stopped.`);
				return failed(`The tool ${name} of the extension '${extension}' failed: ${inWords(error)}`);
			} finally {
				clearTimeout(timer);
			}
		},
	};
}

/** It may come from a process that is not ours. */
function checked(result: unknown, extension: string, name: string): ToolResult {
	const { text, isError, details } = (typeof result === "object" && result !== null ? result : {}) as Partial<ToolResult>;
	if (typeof text !== "string" || typeof isError !== "boolean") return failed(`The tool ${name} of the extension '${extension}' gave no result (a text and isError).`);
	const leftOut = text.length - shownCharacters;
	const shown = leftOut <= 0 ? text : `${text.slice(0, shownCharacters).toWellFormed()}\n[cut: ${leftOut.toLocaleString("en-US")} more characters]`;
	try {
		return { text: shown, isError, ...(details !== undefined && { details: copyPlain(details, "details") as NonNullable<ToolResult["details"]> }) };
	} catch {
		return { text: shown, isError };
	}
}

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));
