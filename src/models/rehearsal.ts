// The embedded model: offline, deterministic, in this process, streaming like a real one. Its language is in rehearsal-script.ts.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Usage } from "../events/payloads/model.ts";
import { orAborted } from "../system/abort.ts";
import { chatBody, readChatBody } from "./chat-body.ts";
import { ModelError, type Model, type ModelOptions, type ModelPiece, type ModelRequest } from "./model.ts";
import { planAnswer, tokensIn, words, type ScriptAnswer, type ScriptRequest } from "./rehearsal-script.ts";

/** Pieces between two turns of the event loop: seldom enough to be cheap, often enough for an abort to be seen. */
const piecesPerTurn = 64;

/** The rehearsal model. `delayMs`: how long it thinks before each answer, in milliseconds; 0 unless given. */
export function rehearsalModel({ delayMs = 0 }: { readonly delayMs?: number } = {}): Model {
	return {
		name: "rehearsal",
		async *stream(request, options) {
			options.signal.throwIfAborted();
			const read = await readRequest(request, options);
			if (delayMs > 0) await pause(delayMs, options.signal);
			yield* play(planAnswer(read), read, options.signal);
		},
	};
}

/** The request itself, unless the hooks of `model.requesting` sent another body. */
async function readRequest(request: ModelRequest, { onRequest, signal }: ModelOptions): Promise<ScriptRequest> {
	const asGiven = { messages: request.messages, toolNames: request.tools.map(({ name }) => name) };
	if (onRequest === undefined) return asGiven;
	const sent = { url: "rehearsal:/chat/completions", body: chatBody("rehearsal", request), headers: { "content-type": "application/json" } };
	const changed = await orAborted(onRequest(sent), signal);
	if (changed === undefined) return asGiven;
	const read = readChatBody(changed.body);
	if (read === undefined) {
		throw new ModelError("The request that a hook of model.requesting gave has no 'messages' list. Let it return the body it was shown, changed.", { retryable: false, elsewhere: "never" });
	}
	return read;
}

async function* play(answer: ScriptAnswer, request: ScriptRequest, signal: AbortSignal): AsyncGenerator<ModelPiece, void, undefined> {
	switch (answer.kind) {
		case "http":
			throw new ModelError(`The rehearsal model fails with HTTP ${answer.status}, as it was told: ${answer.message}`, {
				status: answer.status,
				retryable: answer.status === 429 || answer.status >= 500,
				retryAfterMs: answer.retryAfterMs,
				...(answer.status === 400 && { elsewhere: "never" as const }),
			});
		case "half-call":
			await nextTurn();
			signal.throwIfAborted();
			throw new ModelError(`The stream of the rehearsal model ended in the middle of a call of ${answer.call.name}, as it was told.`, { retryable: true });
		case "empty":
			yield { kind: "finish", reason: "stop", usage: usageOf(request, 0) };
			return;
		case "text": {
			let pieces = 0;
			for (const delta of words(answer.text)) {
				yield { kind: "text", delta };
				if (answer.wordMs > 0) await pause(answer.wordMs, signal);
				else if (++pieces % piecesPerTurn === 0) await nextTurn();
				signal.throwIfAborted();
			}
			yield { kind: "finish", reason: "stop", usage: usageOf(request, answer.text.length) };
			return;
		}
		case "calls": {
			// The place in the conversation makes the ids unique in a session, and the same again when the same request is sent again.
			const place = request.messages.length;
			for (const [index, call] of answer.calls.entries()) {
				signal.throwIfAborted();
				yield { kind: "tool-call", call: { id: `call_${place}_${index}`, ...call } };
			}
			const length = answer.calls.reduce((sum, call) => sum + call.arguments.length, 0);
			yield { kind: "finish", reason: "tool-calls", usage: usageOf(request, length) };
		}
	}
}

function usageOf(request: ScriptRequest, characters: number): Usage {
	let sent = 0;
	for (const message of request.messages) sent += message.text.length;
	return { inputTokens: tokensIn(sent), outputTokens: tokensIn(characters), cachedTokens: 0 };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	// The timer's own rejection is an AbortError with the reason as its cause; callers are promised the reason.
	await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
