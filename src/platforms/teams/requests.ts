// Requests to /platforms/teams: read only when it is certain that Teams sent them.
import { type Activity, readActivity } from "./activities.ts";
import type { Addresses } from "./addresses.ts";
import type { Callers } from "./callers.ts";

export interface RequestsOptions {
	readonly callers: Callers;
	readonly addresses: Addresses;
	readonly warn: (message: string) => void;
}

/** Teams is to send it again. */
export const later = () => new Response(null, { status: 503, headers: { "Retry-After": "5" } });

/** Different reasons that are told. */
const mostReasons = 100;

export class Requests {
	readonly #options: RequestsOptions;
	readonly #told = new Set<string>();

	constructor(options: RequestsOptions) {
		this.#options = options;
	}

	/** What was sent, or how to answer. */
	async read(request: Request): Promise<Activity | Response> {
		if (request.method !== "POST") return new Response(null, { status: 405, headers: { Allow: "POST" } });
		const { callers, addresses } = this.#options;
		const caller = await callers.check(request.headers.get("authorization")).catch(later);
		if (caller instanceof Response) return caller;
		if ("refused" in caller) return this.refuse(401, caller.refused);
		const activity = readActivity(await request.text());
		if ("mistake" in activity) return this.refuse(400, activity.mistake);
		const { serviceUrl, channelId } = activity;
		if (plain(caller.serviceUrl) !== plain(serviceUrl)) return this.refuse(401, "its token is for another address than it asks answers to");
		if (caller.endorsements?.includes(channelId) === false) return this.refuse(401, "its token may not speak for the channel it says it comes from");
		// Elsewhere people choose who they are.
		if (channelId !== "msteams") return this.refuse(403, "it comes from another channel than Teams; that can be taken from the bot in the Azure portal");
		if (!addresses.trusts(serviceUrl)) return this.refuse(403, "it asks answers to an address that is not one of Microsoft");
		return activity;
	}

	/** Who calls is not told why; who runs the gateway is, once. */
	refuse(status: number, why: string): Response {
		if (!this.#told.has(why) && this.#told.size < mostReasons) {
			this.#told.add(why);
			this.#options.warn(`teams: a request was refused: ${why}. This is said once.`);
		}
		return new Response(null, { status });
	}
}

const plain = (url: string) => url.replace(/\/+$/, "").toLowerCase();
