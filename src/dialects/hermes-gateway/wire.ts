// What a gateway handler is called with, and what becomes of its answer.
import { block, type Decision, respond, rewrite } from "../../events/decision.ts";
import type { Payloads } from "../../events/payloads/all.ts";
import type { Facts, JsonObject } from "../../events/payloads/facts.ts";
import { refusalIn } from "../refusal.ts";
import type { Subscription, ToldName } from "./events.ts";

/** Characters of what was said, as Hermes cuts it. */
const maxText = 500;
/** Sessions whose compactions are counted. */
const maxCounted = 1_000;

/** What `handle` gets: the event's name and its context. */
export interface Called {
	readonly event_type: string;
	readonly context: JsonObject;
}

/** Makes the arguments of each call of a subscription. */
export function calling({ theirs }: Subscription): (payload: Facts) => Called {
	if (theirs === "command") return (payload) => forCommand(payload as Payloads["command.running"]);
	if (theirs === "session:compress") {
		const count = counting();
		return (payload) => ({ event_type: theirs, context: { ...contexts[theirs](payload as never), compression_count: count(payload.sessionId ?? "") } });
	}
	return (payload) => ({ event_type: theirs, context: contexts[theirs](payload as never) });
}

function forCommand(payload: Payloads["command.running"]): Called {
	const { name, args } = payload;
	return { event_type: `command:${name}`, context: { ...person(payload), command: name, raw_command: name, args, raw_args: args, session_id: id(payload) } };
}

type Contexts = { readonly [Name in ToldName]: (payload: never) => JsonObject };

const contexts = {
	"gateway:startup": ({ platforms }: Payloads["gateway.started"]) => ({ platforms }),
	"session:start": (payload: Facts) => ({ ...person(payload), session_id: id(payload), session_key: id(payload) }),
	"session:end": (payload: Facts) => ({ ...person(payload), session_id: id(payload), session_key: id(payload) }),
	"session:reset": (payload: Facts) => ({ ...person(payload), session_id: id(payload), session_key: id(payload) }),
	// A session keeps its id when it is compacted here.
	"session:compress": (payload: Facts) => ({ ...person(payload), session_id: id(payload), old_session_id: "", in_place: true }),
	"agent:start": (payload: Payloads["turn.started"]) => ({ ...chat(payload), session_id: id(payload), message: payload.text.slice(0, maxText), model: payload.model }),
	"agent:step": (payload: Payloads["step.ended"]) => ({ ...chat(payload), session_id: id(payload), iteration: payload.step ?? 0, tool_names: payload.toolNames }),
	"agent:end": (payload: Payloads["turn.ended"]) => ({ ...chat(payload), session_id: id(payload), message: payload.input.slice(0, maxText), response: (payload.text || (payload.error ?? "")).slice(0, maxText) }),
	"reaction:added": (payload: Payloads["reaction.added"]) => reaction(payload),
	"reaction:removed": (payload: Payloads["reaction.removed"]) => reaction(payload),
} satisfies Contexts;

/** Hermes calls everything that is no messaging platform `cli`. */
const person = ({ platform = "cli", userId = "" }: Facts) => ({ platform, user_id: userId });
const chat = (payload: Facts) => ({ ...person(payload), chat_id: payload.chatId ?? "", thread_id: payload.threadId ?? "", chat_type: payload.chatType ?? "" });
const id = ({ sessionId = "" }: Facts) => sessionId;

function reaction(payload: Payloads["reaction.added"]): JsonObject {
	const { reaction: emoji, messageId, chatId = "", at } = payload;
	return { ...person(payload), reaction: emoji, item_user_id: "", item_type: "message", channel_id: chatId, message_ts: messageId, team_id: "", event_ts: (at / 1000).toFixed(6), raw_event: {} };
}

function counting(): (key: string) => number {
	const counts = new Map<string, number>();
	return (key) => {
		const count = (counts.get(key) ?? 0) + 1;
		counts.delete(key);
		counts.set(key, count);
		if (counts.size > maxCounted) counts.delete(counts.keys().next().value!);
		return count;
	};
}

/** The decision in what a handler of a command returned; nothing for what decides nothing. `log` hears of what was not understood. */
export function decisionIn(answer: unknown, { name }: Payloads["command.running"], log: (message: string) => void): Decision | undefined {
	if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return undefined;
	const given = answer as JsonObject;
	const message = textIn(given["message"]);
	// First, and in any spelling: a no is a no.
	const refusal = refusalIn(given);
	if (refusal !== undefined) return block(message || refusal.reason || `Command \`/${name}\` was blocked by a hook.`);
	const decision = textIn(given["decision"]).trim().toLowerCase();
	// A hook that has answered by its own means gives none; the person is told that nothing was lost.
	if (decision === "handled") return respond(message.trim() === "" ? `/${name} was handled by a hook.` : message);
	if (decision === "rewrite") {
		const command = textIn(given["command_name"]).trim().replace(/^\/+/, "");
		if (command !== "") return rewrite({ name: command, args: textIn(given["raw_args"]).trim() });
		log("answered 'rewrite' without a 'command_name', which changes nothing");
	} else if (decision !== "" && decision !== "allow") {
		log(`answered with the decision '${decision}', which is none; it may be allow, deny, handled or rewrite`);
	}
	return undefined;
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : typeof value === "number" ? String(value) : "");
