// `registerHook({ event, handler, priority })`: thirteen events by their kebab-case names, each one of ours. The handlers that an extension has for one
// event run at the same time, all on the value the first of them saw; what they answer counts in the order of their priorities.
import { isDeepStrictEqual } from "node:util";
import type { Stage } from "../events/catalog.ts";
import type { Decision } from "../events/decision.ts";
import type { EventName, Payloads } from "../events/payloads/all.ts";
import type { Facts } from "../events/payloads/facts.ts";
import { type KebabContexts, type KebabName, kebabNames, type KebabRegistration, type RegisterHook } from "../events/kebab-hooks.ts";
import { describe, RegistrationError } from "../events/registration.ts";
import { homeOf } from "../system/home.ts";
import { didYouMean } from "../system/nearest.ts";
import { isObject } from "./checks.ts";
import type { Registrar } from "./registrar.ts";

interface Row<Name extends KebabName, Event extends EventName> {
	readonly event: Event;
	readonly stage: Stage;
	/** It may refuse: then it is asked once more when others changed the value after it. */
	readonly judges?: true;
	readonly context: (payload: Payloads[Event]) => KebabContexts[Name];
	/** What a rewrite replaces, as a handler would give it. */
	readonly value?: (payload: Payloads[Event]) => unknown;
}

const row = <Name extends KebabName, Event extends EventName>(given: Row<Name, Event>): Row<Name, Event> => given;

const agent = (payload: Facts & { readonly model?: string }) => ({
	runId: payload.turnId ?? "",
	config: payload.model === undefined ? {} : { model: payload.model },
	workspaceDir: payload.cwd,
	agentDir: homeOf(process.env).path,
});
const session = ({ sessionId = "", platform, surface }: Facts) => ({ sessionKey: sessionId, channel: platform ?? surface });
const message = (direction: "received" | "sending" | "sent") => (payload: Facts & { readonly text: string }) => ({ ...session(payload), senderId: payload.userId ?? "", direction, text: payload.text });
const tool = ({ turnId = "", toolName, args }: Payloads["tool.calling"]) => ({ runId: turnId, toolName, args });
const toolDone = (payload: Payloads["tool.persisting"] | Payloads["tool.called"]) => ({ ...tool(payload), result: payload.result });

/** `message-received` is the user's text on every surface: `message.receiving` would be that of platforms alone. */
const table = {
	"gateway-start": row<"gateway-start", "gateway.started">({ event: "gateway.started", stage: "observe", context: agent }),
	"gateway-stop": row<"gateway-stop", "gateway.stopped">({ event: "gateway.stopped", stage: "observe", context: agent }),
	"session-start": row<"session-start", "session.started">({ event: "session.started", stage: "observe", context: session }),
	"session-end": row<"session-end", "session.ended">({ event: "session.ended", stage: "observe", context: session }),
	"before-agent-start": row<"before-agent-start", "turn.starting">({ event: "turn.starting", stage: "transform", context: agent, value: ({ systemPrompt }) => systemPrompt }),
	"message-received": row<"message-received", "input.receiving">({ event: "input.receiving", stage: "transform", judges: true, context: message("received"), value: ({ text }) => text }),
	"message-sending": row<"message-sending", "message.sending">({ event: "message.sending", stage: "transform", judges: true, context: message("sending"), value: ({ text }) => text }),
	"message-sent": row<"message-sent", "message.sent">({ event: "message.sent", stage: "observe", context: message("sent") }),
	"before-tool-call": row<"before-tool-call", "tool.calling">({ event: "tool.calling", stage: "transform", judges: true, context: tool, value: ({ args }) => args }),
	"after-tool-call": row<"after-tool-call", "tool.called">({ event: "tool.called", stage: "observe", context: toolDone }),
	"before-compaction": row<"before-compaction", "session.compacting">({ event: "session.compacting", stage: "transform", context: session, value: ({ summary, instructions }) => ({ summary, instructions }) }),
	"after-compaction": row<"after-compaction", "session.compacted">({ event: "session.compacted", stage: "observe", context: session }),
	"tool-result-persist": row<"tool-result-persist", "tool.persisting">({ event: "tool.persisting", stage: "transform", context: toolDone, value: ({ result }) => result }),
} satisfies Readonly<Record<KebabName, AnyRow>>;

