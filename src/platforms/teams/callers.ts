// Whether a request comes from Teams: it brings a JSON Web Token, signed with a key that Microsoft publishes, for this bot and for the address that answers go to.
// Not the check of @microsoft/teams.apps: it takes keys without looking at what they are endorsed for, lets tokens of every Entra tenant in without an address for answers,
// says the same of a forgery and of keys that cannot be fetched now, and costs 15 MB.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { causeOf } from "./login.ts";

export interface CallersOptions {
	/** Where it stands which keys there are. */
	readonly metadata: string;
	readonly clientId: string;
	/** Told after each try to get the keys; undefined when it went well. */
	readonly notice: (problem: string | undefined) => void;
	readonly closing: AbortSignal;
}

export interface Caller {
	/** Where answers go. */
	readonly serviceUrl: string;
	/** The channels its key may speak for; undefined for all. */
	readonly endorsements: readonly string[] | undefined;
}

interface Key {
	readonly key: KeyObject;
	readonly endorsements: readonly string[] | undefined;
}

const issuer = "https://api.botframework.com";
/** How far two clocks may differ, in s. */
const tolerance = 300;
const keptMs = 24 * 3600_000;
/** Forged tokens with keys nobody has do not make us ask Microsoft more often, in ms. */
const askedAgainMs = 60_000;
/** The same while there are none at all, in ms. */
const firstAgainMs = 5_000;
const longestMs = 10_000;
const longestToken = 16_384;

export class Callers {
	readonly #options: CallersOptions;
	#keys: ReadonlyMap<string, Key> = new Map();
	#fetchedAt = -Infinity;
	#triedAt = -Infinity;
	#failure: Error | undefined;
	#underWay: Promise<void> | undefined;

	constructor(options: CallersOptions) {
		this.#options = options;
	}

	/**
	 * Who brings this Authorization header, or why it is not believed.
	 * @throws Error when the keys cannot be had now, so that nobody can tell.
	 */
	async check(authorization: string | null): Promise<Caller | { readonly refused: string }> {
		const [, head, body, signature] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/i.exec((authorization ?? "").slice(0, longestToken)) ?? [];
		const header = jsonIn(head);
		const claims = jsonIn(body);
		if (header === undefined || claims === undefined) return { refused: "it has no token" };
		const { alg, kid } = header;
		// No other: a token that may choose could choose none, or the public key as a password.
		if (alg !== "RS256" || typeof kid !== "string") return { refused: "its token is not signed as Teams signs" };
		const { iss, aud, exp, nbf, serviceurl } = claims;
		if (iss !== issuer) return { refused: "its token is not one of the Bot Framework" };
		if (aud !== this.#options.clientId) return { refused: "its token is for another bot than gateway.teams.client_id" };
		const now = Date.now() / 1000;
		if (typeof exp !== "number" || now > exp + tolerance || (nbf !== undefined && !(typeof nbf === "number" && now > nbf - tolerance))) return { refused: "its token is not valid at this time; does the clock go right?" };
		if (typeof serviceurl !== "string") return { refused: "its token does not say where answers go" };
		const key = await this.#keyOf(kid);
		if (key === undefined) return { refused: "its token is signed with a key that is not Microsoft's" };
		if (!verify("RSA-SHA256", Buffer.from(`${head}.${body}`), key.key, Buffer.from(signature!, "base64url"))) return { refused: "its token is forged" };
		return { serviceUrl: serviceurl, endorsements: key.endorsements };
	}

	async #keyOf(id: string): Promise<Key | undefined> {
		const now = Date.now();
		const known = this.#keys.get(id);
		if (known !== undefined && !isPast(this.#fetchedAt, keptMs, now)) return known;
		if (isPast(this.#triedAt, this.#keys.size === 0 ? firstAgainMs : askedAgainMs, now)) this.#underWay ??= this.#fetch().finally(() => (this.#underWay = undefined));
		await this.#underWay;
		// Those of yesterday are as good, as long as Microsoft does not say otherwise.
		if (this.#keys.size === 0 && this.#failure !== undefined) throw this.#failure;
		return this.#keys.get(id);
	}

	async #fetch(): Promise<void> {
		const { metadata, notice, closing } = this.#options;
		this.#triedAt = Date.now();
		try {
			const { jwks_uri: uri } = await get(metadata, closing);
			const { keys } = await get(String(uri), closing);
			if (!Array.isArray(keys)) throw new Error("it names no keys");
			this.#keys = new Map(keys.flatMap(readKey));
			this.#fetchedAt = Date.now();
			this.#failure = undefined;
			notice(undefined);
		} catch (error) {
			this.#failure = new Error(`the keys that Teams signs with cannot be had (${causeOf(error)})`, { cause: error });
			if (!closing.aborted) notice(this.#failure.message);
		}
	}
}

/** Also when the clock was set back. */
const isPast = (at: number, ms: number, now: number) => Math.abs(now - at) > ms;

async function get(url: string, closing: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
	const response = await fetch(url, { redirect: "error", signal: AbortSignal.any([closing, AbortSignal.timeout(longestMs)]) });
	if (!response.ok) throw new Error(`${new URL(url).host} answers ${response.status}`);
	return (await response.json()) as Record<string, unknown>;
}

/** None for a key that is of another kind. */
function readKey(given: unknown): readonly [string, Key][] {
	const { kid, kty, n, e, endorsements } = (given ?? {}) as Readonly<Record<string, unknown>>;
	if (typeof kid !== "string" || kty !== "RSA" || typeof n !== "string" || typeof e !== "string") return [];
	const key = createPublicKey({ key: { kty, n, e }, format: "jwk" });
	return [[kid, { key, endorsements: Array.isArray(endorsements) ? endorsements.map(String) : undefined }]];
}

function jsonIn(part: string | undefined): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = JSON.parse(Buffer.from(part ?? "", "base64url").toString("utf8"));
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
	} catch {
		return undefined;
	}
}
