// An OAuth server on the loopback: authorization code with PKCE, device code, refresh tokens that are taken once.
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface OAuthServer extends AsyncDisposable {
	/** Without a slash at the end; `/authorize`, `/token` and `/device` are below it. */
	readonly url: string;
	/** The forms that came to `/token`. */
	readonly asked: readonly Readonly<Record<string, string>>[];
	/** Access tokens that count now. */
	readonly live: Set<string>;
	/** What tokens say of how long they last, in seconds. */
	lasts: number;
	/** Set: the person says no. */
	denies: boolean;
	/** How often a device code is answered with these errors before it is taken. */
	readonly pending: string[];
	/** What tokens, codes and verifiers there were: nothing of it may be seen anywhere. */
	readonly secrets: readonly string[];
}

export async function startOAuthServer(): Promise<OAuthServer> {
	const asked: Record<string, string>[] = [];
	const live = new Set<string>();
	const secrets: string[] = [];
	const codes = new Map<string, { readonly challenge: string; readonly redirect: string }>();
	const refreshes = new Set<string>();
	const secret = (kind: string) => {
		const made = `${kind}-${randomUUID()}`;
		secrets.push(made);
		return made;
	};
	const refused = (error: string, description = "") => ({ status: 400, body: { error, error_description: description } });
	const tokens = () => {
		const [access, refresh] = [secret("access"), secret("refresh")];
		live.add(access);
		refreshes.add(refresh);
		return { status: 200, body: { access_token: access, refresh_token: refresh, expires_in: state.lasts, token_type: "bearer" } };
	};
	const answer = (form: Record<string, string>): { readonly status: number; readonly body: object } => {
		switch (form["grant_type"]) {
			case "authorization_code": {
				const code = codes.get(form["code"] ?? "");
				codes.delete(form["code"] ?? "");
				const verifier = form["code_verifier"] ?? "";
				secrets.push(verifier);
				const fits = code?.challenge === createHash("sha256").update(verifier).digest("base64url") && code.redirect === form["redirect_uri"];
				return fits ? tokens() : refused("invalid_grant", `the verifier ${verifier} is not the one`);
			}
			case "refresh_token": {
				const refresh = form["refresh_token"] ?? "";
				return refreshes.delete(refresh) ? tokens() : refused("invalid_grant", `the token ${refresh} was used before`);
			}
			default: {
				const waits = state.pending.shift();
				return waits === undefined ? tokens() : refused(waits);
			}
		}
	};
	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? "", "http://127.0.0.1");
		let text = "";
		for await (const chunk of request) text += String(chunk);
		const form = Object.fromEntries(new URLSearchParams(text));
		const json = (status: number, body: object) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
		if (url.pathname === "/authorize") {
			const back = new URL(url.searchParams.get("redirect_uri") ?? "");
			back.searchParams.set("state", url.searchParams.get("state") ?? "");
			if (state.denies) back.searchParams.set("error", "access_denied");
			else {
				const code = secret("code");
				codes.set(code, { challenge: url.searchParams.get("code_challenge") ?? "", redirect: url.searchParams.get("redirect_uri") ?? "" });
				back.searchParams.set("code", code);
			}
			return void response.writeHead(302, { location: back.href }).end();
		}
		if (url.pathname === "/device") return void json(200, { device_code: secret("device"), user_code: "WDJB-MJHT", verification_uri: "https://acme.example.com/device", interval: 0, expires_in: 60 });
		if (url.pathname !== "/token") return void response.writeHead(404).end();
		asked.push(form);
		const { status, body } = answer(form);
		json(status, body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const state: OAuthServer = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		asked,
		live,
		lasts: 3600,
		denies: false,
		pending: [],
		secrets,
		[Symbol.asyncDispose]: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
	return state;
}
