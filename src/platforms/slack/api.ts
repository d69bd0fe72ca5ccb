// Slack's Web API, one try a call: whoever calls decides about another one.
import type { WebClient } from "@slack/web-api";
import { RetryLaterError, UndeliverableError } from "../../gateway/platform.ts";

export interface ApiOptions {
	readonly token: string;
	/** `https://slack.com/api/` when left out. */
	readonly baseUrl?: string | undefined;
	/** Ends every call that is under way. */
	readonly closing: AbortSignal;
}

export type Answer = Readonly<Record<string, unknown>>;

/** What Slack answered in place of doing it. */
export class SlackRefusal extends Error {
	override readonly name = "SlackRefusal";
	/** As Slack calls it: `invalid_auth`. */
	readonly code: string;

	constructor(method: string, code: string, advice: string | undefined) {
		super(`Slack refuses ${method}: ${code}${advice === undefined ? "" : `. ${advice}`}`);
		this.code = code;
	}
}

const longestCallMs = 30_000;
/** Where Slack answers with something else than the 429 it documents. */
const soonMs = 5_000;

/** A token is wrong, or was taken back: only the operator can mend it. */
export class TokenError extends Error {
	override readonly name = "TokenError";
}

/** Names the setting to mend, where it is a token that Slack does not take. */
export function aboutToken(error: unknown, setting: string, what: string): unknown {
	return error instanceof SlackRefusal && tokenCodes.has(error.code) ? new TokenError(`Slack does not take ${what}: ${error.code}. Put the right one where gateway.slack.${setting}_env or ${setting}_file says, and look whether the app is installed in the workspace.`) : error;
}

const tokenCodes = new Set(["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "not_allowed_token_type", "user_removed_from_team", "team_disabled", "no_permission", "missing_scope", "org_login_required", "team_access_not_granted"]);
const passing = new Set(["internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org", "accesslimited", "timeout"]);

const advice: Readonly<Record<string, string>> = {
	channel_not_found: "There is no such chat, or the app is not in it: /invite it there.",
	not_in_channel: "Invite the app into the channel: /invite @NAME.",
	is_archived: "The channel is archived.",
	cannot_dm_bot: "Bots cannot write to each other.",
	messages_tab_disabled: "Switch on the Messages tab under 'App Home' in the settings of the app.",
	restricted_action: "The workspace does not let the app write there; an admin can.",
	missing_scope: "Add the missing scope under 'OAuth & Permissions' in the settings of the app, and install the app again.",
	account_inactive: "The app was removed from the workspace, or its token taken back: install it again.",
	token_revoked: "Install the app again, and put the new token in the place of the old one.",
};

export class Api {
	readonly #options: ApiOptions;
	#client: Promise<WebClient> | undefined;

	constructor(options: ApiOptions) {
		this.#options = options;
	}

	/**
	 * Calls a method of the Web API.
	 * @throws SlackRefusal when Slack says no; RetryLaterError with the time it wants; another Error when it cannot be reached.
	 */
	async call(method: string, args: Readonly<Record<string, unknown>>): Promise<Answer> {
		this.#client ??= this.#open();
		try {
			return (await (await this.#client).apiCall(method, args)) as unknown as Answer;
		} catch (error) {
			throw failureOf(method, error);
		}
	}

	/** As `call`, where a text or a file is on its way to a person: what another try cannot mend is an UndeliverableError. */
	async deliver(method: string, args: Readonly<Record<string, unknown>>): Promise<Answer> {
		try {
			return await this.call(method, args);
		} catch (error) {
			// A token can be mended while the text waits.
			throw error instanceof SlackRefusal && !tokenCodes.has(error.code) && !passing.has(error.code) ? new UndeliverableError(error.message, { cause: error }) : error;
		}
	}

	async #open(): Promise<WebClient> {
		const { token, baseUrl, closing } = this.#options;
		const { WebClient } = await import("@slack/web-api");
		return new WebClient(token, {
			...(baseUrl !== undefined && { slackApiUrl: baseUrl }),
			...oneTry(closing),
		});
	}
}

/** For the clients of Slack's library: no retries, no sleeping, no lines of its own in the log. */
export function oneTry(closing: AbortSignal, longestMs = longestCallMs) {
	return {
		retryConfig: { retries: 0 },
		rejectRateLimitedCalls: true,
		logger: quiet,
		fetch: (url: string | URL | Request, init: RequestInit = {}) => fetch(url, { ...init, signal: AbortSignal.any([closing, AbortSignal.timeout(longestMs)]) }),
	};
}

const nothing = () => {};
/** The library's lines hold what people say; what matters is thrown as well. */
export const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing, setLevel: nothing, setName: nothing, getLevel: () => "error" as never };

/** An error of Slack's library in our words. */
export function failureOf(method: string, error: unknown): Error {
	const { code, data, retryAfter, statusCode, original } = error as { readonly code?: string; readonly data?: { readonly error?: unknown }; readonly retryAfter?: number; readonly statusCode?: number; readonly original?: Error };
	if (code === "slack_webapi_rate_limited_error") return new RetryLaterError(`Slack wants a pause of ${retryAfter} s before more of ${method}`, (retryAfter ?? 1) * 1000);
	if (code === "slack_webapi_http_error") return new Error(`Slack answers ${method} with status ${statusCode}`);
	if (code === "slack_webapi_platform_error") {
		const said = String(data?.error);
		// Not JSON: a page of something between us and Slack.
		if (!/^[a-z0-9_]+$/.test(said)) return new Error(`Slack answers ${method} with something that is no answer of its API`);
		if (said === "ratelimited" || said === "rate_limited") return new RetryLaterError(`Slack wants a pause before more of ${method}`, soonMs);
		return new SlackRefusal(method, said, advice[said]);
	}
	const cause = original ?? error;
	const why = cause instanceof Error ? ((cause.cause as NodeJS.ErrnoException | undefined)?.code ?? cause.message) : String(cause);
	return new Error(`Slack cannot be reached (${why})`);
}
