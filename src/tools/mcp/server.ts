// One MCP server over its life: started, asked for its tools, called, lost and started again.
import { Client, ProtocolError, SdkError, SdkErrorCode, SdkHttpError, type Tool as Declared, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../events/payloads/facts.ts";
import type { ToolResult } from "../../events/payloads/tool.ts";
import { orAborted } from "../../system/abort.ts";
import { visibleLine } from "../../system/visible.ts";
import { failed } from "../result.ts";
import type { Tool } from "../tool.ts";
import { httpTransport, wayFailure } from "./http.ts";
import { differences, listed, type Offer, offerOf, type OfferedTool } from "./offer.ts";
import { Printed } from "./printed.ts";
import { resultOf } from "./result.ts";
import type { ServerSettings } from "./settings.ts";
import { StdioTransport } from "./stdio.ts";

export interface Told {
	/** For the person, in a sentence. */
	readonly warn: (message: string) => void;
	/** For the log: what the server prints, and what is odd about it. */
	readonly log: (line: string) => void;
}

/** A server is not there. The message says why, with `it` as the server. */
export class ServerLost extends Error {
	override readonly name = "ServerLost";
}

type Transport = StdioTransport | ReturnType<typeof httpTransport>;

/** How long a server may take to start and to list its tools, in ms; less when its calls have less. */
const longestStartMs = 20_000;
/** The first time it is lost it is started again at once, then after this, doubled each further time, in ms. */
const backOffMs = 1_000;
const longestBackOffMs = 60_000;
/** How long the end of an HTTP session may take, in ms. */
const goodbyeMs = 500;
const clientInfo = { name: "hookline", version: "1" };
const unknownEffect = "Whether the call had an effect is not known; the next one starts the server again.";
/** Takes what comes: it is looked at piece by piece, so that one bad tool does not lose the others. */
const anything = { "~standard": { version: 1, vendor: "hookline", validate: (value: unknown) => ({ value }) } } as const;

export class McpServer {
	readonly #settings: ServerSettings;
	readonly #told: Told;
	readonly #over = new AbortController();
	#client: Client | undefined;
	#transport: Transport | undefined;
	#opening: Promise<Client> | undefined;
	#offer: Offer | undefined;
	#toldOfChange = false;
	/** Times it was lost since a call last went well, and when it was last. */
	#lost = 0;
	#lostAt = 0;
	#why = "it was not started";

	constructor(settings: ServerSettings, told: Told) {
		this.#settings = settings;
		this.#told = told;
	}

	/**
	 * Starts it and asks for its tools.
	 * @throws ServerLost
	 */
	async open(stop: AbortSignal): Promise<void> {
		await this.#connected(stop);
	}

	/** What it had to offer when it was last asked. */
	get offer(): Offer {
		return this.#offer ?? { tools: [], notes: [] };
	}

	/** Its tools now, as the agent's loop takes them. */
	get tools(): readonly Tool[] {
		return this.offer.tools.map((tool) => ({ name: tool.name, description: tool.description, parameters: tool.parameters, run: (args, { signal }) => this.#call(tool, args, signal) }));
	}

	/** Ends it. Resolves when it is gone. */
	async close(): Promise<void> {
		this.#over.abort(new ServerLost("it is being ended"));
		const transport = this.#transport;
		if (transport === undefined) return;
		if (!(transport instanceof StdioTransport)) await Promise.race([transport.terminateSession().catch(() => {}), new Promise((resolve) => setTimeout(resolve, goodbyeMs).unref())]);
		await transport.close();
	}

	async #call({ ownName, parameters }: OfferedTool, args: JsonObject, stop: AbortSignal): Promise<ToolResult> {
		const { name: server, timeoutMs } = this.#settings;
		const refused = (why: string) => failed(`The MCP server '${server}': ${why}`, { server, tool: ownName });
		let client: Client;
		try {
			client = await this.#connected(stop);
		} catch (error) {
			stop.throwIfAborted();
			return refused(`${wordsOf(error)}. The call was not made.`);
		}
		const transport = this.#transport;
		try {
			const toolDefinition = { name: ownName, inputSchema: parameters as Declared["inputSchema"] };
			const result = await client.callTool({ name: ownName, arguments: args }, { signal: stop, timeout: timeoutMs, toolDefinition });
			this.#lost = 0;
			return resultOf(server, ownName, result);
		} catch (error) {
			stop.throwIfAborted();
			const way = wayFailure(error);
			if (way === undefined) return refused(this.#callFailure(error, transport));
			// Whether it still works is not known, so the next call opens it anew.
			await client.close();
			this.#why = visibleLine(way);
			return refused(`${this.#why}. ${unknownEffect}`);
		}
	}

	#callFailure(error: unknown, transport: Transport | undefined): string {
		if (error instanceof ProtocolError) return `it refused the call: ${wordsOf(error)} (${error.code}).`;
		const code = error instanceof SdkError ? error.code : undefined;
		if (code === SdkErrorCode.RequestTimeout) return `it did not answer within ${this.#settings.timeoutMs / 1000} s, and was told that the call is cancelled. Whether it had an effect is not known.`;
		if (code === SdkErrorCode.InvalidResult) return `what it answered is no result of a tool: ${wordsOf(error)}`;
		return `${code === SdkErrorCode.ConnectionClosed ? endOf(transport) : wordsOf(error)}. ${unknownEffect}`;
	}

	/** Joins whoever opens it already: calls that run at once must not start it twice. */
	async #connected(stop: AbortSignal): Promise<Client> {
		if (this.#client) return this.#client;
		this.#opening ??= this.#openUnlessLost().finally(() => (this.#opening = undefined));
		return orAborted(this.#opening, stop);
	}

	async #openUnlessLost(): Promise<Client> {
		const wait = this.#lost <= 1 ? 0 : Math.min(backOffMs * 2 ** (this.#lost - 2), longestBackOffMs);
		const left = this.#lostAt + wait - performance.now();
		if (this.#lost > 1 && left > 0) throw new ServerLost(`it was lost ${this.#lost} times in a row (${this.#why}) and is started again in ${Math.ceil(left / 1000)} s at the earliest`);
		const { name, timeoutMs, unset } = this.#settings;
		const limitMs = Math.min(timeoutMs, longestStartMs);
		try {
			return await this.#negotiated(limitMs);
		} catch (error) {
			this.#noteLoss(`${this.#startFailure(error, limitMs)}${unset.length === 0 ? "" : ` (not set here: ${unset.join(", ")})`}`);
			this.#told.log(`'${name}' did not start: ${this.#why}`);
			throw new ServerLost(this.#why, { cause: error });
		}
	}

	/** In the way most servers speak; one that answers with a refusal of that is asked which way it speaks. */
	async #negotiated(limitMs: number): Promise<Client> {
		try {
			return await this.#begin("legacy", limitMs);
		} catch (error) {
			if (!(error instanceof ProtocolError) && !(error instanceof SdkHttpError && error.status === 400)) throw error;
			return this.#begin("auto", limitMs).catch(() => {
				throw error;
			});
		}
	}

	async #begin(mode: VersionNegotiationMode, limitMs: number): Promise<Client> {
		const { way, name } = this.#settings;
		const deadline = performance.now() + limitMs;
		const options = () => ({ timeout: Math.max(1, deadline - performance.now()), signal: this.#over.signal });
		const transport = way.kind === "program" ? new StdioTransport(way, this.#told.log) : httpTransport(way);
		this.#transport = transport;
		const client = new Client(clientInfo, { versionNegotiation: { mode }, listChanged: { tools: { autoRefresh: false, debounceMs: 200, onChanged: () => void this.#refresh(client) } } });
		const odd = new Printed(this.#told.log);
		// oxlint-disable-next-line unicorn/prefer-add-event-listener -- It is no event target.
		client.onerror = (error) => odd.line(wordsOf(error));
		try {
			await client.connect(transport, options());
			const offer = await this.#ask(client, options);
			this.#adopt(offer);
		} catch (error) {
			// Not waited for: who started it is waiting, and it is ended in any case.
			void transport.close();
			throw error;
		}
		this.#client = client;
		// oxlint-disable-next-line unicorn/prefer-add-event-listener
		client.onclose = () => {
			this.#client = undefined;
			if (!this.#over.signal.aborted) this.#noteLoss(endOf(transport));
		};
		if (mode !== "legacy") this.#told.log(`'${name}' speaks ${client.getNegotiatedProtocolVersion()}`);
		return client;
	}

	async #ask(client: Client, options: () => { readonly timeout: number; readonly signal: AbortSignal }): Promise<Offer> {
		const { name, allowed } = this.#settings;
		if (client.getServerCapabilities()?.tools === undefined) return { tools: [], notes: ["It offers no tools."] };
		const { found, notes } = await listed((cursor) => client.request({ method: "tools/list", params: cursor === undefined ? {} : { cursor } }, anything, options()));
		const offer = offerOf(name, found, allowed);
		return { tools: offer.tools, notes: [...notes, ...offer.notes] };
	}

	/** The server says that its tools are others now. */
	async #refresh(client: Client): Promise<void> {
		try {
			this.#adopt(await this.#ask(client, () => ({ timeout: longestStartMs, signal: this.#over.signal })));
		} catch (error) {
			this.#told.log(`its tools changed and cannot be listed: ${wordsOf(error)}`);
		}
	}

	/** Takes the tools for sessions that begin from now on. Those that run keep theirs. */
	#adopt(offer: Offer): void {
		const old = this.#offer;
		this.#offer = offer;
		if (old === undefined) return;
		const what = differences(old, offer);
		if (what === "") return;
		const message = `The MCP server '${this.#settings.name}' has changed its tools (${what}). A new session has them; running ones keep those they began with.`;
		// One that changes them all the time is not to fill the screen.
		if (this.#toldOfChange) this.#told.log(message);
		else this.#told.warn(message);
		this.#toldOfChange = true;
	}

	#noteLoss(why: string): void {
		this.#lost++;
		this.#lostAt = performance.now();
		this.#why = why;
	}

	#startFailure(error: unknown, limitMs: number): string {
		if (error instanceof ProtocolError) return `it refused to begin: ${wordsOf(error)} (${error.code})`;
		const transport = this.#transport;
		if (transport instanceof StdioTransport && transport.end !== undefined) return endOf(transport);
		if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
			const garbage = transport instanceof StdioTransport && transport.garbage;
			return `it did not answer within ${limitMs / 1000} s${garbage ? "; what it wrote to standard output is no message of the protocol ('hookline logs' shows it)" : ""}`;
		}
		return visibleLine(wayFailure(error) ?? wordsOf(error));
	}
}

const endOf = (transport: Transport | undefined): string => (transport instanceof StdioTransport && transport.end !== undefined ? `it ${visibleLine(transport.end)}` : "the connection to it was closed");

const wordsOf = (error: unknown): string => {
	const text = visibleLine(error instanceof Error ? error.message : String(error));
	return text.length > 1_000 ? `${text.slice(0, 1_000).toWellFormed()}…` : text;
};
