// A web server on the loopback for the web tools. Each path answers as the test says; every request is kept. Paths nobody set answer 404.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";

export interface WebRequest {
	/** With the query. */
	readonly url: URL;
	readonly headers: IncomingHttpHeaders;
}

export type WebAnswer = (response: ServerResponse, request: WebRequest) => void;

export interface WebServer extends AsyncDisposable {
	/** `http://127.0.0.1:PORT`. */
	readonly origin: string;
	/** `127.0.0.1:PORT`, as it stands in `allowHosts`. */
	readonly host: string;
	readonly port: number;
	readonly requests: readonly WebRequest[];
	on(path: string, answer: WebAnswer): void;
}

export async function startWebServer(answers: Readonly<Record<string, WebAnswer>> = {}): Promise<WebServer> {
	const requests: WebRequest[] = [];
	const paths = new Map(Object.entries(answers));
	const server = createServer((incoming, response) => {
		const request = { url: new URL(incoming.url ?? "/", "http://127.0.0.1"), headers: incoming.headers };
		requests.push(request);
		const answer = paths.get(request.url.pathname);
		if (answer) answer(response, request);
		else response.writeHead(404).end();
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the web server has no port");
	const host = `127.0.0.1:${address.port}`;
	return {
		origin: `http://${host}`,
		host,
		port: address.port,
		requests,
		on: (path, answer) => void paths.set(path, answer),
		async [Symbol.asyncDispose]() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}

/** A body of this type. */
export function content(type: string, body: string | Uint8Array, more: Readonly<Record<string, string>> = {}): WebAnswer {
	return (response) => void response.writeHead(200, { ...(type !== "" && { "content-type": type }), ...more }).end(body);
}

export const html = (body: string): WebAnswer => content("text/html; charset=utf-8", body);
export const json = (value: unknown, status = 200): WebAnswer => (response) => void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
export const redirect = (location: string, status = 302): WebAnswer => (response) => void response.writeHead(status, { location }).end("moved");

/** The head of a page and then these bytes again and again, until the client goes away. */
export function endless(chunk: Uint8Array, headers: Readonly<Record<string, string>>): WebAnswer {
	return (response) => {
		response.writeHead(200, headers);
		const more = (): void => {
			while (!response.destroyed && response.write(chunk));
		};
		response.on("drain", more);
		more();
	};
}
