// Which model providers of an extension are taken, by what it was granted.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionProvider } from "../events/providers.ts";
import { noPermissions } from "./permissions.ts";
import { grantedProviders } from "./provider-grants.ts";

const acme: ExtensionProvider = { name: "acme", summary: "Acme.", models: [], baseUrl: "https://models.example.com:8443/v1", keyVariable: "ACME_KEY", login: { kind: "oauth", clientId: "x", tokenUrl: "https://login.example.com/token", authorizeUrl: "https://www.example.com/agree" } };
const hosts = ["models.example.com:8443", "login.example.com"];

function taken(granted: Parameters<typeof grantedProviders>[2]["granted"], trust: "user" | "project" = "user") {
	const warnings: string[] = [];
	const providers = grantedProviders("a", [acme], { trust, granted, warn: (message) => void warnings.push(message) });
	return { providers, warnings };
}

test("what the user put there themselves is taken as it is", () => {
	assert.deepEqual(taken("everything"), { providers: [acme], warnings: [] });
	assert.deepEqual(taken({ ...noPermissions, hosts, env: ["ACME_KEY"] }), { providers: [acme], warnings: [] });
});

test("a server it was not granted leaves the provider out, and a variable it was not granted is not read", () => {
	const { providers, warnings } = taken({ ...noPermissions, hosts: hosts.slice(0, 1), env: ["ACME_KEY"] });
	assert.deepEqual(providers, []);
	assert.match(warnings[0]!, /brings the model provider 'acme', which connects to login\.example\.com, and you have not granted it that; the provider is left out\./);
	const without = taken({ ...noPermissions, hosts });
	assert.deepEqual([without.providers[0]?.keyVariable, without.providers[0]?.login], [undefined, acme.login]);
	assert.match(without.warnings[0]!, /gets no key from ACME_KEY: you have not granted it that variable\./);
});

test("what a project brings reads none of the user's variables, and nobody logs in for it", () => {
	const { providers, warnings } = taken("everything", "project");
	assert.deepEqual([providers[0]?.keyVariable, providers[0]?.login], [undefined, undefined]);
	assert.match(warnings[0]!, /gets a key only where your config\.yaml names one: what a project brings reads none of your variables, and nobody can log in for it\./);
});
