// What an installed extension does through us, against servers on this machine.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { FetchRequest, Gate } from "../hosts/gate.ts";
import { gateFor } from "./gate.ts";
import { GrantError, noPermissions, type Permissions } from "./permissions.ts";

const never = new AbortController().signal;

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
	const server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		host,
		url: `http://${host}/`,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function open(granted: Partial<Permissions>, allowHosts: readonly string[] = []): { readonly gate: Gate; readonly refused: string[] } {
	const refused: string[] = [];
	const refuse = (area: string, wanted: string) => {
		refused.push(`${area} ${wanted}`);
		return new GrantError(`no ${wanted}`);
	};
	return { gate: gateFor({ granted: { ...noPermissions, ...granted }, environment: { PATH: "/usr/bin:/bin" }, allowHosts, refuse }), refused };
}

const get = (url: string, more: Partial<FetchRequest> = {}): FetchRequest => ({ url, method: "GET", redirect: "follow", headers: [], ...more });

async function whole(gate: Gate, body: number | undefined): Promise<Buffer> {
	const pieces: Buffer[] = [];
	for (;;) {
		const { bytes } = await gate.piece(body!);
		if (bytes === undefined) return Buffer.concat(pieces);
		pieces.push(Buffer.from(bytes, "base64"));
	}
}

test("a star opens no private address; the user's own list does, and so does a number that was granted as it is", async () => {
	await using server = await serve((_, response) => void response.end("inside"));
	const star = open({ hosts: ["*"] });
	await assert.rejects(star.gate.fetch(get(server.url), never), /private, local or reserved address/);
	assert.deepEqual(star.refused, []);
	for (const { gate } of [open({ hosts: ["*"] }, ["127.0.0.1"]), open({ hosts: [server.host] })]) assert.equal(String(await whole(gate, (await gate.fetch(get(server.url), never)).body)), "inside");
	const without = open({ hosts: ["127.0.0.1"] });
	await assert.rejects(without.gate.fetch(get(server.url), never), GrantError);
	assert.deepEqual(without.refused, [`hosts ${server.host}`]);
	await assert.rejects(without.gate.fetch(get("file:///etc/passwd"), never), /does not begin with http:/);
});

test("a redirect changes the method as a browser would, and takes no credentials to another host", async () => {
	await using other = await serve((request, response) => void response.end(`${request.method} ${request.headers.authorization} ${request.headers["x-mine"]}`));
	await using server = await serve((request, response) => {
		if (request.url === "/") response.writeHead(303, { location: "/next" }).end();
		else if (request.url === "/kept") response.writeHead(307, { location: "/next" }).end();
		else if (request.url === "/away") response.writeHead(302, { location: other.url }).end();
		else request.setEncoding("utf8").on("data", () => {}).on("end", () => response.end(`${request.method} ${request.headers.authorization} ${request.headers["content-length"]}`));
	});
	const { gate } = open({ hosts: [server.host, other.host] });
	const headers = [["Authorization", "Bearer x"], ["x-mine", "1"], ["content-type", "text/plain"]] as const;
	const posted = async (path: string, redirect: FetchRequest["redirect"] = "follow") => gate.fetch(get(server.url + path, { method: "POST", body: btoa("hi"), headers, redirect }), never);
	const said = async (path: string) => String(await whole(gate, (await posted(path)).body));
	assert.equal(await said(""), "GET Bearer x undefined");
	assert.equal(await said("kept"), "POST Bearer x 2");
	assert.equal(await said("away"), "GET undefined 1");
	const manual = await posted("away", "manual");
	assert.deepEqual([manual.status, manual.redirected], [302, false]);
	await assert.rejects(posted("away", "error"), /redirects, and 'redirect: "error"' was asked for/);
});

test("an answer is bounded, many are not left open, and one that was ended is over", async () => {
	await using server = await serve((request, response) => {
		if (request.url !== "/long") return void response.end("short");
		const piece = Buffer.alloc(1024 * 1024);
		const more = () => void (response.destroyed || response.write(piece, more));
		more();
	});
	const { gate } = open({ hosts: [server.host] });
	await assert.rejects(whole(gate, (await gate.fetch(get(`${server.url}long`), never)).body), /longer than the 33554432 bytes that can be received/);
	const all: number[] = [];
	for (let n = 0; n < 16; n++) all.push((await gate.fetch(get(server.url), never)).body!);
	await assert.rejects(gate.fetch(get(server.url), never), /the answers of 16 requests are not read to their end/);
	gate.end(all[0]!);
	// It is ended a moment later.
	await gate.piece(all[1]!);
	await assert.rejects(gate.piece(all[0]!), /the rest of the answer is gone/);
	assert.ok((await gate.fetch(get(server.url), never)).body);
});

test("a request that nobody waits for is given up, and an unreachable host is an error in words", async () => {
	await using silent = await serve(() => {});
	const { gate } = open({ hosts: [silent.host, "127.0.0.1:9"] });
	const stop = new AbortController();
	const waiting = gate.fetch(get(silent.url), stop.signal);
	stop.abort(new Error("nobody waits"));
	await assert.rejects(waiting, /nobody waits/);
	await assert.rejects(gate.fetch(get("http://127.0.0.1:9/"), never), /127\.0\.0\.1:9 could not be reached: .*ECONNREFUSED/);
});

test("a program is called by its name, found on the PATH, and given no variable that was not granted", () => {
	const { gate, refused } = open({ exec: ["sh", "./mine", "no-such-program"], env: ["A"] });
	assert.match(gate.program("sh", ["A"]), /^\/(?:usr\/)?bin\/sh$/);
	assert.throws(() => gate.program("sh", ["A", "PATH"]), GrantError);
	assert.throws(() => gate.program("cat", []), GrantError);
	assert.deepEqual(refused, ["env PATH", "exec cat"]);
	assert.throws(() => gate.program("./mine", []), /called by its name, and found on the PATH/);
	assert.throws(() => gate.program("no-such-program", []), /there is no such program on the PATH/);
});
