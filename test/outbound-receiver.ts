// A receiver of webhooks on loopback, which answers as a test says.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { eventually } from "../src/system/test-waiting.ts";

export interface Heard {
	readonly path: string;
	readonly headers: IncomingHttpHeaders & Readonly<Record<string, string>>;
	readonly text: string;
	readonly body: Readonly<Record<string, unknown>>;
}

/** Ends the response, or leaves it. */
export type Answer = (response: ServerResponse, heard: Heard, number: number) => void;

export const status = (code: number, headers: Readonly<Record<string, string>> = {}, text = ""): Answer => (response) => void response.writeHead(code, headers).end(text);

export class Receiver implements AsyncDisposable {
	readonly heard: Heard[] = [];
	answer: Answer;
	#server: Server | undefined;
	#port = 0;

	private constructor(answer: Answer) {
		this.answer = answer;
	}

	static async open(answer: Answer = status(204)): Promise<Receiver> {
		const receiver = new Receiver(answer);
		await receiver.listen();
		return receiver;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#port}/hook`;
	}

	/** By delivery, in the order in which they came first. */
	get ids(): readonly string[] {
		return [...new Set(this.heard.map(({ headers }) => headers["webhook-id"]!))];
	}

	get events(): readonly unknown[] {
		return this.heard.map(({ body }) => body["hook_event_name"]);
	}

	async hears(count: number): Promise<readonly Heard[]> {
		await eventually(() => this.heard.length >= count, `${count} requests come, of which there are ${this.heard.length}`);
		return this.heard;
	}

	/** At the port it had before. */
	async listen(): Promise<void> {
		const server = createServer((request, response) => {
			let text = "";
			request.setEncoding("utf8").on("data", (piece: string) => void (text += piece)).on("end", () => {
				const heard = { path: request.url!, headers: request.headers as Heard["headers"], text, body: JSON.parse(text) as Heard["body"] };
				this.answer(response, heard, this.heard.push(heard));
			});
		});
		server.listen(this.#port, "127.0.0.1");
		await once(server, "listening");
		this.#server = server;
		this.#port = (server.address() as { readonly port: number }).port;
	}

	/** Nobody is there any more. */
	async close(): Promise<void> {
		const server = this.#server;
		if (server === undefined) return;
		this.#server = undefined;
		const closed = once(server, "close");
		server.close();
		server.closeAllConnections();
		await closed;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}
}