/** @throws RegistrationError */
export function kebabHooks(extension: string, registrar: Registrar): RegisterHook {
	const rounds = new Map<KebabName, Rounds>();
	return (registration) => {
		const { event: name, handler, priority } = checked(extension, registrar, registration);
		const { event, stage, context, ...more }: AnyRow = table[name];
		const call: Call = async (payload) => handler(context(payload as never) as never);
		const options = priority === undefined ? {} : { priority };
		if (stage === "observe") return registrar.define({ event, stage, options, handler: call as never });
		const { value, ...judging } = more;
		let together = rounds.get(name);
		if (together === undefined) rounds.set(name, (together = new Rounds(value!)));
		registrar.define({ event, stage, options, handler: together.join(call) as never, ...judging });
	};
}

interface AnyRow {
	readonly event: EventName;
	readonly stage: Stage;
	readonly judges?: true;
	readonly context: (payload: never) => unknown;
	readonly value?: (payload: never) => unknown;
}

function checked(extension: string, registrar: Registrar, given: unknown): KebabRegistration {
	return registrar.take(() => {
		const refuse = (why: string): never => {
			throw new RegistrationError(`${extension}: registerHook(${isObject(given) && typeof given["event"] === "string" ? `'${given["event"]}'` : ""}): ${why}`);
		};
		if (!isObject(given)) return refuse(`it takes { event, handler, priority }, not ${describe(given)}.`);
		const { event, handler } = given;
		if (typeof event !== "string" || !Object.hasOwn(table, event)) refuse(`there is no such event.${didYouMean(String(event), kebabNames) || ` The events are ${kebabNames.join(", ")}.`}`);
		if (typeof handler !== "function") refuse(`'handler' must be a function, not ${describe(handler)}.`);
		return given as unknown as KebabRegistration;
	});
}

type Answer = Decision | readonly Decision[] | undefined | void;
type Call = (payload: Facts) => Promise<Answer>;

interface Round {
	readonly payload: Facts;
	/** What is not taken yet. */
	readonly answers: Map<Call, Promise<Answer>>;
}

/** Of dispatches under way; one that was blocked leaves what nobody asks for any more. */
const mostRounds = 16;

/** The handlers of one event. The engine asks them one after the other; the first one asked starts them all. */
class Rounds {
	readonly #calls: Call[] = [];
	readonly #rounds = new Map<string, Round>();
	readonly #value: (payload: never) => unknown;

	constructor(value: (payload: never) => unknown) {
		this.#value = value;
	}

	join(call: Call): (payload: Facts) => Promise<Answer> {
		this.#calls.push(call);
		return async (payload) => {
			const round = this.#roundOf(payload);
			const answer = round.answers.get(call);
			round.answers.delete(call);
			// Asked once more, on what the value became.
			if (answer === undefined) return call(payload);
			const [before, now] = [this.#value(round.payload as never), this.#value(payload as never)];
			const given = await answer;
			if (given === undefined || isDeepStrictEqual(before, now)) return given;
			return (Array.isArray(given) ? (given as readonly Decision[]) : [given as Decision]).map((decision) => (decision.kind === "rewrite" ? { ...decision, value: merged(before, now, decision.value) } : decision));
		};
	}

	#roundOf(payload: Facts): Round {
		const known = this.#rounds.get(payload.eventId);
		if (known !== undefined) return known;
		const answers = this.#calls.map((call) => {
			const answer = call(payload);
			// Who asks for it hears of it.
			answer.catch(() => {});
			return [call, answer] as const;
		});
		const round = { payload, answers: new Map(answers) };
		this.#rounds.set(payload.eventId, round);
		if (this.#rounds.size > mostRounds) this.#rounds.delete(this.#rounds.keys().next().value!);
		return round;
	}
}

/** What a handler changed of what it saw, on what has become of it since. */
function merged(before: unknown, now: unknown, value: unknown): unknown {
	if (!isObject(before) || !isObject(now) || !isObject(value)) return value;
	const changed = Object.keys(value).filter((key) => !isDeepStrictEqual(value[key], before[key]));
	const gone = Object.keys(before).filter((key) => !(key in value));
	const kept = Object.entries(now).filter(([key]) => !gone.includes(key));
	return { ...Object.fromEntries(kept), ...Object.fromEntries(changed.map((key) => [key, value[key]])) };
}
