// One user message until the final answer: steps of model answer and tool calls, with the hooks of the turn around them.
import type { ModelAnswer } from "../events/hooks.ts";
import type { Message, Usage } from "../events/payloads/model.ts";
import { ModelError } from "../models/model.ts";
import { StoreError } from "../stores/store.ts";
import { SessionInUseError } from "../stores/leases.ts";
import type { NewImage } from "../stores/sessions.ts";
import { OperationBlocked } from "../engine/engine.ts";
import { newId } from "../system/ids.ts";
import { withdraw } from "./approval.ts";
import { compact, isFull } from "./compaction.ts";
import { callModel } from "./model-call.ts";
import { send } from "./output.ts";
import type { ParkedCall, TurnState, WaitingTurn } from "./parked.ts";
import { interruptedResult, lostResult, type Session } from "./session.ts";
import { contextOf } from "./spill.ts";
import type { ApprovalAnswer } from "./surface.ts";
import { runAnsweredCalls, runToolCalls } from "./tool-call.ts";

/** How a turn came out. `text` is what the person was sent as its answer, or empty. */
export interface TurnResult {
	readonly text: string;
	readonly completed: boolean;
	readonly interrupted: boolean;
	/** Why it did not complete, as a sentence for the person. */
	readonly error?: string;
	/** It asked a person and goes on with their answers; plain data. */
	readonly waits?: WaitingTurn;
}

/**
 * Runs a turn to its end. Never throws for what a model, a tool or a hook does: how it ended is in the result, and `turn.ended` tells it.
 * `text` has passed `input.receiving`.
 */
export async function runTurn(session: Session, text: string, stop: AbortSignal, images: readonly NewImage[] = []): Promise<TurnResult> {
	session.turns++;
	const state: TurnState = { turnId: newId("t"), text, steps: 0, continuations: 0, toolNames: [], usage: {}, durationMs: 0 };
	return run(session, state, stop, (turn) => turn.run(images));
}

/**
 * Goes on with a turn that waits. Answers are by `approvalId`; a call without one, or which is no longer what was asked about, goes on waiting. With a
 * signal that is aborted already the turn ends as one that the user stops. Otherwise as `runTurn`.
 */
export async function goOnWithTurn(session: Session, { calls, ...state }: WaitingTurn, answers: ReadonlyMap<string, ApprovalAnswer>, stop: AbortSignal): Promise<TurnResult> {
	return run(session, state, stop, (turn) => turn.goOn(calls, answers));
}

async function run(session: Session, state: TurnState, stop: AbortSignal, work: (turn: Turn) => Promise<TurnResult>): Promise<TurnResult> {
	const { engine } = session.parts;
	const turn = new Turn(session, state, AbortSignal.any([stop, session.lost]));
	session.turnId = state.turnId;
	let waits = false;
	try {
		const result = await work(turn).catch((error: unknown) => turn.failed(error));
		waits = result.waits !== undefined;
		turn.tellEnded(result);
		return result;
	} finally {
		if (!waits) engine.endTurn(state.turnId);
		session.parts.models.backToChosen();
		session.turnId = undefined;
		session.step = undefined;
	}
}

class Turn {
	readonly #session: Session;
	readonly #text: string;
	readonly #signal: AbortSignal;
	readonly #began: number;
	readonly #toolNames: string[];
	#systemPrompt: string;
	#steps: number;
	#continuations: number;
	#usage: Usage;
	/** Asked about, and without an answer. */
	#parked: readonly ParkedCall[] = [];

	constructor(session: Session, { text, systemPrompt = session.systemPrompt, steps, continuations, toolNames, usage, durationMs }: TurnState, signal: AbortSignal) {
		this.#session = session;
		this.#text = text;
		this.#signal = signal;
		this.#systemPrompt = systemPrompt;
		this.#steps = steps;
		this.#continuations = continuations;
		this.#toolNames = [...toolNames];
		this.#usage = usage;
		this.#began = performance.now() - durationMs;
	}

