// A model of a provider that an extension brings. The provider is looked up with each request: it may have been loaded anew since, or have left.
import type { Channel, ExtensionProvider, ModelAnswered, ModelAsked } from "../events/providers.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { Message } from "../events/payloads/model.ts";
import { toFailure } from "../events/failure.ts";
import { orAborted } from "../system/abort.ts";
import { redacted, redactText } from "../system/redact.ts";
import { visibleLine } from "../system/visible.ts";
import type { ModelFacts } from "./known.ts";
import { type Model, ModelError, type ModelOptions, type ModelPiece, type ModelRequest } from "./model.ts";
import { openAiCompatibleModel } from "./openai-compatible.ts";
import type { ReasoningEffort } from "./provider-model.ts";

export interface ExtensionModelSettings {
	/** `PROVIDER:NAME`, as people write it. */
	readonly name: string;
	/** As the provider knows it. */
	readonly model: string;
	readonly extension: string;
	/** As it is now; undefined when its extension has left. */
	readonly provider: () => ExtensionProvider | undefined;
	/** What goes along as the key. `rejected` is one that the provider does not take any more. @throws ModelError */
	readonly key: (provider: ExtensionProvider, options: { readonly rejected?: string; readonly signal: AbortSignal }) => Promise<string | undefined>;
	/** In the place of the provider's own address. */
	readonly baseUrl?: string | undefined;
	readonly facts: ModelFacts;
	readonly reasoning?: ReasoningEffort | undefined;
	/** Asked for in tokens where a request says nothing else. */
	readonly maxOutputTokens?: number | undefined;
	/** How long an answer may be silent, in ms: 120,000 unless given. */
	readonly timeoutMs?: number;
}

/** Of one answer, in characters. */
const longestAnswer = 16 * 1024 * 1024;

export function extensionModel(settings: ExtensionModelSettings): Model {
	const { name, extension } = settings;
	const present = (): ExtensionProvider => {
		const provider = settings.provider();
		if (provider !== undefined) return provider;
		throw new ModelError(`${name} is not there any more: the extension '${extension}', which brought it, has left or brings it no longer. Choose another model with /model.`, { retryable: false });
	};
	const keyOf = async (provider: ExtensionProvider, signal: AbortSignal, rejected?: string) => {
		const key = await settings.key(provider, { signal, ...(rejected !== undefined && { rejected }) });
		if (key === undefined && provider.login !== undefined) throw new ModelError(`You are not logged in for ${name}. ${loginAdvice(name)}`, { retryable: false });
		return key;
	};
	const isAnswered = settings.provider()?.complete !== undefined;
	const served = new Served(settings);
	return {
		name,
		// It is told of images in words: their bytes do not go to other people's code.
		facts: isAnswered ? { ...settings.facts, images: false } : settings.facts,
		prepare: async () => void (await keyOf(present(), new AbortController().signal)),
		async *stream(request, options) {
			const { signal } = options;
			signal.throwIfAborted();
			const provider = present();
			let key = await orAborted(keyOf(provider, signal), signal);
			for (let mayRenew = true; ; mayRenew = false) {
				try {
					const pieces = provider.complete === undefined ? served.model(provider, key).stream(request, options) : answerOf(settings, provider, key, request, options);
					for await (const piece of pieces) {
						mayRenew = false;
						yield piece;
					}
					return;
				} catch (error) {
					const isRefused = error instanceof ModelError && (error.status === 401 || error.status === 403) && provider.login !== undefined;
					if (!isRefused) throw error;
					const renewed = !mayRenew || error.status !== 401 ? key : await orAborted(keyOf(provider, signal, key), signal);
					if (renewed === key) throw new ModelError(`${redactText(error.message)} ${loginAdvice(name)}`, { status: error.status, retryable: false, cause: error });
					key = renewed;
				}
			}
		},
	};
}

const loginAdvice = (name: string) => `Run: hookline models login ${name.slice(0, name.indexOf(":"))}`;

/** One that is asked at a server: the same for as long as address and key are, as it remembers how the conversation is written. */
class Served {
	readonly #settings: ExtensionModelSettings;
	#opened: { readonly with: string; readonly model: Model } | undefined;

	constructor(settings: ExtensionModelSettings) {
		this.#settings = settings;
	}

	/** @throws ModelError */
	model({ baseUrl: own = "", headers = {} }: ExtensionProvider, key: string | undefined): Model {
		const { name, model, facts, reasoning, maxOutputTokens, timeoutMs, baseUrl = own } = this.#settings;
		const opened = JSON.stringify([baseUrl, headers, key]);
		if (this.#opened?.with !== opened) {
			const more = { ...(key !== undefined && { apiKey: key }), ...(reasoning && { reasoning }), ...(maxOutputTokens !== undefined && { maxOutputTokens }), ...(timeoutMs !== undefined && { timeoutMs }) };
			this.#opened = { with: opened, model: openAiCompatibleModel({ name, model, baseUrl, facts, headers, ...more }) };
		}
		return this.#opened.model;
	}
}

