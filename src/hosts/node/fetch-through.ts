// `fetch` where no connection may be opened: the agent does the request, and the answer's body comes piece by piece, as it is read.
import type { JsonObject } from "../../events/payloads/facts.ts";
import type { Fetched, FetchedPiece } from "../gate.ts";
import { mostFetchBytes } from "../gate.ts";

/** Asks the agent. */
export type AskFetch = (what: "fetch" | "fetchPiece" | "fetchEnd", args: JsonObject, signal: AbortSignal) => Promise<unknown>;

export async function fetchThrough(ask: AskFetch, input: string | URL | Request, init?: RequestInit): Promise<Response> {
	const request = new Request(input, init);
	const { url, method, redirect, signal } = request;
	signal.throwIfAborted();
	const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
	if (body !== undefined && body.length > mostFetchBytes.sent) throw new TypeError(`fetch: a body of ${body.length} bytes is more than the ${mostFetchBytes.sent} that can be sent.`);
	const args = { url, method, redirect, headers: [...request.headers], ...(body && { body: body.toString("base64") }) };
	const fetched = (await ask("fetch", args, signal)) as Fetched;
	const isEmpty = fetched.body === undefined || [204, 205, 304].includes(fetched.status);
	const response = new Response(isEmpty ? null : bodyOf(fetched.body!, ask, signal), { status: fetched.status, statusText: fetched.statusText, headers: fetched.headers as [string, string][] });
	Object.defineProperties(response, { url: { value: fetched.url }, redirected: { value: fetched.redirected } });
	return response;
}

function bodyOf(body: number, ask: AskFetch, signal: AbortSignal): ReadableStream<Uint8Array> {
	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				const { bytes } = (await ask("fetchPiece", { body }, signal)) as FetchedPiece;
				if (bytes === undefined) controller.close();
				else controller.enqueue(Buffer.from(bytes, "base64"));
			},
			cancel: () => void ask("fetchEnd", { body }, AbortSignal.timeout(1_000)).catch(() => {}),
		},
		{ highWaterMark: 0 },
	);
}
