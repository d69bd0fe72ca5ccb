// One try to send something to a receiver.
import { headersOf, type Signed } from "../../dialects/hermes-outbound/wire.ts";
import type { OutboundTarget } from "../../dialects/hermes-outbound/target.ts";
import { redactText } from "../../system/redact.ts";
import { visibleLine } from "../../system/visible.ts";

export type Posted =
	| { readonly kind: "taken"; readonly status: number }
	/** It will not take it the next time either. */
	| { readonly kind: "refused"; readonly why: string }
	/** `retryAfterMs` when it said so. */
	| { readonly kind: "failed"; readonly why: string; readonly retryAfterMs?: number }
	| { readonly kind: "stopped" };

/** As much of an answer is read, in bytes: what is read to its end leaves the connection for the next one. */
const mostRead = 65_536;

/** Never throws. `stop` gives it up; then nobody knows whether it arrived. */
export async function post(target: OutboundTarget, delivery: Signed, secret: string | undefined, stop: AbortSignal): Promise<Posted> {
	if (stop.aborted) return { kind: "stopped" };
	const given = new AbortController();
	const giveUp = () => given.abort();
	// Not AbortSignal.timeout(): its timer lets the process end.
	const timer = setTimeout(giveUp, target.timeoutMs);
	stop.addEventListener("abort", giveUp, { once: true });
	try {
		const { address, login } = withoutLogin(target.url);
		const headers = { ...headersOf(target, delivery, secret, Date.now()), ...login };
		const response = await fetch(address, { method: "POST", headers, body: delivery.body, redirect: "manual", signal: given.signal });
		return postedAs(response, await beginningOf(response));
	} catch (error) {
		if (stop.aborted) return { kind: "stopped" };
		return { kind: "failed", why: given.signal.aborted ? `it gave no answer in ${target.timeoutMs / 1000} s` : reasonOf(error) };
	} finally {
		clearTimeout(timer);
		stop.removeEventListener("abort", giveUp);
	}
}

function postedAs(response: Response, text: string): Posted {
	const { status } = response;
	if (status >= 200 && status < 300) return { kind: "taken", status };
	const said = visibleLine(redactText(text).slice(0, 200)).trim();
	const why = `it answered ${status}${said === "" ? "" : `: ${said}`}`;
	if (status >= 300 && status < 400) return { kind: "refused", why: `it answered ${status} and named another address, which is not followed` };
	if (status < 500 && status !== 408 && status !== 429) return { kind: "refused", why };
	const retryAfterMs = pauseIn(response.headers.get("retry-after"));
	return { kind: "failed", why, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** The status has said what became of it; what does not come to an end is left there. */
async function beginningOf(response: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	let read = 0;
	try {
		for await (const piece of response.body ?? []) {
			text += decoder.decode(piece as Uint8Array, { stream: true });
			if ((read += (piece as Uint8Array).byteLength) > mostRead) break;
		}
	} catch {
		// Cut off in the middle, or too slow.
	}
	return text;
}

/** Seconds, or a date. */
function pauseIn(header: string | null): number | undefined {
	if (header === null) return undefined;
	const ms = /^\s*\d{1,9}\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
	return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** User and password of an address go as a header, since `fetch` takes none that has them. */
function withoutLogin(url: string): { readonly address: string; readonly login: Readonly<Record<string, string>> } {
	const address = new URL(url);
	const { username, password } = address;
	address.username = address.password = "";
	const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
	return { address: address.href, login: login === ":" ? {} : { Authorization: `Basic ${Buffer.from(login).toString("base64")}` } };
}

function reasonOf(error: unknown): string {
	const { cause = error } = error as { readonly cause?: unknown };
	const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
	return typeof code === "string" ? `it cannot be reached (${code})` : visibleLine(redactText(`it cannot be reached (${String(message)})`).slice(0, 300));
}
