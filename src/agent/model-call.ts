// One model call: hooked, retried, streamed, and told of.
import type { ModelAnswer } from "../events/hooks.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { Message, ToolCallRequest, Usage } from "../events/payloads/model.ts";
import type { ImageSource } from "../models/images.ts";
import { costOf } from "../models/known.ts";
import { type FinishReason, type Model, ModelError, type ModelOptions, type ModelRequest, type ProviderRequest } from "../models/model.ts";
import { withReadableImages } from "./images.ts";
import type { Models } from "./models.ts";
import { mayStream } from "./output.ts";
import type { Session } from "./session.ts";
import { contextOf } from "./spill.ts";

/** The model's answer, or why there is none: a hook's block or the user's stop. */
export type ModelCallResult = { readonly answer: ModelAnswer } | { readonly blocked: string };

/** Who reads the answer while it comes: the person, or nobody where it is for the agent's own use. */
export type Audience = "person" | "nobody";

/** What a model is asked for: a session, or code of an extension beside it. */
export type Caller = Pick<Session, "id" | "parts" | "turnId" | "facts">;

/**
 * Calls the model, and where it fails those behind it, with the same messages. Every request of the agent goes through here, whatever it is for.
 * @throws ModelError when all tries of the last one failed; the signal's reason when stopped; OperationBlocked.
 */
export async function callModel(session: Caller, request: ModelRequest, audience: Audience, signal: AbortSignal): Promise<ModelCallResult> {
	const { models, output, warn } = session.parts;
	let model = models.current;
	try {
		for (;;) {
			try {
				return await callHooked({ session, model, audience, signal }, request);
			} catch (error) {
				const next = signal.aborted ? undefined : fallbackAfter(models, model, error);
				if (next === undefined) throw error;
				output.discard();
				warn(`${(error as ModelError).message} ${next.name} is asked instead${session.turnId === undefined ? "" : ", until this turn is over"}.`);
				models.fallBack(next);
				model = next;
			}
		}
	} finally {
		if (session.turnId === undefined) models.backToChosen();
	}
}

function fallbackAfter(models: Models, model: Model, error: unknown): Model | undefined {
	return error instanceof ModelError && error.elsewhere !== "never" ? models.after(model) : undefined;
}

/** One model asked for one answer. */
interface Asking {
	readonly session: Caller;
	readonly model: Model;
	readonly audience: Audience;
	readonly signal: AbortSignal;
}

/** A fall-back is another model, and hooks may have their opinion on it: so each has a `model.calling` of its own. */
async function callHooked(asking: Asking, asked: ModelRequest): Promise<ModelCallResult> {
	const { session, model, signal } = asking;
	const { engine } = session.parts;
	if (!engine.has("model.calling")) return { answer: await tryOften(asking, asked) };
	const { messages, tools } = asked;
	const payload = { ...session.facts(), model: model.name, messages, toolNames: tools.map(({ name }) => name) };
	const outcome = await engine.dispatch("model.calling", payload, { signal });
	if (outcome.kind !== "go") return { blocked: outcome.kind === "blocked" ? outcome.reason : outcome.text };
	const request = { ...asked, messages: withInjections(session, outcome.payload.messages, outcome.injections) };
	return { answer: await engine.perform("model.calling", outcome, () => tryOften(asking, request), { signal, check: answerMistake }) };
}

type Injections = Parameters<typeof contextOf>[1];

/** Adds text of hooks for this call only: to the system prompt, or as a message at the end, where it leaves the cached part as it is. */
function withInjections({ parts }: Caller, messages: readonly Message[], injections: Injections): readonly Message[] {
	if (injections.length === 0) return messages;
	const forSystem = injections.filter(({ as }) => as === "system");
	const forUser = injections.filter(({ as }) => as === "user");
	const head = messages[0]!;
	const system: Message = forSystem.length > 0 && head.role === "system" ? { role: "system", text: `${head.text}\n\n${contextOf(parts, forSystem)}` } : head;
	const changed = [system].concat(messages.slice(1));
	if (forUser.length > 0) changed.push({ role: "user", text: contextOf(parts, forUser) });
	return changed;
}

