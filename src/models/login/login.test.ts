// Logging in to a provider: how tokens come, how they are kept, renewed and let go, against a server on the loopback.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { type OAuthServer, startOAuthServer } from "../../../test/programs/oauth-server.ts";
import type { ExtensionProvider, OAuthLogin } from "../../events/providers.ts";
import { redactText } from "../../system/redact.ts";
import { ModelError } from "../model.ts";
import { Logins } from "./logins.ts";
import { byAuthorizationCode, byDeviceCode } from "./oauth.ts";

let home: string;
let server: OAuthServer;
beforeEach(async () => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "hookline-login-")));
	server = await startOAuthServer();
});
afterEach(async () => {
	await server[Symbol.asyncDispose]();
	rmSync(home, { recursive: true, force: true });
});

const signal = new AbortController().signal;
const way = () => ({ kind: "oauth", clientId: "hookline", tokenUrl: `${server.url}/token`, authorizeUrl: `${server.url}/authorize`, deviceUrl: `${server.url}/device`, scopes: ["models", "offline"] }) as const satisfies OAuthLogin;
const provider = (more: Partial<ExtensionProvider> = {}): ExtensionProvider => ({ name: "acme", summary: "Acme.", models: [], baseUrl: "https://models.example.com/v1", login: way(), ...more });

/** What the person does with the address they are told: opens it in a browser. */
async function logIn(open: (url: string) => Promise<unknown> = (url) => fetch(url)): Promise<Awaited<ReturnType<typeof byAuthorizationCode>>> {
	const opened: Promise<unknown>[] = [];
	const tokens = await byAuthorizationCode(way(), { signal, say: (text) => void opened.push(open(/https?:\S+/.exec(text)![0])) });
	await Promise.all(opened);
	return tokens;
}

function shows(error: unknown): boolean {
	assert.ok(error instanceof ModelError);
	for (const secret of server.secrets) assert.ok(!`${error.message}${error.stack}`.includes(secret), error.message);
	return true;
}

