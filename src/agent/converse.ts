// A turn that code of an extension wants: in a session of its own, through the same hooks as a person's.
import type { Message } from "../events/payloads/model.ts";
import type { Conversed, ConverseRequest } from "../events/requests.ts";
import { newSessionId } from "../stores/sessions.ts";
import { newId } from "../system/ids.ts";
import { didYouMean } from "../system/nearest.ts";
import { systemPromptFor } from "./context.ts";
import { readInstructions } from "./instructions.ts";
import type { AgentParts } from "./parts.ts";
import { resumeSession, Session, type SessionPlace } from "./session.ts";
import { nobodyReads } from "./surface.ts";
import { runTurn, type TurnResult } from "./turn.ts";

/**
 * @param parent the session from whose hooks or tools it was asked for
 * @throws Error, ModelConfigError or ModelError when it cannot begin; SessionInUseError; StoreError. How a turn that began came out is in the result.
 */
export async function converse(parts: AgentParts, from: SessionPlace, request: ConverseRequest, parent: Session | undefined, signal: AbortSignal): Promise<Conversed> {
	const own = await partsFor(parts, request);
	const place = { ...from, surface: request.surface ?? "run" };
	const session = request.sessionId === undefined ? begin(own, place, request, parent) : await resume(own, place, request.sessionId, request.model);
	const { engine } = own;
	let reason: "finished" | "failed" = "failed";
	try {
		if (engine.has("session.started")) engine.tell("session.started", { ...session.facts(), model: own.model.name, resumed: session.resumed });
		for (const message of request.history ?? []) if (message.role !== "system") session.append(message);
		const before = session.messages.length;
		const result = await turn(session, request.text, signal);
		if (result.completed) reason = "finished";
		const { text, completed, interrupted, error } = result;
		const steps = session.messages.slice(before).filter(({ role }: Message) => role === "assistant").length;
		return { sessionId: session.id, text, completed, interrupted, ...(error !== undefined && { error }), messages: session.messages, steps };
	} finally {
		if (engine.has("session.ended")) engine.tell("session.ended", { ...session.facts(), reason, turns: session.turns });
		await session.close();
	}
}

/** Nobody reads along and nobody can be asked. Its model is its own: what it chooses or falls back to is nobody else's. */
async function partsFor(parts: AgentParts, { model, tools: wanted, maxSteps }: ConverseRequest): Promise<AgentParts> {
	const { approver: _, parksQuestions: __, brought, ...rest } = parts;
	const all = brought?.tools(parts.tools) ?? parts.tools;
	const names = all.map(({ name }) => name);
	const unknown = wanted?.find((name) => !names.includes(name));
	if (unknown !== undefined) throw new Error(`There is no tool '${unknown}'.${didYouMean(unknown, names)} The tools are ${names.join(", ")}.`);
	const models = parts.models.forChild();
	if (model !== undefined) await models.choose(model);
	return {
		...rest,
		models,
		get model() {
			return models.current;
		},
		tools: wanted === undefined ? all : all.filter(({ name }) => wanted.includes(name)),
		output: nobodyReads,
		limits: { ...parts.limits, ...(maxSteps !== undefined && { maxSteps: Math.min(maxSteps, parts.limits.maxSteps) }) },
	};
}

function begin(parts: AgentParts, place: SessionPlace, { system, instructions }: ConverseRequest, parent: Session | undefined): Session {
	const read = instructions === false ? [] : readInstructions({ home: parts.home, cwd: place.cwd }, parts.warn);
	const ours = systemPromptFor(place.cwd, new Date(), read);
	const id = newSessionId(Date.now());
	const session = {
		id,
		cwd: place.cwd,
		model: parts.model.name,
		surface: place.surface,
		systemPrompt: system === undefined ? ours : system.replaces ? system.text : `${ours}\n\n${system.text}`,
		tools: JSON.stringify(parts.tools.map(({ name, description, parameters }) => ({ name, description, parameters }))),
		...(parent && { parentId: parent.id }),
	};
	return new Session(parts, place, session, [], parts.store.leases.acquire(id), "new", parent ? parent.depth + 1 : 0);
}

/** It goes on with its own model, unless another one was asked for. */
async function resume(parts: AgentParts, place: SessionPlace, id: string, asked: string | undefined): Promise<Session> {
	const { engine, store, models, warn } = parts;
	const record = store.sessions.get(id);
	if (record === undefined) {
		const near = store.sessions.nearest(id);
		throw new Error(`There is no session '${id}'.${near === undefined ? "" : ` Did you mean '${near}'?`}`);
	}
	if (engine.has("session.switching")) {
		const outcome = await engine.dispatch("session.switching", { eventId: newId("e"), at: Date.now(), ...place, to: "resume", targetSessionId: record.id });
		if (outcome.kind === "blocked") throw new Error(`Session ${record.id} was not resumed: ${outcome.reason}`);
	}
	const problem = asked === undefined ? models.takeUp(record.model) : undefined;
	if (problem !== undefined) warn(`Session ${record.id} was led with ${record.model}, which cannot be had now; it goes on with ${models.chosen.name}. ${problem}`);
	return resumeSession(parts, place, record);
}

async function turn(session: Session, text: string, signal: AbortSignal): Promise<TurnResult> {
	const { engine } = session.parts;
	if (!engine.has("input.receiving")) return runTurn(session, text, signal);
	const outcome = await engine.dispatch("input.receiving", { ...session.facts(), text, origin: "extension" }, { signal });
	if (outcome.kind === "go") return runTurn(session, outcome.payload.text, signal);
	if (outcome.kind === "responded") return { text: outcome.text, completed: true, interrupted: false };
	return outcome.cause === "interrupted" ? { text: "", completed: false, interrupted: true } : { text: outcome.reason, completed: false, interrupted: false, error: outcome.reason };
}
