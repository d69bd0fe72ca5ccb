import assert from "node:assert/strict";
import { test } from "node:test";
import { changeForTrace, diff, forTrace } from "./diff.ts";

test("only what differs is named, by its path from the payload down", () => {
	const before = { args: { command: "ls", env: { A: "1", B: "2" }, list: [1] }, same: { x: 1 } };
	const after = { args: { command: "pwd", env: { A: "1", C: "3" }, list: [1, 2] }, same: { x: 1 } };
	assert.deepEqual(diff(before, after), [
		{ path: "args.command", before: "ls", after: "pwd" },
		{ path: "args.env.B", before: "2", after: undefined },
		{ path: "args.env.C", before: undefined, after: "3" },
		{ path: "args.list", before: [1], after: [1, 2] },
	]);
	assert.deepEqual(diff(before, structuredClone(before)), []);
});

test("a field that says it is secret is not kept, whatever it holds and however it is spelt", () => {
	for (const name of ["password", "api_key", "apiKey", "API-KEY", "access_token", "accessToken", "clientSecret", "Authorization", "set-cookie", "AWS_SECRET_ACCESS_KEY", "privateKey", "passphrase"]) {
		for (const value of ["hunter2", 12345, ["hunter2"], { nested: "hunter2" }]) assert.deepEqual(forTrace({ [name]: value }), { [name]: "[redacted]" }, name);
	}
	assert.deepEqual(forTrace({ password: null, hasToken: true, token: false }), { password: null, hasToken: true, token: false });
});

test("a field that only sounds alike is kept", () => {
	const kept = { max_tokens: 100, tokenizer: "bpe", inputTokens: 5, secretary: "Ms. Moss", keyboard: "qwerty", cookies_eaten: 3 };
	assert.deepEqual(forTrace(kept), kept);
});

test("secrets are known by their shape as well, wherever they stand", () => {
	const secrets = [
		"sk-abcdefghijklmnopqrstuv",
		"ghp_abcdefghijklmnopqrstuvwxyz0123456789",
		"github_pat_abcdefghijklmnopqrstuvwxyz",
		"xoxb-1234567890-abcdef",
		"AKIAIOSFODNN7EXAMPLE",
		`AIza${"x".repeat(35)}`,
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc_DEF-123",
	];
	for (const secret of secrets) {
		const text = JSON.stringify(forTrace({ command: `export X=${secret} && run`, list: [secret], [secret]: 1 }));
		assert.ok(!text.includes(secret), text);
		assert.ok(text.includes("export X=[redacted] && run"), text);
	}
	assert.equal(forTrace("curl -H 'Authorization: Bearer abcdef1234567890'"), "curl -H 'Authorization: Bearer [redacted]'");
	assert.equal(forTrace("psql postgres://me:hunter2@db/x"), "psql postgres://me:[redacted]@db/x");
	assert.equal(forTrace("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb"), "a\n[redacted]\nb");
	assert.equal(forTrace("-----BEGIN PRIVATE KEY-----\nMIIE"), "[redacted]");
});

test("a secret across the place where a long text is cut does not survive by half", () => {
	for (let at = 4060; at <= 4100; at++) {
		const text = forTrace(`${"x".repeat(at)} postgres://me:hunter2hunter2@db/x ${"y".repeat(9000)}`) as string;
		assert.ok(!text.includes("hunter"), String(at));
	}
});

test("long texts, long lists and wide objects are cut, and say so", () => {
	assert.match(forTrace("x".repeat(5000)) as string, /^x{4096}… \[5000 characters\]$/);
	assert.equal((forTrace(Array(60).fill(1)) as unknown[]).at(-1), "… [60 entries]");
	const wide = forTrace(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`, i]))) as Record<string, unknown>;
	assert.equal(wide["…"], "[cut]");
	assert.ok(Object.keys(wide).length < 5000);
});

test("what is kept is bounded, whatever it is made from", () => {
	let nested: unknown = "x".repeat(3000);
	for (let i = 0; i < 6; i++) nested = { a: nested, b: nested, c: [nested, nested] };
	assert.ok(JSON.stringify(forTrace(nested)).length < 60_000);
});

test("a change under a secret name is redacted, however deep it is", () => {
	assert.deepEqual(changeForTrace({ path: "args.token", before: "a", after: "b" }), { path: "args.token", before: "[redacted]", after: "[redacted]" });
	assert.deepEqual(changeForTrace({ path: "auth.token.value", before: undefined, after: "b" }), { path: "auth.token.value", before: undefined, after: "[redacted]" });
	assert.deepEqual(changeForTrace({ path: "args.command", before: "a", after: { password: "b" } }), { path: "args.command", before: "a", after: { password: "[redacted]" } });
});

test("of an image the kind and the length are kept, however its bytes are written", () => {
	const base64 = "iVBORw0KGgoAAAANSUhEUg==";
	assert.equal(forTrace(`data:image/png;base64,${base64}`), "[image/png, 46 characters]");
	assert.deepEqual(forTrace({ source: { type: "base64", media_type: "image/png", data: base64 } }), { source: { type: "base64", media_type: "image/png", data: "[image/png, 24 characters]" } });
	assert.deepEqual(forTrace({ inlineData: { mimeType: "image/gif", data: base64 } }), { inlineData: { mimeType: "image/gif", data: "[image/gif, 24 characters]" } });
	assert.deepEqual(forTrace({ mimeType: "text/plain", data: "hello" }), { mimeType: "text/plain", data: "hello" });
});