async function tryOften(asking: Asking, request: ModelRequest): Promise<ModelAnswer> {
	const { session, model, signal } = asking;
	const { engine, models, limits, output } = session.parts;
	for (let attempt = 1; ; attempt++) {
		const began = performance.now();
		try {
			const answer = await stream(asking, request);
			if (engine.has("model.called")) {
				const { text, toolCalls, finish, usage } = answer;
				const costUsd = costOf(usage, model.facts ?? {});
				engine.tell("model.called", { ...session.facts(), model: model.name, text, toolCalls, finish, usage, ...(costUsd !== undefined && { costUsd }), durationMs: performance.now() - began, attempts: attempt });
			}
			return answer;
		} catch (error) {
			if (signal.aborted || !(error instanceof ModelError)) throw error;
			const fallback = fallbackAfter(models, model, error);
			const retryInMs = fallback && error.elsewhere === "now" ? undefined : waitBefore(error, attempt, limits.maxAttempts, limits.retryBaseMs);
			if (engine.has("model.failed")) {
				const more = { ...(error.status !== undefined && { status: error.status }), ...(retryInMs !== undefined ? { retryInMs } : fallback && { fallback: fallback.name }) };
				engine.tell("model.failed", { ...session.facts(), model: model.name, message: error.message, attempt, willRetry: retryInMs !== undefined, ...more });
			}
			if (retryInMs === undefined) throw error;
			output.discard();
			session.parts.warn(`${error.message} Trying again in ${(retryInMs / 1000).toFixed(1)} s (${attempt + 1} of ${limits.maxAttempts}).`);
			await wait(retryInMs, signal);
		}
	}
}

/** More than this a person would rather be told than wait for, in ms. */
const longestWaitMs = 60_000;

/** How long to wait before the next try, or undefined when there is none. The provider's own word counts before our back-off. */
function waitBefore(error: ModelError, attempt: number, maxAttempts: number, baseMs: number): number | undefined {
	if (!error.retryable || attempt >= maxAttempts) return undefined;
	if (error.retryAfterMs !== undefined) return error.retryAfterMs <= longestWaitMs ? error.retryAfterMs : undefined;
	// A little chance keeps many agents from coming back in the same instant.
	return Math.min(longestWaitMs, baseMs * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(signal.reason as Error);
		};
		const timer = setTimeout(() => {
			signal.removeEventListener("abort", stop);
			resolve();
		}, ms);
		if (signal.aborted) stop();
		else signal.addEventListener("abort", stop, { once: true });
	});
}

async function stream({ session, model, audience, signal }: Asking, request: ModelRequest): Promise<ModelAnswer> {
	const { engine, output } = session.parts;
	const live = audience === "person" && mayStream(session.parts);
	const streamed = engine.has("model.streamed");
	let text = "";
	let reasoning = "";
	const toolCalls: ToolCallRequest[] = [];
	let finish: FinishReason = "other";
	let usage: Usage = {};
	let providerData: JsonObject | undefined;
	const { store, warn } = session.parts;
	const messages = withReadableImages(request.messages, model, warn);
	const imageOf: ImageSource = ({ sha256 }) => store.sessions.image(session.id, sha256);
	for await (const piece of model.stream({ ...request, messages, imageOf }, modelOptions(session, model, signal))) {
		switch (piece.kind) {
			case "text":
				text += piece.delta;
				if (live) output.delta(piece.delta);
				break;
			case "reasoning":
				reasoning += piece.delta;
				break;
			case "tool-call":
				toolCalls.push(piece.call);
				break;
			case "finish":
				finish = piece.reason;
				usage = piece.usage;
				providerData = piece.providerData;
		}
		if (streamed && (piece.kind === "text" || piece.kind === "reasoning")) {
			engine.tell("model.streamed", { ...session.facts(), model: model.name, delta: piece.delta, channel: piece.kind });
		}
	}
	return { text, reasoning, toolCalls, finish, usage, ...(providerData && { providerData }) };
}

function modelOptions(session: Caller, model: Model, signal: AbortSignal): ModelOptions {
	const { engine } = session.parts;
	if (!engine.has("model.requesting")) return { signal };
	const onRequest = async (request: ProviderRequest): Promise<ProviderRequest | undefined> => {
		const payload = { ...session.facts(), model: model.name, ...request };
		const outcome = await engine.dispatch("model.requesting", payload, { signal });
		if (outcome.kind !== "go") throw new ModelError(outcome.kind === "blocked" ? outcome.reason : outcome.text, { retryable: false, elsewhere: "never" });
		const { url, body, headers } = outcome.payload;
		return body === request.body && headers === request.headers ? undefined : { url, body, headers };
	};
	return { signal, onRequest };
}

function answerMistake(result: unknown): string | undefined {
	const answer = result as Partial<ModelAnswer> | null;
	if (typeof answer === "object" && answer !== null && typeof answer.text === "string" && Array.isArray(answer.toolCalls)) return undefined;
	return "a result that is no model answer (a text and toolCalls); pass on what next() gave, or change a copy of it";
}
