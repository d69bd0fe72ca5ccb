// A server on loopback for tests, at any free port.
import { once } from "node:events";
import type { Server } from "node:http";
import { serve } from "@hono/node-server";

export async function listen(fetch: (request: Request) => Promise<Response>): Promise<{ readonly address: string; close(): Promise<void> }> {
	const server = serve({ fetch, hostname: "127.0.0.1", port: 0 }) as Server;
	if (!server.listening) await once(server, "listening");
	return {
		address: `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`,
		async close() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}
