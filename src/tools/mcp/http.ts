// A server at an address: Streamable HTTP, with answers that are bounded and failures in words.
import { type FetchLike, ProtocolError, SdkError, SdkErrorCode, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { sized } from "../result.ts";
import type { Address } from "./settings.ts";

/** Of one answer, in bytes. */
const longestAnswer = 64 * 1024 * 1024;

/** Redirects are followed within the address' own origin only: what is sent along (a token) is meant for nobody else. */
export function httpTransport({ url, headers }: Address): StreamableHTTPClientTransport {
	return new StreamableHTTPClientTransport(url, { requestInit: { headers }, fetch: bounded, redirectPolicy: "same-origin" });
}

const bounded: FetchLike = async (url, init) => {
	const response = await fetch(url, init);
	if (response.body === null) return response;
	let bytes = 0;
	const limit = new TransformStream<Uint8Array, Uint8Array>({
		transform(chunk, controller) {
			bytes += chunk.length;
			if (bytes > longestAnswer) controller.error(new Error(`it answered with more than ${sized(longestAnswer)}`));
			else controller.enqueue(chunk);
		},
	});
	return new Response(response.body.pipeThrough(limit), response);
};

/** What went wrong on the way to a server or back, with `it` as the server; undefined when the way is well and something else was wrong. */
export function wayFailure(error: unknown): string | undefined {
	if (error instanceof SdkHttpError) return wordsOfStatus(error);
	if (error instanceof SdkError) {
		if (error.code !== SdkErrorCode.ClientHttpUnexpectedContent) return undefined;
		const { contentType } = error.data as { readonly contentType: string | null };
		return `it answered with ${contentType ?? "something of no named type"}, which is no MCP: a proxy, or a page to log in?`;
	}
	if (!(error instanceof Error) || error instanceof ProtocolError) return undefined;
	if (error instanceof SyntaxError || error.name === "ZodError") return "what it answered is no message of the protocol";
	const cause = error.cause as NodeJS.ErrnoException | undefined;
	return error.message === "fetch failed" ? `it cannot be reached (${cause?.message || cause?.code || error.message})` : error.message;
}

function wordsOfStatus({ status, message, data }: SdkHttpError): string {
	if (status === 401 || status === 403) return `it refused access (${status}): it wants a token, or another one, which token_env names`;
	if (status === 404) return "there is nothing of it at this address (404)";
	const redirect = /Redirect.*?not followed/.exec(message)?.[0];
	if (redirect !== undefined) return `it answered ${status}: ${redirect}`;
	const text = typeof data["text"] === "string" && !/^\s*</.test(data["text"]) ? data["text"].trim() : "";
	return `it answered ${status}${text === "" ? "" : `: ${text.slice(0, 300).toWellFormed()}`}`;
}
