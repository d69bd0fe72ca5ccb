// What Python code may ask of the agent, by the names of the wire. It comes from anybody: every argument is checked, and what is wrong is said in words for its author.
import { asChatMessage, messagesFrom } from "../dialects/chat-messages.ts";
import { changedArguments } from "../dialects/hermes-shell/arguments.ts";
import type { DurableState } from "../events/context.ts";
import { type JsonObject, type Surface, surfaces } from "../events/payloads/facts.ts";
import type { AgentRequests, Asker } from "../events/requests.ts";
import type { PythonServices } from "../hosts/python/unit.ts";

/** `stateOf` gives the durable state of the extension a unit is. */
export function pythonServices(requests: AgentRequests, stateOf: (extension: string) => DurableState): PythonServices {
	const asked = (work: (from: Asker, args: Arguments) => Promise<unknown>): PythonServices[string] => async (extension, args, signal) => {
		const read = new Arguments(args);
		return work({ extension, sessionId: read.optional("session_id", "text"), signal }, read);
	};
	const kept = (work: (state: DurableState, args: Arguments) => unknown): PythonServices[string] => async (extension, args) => work(stateOf(extension), new Arguments(args));
	return {
		callTool: asked((from, args) => {
			const tool = args.needed("tool", "text");
			// Arguments may have the names they have in Hermes.
			return requests.callTool(from, tool, changedArguments(tool, {}, args.optional("args", "dict") ?? {}) ?? {});
		}),
		say: asked((from, args) => requests.say(from, args.needed("text", "text"))),
		complete: asked((from, args) => requests.complete(from, { messages: messagesFrom(args.given["messages"], "messages"), model: args.optional("model", "text"), maxOutputTokens: args.optional("max_tokens", "count") })),
		converse: asked(converseFor(requests)),
		model: asked((from) => requests.model(from)),
		tools: asked((from) => requests.tools(from)),
		setActiveTools: asked((from, args) => requests.setActiveTools(from, args.needed("names", "texts"))),
		"state.get": kept((state, args) => state.get(args.needed("key", "text")) ?? null),
		"state.set": kept((state, args) => state.set(args.needed("key", "text"), args.given["value"] ?? null)),
		"state.delete": kept((state, args) => state.delete(args.needed("key", "text"))),
		"state.keys": kept((state) => state.keys()),
	};
}

/** What comes back is the dict that Hermes gives. */
const converseFor = (requests: AgentRequests) => async (from: Asker, args: Arguments): Promise<JsonObject> => {
	const system = args.optional("system", "text");
	const history = args.given["history"] ?? undefined;
	const { sessionId, text, completed, interrupted, error, messages, steps } = await requests.converse(from, {
		text: args.needed("text", "text"),
		system: system === undefined ? undefined : { text: system, replaces: false },
		instructions: args.given["instructions"] === false ? false : undefined,
		history: history === undefined ? undefined : messagesFrom(history, "conversation_history"),
		model: args.optional("model", "text"),
		tools: await toolsFor(requests, from, args),
		maxSteps: args.optional("max_steps", "count"),
		surface: surfaceOf(args.optional("surface", "text")),
	});
	return { session_id: sessionId, final_response: text, completed, interrupted, error: error ?? null, messages: messages.map(asChatMessage), api_calls: steps };
};

/** `tools` are those it may use, all when not given, and `without` those it may not. Code that was written for Hermes names tools that are not there: they are left out. */
async function toolsFor(requests: AgentRequests, from: Asker, args: Arguments): Promise<readonly string[] | undefined> {
	const wanted = args.optional("tools", "texts");
	const without = args.optional("without", "texts");
	if (wanted === undefined && without === undefined) return undefined;
	const { all } = await requests.tools(from);
	return all.filter((name) => (wanted === undefined || wanted.includes(name)) && without?.includes(name) !== true);
}

function surfaceOf(name: string | undefined): Surface | undefined {
	if (name === undefined) return undefined;
	const found = surfaces.find((surface) => surface === name);
	if (found === undefined) throw new Error(`'surface' must be one of ${surfaces.join(", ")}, not '${name}'.`);
	return found;
}

interface Kinds {
	readonly text: string;
	readonly texts: readonly string[];
	readonly dict: JsonObject;
	readonly count: number;
}

const kinds: { readonly [Kind in keyof Kinds]: { readonly is: (value: unknown) => value is Kinds[Kind]; readonly called: string } } = {
	text: { is: (value) => typeof value === "string", called: "a text" },
	texts: { is: (value): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === "string"), called: "a list of texts" },
	dict: { is: (value): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value), called: "a dict" },
	count: { is: (value): value is number => Number.isSafeInteger(value) && (value as number) > 0, called: "a whole number over 0" },
};

class Arguments {
	readonly given: JsonObject;

	constructor(given: JsonObject) {
		this.given = given;
	}

	/** Undefined where it is None, or not there. */
	optional<Kind extends keyof Kinds>(name: string, kind: Kind): Kinds[Kind] | undefined {
		const value = this.given[name];
		if (value === undefined || value === null) return undefined;
		if (!kinds[kind].is(value)) throw new Error(`'${name}' must be ${kinds[kind].called}, not ${inWords(value)}.`);
		return value;
	}

	needed<Kind extends keyof Kinds>(name: string, kind: Kind): Kinds[Kind] {
		const value = this.optional(name, kind);
		if (value === undefined) throw new Error(`'${name}' is missing; it must be ${kinds[kind].called}.`);
		return value;
	}
}

const inWords = (value: unknown): string => {
	const json = JSON.stringify(value);
	return json.length <= 80 ? json : `${json.slice(0, 79)}…`;
};
