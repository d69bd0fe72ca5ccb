// What a receiver is sent: the document of a shell hook as Hermes Agent sends it, or the payload of ours as Standard Webhooks have it. Signed for each try.
import { createHmac } from "node:crypto";
import { forTrace } from "../../engine/diff.ts";
import type { Facts, JsonObject } from "../../events/payloads/facts.ts";
import { documentOf, stringified } from "../hermes-shell/payload.ts";
import type { OutboundTarget, Subscription } from "./target.ts";

/** Of each field, in characters, and of a text and a list in it. */
const budget = 65_536;
const most = { text: 32_768, list: 200 } as const;

/** The body of a delivery, its secrets replaced as in the trace and what is long cut. */
export function bodyOf({ format }: Pick<OutboundTarget, "format">, { event, nameFor }: Subscription, payload: Facts, id: string): string {
	const timestamp = new Date(payload.at).toISOString();
	const document = format === "standard" ? { type: event, timestamp, data: kept(payload as Facts & JsonObject) } : { ...kept(documentOf(nameFor(payload), event, payload)), delivery_id: id, timestamp };
	return JSON.stringify(document, stringified);
}

const kept = (fields: JsonObject): JsonObject => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, forTrace(value, budget, name, most)]));

export interface Signed {
	readonly id: string;
	readonly event: string;
	readonly body: string;
}

/** Those of Hermes Agent's format are both its own and those of Standard Webhooks, so that a receiver can go over from one to the other. `at` in ms. */
export function headersOf({ format }: Pick<OutboundTarget, "format">, { id, event, body }: Signed, secret: string | undefined, at: number): Readonly<Record<string, string>> {
	const seconds = Math.floor(at / 1000);
	const standard = {
		"webhook-id": id,
		"webhook-timestamp": String(seconds),
		...(secret !== undefined && { "webhook-signature": `v1,${createHmac("sha256", standardKey(secret)).update(`${id}.${seconds}.${body}`).digest("base64")}` }),
	};
	if (format === "standard") return { "Content-Type": "application/json", "User-Agent": "Hookline-Webhook", ...standard };
	return {
		"Content-Type": "application/json",
		"User-Agent": "Hermes-Agent-Outbound-Webhook",
		"X-Hermes-Event": event.replace(/[^\x21-\x7e]/g, "?"),
		"X-Hermes-Delivery": id,
		...(secret !== undefined && { "X-Hermes-Signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` }),
		...standard,
	};
}

/** Base64, with or without `whsec_`, as the libraries of Standard Webhooks take it; what is none is the key as it stands. */
function standardKey(secret: string): Buffer {
	const text = secret.replace(/^whsec_/, "");
	return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : Buffer.from(secret);
}
