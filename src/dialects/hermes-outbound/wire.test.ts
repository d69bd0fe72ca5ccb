import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { samplePayload } from "../../events/samples.ts";
import { payloadOf } from "../hermes-shell/payload.ts";
import { subscriptionsFor } from "./events.ts";
import type { Subscription } from "./target.ts";
import { bodyOf, headersOf } from "./wire.ts";

const subscription = (written: string) => (subscriptionsFor(written) as readonly Subscription[])[0]!;
const sample = { ...samplePayload("tool.called", { cwd: "/projects/one", at: 1_700_000_000_000, eventId: "e" }), args: { command: "ls", api_key: "abcdefgh12345678" } };
const delivery = { id: "d1", event: "post_tool_call", body: '{"a":"ä"}' };

test("the body is what a shell hook reads, with the delivery's id and the time, and secrets taken out", () => {
	const body = JSON.parse(bodyOf({ format: "hermes" }, subscription("post_tool_call"), sample, "d1")) as Record<string, unknown>;
	const { delivery_id, timestamp, ...document } = body;
	assert.deepEqual({ delivery_id, timestamp }, { delivery_id: "d1", timestamp: "2023-11-14T22:13:20.000Z" });
	assert.deepEqual(Object.keys(body).slice(0, 7), ["hook_event_name", "tool_name", "tool_input", "session_id", "cwd", "profile", "extra"]);
	assert.deepEqual(document["tool_input"], { command: "ls", api_key: "[redacted]" });
	assert.deepEqual({ ...document, tool_input: null }, { ...(JSON.parse(payloadOf("post_tool_call", "tool.called", sample)) as object), tool_input: null });
});

test("the standard format has the payload of ours", () => {
	const body = JSON.parse(bodyOf({ format: "standard" }, subscription("post_tool_call"), sample, "d1")) as { readonly type: string; readonly data: Record<string, unknown> };
	assert.equal(body.type, "tool.called");
	assert.deepEqual([body.data["callId"], body.data["args"]], [sample.callId, { command: "ls", api_key: "[redacted]" }]);
});

test("what is too long is cut, and all else is there", () => {
	const result = { text: "x ".repeat(200_000), isError: false };
	const text = bodyOf({ format: "hermes" }, subscription("post_tool_call"), { ...sample, result } as never, "d1");
	assert.ok(text.length < 100_000, String(text.length));
	assert.match(text, /… \[400000 characters\]/);
	assert.match(text, /"delivery_id":"d1"/);
});

test("Hermes's headers and those of Standard Webhooks sign the same bytes, as its library reads them", () => {
	const base64 = Buffer.from("a secret of the tests").toString("base64");
	for (const [secret, key] of [[`whsec_${base64}`, [`whsec_${base64}`]], [base64, [base64]], ["words that are no base64", ["words that are no base64", { format: "raw" }]]] as const) {
		const headers = headersOf({ format: "hermes" }, delivery, secret, Date.now());
		assert.deepEqual(new Webhook(...(key as [string])).verify(delivery.body, headers), { a: "ä" });
		assert.equal(headers["X-Hermes-Signature-256"], `sha256=${createHmac("sha256", secret).update(delivery.body).digest("hex")}`);
		assert.deepEqual([headers["X-Hermes-Event"], headers["X-Hermes-Delivery"], headers["User-Agent"]], ["post_tool_call", "d1", "Hermes-Agent-Outbound-Webhook"]);
	}
});

test("without a secret nothing claims to be signed, and the standard format has its own headers alone", () => {
	assert.doesNotMatch(Object.keys(headersOf({ format: "hermes" }, delivery, undefined, 0)).join(), /signature/i);
	assert.deepEqual(Object.keys(headersOf({ format: "standard" }, delivery, "x", 0)), ["Content-Type", "User-Agent", "webhook-id", "webhook-timestamp", "webhook-signature"]);
});
