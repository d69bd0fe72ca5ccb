import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { BotApi } from "./calls.ts";

test("an error that quotes the address it failed at is shown without the token, whatever the token looks like", async () => {
	const server = createServer((request, response) => response.writeHead(404).end(JSON.stringify({ ok: false, error_code: 404, description: `no ${request.url}` }))).listen(0, "127.0.0.1");
	await once(server, "listening");
	const api = await BotApi.open({ token: "of-no-shape", root: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
	try {
		await assert.rejects(api.call("getMe", undefined, new AbortController().signal, 5_000), { message: "getMe: no /bot[redacted]/getMe (404)" });
	} finally {
		api.close();
		server.close();
	}
});