	async run(images: readonly NewImage[]): Promise<TurnResult> {
		const { engine, model } = this.#session.parts;
		this.#session.closeOpenCalls(lostResult);
		const refused = await this.#start(images);
		if (refused !== undefined) return refused;
		if (engine.has("turn.started")) engine.tell("turn.started", { ...this.#session.facts(), text: this.#text, model: model.name });
		return this.#takeSteps();
	}

	async goOn(calls: readonly ParkedCall[], answers: ReadonlyMap<string, ApprovalAnswer>): Promise<TurnResult> {
		const session = this.#session;
		const { engine, model } = session.parts;
		this.#parked = calls;
		session.step = this.#steps;
		if (engine.has("turn.started")) engine.tell("turn.started", { ...session.facts(), text: this.#text, model: model.name, goesOn: true });
		this.#signal.throwIfAborted();
		session.takeTools();
		const answered = calls.flatMap((call) => {
			const request = session.openCalls.find(({ id }) => id === call.callId);
			const answer = answers.get(call.approvalId);
			return request === undefined || answer === undefined ? [] : [{ request, call, answer }];
		});
		this.#parked = calls.filter((call) => !answered.some((one) => one.call === call));
		await runAnsweredCalls(session, answered, this.#signal, this.#park);
		this.#signal.throwIfAborted();
		return this.#parked.length > 0 ? this.#waiting() : this.#takeSteps();
	}

	readonly #park = (call: ParkedCall): void => {
		this.#parked = [...this.#parked, call];
	};

	#waiting(): TurnResult {
		const { systemPrompt, turnId } = this.#session;
		const state: TurnState = {
			turnId: turnId!,
			text: this.#text,
			...(this.#systemPrompt !== systemPrompt && { systemPrompt: this.#systemPrompt }),
			steps: this.#steps,
			continuations: this.#continuations,
			toolNames: this.#toolNames,
			usage: this.#usage,
			durationMs: performance.now() - this.#began,
		};
		return { text: "", completed: false, interrupted: false, waits: { ...state, calls: this.#parked } };
	}

	async #takeSteps(): Promise<TurnResult> {
		const { limits } = this.#session.parts;
		while (this.#steps < limits.maxSteps) {
			const result = await this.#step();
			if (result !== undefined) return result;
			// A model that answers at once would otherwise leave no room for timers, observers and Ctrl-C.
			await new Promise((resolve) => setImmediate(resolve));
		}
		return { text: "", completed: false, interrupted: false, error: `The turn was ended after ${limits.maxSteps} steps without a final answer. Say "go on" to let it continue, or raise agent.max_steps in config.yaml.` };
	}

	/** The hooks before the first model call, and the user's message into the conversation. */
	async #start(given: readonly NewImage[]): Promise<TurnResult | undefined> {
		const session = this.#session;
		const { engine, model } = session.parts;
		let text = this.#text;
		const images = given.length > 0 && { images: given.map(({ part }) => part) };
		if (engine.has("turn.starting")) {
			const first = !session.resumed && session.turns === 1;
			const payload = { ...session.facts(), text, ...images, systemPrompt: session.systemPrompt, model: model.name, first };
			const outcome = await engine.dispatch("turn.starting", payload, { signal: this.#signal });
			if (outcome.kind !== "go") return this.#refused(outcome.kind === "blocked" ? outcome.reason : outcome.text);
			const forUser = outcome.injections.filter(({ as }) => as === "user");
			const forSystem = outcome.injections.filter(({ as }) => as === "system");
			this.#systemPrompt = outcome.payload.systemPrompt + (forSystem.length > 0 ? `\n\n${contextOf(session.parts, forSystem)}` : "");
			if (forUser.length > 0) text = `${text}\n\n${contextOf(session.parts, forUser)}`;
		}
		session.append({ role: "user", text, ...images }, undefined, given);
		return undefined;
	}

	/** One model answer and its tool calls; a result when that ended the turn. */
	async #step(): Promise<TurnResult | undefined> {
		const session = this.#session;
		const { engine } = session.parts;
		session.step = ++this.#steps;
		const began = performance.now();
		if (engine.has("step.started")) engine.tell("step.started", { ...session.facts(), messages: session.messages.length });
		const names: string[] = [];
		try {
			session.takeSteered();
			session.takeTools();
			await this.#makeRoom();
			const request = { messages: session.conversation(this.#systemPrompt), tools: session.tools };
			const called = await callModel(session, request, "person", this.#signal);
			if ("blocked" in called) return await this.#refused(called.blocked);
			const { answer } = called;
			this.#usage = sum(this.#usage, answer.usage);
			session.usedTokens = (answer.usage.inputTokens ?? 0) + (answer.usage.outputTokens ?? 0);
			if (answer.toolCalls.length === 0 && answer.text.trim() === "") return this.#empty(answer.finish);
			if (answer.toolCalls.length === 0) return await this.#answered(answer);
			names.push(...answer.toolCalls.map(({ name }) => name));
			this.#toolNames.push(...names);
			session.append(assistant(answer));
			if (answer.text.trim() !== "") await send(session, answer.text, "interim", this.#signal);
			if (answer.finish === "length") session.closeOpenCalls("[Not run: your answer was cut off by its token limit, so these arguments may be incomplete. Call again, with less at once.]");
			else await runToolCalls(session, answer.toolCalls, this.#signal, session.parts.parksQuestions && this.#park);
			this.#signal.throwIfAborted();
			return this.#parked.length > 0 ? this.#waiting() : undefined;
		} finally {
			if (engine.has("step.ended")) engine.tell("step.ended", { ...session.facts(), toolNames: names, durationMs: performance.now() - began });
		}
	}

	/** Summarises the older messages when the next request might not fit. Without room the request is tried all the same: it may still fit. */
	async #makeRoom(): Promise<void> {
		const session = this.#session;
		if (!isFull(session)) return;
		const made = await compact(session, "full", "", this.#signal);
		if (made.kind === "done") session.parts.warn(`The conversation was summarised to make room (${made.before} messages became ${made.after}).`);
		else session.parts.warn(`The model's window is nearly full. ${made.why}`);
	}

	/** A final answer came. Hooks may make the turn go on; otherwise they see the text before the person does. */
	async #answered(answer: ModelAnswer): Promise<TurnResult | undefined> {
		const { text } = answer;
		const session = this.#session;
		const { engine, limits } = session.parts;
		const options = { signal: this.#signal };
		if (engine.has("turn.ending")) {
			const payload = { ...session.facts(), text, continuations: this.#continuations, toolNames: this.#toolNames };
			const outcome = await engine.dispatch("turn.ending", payload, options);
			if (outcome.kind === "blocked") {
				session.append(assistant(answer));
				return { text: "", completed: false, interrupted: outcome.cause === "interrupted", error: outcome.reason };
			}
			if (outcome.kind === "go" && outcome.injections.length > 0 && this.#continuations < limits.maxContinuations) {
				this.#continuations++;
				session.append(assistant(answer));
				if (text.trim() !== "") await send(session, text, "interim", this.#signal);
				session.append({ role: "user", text: contextOf(session.parts, outcome.injections) });
				return undefined;
			}
		}
		let final = text;
		if (engine.has("turn.answering")) {
			const outcome = await engine.dispatch("turn.answering", { ...session.facts(), text }, options);
			final = outcome.kind === "go" ? outcome.payload.text : `[The answer was withheld: ${outcome.kind === "blocked" ? outcome.reason : outcome.text}]`;
		}
		this.#signal.throwIfAborted();
		// The conversation keeps what the person was given: what a hook took out of it must not come back with the next request.
		session.append(assistant({ ...answer, text: final }));
		const sent = await send(session, final, "answer", this.#signal);
		if (answer.finish === "length") session.parts.warn("The answer was cut off by the model's token limit.");
		return { text: sent, completed: true, interrupted: false };
	}

	/** The model finished without a word. That is no answer a person could use, so it is not passed off as one. */
	#empty(finish: string): TurnResult {
		const why = finish === "length" ? " Its token limit was used up before it said anything." : finish === "content-filter" ? " Its provider's content filter stopped it." : "";
		return { text: "", completed: false, interrupted: false, error: `The model gave an empty answer.${why} Ask again, or try another model.` };
	}

	/** A hook ended the turn: its reason is the answer. */
	async #refused(reason: string): Promise<TurnResult> {
		this.#signal.throwIfAborted();
		const sent = await send(this.#session, reason, "notice", this.#signal);
		return { text: sent, completed: false, interrupted: false, error: reason };
	}

	/** What went wrong, as a result. The conversation stays one that a model can take up again. */
	failed(error: unknown): TurnResult {
		const session = this.#session;
		session.parts.output.discard();
		withdraw(session, this.#parked, this.#signal.aborted ? undefined : "The turn ended before there was an answer.");
		if (session.lost.aborted) return { text: "", completed: false, interrupted: false, error: wordsOf(session.lost.reason) };
		try {
			session.closeOpenCalls(interruptedResult);
		} catch (problem) {
			if (!(problem instanceof StoreError)) throw problem;
		}
		if (this.#signal.aborted) return { text: "", completed: false, interrupted: true };
		if (error instanceof ModelError || error instanceof StoreError || error instanceof SessionInUseError || error instanceof OperationBlocked) {
			return { text: "", completed: false, interrupted: false, error: error.message };
		}
		throw error;
	}

	tellEnded({ text, completed, interrupted, error, waits }: TurnResult): void {
		const { engine } = this.#session.parts;
		if (!engine.has("turn.ended")) return;
		const figures = { steps: this.#steps, toolCalls: this.#toolNames.length, usage: this.#usage, durationMs: performance.now() - this.#began };
		engine.tell("turn.ended", { ...this.#session.facts(), input: this.#text, text, completed, interrupted, ...(error !== undefined && { error }), ...(waits !== undefined && { waits: true }), ...figures });
	}
}

function assistant({ text, reasoning, toolCalls, providerData }: ModelAnswer): Message {
	return { role: "assistant", text, ...(reasoning !== "" && { reasoning }), ...(toolCalls.length > 0 && { toolCalls }), ...(providerData && { providerData }) };
}

function sum(a: Usage, b: Usage): Usage {
	const total: { -readonly [Key in keyof Usage]: Usage[Key] } = { ...a };
	for (const key of ["inputTokens", "outputTokens", "cachedTokens", "cacheWriteTokens"] as const) if (b[key] !== undefined) total[key] = (total[key] ?? 0) + b[key];
	return total;
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
