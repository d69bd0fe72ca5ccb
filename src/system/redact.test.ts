import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { afterEach, test } from "node:test";
import { knowSecrets, redactOutput, redactText } from "./redact.ts";

afterEach(() => knowSecrets({}));

// Put together here, so that no file of ours holds anything that looks like a key.
const of = (prefix: string, length: number) => `${prefix}${"aB3dE5gH7j".repeat(20).slice(0, length)}`;
const keys: readonly string[] = [
	of("sk-", 40), of("sk-proj-", 60), of("sk-ant-api03-", 80), of("ghp_", 36), of("gho_", 36), of("github_pat_", 60), of("glpat-", 20), of("xoxb-1234567890-", 24), of("AIza", 35), of("ya29.", 60), of("sk_live_", 24), of("rk_test_", 24), of("whsec_", 32), of("npm_", 36), of("hf_", 34),
	`AKIA${"IOSFODNN7EXAMPLE"}`, `ASIA${"IOSFODNN7EXAMPLE"}`, `SG.${of("", 22)}.${of("", 43)}`, `123456789:AA${of("", 33)}`, `eyJ${of("", 20)}.${of("", 30)}.${of("", 30)}`,
];

test("keys of well-known services are known by their shape, wherever they stand", () => {
	for (const key of keys) {
		for (const text of [key, `x ${key} y`, `"${key}"`, `(${key})`, `K=${key}\n`, `\x1b[1m${key}\x1b[0m`, `a: ${key}, b`]) {
			assert.ok(!redactOutput(text).includes(key), text);
			assert.ok(!redactText(text).includes(key), text);
			assert.ok(redactOutput(text).includes("[redacted]"));
		}
	}
});

test("passwords in addresses, headers and private keys are taken out; what is around them stays", () => {
	assert.equal(redactOutput("postgres://me:hunter2@db/x"), "postgres://me:[redacted]@db/x");
	assert.equal(redactOutput("Authorization: Bearer abcdef1234567890"), "Authorization: Bearer [redacted]");
	assert.equal(redactOutput("authorization: Basic bWU6aHVudGVyMg=="), "authorization: Basic [redacted]");
	assert.equal(redactOutput("a\n-----BEGIN OPENSSH PRIVATE KEY-----\nMIIE\n-----END OPENSSH PRIVATE KEY-----\nb"), "a\n[redacted]\nb");
	assert.equal(redactOutput(`https://hooks.slack.com/services/${of("T", 9)}/${of("B", 9)}/${of("", 24)}`), "https://hooks.slack.com/services/[redacted]");
});

test("what a name says is secret is, when it looks like it", () => {
	const value = of("", 32);
	for (const name of ["API_KEY", "MY_SERVICE_TOKEN", "client_secret", "aws_secret_access_key", "accessToken", "DB_PASSWORD"]) {
		for (const text of [`${name}=${value}`, `export ${name}="${value}"`, `"${name}": "${value}"`, `${name}: ${value}`, `${name} = '${value}'`]) assert.ok(!redactOutput(text).includes(value), text);
	}
	assert.equal(redactOutput("password: hunter2!x"), "password: [redacted]");
});

test("hashes, ids, words and ordinary output stay as they are", () => {
	const sha = randomBytes(20).toString("hex");
	const harmless = [
		`commit ${sha}`, `${randomBytes(32).toString("hex")}  file.txt`, `id: ${randomUUID()}`, `key: ${randomUUID()}`, `cache-key=${randomBytes(32).toString("hex")}`, `"key": "${sha}"`, `token: ${randomUUID()}`, "sha256:" + randomBytes(32).toString("hex"), `integrity sha512-${randomBytes(64).toString("base64")}`, `"resolved": "https://x.example/a/-/a-1.0.0.tgz", "integrity": "sha512-${randomBytes(64).toString("base64")}"`, "etag: W/\"5f-abc\"", "PRIMARY_KEY=id", "KEY=value", "KEY=customer_number", "max_tokens: 4096", "tokens=12000", "const token = readToken();", "apiKey: process.env.API_KEY2", "secret: config.secrets.first2", "TOKEN=$GITHUB_TOKEN", "TOKEN=${{ secrets.TOKEN }}", "SSH_KEY=/home/me/.ssh/id_ed25519", "api_key_env: ANTHROPIC_API_KEY", "key_file=./keys/server1.pem", "monkey: banana", "author: someone", "Passwords: 3 found", "basic understanding of the matter", "bearer of good news", "drwxr-xr-x 2 me me 4096 Jan  1 12:00 src", "http://127.0.0.1:8080/path", "git@github.com:me/repo.git", "user:pass", "2026-01-01T12:00:00.000Z", "AKIA", "sk-learn", "eyJ", "task-force-of-the-century-is-here", "risk-of-something-rather-large-here", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB me@host", randomBytes(48).toString("base64"),
	];
	for (const text of harmless) assert.equal(redactOutput(text), text);
});

test("values of variables that are secret by their name are known anywhere; short ones, words and paths are not", () => {
	knowSecrets({ MY_TOKEN: "zebra-crossing.9+", DB_PASSWORD: "correct horse", SHORT_TOKEN: "abc", WORD_SECRET: "production", FILE_TOKEN: "/run/secrets/token", HOME: "/home/me-and-you" });
	assert.equal(redactOutput("it is zebra-crossing.9+, or correct horse"), "it is [redacted], or [redacted]");
	assert.equal(redactText("it is zebra-crossing.9+"), "it is [redacted]");
	const rest = "abc production /run/secrets/token /home/me-and-you zebra-crossingX9+";
	assert.equal(redactOutput(rest), rest);
	knowSecrets({});
	assert.equal(redactOutput("it is zebra-crossing.9+"), "it is zebra-crossing.9+");
});

test("the time is linear in the length of the text, whatever it is made of", () => {
	const took = (text: string) => {
		const began = performance.now();
		redactOutput(text);
		redactText(text);
		return performance.now() - began;
	};
	const pieces = ["eyJ-", "eyJa.", "sk-", "KEY=", "A_", "key:", "token=a ", "://a:", "://a", "Bearer ", "-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----\n", "a", "0", " ", "\t", "_", "-", ".", "SG.", "1234567890:AA", "\x1b[0m", "password", "basic  "];
	for (const piece of pieces) {
		const text = (length: number) => piece.repeat(length / piece.length);
		took(text(20_000));
		const [short, long] = [took(text(100_000)), took(text(800_000))];
		// Quadratic would be 64 times as long, and minutes.
		assert.ok(long < 200 + short * 30, `'${piece}': ${short} ms, ${long} ms`);
	}
});
