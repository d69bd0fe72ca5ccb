// A no is a no: the ways in which hooks of all agents refuse a call. A hook that was written for another one must not be taken for silence.
import type { JsonObject } from "../events/payloads/facts.ts";

export interface Refusal {
	/** As the hook gave it; empty when it gave none. */
	readonly reason: string;
	/** How it was spelt, for the trace: `decision: deny`. */
	readonly spelling: string;
}

/** The keys that decide by a word, with those that hold the reason, best first. */
const wordKeys = {
	action: ["message", "reason"],
	decision: ["reason", "message"],
	permissionDecision: ["permissionDecisionReason", "reason"],
	permission: ["user_message", "userMessage", "agent_message", "agentMessage", "reason"],
} as const satisfies Record<string, readonly string[]>;

/** The keys that refuse by being true or false. */
const flagKeys = {
	block: { refuses: true, reasons: ["reason", "blockReason", "message"] },
	cancel: { refuses: true, reasons: ["errorMessage", "reason", "message"] },
	halt: { refuses: true, reasons: ["reason", "message"] },
	continue: { refuses: false, reasons: ["stopReason", "reason", "message"] },
} as const;

const noes = new Set(["block", "deny", "denied", "reject", "refuse", "skip", "no"]);

/** Every word in an answer that should decide, with its key, in lower case; what is no text is `?`. */
export function wordsIn(answer: JsonObject): readonly { readonly key: string; readonly word: string }[] {
	const isSaid = (value: unknown) => value !== undefined && value !== null && value !== "" && !isObject(value);
	return [answer, ...specific(answer)].flatMap((part) => Object.keys(wordKeys).flatMap((key) => (isSaid(part[key]) ? [{ key, word: wordOf(part[key]) || "?" }] : [])));
}

/** The refusal in an answer, or undefined when there is none. */
export function refusalIn(answer: JsonObject): Refusal | undefined {
	for (const part of [answer, ...specific(answer)]) {
		for (const [key, reasons] of Object.entries(wordKeys)) if (noes.has(wordOf(part[key]))) return { reason: firstText(reasons, part, answer), spelling: `${key}: ${wordOf(part[key])}` };
		for (const [key, { refuses, reasons }] of Object.entries(flagKeys)) if (part[key] === refuses) return { reason: firstText(reasons, part, answer), spelling: `${key}: ${refuses}` };
		const { behavior, message } = objectOf(part["decision"]);
		if (noes.has(wordOf(behavior))) return { reason: typeof message === "string" ? message.trim() : "", spelling: "decision.behavior: deny" };
	}
	return undefined;
}

/** The question in an answer that wants a person to decide, or undefined. */
export function questionIn(answer: JsonObject): Refusal | undefined {
	for (const part of [answer, ...specific(answer)]) {
		for (const [key, reasons] of Object.entries(wordKeys)) {
			const word = wordOf(part[key]);
			// What Claude Code calls `decision: approve` is a yes; only Hermes' `action: approve` asks.
			if (word === "ask" || (key === "action" && word === "approve")) return { reason: firstText(reasons, part, answer), spelling: `${key}: ${word}` };
		}
	}
	return undefined;
}

/** A flag that should refuse by true or false and is neither: its key. */
export function unclearFlagIn(answer: JsonObject): string | undefined {
	return Object.keys(flagKeys).find((key) => answer[key] !== undefined && answer[key] !== null && typeof answer[key] !== "boolean");
}

/** Of two values under one key, the one that refuses. */
export function theRefusing(key: string, first: unknown, second: unknown): unknown {
	const refuses = [{ [key]: first }, { decision: { [key]: first } }].some((answer) => refusalIn(answer) !== undefined);
	return refuses ? first : second;
}

const specific = (answer: JsonObject): readonly JsonObject[] => (isObject(answer["hookSpecificOutput"]) ? [answer["hookSpecificOutput"]] : []);

const wordOf = (value: unknown): string => (typeof value === "string" ? value.trim().toLowerCase() : "");

function firstText(keys: readonly string[], ...places: readonly JsonObject[]): string {
	for (const place of places) for (const key of keys) if (typeof place[key] === "string" && place[key].trim() !== "") return place[key].trim();
	return "";
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
