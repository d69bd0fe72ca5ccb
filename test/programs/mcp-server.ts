// A well-behaved MCP server with the library most are written with: on standard input and output when it is started, or at an address.
// `--modern` speaks the protocol's second generation only.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const oneText = fromJsonSchema<{ readonly command: string }>({ type: "object", properties: { command: { type: "string" } }, required: ["command"], additionalProperties: false });

function echoServer(): McpServer {
	const server = new McpServer({ name: "echo", version: "1.0.0" });
	const echo = server.registerTool("echo", { description: "Gives back what it is given.", inputSchema: oneText }, ({ command }) => ({ content: [{ type: "text", text: `echo: ${command}` }] }));
	server.registerTool("learn", { description: "Makes the server learn another tool." }, () => {
		server.registerTool("learnt", { description: "New here." }, () => ({ content: [{ type: "text", text: "learnt" }] }));
		echo.update({ description: "Gives it back, better." });
		return { content: [{ type: "text", text: "done" }] };
	});
	server.registerTool("variables", { description: "The environment, and where it runs." }, () => ({ content: [{ type: "text", text: JSON.stringify({ ...process.env, cwd: process.cwd() }) }] }));
	return server;
}

if (process.argv[1] === import.meta.filename) serveStdio(echoServer, { legacy: process.argv.includes("--modern") ? "reject" : "serve" });

export interface HttpServer extends AsyncDisposable {
	readonly url: string;
	/** The `authorization` of each request. */
	readonly tokens: readonly (string | undefined)[];
}

/** The same at an address of the loopback, for whoever brings the token. */
export async function startMcpServer(token: string): Promise<HttpServer> {
	const handler = createMcpHandler(echoServer);
	const tokens: (string | undefined)[] = [];
	const server = createServer(async (incoming, outgoing) => {
		tokens.push(incoming.headers.authorization);
		if (incoming.headers.authorization !== `Bearer ${token}`) return void outgoing.writeHead(401).end("who are you?");
		const { method = "GET", headers } = incoming;
		const chunks: Buffer[] = [];
		for await (const chunk of incoming) chunks.push(chunk as Buffer);
		const request = new Request(`http://${headers.host}${incoming.url}`, { method, headers: headers as Record<string, string>, ...(chunks.length > 0 && { body: Buffer.concat(chunks) }) });
		const response = await handler.fetch(request);
		outgoing.writeHead(response.status, Object.fromEntries(response.headers));
		if (response.body === null) outgoing.end();
		else Readable.fromWeb(response.body as import("node:stream/web").ReadableStream).pipe(outgoing);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the server has no port");
	return {
		url: `http://127.0.0.1:${address.port}/mcp`,
		tokens,
		async [Symbol.asyncDispose]() {
			await handler.close();
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}
