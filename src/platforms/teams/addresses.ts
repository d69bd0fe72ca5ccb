// Where Microsoft answers, and which of the addresses that others name may get the bot's token.

export interface Addresses {
	/** Gives out tokens for the bot. */
	readonly token: string;
	/** Says where the keys are with which Teams signs what it sends. */
	readonly metadata: string;
	/** Takes texts for a chat that has not been heard of yet. */
	readonly connector: string;
	/** Whether the bot's token may be sent there. */
	trusts(url: string): boolean;
}

/** Not all of trafficmanager.net, where anybody can have a name. */
const ownHost = /^(?:smba\.trafficmanager\.net|(?:[a-z0-9-]+\.)+(?:teams\.microsoft\.com|botframework\.com))$/;

/** @param baseUrl one server in the place of all of Microsoft's */
export function addressesOf(tenantId: string | undefined, baseUrl: string | undefined): Addresses {
	const base = baseUrl?.replace(/\/+$/, "");
	// A bot of no tenant logs in where all of them once did.
	const tenant = encodeURIComponent(tenantId ?? "botframework.com");
	return {
		token: `${base ?? "https://login.microsoftonline.com"}/${tenant}/oauth2/v2.0/token`,
		metadata: `${base ?? "https://login.botframework.com"}/v1/.well-known/openidconfiguration`,
		connector: base ?? "https://smba.trafficmanager.net/teams",
		trusts(url) {
			if (!URL.canParse(url)) return false;
			const { protocol, host, origin, username, password } = new URL(url);
			if (username !== "" || password !== "") return false;
			return base === undefined ? protocol === "https:" && ownHost.test(host) : origin === new URL(base).origin;
		},
	};
}
