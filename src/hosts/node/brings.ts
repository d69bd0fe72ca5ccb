// What an extension in a child brings, as the agent has it: each function is a call into the child, by the thing's name, so that it also finds the
// extension after its process was started anew.
import type { Brings, CallPlace, ExtensionCommand, ExtensionFlag, ExtensionShortcut, ExtensionTool } from "../../events/brings.ts";
import { HookFailure } from "../../events/failure.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import type { ToolResult } from "../../events/payloads/tool.ts";
import type { Channel, ExtensionProvider } from "../../events/providers.ts";
import { RegistrationError } from "../../events/registration.ts";
import { deepFreeze } from "../../system/plain.ts";
import { bringsMistake } from "../brings-check.ts";
import { isObject } from "../checks.ts";
import type { BringsParts, RunMessage } from "../protocol.ts";
import { answerIn } from "../provider.ts";
import type { Calls } from "./calls.ts";
import { runJob } from "./job.ts";
import type { Member } from "./member.ts";

export interface BringsOptions {
	readonly calls: Calls;
	/** Before each call. */
	readonly before: () => void;
	readonly log: (message: string) => void;
}

/** @throws RegistrationError: the registrar in the child refuses such things, but the child is not ours to trust. */
export function bringsOf(parts: BringsParts, member: Member, { calls, before, log }: BringsOptions): Brings {
	const run = (what: RunMessage["what"], name: string, args: unknown, { signal, cwd, sessionId, turnId, ...more }: CallPlace, callId?: string): Promise<unknown> => {
		before();
		const update = "update" in more ? { update: more.update as (text: string) => void } : {};
		return calls.call(runJob(member, signal, { what, name, args, place: { cwd, sessionId, turnId, callId } }, { log, ...update }));
	};
	const shortcuts = checked("shortcut", "key", parts.shortcuts).map(({ key, summary }): ExtensionShortcut => ({ key: key as string, summary: summary as string, run: async (call) => void (await run("shortcut", key as string, undefined, call)) }));
	const flags = checked("flag", "name", parts.flags).map(({ name, summary, type, default: chosen }) => ({ name, summary, type, ...(chosen !== undefined && { default: chosen }) }) as ExtensionFlag);
	const providers = checked("provider", "name", parts.providers).map((part): ExtensionProvider => {
		const { completes, ...provider } = deepFreeze(part) as unknown as ExtensionProvider & { readonly completes?: true };
		if (completes !== true) return provider;
		return {
			...provider,
			complete: async (request, { signal, key, onDelta }) => {
				before();
				const update = (text: string, channel: Channel = "text") => onDelta(text, channel);
				return answerIn(await calls.call(runJob(member, signal, { what: "provider", name: provider.name, args: { request, key } }, { log, update })));
			},
		};
	});
	return {
		tools: checked("tool", "name", parts.tools).map((part): ExtensionTool => {
			const { name, description, parameters, overrides, timeoutMs } = deepFreeze(part) as unknown as ExtensionTool;
			return {
				name,
				description,
				parameters,
				...(overrides && { overrides }),
				...(timeoutMs !== undefined && { timeoutMs }),
				run: async (args, call) => resultIn(await run("tool", name, args, call, call.callId)),
			};
		}),
		commands: checked("command", "name", parts.commands).map((part): ExtensionCommand => {
			const { name, summary, anytime } = part as unknown as ExtensionCommand;
			return {
				name,
				summary,
				...(anytime && { anytime }),
				run: async (args, call) => textIn(await run("command", name, args, call)),
				...(part["completes"] === true && { complete: async (args: string, call: CallPlace) => textsIn(await run("complete", name, args, call)) }),
			};
		}),
		...(shortcuts.length > 0 && { shortcuts }),
		...(flags.length > 0 && { flags }),
		...(providers.length > 0 && { providers }),
	};
}

/** How the child tells of what an extension brings. */
export function partsOf({ tools, commands, shortcuts = [], flags = [], providers = [] }: Brings): BringsParts {
	return {
		tools: tools.map(({ run: _, ...part }) => part),
		commands: commands.map(({ run: _, complete, ...part }) => ({ ...part, ...(complete && { completes: true }) })),
		shortcuts: shortcuts.map(({ run: _, ...part }) => part),
		flags: flags.map((part) => ({ ...part })),
		providers: providers.map(({ complete, ...part }) => ({ ...part, ...(complete && { completes: true }) }) as unknown as JsonObject),
	};
}

function checked(kind: keyof typeof bringsMistake, key: string, parts: readonly JsonObject[]): readonly JsonObject[] {
	const names = new Set<unknown>();
	for (const part of parts) {
		const mistake = bringsMistake[kind](part) ?? (names.has(part[key]) ? "there are two of that name." : undefined);
		if (mistake !== undefined) throw new RegistrationError(`a ${kind} that its process told of can never work: ${mistake}`);
		names.add(part[key]);
	}
	return parts;
}

function resultIn(given: unknown): ToolResult {
	const { text, isError, details } = isObject(given) ? given : {};
	if (typeof text !== "string" || typeof isError !== "boolean" || (details !== undefined && !isObject(details))) throw notAnswered("the result of a tool");
	return { text, isError, ...(details !== undefined && { details }) };
}

function textIn(given: unknown): string | undefined {
	if (given === undefined || given === null) return undefined;
	if (typeof given !== "string") throw notAnswered("a text");
	return given;
}

function textsIn(given: unknown): readonly string[] {
	if (!Array.isArray(given) || !given.every((one) => typeof one === "string")) throw notAnswered("a list of texts");
	return given as readonly string[];
}

const notAnswered = (what: string): HookFailure => new HookFailure("bad-answer", `its process gave what is not ${what}`);
