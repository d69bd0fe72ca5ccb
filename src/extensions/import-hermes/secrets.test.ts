import assert from "node:assert/strict";
import { test } from "node:test";
import { isSecretFile, withoutSecrets } from "./secrets.ts";

test("files that hold secrets are known by their names, examples of them are not meant", () => {
	for (const name of [".env", ".env.local", "credentials.json", "token.json", "client_secret.json", "server.pem", "id_ed25519", ".netrc", ".npmrc"]) assert.ok(isSecretFile(name), name);
	for (const name of [".env.example", "tokens.py", "auth.py", "keys.md", "environment.yaml", "token_counter.json", "monkey.py"]) assert.ok(!isSecretFile(name), name);
});

test("secrets are taken out wherever they stand, and told by their dotted names; the rest stays as it is", () => {
	const key = `ghp_${"a1".repeat(15)}`;
	const given = { path: "plans/a.md", tokens: 3, token: "", api_key: "something", deep: { botToken: "abcdefgh1234", urls: ["http://127.0.0.1/", `http://me:${key}@127.0.0.1/`], off: false }, note: `use ${key}`, none: null };
	assert.deepEqual(withoutSecrets(given), {
		value: { path: "plans/a.md", tokens: 3, token: "", deep: { urls: ["http://127.0.0.1/"], off: false }, none: null },
		secrets: ["api_key", "deep.botToken", "deep.urls.1", "note"],
	});
});
