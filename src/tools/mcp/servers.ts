// All MCP servers of the user: started together, and ended together.
import type { Tool } from "../tool.ts";
import { McpServer } from "./server.ts";
import { type ServerConfig, serverSettings } from "./settings.ts";

/** A server without which nothing may start is not there. */
export class RequiredServerError extends Error {
	override readonly name = "RequiredServerError";
}

export interface ServersOptions {
	readonly environment: NodeJS.ProcessEnv;
	/** Aborting it gives up on those that have not answered yet. */
	readonly stop: AbortSignal;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
	/** What a server prints. */
	readonly log: (from: string, line: string) => void;
}

export interface McpServers extends AsyncDisposable {
	/** In the order of the servers in the configuration, those of one by name. They can become others; each look gives those of now. */
	readonly tools: readonly Tool[];
}

const mostNotes = 5;

/**
 * Starts all that are enabled, and waits until each has listed its tools or failed: at most 20 s. One that fails is told and left out.
 * @throws RequiredServerError when one that is required fails; all are ended then.
 */
export async function openServers(configs: Readonly<Record<string, ServerConfig>>, { environment, stop, warn, log }: ServersOptions): Promise<McpServers> {
	const opening = Object.entries(configs)
		.filter(([, { enabled }]) => enabled !== false)
		.map(async ([name, config]) => {
			const server = new McpServer(serverSettings(name, config, environment), { warn, log: (line) => log(`mcp/${name}`, line) });
			const failure = await server.open(stop).then(() => undefined, (error: unknown) => (stop.aborted ? "it was not waited for" : (error as Error).message));
			return { name, server, failure, required: config.required === true };
		});
	const opened = await Promise.all(opening);
	const close = async () => void (await Promise.all(opened.map(({ server }) => server.close())));
	const missing = opened.filter(({ failure, required }) => required && failure !== undefined);
	if (missing.length > 0) {
		await close();
		throw new RequiredServerError(missing.map(({ name, failure }) => `The MCP server '${name}' is required and not there, so nothing starts: ${failure}.`).join("\n"));
	}
	for (const { name, failure, server } of opened) {
		if (failure !== undefined) warn(`The MCP server '${name}' is not there, so its tools are missing: ${failure}. 'hookline doctor' tries it again.`);
		else if (server.offer.notes.length > 0) warn(`The MCP server '${name}': ${inShort(server.offer.notes)}`);
	}
	return {
		get tools() {
			return opened.flatMap(({ server }) => server.tools);
		},
		[Symbol.asyncDispose]: close,
	};
}

export interface Tried {
	/** Absent when it answers. */
	readonly failure?: string;
	readonly tools: number;
	/** What of it was left out or cut; empty when nothing was. */
	readonly note: string;
	readonly ms: number;
}

/** Starts one, looks at what it offers, and ends it. */
export async function tryServer(name: string, config: ServerConfig, environment: NodeJS.ProcessEnv): Promise<Tried> {
	const server = new McpServer(serverSettings(name, config, environment), { warn: () => {}, log: () => {} });
	const began = performance.now();
	const failure = await server.open(new AbortController().signal).then(() => undefined, (error: unknown) => (error as Error).message);
	const ms = Math.round(performance.now() - began);
	await server.close();
	return { ...(failure !== undefined && { failure }), tools: server.offer.tools.length, note: inShort(server.offer.notes), ms };
}

function inShort(notes: readonly string[]): string {
	const more = notes.length - mostNotes;
	return `${notes.slice(0, mostNotes).join(" ")}${more > 0 ? ` And ${more} more.` : ""}`;
}