test("who agrees in the browser has a token, by a code that only this login can use", async () => {
	let page = "";
	const { access, refresh, expiresAt } = await logIn(async (url) => {
		const { searchParams } = new URL(url);
		assert.deepEqual([searchParams.get("client_id"), searchParams.get("scope"), searchParams.get("code_challenge_method"), searchParams.get("response_type")], ["hookline", "models offline", "S256", "code"]);
		assert.match(searchParams.get("redirect_uri") ?? "", /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
		page = await (await fetch(url)).text();
	});
	assert.ok(server.live.has(access) && refresh !== undefined && expiresAt! > Date.now());
	assert.equal(page, "You are logged in. You can close this page.\n");
	assert.equal(redactText(`it is ${access}`), "it is [redacted]");
});

test("a page that comes back without the state of this login changes nothing", async () => {
	const { access } = await logIn(async (url) => {
		const back = new URL(new URL(url).searchParams.get("redirect_uri")!);
		back.search = "?code=stolen&state=guessed";
		assert.equal((await fetch(back)).status, 400);
		assert.equal((await fetch(new URL("/", back))).status, 404);
		await fetch(url);
	});
	assert.ok(server.live.has(access));
	assert.ok(!server.asked.some(({ code }) => code === "stolen"));
});

test("who says no in the browser is told so, and a server that is none is a sentence", async () => {
	server.denies = true;
	await assert.rejects(logIn(), /You are not logged in: the provider said no \(access_denied\)\./);
	server.denies = false;
	await assert.rejects(byAuthorizationCode({ ...way(), tokenUrl: `${server.url}/nothing` }, { signal, say: (text) => void fetch(/https?:\S+/.exec(text)![0]) }), /127\.0\.0\.1:\d+ answered with something that is no JSON \(HTTP 404\)\./);
});

test("a login that is stopped ends at once, and its port with it", async () => {
	const stop = new AbortController();
	let back = "";
	await assert.rejects(
		byAuthorizationCode(way(), {
			signal: stop.signal,
			say(text) {
				back = new URL(/https?:\S+/.exec(text)![0]).searchParams.get("redirect_uri")!;
				stop.abort(new Error("the person left"));
			},
		}),
		/the person left/,
	);
	await assert.rejects(fetch(back), TypeError);
});

test("a device code is asked about until somebody has typed it", async () => {
	server.pending.push("authorization_pending", "authorization_pending");
	const said: string[] = [];
	const { access } = await byDeviceCode(way(), { signal, say: (text) => void said.push(text) });
	assert.deepEqual(said, ["Open https://acme.example.com/device and type this code: WDJB-MJHT"]);
	assert.ok(server.live.has(access));
	assert.equal(server.asked.length, 3);
	server.pending.push("access_denied");
	await assert.rejects(byDeviceCode(way(), { signal, say: () => {} }), /You are not logged in: the provider gave no token \(access_denied\)\./);
});

test("what is kept is for its owner alone, and is let go", async () => {
	const logins = new Logins(home);
	await logins.write("project:a/b", provider(), { kind: "key", key: "sesame-1234" });
	const folder = join(home, "logins", "project%3Aa%2Fb");
	assert.deepEqual(readdirSync(folder), ["acme.json"]);
	assert.equal(statSync(join(folder, "acme.json")).mode & 0o777, 0o600);
	assert.equal(statSync(join(home, "logins")).mode & 0o777, 0o700);
	assert.equal(await logins.keyOf("project:a/b", provider(), "acme", { signal }), "sesame-1234");
	assert.equal(await logins.keyOf("b", provider(), "acme", { signal }), undefined, "another extension has none of it");
	chmodSync(join(folder, "acme.json"), 0o644);
	await assert.rejects(logins.keyOf("project:a/b", provider(), "acme", { signal }), /Others than you can read or write .*\(its mode is 644\), so it is not used\. Run: chmod 600/);
	assert.deepEqual([await logins.delete("project:a/b", "acme"), await logins.delete("project:a/b", "acme")], [true, false]);
	assert.equal(await logins.keyOf("project:a/b", provider(), "acme", { signal }), undefined);
});

test("a token is renewed before it ends, once for all who ask, and what is renewed is kept", async () => {
	server.lasts = 30;
	const logins = new Logins(home);
	await logins.write("a", provider(), { kind: "oauth", ...(await logIn()) });
	const before = readFileSync(join(home, "logins/a/acme.json"), "utf8");
	server.lasts = 3600;
	const keys = await Promise.all([1, 2, 3].map(() => new Logins(home).keyOf("a", provider(), "acme", { signal })));
	assert.equal(new Set(keys).size, 1);
	assert.equal(server.asked.filter((form) => form["grant_type"] === "refresh_token").length, 1);
	assert.notEqual(readFileSync(join(home, "logins/a/acme.json"), "utf8"), before);
	const renewed = await logins.keyOf("a", provider(), "acme", { signal, rejected: keys[0]! });
	assert.ok(renewed !== keys[0] && server.live.has(renewed!), "one that the provider does not take any more is renewed at once");
});

test("a token that cannot be renewed asks for a new login, and names nothing of it", async () => {
	const logins = new Logins(home);
	await logins.write("a", provider(), { kind: "oauth", access: "old-access-1", refresh: "used-refresh-1", expiresAt: 0 });
	await assert.rejects(logins.keyOf("a", provider(), "acme", { signal }), (error) => shows(error) && assert.equal((error as Error).message, "Your login for acme has ended, and was not renewed: the provider gave no token (invalid_grant: the token [redacted] was used before). Log in again: hookline models login acme") === undefined);
	await logins.write("a", provider(), { kind: "oauth", access: "old-access-1", expiresAt: 0 });
	await assert.rejects(logins.keyOf("a", provider(), "acme", { signal }), /Your login for acme has ended and cannot be renewed\. Log in again/);
});

test("a provider whose address has changed gets nothing of what was kept for the one before", async () => {
	const logins = new Logins(home);
	await logins.write("a", provider(), { kind: "key", key: "sesame-1234" });
	const moved = [provider({ baseUrl: "https://elsewhere.example.com/v1" }), provider({ login: { ...way(), tokenUrl: "https://elsewhere.example.com/token" } })];
	for (const one of moved) await assert.rejects(logins.keyOf("a", one, "acme", { signal }), /was for other addresses than those the extension has now, so it is sent to none of them\. Log in again/);
});
