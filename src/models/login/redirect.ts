// Where the browser comes back to after a login: a server on 127.0.0.1 that hears one answer.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { orAborted } from "../../system/abort.ts";
import { redactText } from "../../system/redact.ts";
import { visibleLine } from "../../system/visible.ts";

export interface Redirect extends AsyncDisposable {
	/** What the provider is told to send the browser to. */
	readonly url: string;
	/** What the provider gave when the person agreed. @throws what `failed` makes of a no; the signal's reason. */
	code(signal: AbortSignal): Promise<string>;
}

const path = "/callback";

/** `port` 0 takes a free one. `failed` makes the error of why there is no code. */
export async function listenForRedirect(port: number, state: string, failed: (why: string) => Error): Promise<Redirect> {
	const answer = Promise.withResolvers<string>();
	// Nobody may be waiting yet.
	answer.promise.catch(() => {});
	const server = createServer((request, response) => {
		const url = URL.parse(request.url ?? "", "http://127.0.0.1");
		if (request.method !== "GET" || url?.pathname !== path) return say(response, 404, "There is nothing here.");
		// Any page in the browser can come here; only the provider knows this.
		if (url.searchParams.get("state") !== state) return say(response, 400, "This does not belong to the login that is under way.");
		const code = url.searchParams.get("code");
		if (code !== null && code !== "") {
			say(response, 200, "You are logged in. You can close this page.");
			return answer.resolve(code);
		}
		say(response, 200, "You are not logged in. You can close this page.");
		answer.reject(failed(`the provider said no (${visibleLine(redactText(url.searchParams.get("error") ?? "it gave no code").slice(0, 200))}).`));
	});
	const listening = Promise.withResolvers<void>();
	server.once("error", (error) => listening.reject(failed(`no browser can come back: 127.0.0.1:${port} cannot be listened on (${error.message}).`)));
	server.listen(port, "127.0.0.1", listening.resolve);
	await listening.promise;
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
		code: (signal) => orAborted(answer.promise, signal),
		[Symbol.asyncDispose]: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeIdleConnections();
				// Who reads slowly has the answer by then; who opened a connection and says nothing is not waited for.
				setTimeout(() => server.closeAllConnections(), 500).unref();
			}),
	};
}

function say(response: ServerResponse, status: number, text: string): void {
	response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", connection: "close" }).end(`${text}\n`);
}
