// What a handler returned, checked against what its event takes. Handlers in Python or a shell are typed by nobody, so every answer is.
import { HookFailure } from "../events/failure.ts";
import type { AnyInterceptSpec, DecisionKind, RewriteShape } from "../events/catalog.ts";
import type { Decision } from "../events/decision.ts";
import { didYouMean } from "../system/nearest.ts";
import { copyPlain } from "../system/plain.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import { describe } from "../events/registration.ts";
import type { Hook } from "./plan.ts";

const decisionKinds = ["pass", "rewrite", "inject", "respond", "ask", "allow", "block"] as const satisfies readonly DecisionKind[];
const kindsOfStage = {
	transform: ["pass", "rewrite", "inject", "respond", "block"],
	guard: ["pass", "allow", "ask", "block"],
} as const satisfies Record<"transform" | "guard", readonly DecisionKind[]>;

const maxText = 1024 * 1024;
const nothing: readonly Decision[] = [];

/**
 * The decisions in what a handler returned, as plain frozen data; an empty list for nothing.
 * @throws HookFailure `bad-answer` that says what came and what the event takes.
 */
export function readAnswer(hook: Hook, spec: AnyInterceptSpec, returned: unknown): readonly Decision[] {
	if (returned === undefined || returned === null) return nothing;
	// Not returned.map(): it leaves out holes, and it can be the handler's own.
	return Array.from(Array.isArray(returned) ? returned : [returned], (decision: unknown) => readDecision(hook, spec, decision));
}

function readDecision(hook: Hook, spec: AnyInterceptSpec, given: unknown): Decision {
	const event = hook.summary.event;
	if (typeof given !== "object" || given === null || Array.isArray(given)) {
		throw bad(`answered with ${describe(given)}; a ${hook.stage} answers with nothing or a decision such as block("…")`);
	}
	const decision = copyOf(given);
	const { kind } = decision;
	if (typeof kind !== "string" || !(decisionKinds as readonly string[]).includes(kind)) {
		throw bad(`answered with an object of kind ${JSON.stringify(kind)}, which is no decision.${typeof kind === "string" ? didYouMean(kind, decisionKinds) : ` The kinds are ${decisionKinds.join(", ")}.`}`);
	}
	if (kind !== "pass" && !spec.decisions.includes(kind as Exclude<DecisionKind, "pass">)) throw bad(`answered ${kind}, but ${event} takes ${spec.decisions.join(", ")}`);
	const allowed: readonly string[] = hook.judges ? decisionKinds : kindsOfStage[hook.stage as "transform" | "guard"];
	if (!allowed.includes(kind)) throw bad(`answered ${kind}, but a ${hook.stage} can ${allowed.filter((name) => name === "pass" || spec.decisions.includes(name as Exclude<DecisionKind, "pass">)).join(", ")}`);
	// A no is a no: for want of a good reason it must not become a failure, which an open hook's would pass.
	if ((kind === "block" || kind === "ask") && text("reason", decision["reason"]) !== undefined) return unexplained(hook, kind, decision);
	const mistake = fieldMistake(kind as DecisionKind, decision, spec);
	if (mistake !== undefined) throw bad(`answered ${kind}, but ${mistake}`);
	return decision as unknown as Decision;
}

function unexplained(hook: Hook, kind: "block" | "ask", { reason, metadata }: JsonObject): Decision {
	const why = typeof reason === "string" && reason.trim() !== "" ? `${reason.slice(0, maxText)}…` : `${hook.id} gave no reason.`;
	return { kind, reason: why, ...(isObject(metadata) && { metadata }) };
}

function fieldMistake(kind: DecisionKind, decision: JsonObject, spec: AnyInterceptSpec): string | undefined {
	const { metadata } = decision;
	if (metadata !== undefined && !isObject(metadata)) return "its 'metadata' is no object";
	if (decision["reason"] !== undefined) {
		const mistake = text("reason", decision["reason"]);
		if (mistake !== undefined) return mistake;
	}
	switch (kind) {
		case "respond":
			return text("text", decision["text"]);
		case "inject":
			if (decision["as"] !== undefined && !spec.injects?.some((as) => as === decision["as"])) return `'as' must be ${spec.injects?.join(" or ")} here`;
			return text("text", decision["text"]);
		case "rewrite":
			return "value" in decision ? undefined : "without a 'value'";
		default:
			return undefined;
	}
}

function text(field: string, value: unknown): string | undefined {
	if (typeof value !== "string" || value.trim() === "") return `its '${field}' must be a text that is not empty`;
	return value.length > maxText ? `its '${field}' is longer than ${maxText} characters` : undefined;
}

/**
 * The payload fields a rewrite replaces, checked against the shapes of the catalog.
 * @throws HookFailure `invalid-rewrite`.
 */
export function readRewrite(spec: AnyInterceptSpec, value: unknown): JsonObject {
	const fields = Object.keys(spec.rewrites);
	const [only] = fields;
	const changes = fields.length === 1 ? { [only!]: value } : value;
	if (!isObject(changes)) throw new HookFailure("invalid-rewrite", `the value of its rewrite must be an object with ${fields.join(" or ")}, not ${describe(value)}`);
	const given = Object.keys(changes);
	if (given.length === 0) throw new HookFailure("invalid-rewrite", `its rewrite changes nothing; it may give ${fields.join(" and ")}`);
	for (const field of given) {
		const shape = spec.rewrites[field];
		if (shape === undefined) throw new HookFailure("invalid-rewrite", `its rewrite has a field '${field}' that cannot be rewritten.${didYouMean(field, fields) || ` It may give ${fields.join(" and ")}.`}`);
		const mistake = shapeMistake[shape](changes[field]);
		if (mistake !== undefined) throw new HookFailure("invalid-rewrite", `its rewrite gives ${field} as ${mistake}`);
	}
	return changes;
}

const shapeMistake: Record<RewriteShape, (value: unknown) => string | undefined> = {
	text: (value) => (typeof value === "string" ? undefined : `${describe(value)}, but it must be a text`),
	json: (value) => (isObject(value) ? undefined : `${describe(value)}, but it must be an object`),
	result: (value) => (isObject(value) && typeof value["text"] === "string" && typeof value["isError"] === "boolean" ? undefined : `${describe(value)}, but it must be an object with a text and isError`),
	messages: (value) => {
		if (!Array.isArray(value) || value.length === 0) return `${describe(value)}, but it must be a list of messages`;
		const wrong = value.findIndex((message: unknown) => !isObject(message) || typeof message["text"] !== "string" || !["system", "user", "assistant", "tool"].includes(message["role"] as string));
		return wrong < 0 ? undefined : `a list whose entry ${wrong} is no message (a role and a text)`;
	},
};

function copyOf(given: object): JsonObject {
	try {
		return copyPlain(given, "its answer") as JsonObject;
	} catch (error) {
		throw bad(error instanceof Error ? error.message : String(error));
	}
}

const bad = (message: string) => new HookFailure("bad-answer", message);
const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
