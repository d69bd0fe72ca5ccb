// The token with which the bot speaks: had for its id and secret, and used until shortly before it ends.
import type { Addresses } from "./addresses.ts";

export interface LoginOptions {
	readonly addresses: Addresses;
	readonly clientId: string;
	readonly secret: string;
	/** Told after each try; undefined when it went well. */
	readonly notice: (problem: string | undefined) => void;
	/** Ends what is under way. */
	readonly closing: AbortSignal;
}

/** Microsoft says no to the id or the secret: another try now cannot help. */
export class RefusedError extends Error {
	override readonly name = "RefusedError";
}

const scope = "https://api.botframework.com/.default";
const longestMs = 10_000;
/** A token is renewed so long before it ends, in ms. */
const aheadMs = 5 * 60_000;
/** After a refusal nobody asks again for so long, in ms. */
const refusedMs = 60_000;

export class Login {
	readonly #options: LoginOptions;
	#token: { readonly text: string; readonly until: number } | undefined;
	#refused: { readonly error: RefusedError; readonly at: number } | undefined;
	#underWay: Promise<string> | undefined;

	constructor(options: LoginOptions) {
		this.#options = options;
	}

	/** @throws RefusedError; Error when Microsoft cannot be reached, or does not give one now. */
	async token(): Promise<string> {
		const now = Date.now();
		if (this.#token !== undefined && now < this.#token.until) return this.#token.text;
		// Also when the clock was set back.
		if (this.#refused !== undefined && Math.abs(now - this.#refused.at) < refusedMs) throw this.#refused.error;
		this.#underWay ??= this.#ask().finally(() => (this.#underWay = undefined));
		return this.#underWay;
	}

	/** This token is not taken any more. */
	forget(token: string): void {
		if (this.#token?.text === token) this.#token = undefined;
	}

	async #ask(): Promise<string> {
		const { notice, closing } = this.#options;
		try {
			const token = await this.#fetch();
			this.#refused = undefined;
			notice(undefined);
			return token;
		} catch (error) {
			if (error instanceof RefusedError) this.#refused = { error, at: Date.now() };
			if (!closing.aborted) notice((error as Error).message);
			throw error;
		}
	}

	async #fetch(): Promise<string> {
		const { addresses, clientId, secret, closing } = this.#options;
		const body = new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: secret, scope });
		let status: number;
		let answer: { readonly access_token?: unknown; readonly expires_in?: unknown; readonly error?: unknown; readonly error_description?: unknown };
		try {
			const response = await fetch(addresses.token, { method: "POST", body, redirect: "error", signal: AbortSignal.any([closing, AbortSignal.timeout(longestMs)]) });
			({ status } = response);
			answer = ((await response.json().catch(() => undefined)) ?? {}) as typeof answer;
		} catch (error) {
			throw new Error(`Microsoft's login service cannot be reached (${causeOf(error)})`, { cause: error });
		}
		const { access_token: text, expires_in: seconds } = answer;
		if (status === 200 && typeof text === "string" && text !== "") {
			this.#token = { text, until: Date.now() + Math.max(0, Number(seconds) * 1000 - aheadMs || 0) };
			return text;
		}
		const why = `${status}${typeof answer.error === "string" ? ` ${answer.error}` : ""}${typeof answer.error_description === "string" ? `: ${answer.error_description.split(/[\r\n]/, 1)[0]!.slice(0, 200)}` : ""}`;
		if ([400, 401, 403, 404].includes(status) && answer.error !== "temporarily_unavailable") throw new RefusedError(`Microsoft does not take the bot's id or secret (${why}). Look at client_id, tenant_id and client_secret of gateway.teams; a secret that has run out is replaced in the Entra admin center.`);
		throw new Error(`Microsoft's login service gives no token now (${why})`);
	}
}

/** What is behind the "fetch failed" of fetch. */
export function causeOf(error: unknown): string {
	const { cause, message } = error as Error;
	return cause instanceof Error && cause.message !== "" ? cause.message : message || String((cause as { readonly code?: unknown } | undefined)?.code ?? error);
}
