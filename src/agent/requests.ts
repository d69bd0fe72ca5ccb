// What code of an extension asks of the agent. Everything here goes through the same hooks as what the agent does by itself, can be stopped, and
// ends with the program.
import { maxDepth } from "../engine/context.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { ToolResult } from "../events/payloads/tool.ts";
import type { AgentRequests, Asker, Completion, CompletionRequest, Conversed, ConverseRequest, ModelInUse } from "../events/requests.ts";
import { orAborted } from "../system/abort.ts";
import { askingDepth, atAskingDepth } from "../system/asking-depth.ts";
import { newId } from "../system/ids.ts";
import { converse } from "./converse.ts";
import { callModel, type Caller } from "./model-call.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { AgentParts } from "./parts.ts";
import { newSession, type Session, type SessionPlace } from "./session.ts";
import { contextOf } from "./spill.ts";
import { nobodyReads } from "./surface.ts";
import { runToolCall } from "./tool-call.ts";

export interface RequestsOptions {
	/** What a session is opened with where none is open. May be slow, and may reject. */
	readonly agent: () => Promise<AgentParts>;
	readonly place: SessionPlace;
	readonly open: OpenSessions;
}

/** Requests under way at once. An extension that asks from its own hook for ever, each time from a new thread, ends here. */
const mostAtOnce = 100;

export function agentRequests(options: RequestsOptions): AgentRequests & AsyncDisposable {
	return new Requests(options);
}

class Requests implements AgentRequests, AsyncDisposable {
	readonly #options: RequestsOptions;
	readonly #closing = new AbortController();
	readonly #running = new Set<Promise<unknown>>();

	constructor(options: RequestsOptions) {
		this.#options = options;
	}

	callTool(from: Asker, tool: string, args: JsonObject): Promise<ToolResult> {
		const call = { id: newId("c"), name: tool, arguments: JSON.stringify(args) };
		return this.#run(from, `the tool ${tool}`, (signal) => this.#within(from, signal, (session) => runToolCall(session, call, signal)));
	}

	say(from: Asker, text: string): Promise<"steered" | "queued" | false> {
		return this.#run(from, "a message", async (signal) => {
			const { open } = this.#options;
			const conversation = open.conversation(from.sessionId);
			const session = conversation?.session ?? (from.sessionId === undefined ? undefined : open.session(from.sessionId));
			if (session === undefined) return false;
			const marked = contextOf(session.parts, [{ text, as: "user", by: from.extension }]);
			if (session.turnId !== undefined) {
				if (conversation === undefined) session.steered = [...session.steered, marked];
				// What it gives is how the text ended in a hook of input, and never came to the turn.
				else if ((await conversation.steer(marked, "extension", signal)) !== undefined) return false;
				return "steered";
			}
			if (conversation?.beginTurn === undefined) return false;
			conversation.beginTurn(marked);
			return "queued";
		});
	}

	complete(from: Asker, { messages, model, maxOutputTokens }: CompletionRequest): Promise<Completion> {
		return this.#run(from, "a model call", (signal) =>
			this.#within(from, signal, async (session) => {
				if (messages.length === 0) throw new Error("There is no message to complete.");
				// Its own way from here: another model, or one that failed, is none of the conversation's business.
				const models = session.parts.models.forChild();
				if (model !== undefined) await models.choose(model);
				const caller: Caller = { id: session.id, turnId: undefined, facts: () => session.facts(), parts: { ...session.parts, models, model: models.current, output: nobodyReads } };
				const called = await callModel(caller, { messages, tools: [], ...(maxOutputTokens !== undefined && { maxOutputTokens }) }, "nobody", signal);
				if ("blocked" in called) throw new Error(`The model was not called: ${called.blocked}`);
				return { text: called.answer.text, model: models.current.name, usage: called.answer.usage };
			}),
		);
	}

	converse(from: Asker, request: ConverseRequest): Promise<Conversed> {
		return this.#run(from, "a turn of the agent", async (signal) => {
			const { open, place, agent } = this.#options;
			// Not the conversation that was active last: who says nothing of a session has none that this could be a part of.
			const parent = from.sessionId === undefined ? undefined : open.session(from.sessionId);
			if (request.sessionId !== undefined && open.session(request.sessionId) !== undefined) throw new Error(`Session ${request.sessionId} is open in a conversation now, and only that can go on with it.`);
			return converse(parent?.parts ?? (await orAborted(agent(), signal)), parent?.place ?? place, request, parent, signal);
		});
	}

	async model(from: Asker): Promise<ModelInUse> {
		const { name } = (this.#sessionOf(from)?.parts ?? (await this.#options.agent())).model;
		const colon = name.indexOf(":");
		return colon < 0 ? { name, provider: name, model: name } : { name, provider: name.slice(0, colon), model: name.slice(colon + 1) };
	}

	async tools(from: Asker): Promise<{ readonly all: readonly string[]; readonly active: readonly string[] }> {
		const session = this.#sessionOf(from);
		const all = session?.allTools ?? allTools(await this.#options.agent());
		return { all: all.map(({ name }) => name), active: (session?.toolset ?? all).map(({ name }) => name) };
	}

	async setActiveTools(from: Asker, names: readonly string[]): Promise<void> {
		const session = this.#sessionOf(from);
		if (session === undefined) throw new Error("No conversation is open, so there is none whose tools could be chosen.");
		session.setActive(names);
		if (session.turnId === undefined) session.takeTools();
	}

	/** Stops everything that is still under way, and waits for its end. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort(new Error("Hookline is closing."));
		await Promise.allSettled(this.#running);
	}

	/** Not async: what an inline hook asks for is to begin while that hook is known to be running, so that its events name it as their cause. */
	#run<Result>(from: Asker, what: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
		const depth = askingDepth() + 1;
		const refused = (why: string) => Promise.reject(new Error(`${from.extension} asked for ${what}, which was not done: ${why}`));
		if (this.#closing.signal.aborted) return refused("Hookline is closing.");
		if (depth > maxDepth) return refused(`extensions ask for such things from inside each other, ${maxDepth} levels deep.`);
		if (this.#running.size >= mostAtOnce) return refused(`${mostAtOnce} requests of extensions are under way.`);
		const signal = AbortSignal.any([this.#closing.signal, ...(from.signal === undefined ? [] : [from.signal])]);
		if (signal.aborted) return Promise.reject(signal.reason as Error);
		const running = atAskingDepth(depth, () => work(signal));
		this.#running.add(running);
		const over = () => void this.#running.delete(running);
		running.then(over, over);
		return running;
	}

	#sessionOf({ sessionId }: Asker): Session | undefined {
		const { open } = this.#options;
		return sessionId === undefined ? open.conversation()?.session : open.session(sessionId);
	}

	/** In the session that is meant, or where none is open in one that nobody will see. */
	#within<Result>(from: Asker, signal: AbortSignal, work: (session: Session) => Promise<Result>): Promise<Result> {
		const session = this.#sessionOf(from);
		return session === undefined ? this.#withinNone(signal, work) : work(session);
	}

	async #withinNone<Result>(signal: AbortSignal, work: (session: Session) => Promise<Result>): Promise<Result> {
		const session = newSession(await orAborted(this.#options.agent(), signal), this.#options.place);
		try {
			return await work(session);
		} finally {
			await session.close();
		}
	}
}

const allTools = ({ tools, brought }: AgentParts) => brought?.tools(tools) ?? tools;
