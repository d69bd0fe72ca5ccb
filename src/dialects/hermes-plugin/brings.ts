// The tools and slash commands of a plugin.
import type { Brings, ExtensionCommand, ExtensionTool } from "../../events/brings.ts";
import { maxTimeoutMs } from "../../events/registration.ts";
import type { LoadedUnit } from "../../hosts/python/unit.ts";
import { isObject } from "./decisions.ts";
import type { Registered, RegisteredCommand, RegisteredTool } from "./registered.ts";

export interface BringsOptions {
	/** Whether a tool that says so takes the place of a built-in one. */
	readonly mayOverride: boolean;
	/** Told of a tool that cannot be offered, in a sentence. */
	readonly warn: (message: string) => void;
}

export function bringsOf(loaded: LoadedUnit, { mayOverride, warn }: BringsOptions): Brings {
	const tools: ExtensionTool[] = [];
	const commands: ExtensionCommand[] = [];
	for (const { id, what } of loaded.callbacks) {
		const registered = what as unknown as Registered;
		if (registered.kind === "command") commands.push(commandOf(registered, id, loaded));
		if (registered.kind !== "tool") continue;
		const { name, available, override } = registered;
		if (available !== true) {
			warn(`its tool '${name}' is not offered to the model: ${available}`);
			continue;
		}
		if (override === true && !mayOverride) warn(`its tool '${name}' is to take the place of the built-in one, which needs 'granted_capabilities: [tools.override]' below plugins.entries in config.yaml. It is offered under a name of its own.`);
		tools.push(toolOf(registered, id, loaded, mayOverride));
	}
	return { tools, commands };
}

function toolOf({ name, description, parameters, override }: RegisteredTool, id: number, loaded: LoadedUnit, mayOverride: boolean): ExtensionTool {
	return {
		name,
		// Hermes takes a tool without one.
		description: description.trim() || `The tool ${name} of ${loaded.name}.`,
		parameters,
		...(override === true && mayOverride && { overrides: true }),
		async run(args, { signal, sessionId, turnId, callId }) {
			const payload = { tool: name, args, session_id: sessionId, turn_id: turnId ?? null, call_id: callId };
			const answer = await loaded.call(id, { payload, timeoutMs: maxTimeoutMs, signal });
			const text = typeof answer === "string" ? answer : JSON.stringify(answer);
			return { text, isError: isError(text) };
		},
	};
}

/** A handler of Hermes says what went wrong as JSON: `{"error": "…"}`. */
function isError(text: string): boolean {
	if (!text.trimStart().startsWith("{")) return false;
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) && Boolean(value["error"]);
	} catch {
		return false;
	}
}

function commandOf({ name, description, args_hint: hint }: RegisteredCommand, id: number, loaded: LoadedUnit): ExtensionCommand {
	return {
		name: name.replace(/^\/+/, ""),
		summary: [description, hint].filter(Boolean).join(" ") || `Of ${loaded.name}.`,
		async run(args, { signal, sessionId, turnId }) {
			const payload = { command: name, args, session_id: sessionId, turn_id: turnId ?? null };
			const answer = await loaded.call(id, { payload, timeoutMs: maxTimeoutMs, signal });
			return answer === null || answer === undefined ? undefined : typeof answer === "string" ? answer : JSON.stringify(answer);
		},
	};
}