/** What the extension's own function answers, as pieces. @throws ModelError; the signal's reason. */
async function* answerOf({ name, model, extension, maxOutputTokens, timeoutMs = 120_000 }: ExtensionModelSettings, provider: ExtensionProvider, key: string | undefined, request: ModelRequest, { signal, onRequest }: ModelOptions): AsyncGenerator<ModelPiece, void, undefined> {
	const failure = (why: string, more: Partial<NonNullable<ModelAnswered["failed"]>> = {}) => {
		const said = visibleLine(redactText(key === undefined ? why : why.replaceAll(key, redacted)).slice(0, 1_000));
		return new ModelError(`${name} (of the extension '${extension}') failed: ${said}`, { ...more, retryable: more.retryable ?? false });
	};
	const tokens = request.maxOutputTokens ?? maxOutputTokens;
	const asked: ModelAsked = { model, messages: request.messages.map(inWords), tools: request.tools, ...(tokens !== undefined && { maxOutputTokens: tokens }) };
	const changed = await onRequest?.({ url: `extension:${extension}/${provider.name}`, body: asked as unknown as JsonObject, headers: {} });
	const body = (changed?.body ?? asked) as ModelAsked;
	if (!Array.isArray(body.messages) || !Array.isArray(body.tools)) throw new ModelError(`The request that a hook of model.requesting gave for ${name} has no messages or no tools.`, { retryable: false, elsewhere: "never" });

	const stop = new AbortController();
	const both = AbortSignal.any([signal, stop.signal]);
	const queue: ModelPiece[] = [];
	const streamed = { text: "", reasoning: "" };
	let wake = () => {};
	let ended: { readonly answer: ModelAnswered } | { readonly error: unknown } | undefined;
	const silent = () => stop.abort(failure(`nothing came for ${timeoutMs / 1000} s.`, { retryable: true }));
	let timer = setTimeout(silent, timeoutMs);
	const onDelta = (delta: string, channel: Channel) => {
		if (ended !== undefined || both.aborted || delta === "") return;
		clearTimeout(timer);
		timer = setTimeout(silent, timeoutMs);
		streamed[channel] += delta;
		if (streamed.text.length + streamed.reasoning.length > longestAnswer) return stop.abort(failure(`its answer is longer than ${longestAnswer / 1024 / 1024} million characters.`));
		queue.push({ kind: channel, delta });
		wake();
	};
	const over = (how: NonNullable<typeof ended>) => {
		ended = how;
		wake();
	};
	const onAbort = () => wake();
	both.addEventListener("abort", onAbort);
	try {
		// What it throws is of its extension; that it is not waited for after a stop is no reason to take the program down.
		provider.complete!(body, { signal: both, key, onDelta }).then(
			(answer) => over({ answer }),
			(error: unknown) => over({ error }),
		);
		while (ended === undefined || queue.length > 0) {
			both.throwIfAborted();
			if (queue.length > 0) yield* queue.splice(0);
			else await new Promise<void>((resolve) => (wake = resolve));
		}
		both.throwIfAborted();
	} finally {
		clearTimeout(timer);
		both.removeEventListener("abort", onAbort);
		// Who reads no further wants no more of it.
		stop.abort(new Error("nobody reads the answer any more"));
	}
	const how: NonNullable<typeof ended> = ended;
	if ("error" in how) throw failure(toFailure(how.error).message);
	const { failed, toolCalls = [], finish, usage = {} } = how.answer;
	if (failed !== undefined) throw failure(failed.message, failed);
	for (const channel of ["reasoning", "text"] as const) {
		const whole = how.answer[channel] ?? streamed[channel];
		if (!whole.startsWith(streamed[channel])) throw failure(`the ${channel} it gave is another one than it streamed.`);
		if (whole.length > streamed[channel].length) yield { kind: channel, delta: whole.slice(streamed[channel].length) };
	}
	for (const call of toolCalls) yield { kind: "tool-call", call };
	yield { kind: "finish", reason: finish ?? (toolCalls.length > 0 ? "tool-calls" : "stop"), usage };
}

/** Without what only other models have a use for. */
function inWords(message: Message): Message {
	switch (message.role) {
		case "user":
			return { role: "user", text: message.text };
		case "assistant": {
			const { providerData: _, ...rest } = message;
			return rest;
		}
		default:
			return message;
	}
}
