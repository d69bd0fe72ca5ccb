// Who signed a request: the scheme of Meta and GitHub, that of Standard Webhooks, and texts compared without telling by the time it takes how much of them fits.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Whether the header `X-Hub-Signature-256` (`sha256=` and hexadecimal digits) is that of these very bytes. */
export function isHubSigned(body: Uint8Array, header: string | null, secret: string): boolean {
	return header !== null && sameText(header, `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
}

const longestAgeMs = 5 * 60_000;

/** The key in a secret of Standard Webhooks; undefined when it is none. */
export function standardKey(secret: string): Buffer | undefined {
	const text = secret.replace(/^whsec_/, "");
	return /^[A-Za-z0-9+/]{4,}={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
}

/**
 * Whether these very bytes were signed as Standard Webhooks says, at most 5 minutes ago by either clock. Not by their library: its HMAC is written in
 * JavaScript, and whoever sent a forged MiB would hold up everything for 40 ms.
 */
export function isStandardSigned(body: Uint8Array, headers: Headers, key: Uint8Array): boolean {
	const at = headers.get("webhook-timestamp") ?? "";
	if (!/^\d{1,12}$/.test(at) || Math.abs(Date.now() - Number(at) * 1000) > longestAgeMs) return false;
	const expected = `v1,${createHmac("sha256", key).update(`${headers.get("webhook-id")}.${at}.`).update(body).digest("base64")}`;
	return (headers.get("webhook-signature") ?? "").split(" ").some((signature) => sameText(signature, expected));
}

export function sameText(one: string, other: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(one), digest(other));
}
