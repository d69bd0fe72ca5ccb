// OAuth 2 for programs without a secret of their own: an authorization code with PKCE (RFC 7636, 8252), a device code (RFC 8628), and renewing a token.
import { createHash, randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { OAuthLogin } from "../../events/providers.ts";
import { knowSecret, redactText } from "../../system/redact.ts";
import { visibleLine } from "../../system/visible.ts";
import { ModelError } from "../model.ts";
import { listenForRedirect } from "./redirect.ts";

export interface Tokens {
	readonly access: string;
	readonly refresh?: string;
	/** In ms since 1970; absent when it was not said. */
	readonly expiresAt?: number;
}

export interface LoginPlace {
	/** Ends the login. */
	readonly signal: AbortSignal;
	/** Something the person has to read, and do. */
	readonly say: (text: string) => void;
}

/** For one request, in ms. */
const timeoutMs = 30_000;
const longestAnswer = 256 * 1024;
/** What RFC 8628 says where the server says nothing, in s. */
const usualInterval = 5;

type Failed = (why: string) => ModelError;
const notLoggedIn: Failed = (why) => new ModelError(`You are not logged in: ${why}`, { retryable: false });

/** The person agrees in a browser on this machine. @throws ModelError */
export async function byAuthorizationCode(login: OAuthLogin & { readonly authorizeUrl: string }, { signal, say }: LoginPlace): Promise<Tokens> {
	const verifier = randomBytes(48).toString("base64url");
	const state = randomBytes(24).toString("base64url");
	knowSecret(verifier);
	await using redirect = await listenForRedirect(login.redirectPort ?? 0, state, notLoggedIn);
	const url = new URL(login.authorizeUrl);
	const asked = {
		response_type: "code",
		client_id: login.clientId,
		redirect_uri: redirect.url,
		state,
		code_challenge: createHash("sha256").update(verifier).digest("base64url"),
		code_challenge_method: "S256",
		...scopeOf(login),
	};
	for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
	say(`Open this address in a browser on this machine, and agree there:\n\n  ${url.href}\n`);
	const code = await redirect.code(signal);
	knowSecret(code);
	return tokensFor(login, { grant_type: "authorization_code", code, redirect_uri: redirect.url, code_verifier: verifier }, signal, notLoggedIn);
}

/** The person agrees on any machine, with a code they type. @throws ModelError */
export async function byDeviceCode(login: OAuthLogin & { readonly deviceUrl: string }, { signal, say }: LoginPlace): Promise<Tokens> {
	const { answer, ok } = await post(login.deviceUrl, { client_id: login.clientId, ...scopeOf(login) }, signal, notLoggedIn);
	const { device_code: code, user_code: typed, verification_uri: where, expires_in: lasts = 900, interval = usualInterval } = answer;
	if (!ok || typeof code !== "string" || typeof typed !== "string" || typeof where !== "string" || typeof lasts !== "number" || typeof interval !== "number") {
		throw notLoggedIn(`the provider gave no device code${saidIn(answer)}.`);
	}
	if (!/^https?:$/.test(URL.parse(where)?.protocol ?? "")) throw notLoggedIn("the provider named no address where the code could be typed.");
	knowSecret(code);
	say(`Open ${visibleLine(where)} and type this code: ${visibleLine(typed)}`);
	const ends = performance.now() + lasts * 1000;
	for (let waitMs = Math.max(0.1, interval) * 1000; performance.now() < ends; ) {
		await pause(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
		const asked = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: code, client_id: login.clientId };
		const polled = await post(login.tokenUrl, asked, signal, notLoggedIn);
		const { error } = polled.answer;
		if (error === "slow_down") waitMs += 5000;
		else if (error !== "authorization_pending") return tokensIn(polled, notLoggedIn);
	}
	throw notLoggedIn("nobody typed the code in time. Try again.");
}

/** A new token for one that ends. A refresh token that is not replaced stays. @throws what `failed` makes of why not; the signal's reason. */
export async function refreshed(login: OAuthLogin, refresh: string, signal: AbortSignal, failed: Failed): Promise<Tokens> {
	knowSecret(refresh);
	return { refresh, ...(await tokensFor(login, { grant_type: "refresh_token", refresh_token: refresh }, signal, failed)) };
}

const scopeOf = ({ scopes = [] }: OAuthLogin) => (scopes.length > 0 ? { scope: scopes.join(" ") } : {});

async function tokensFor({ tokenUrl, clientId }: OAuthLogin, asked: Readonly<Record<string, string>>, signal: AbortSignal, failed: Failed): Promise<Tokens> {
	return tokensIn(await post(tokenUrl, { ...asked, client_id: clientId }, signal, failed), failed);
}

interface Answered {
	readonly ok: boolean;
	readonly answer: Readonly<Record<string, unknown>>;
}

function tokensIn({ ok, answer }: Answered, failed: Failed): Tokens {
	const { access_token: access, refresh_token: refresh, expires_in: lasts } = answer;
	if (!ok || typeof access !== "string" || !/^[\x21-\x7e]{1,65536}$/.test(access)) throw failed(`the provider gave no token${saidIn(answer)}.`);
	knowSecret(access);
	const seconds = Number(lasts);
	return { access, ...(typeof refresh === "string" && refresh !== "" && { refresh }), ...(lasts !== undefined && seconds >= 0 && { expiresAt: Date.now() + seconds * 1000 }) };
}

/** The two fields that are meant to be read, and nothing else of an answer: it may hold what was asked with. */
function saidIn({ error, error_description: description }: Answered["answer"]): string {
	const said = [error, description].filter((one) => typeof one === "string" && one !== "").join(": ");
	return said === "" ? "" : ` (${visibleLine(redactText(said).slice(0, 300))})`;
}

async function post(url: string, form: Readonly<Record<string, string>>, signal: AbortSignal, failed: Failed): Promise<Answered> {
	const { host } = new URL(url);
	const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
	let status: number | undefined;
	try {
		// What is sent here is for this address alone, so no redirect is followed.
		const response = await fetch(url, { method: "POST", body: new URLSearchParams(form), headers: { accept: "application/json" }, redirect: "error", signal: limit });
		({ status } = response);
		const chunks: Uint8Array[] = [];
		let size = 0;
		for await (const chunk of response.body ?? []) {
			if ((size += chunk.byteLength) > longestAnswer) throw new RangeError("too long");
			chunks.push(chunk);
		}
		const answer: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
		return { ok: response.ok, answer: typeof answer === "object" && answer !== null ? (answer as Answered["answer"]) : {} };
	} catch {
		signal.throwIfAborted();
		if (status !== undefined) throw failed(`${host} answered with something that is no JSON (HTTP ${status}).`);
		throw failed(limit.aborted ? `${host} did not answer for ${timeoutMs / 1000} s.` : `${host} cannot be reached, or sends elsewhere.`);
	}
}
