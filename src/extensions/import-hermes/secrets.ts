// What looks like a secret stays where it is: an import must not spread keys.
import { isSecretVariable, redactOutput } from "../../system/redact.ts";

/** Whether a file of this name is there to hold secrets. */
export const isSecretFile = (name: string): boolean =>
	(/^\.env(?:\..+)?$/i.test(name) && !/\.(?:example|sample|template|dist)$/i.test(name)) ||
	/^(?:credentials?|tokens?|secrets?|auth|client_secrets?)\.(?:json|ya?ml|toml|txt)$/i.test(name) ||
	/\.(?:pem|key|p12|pfx|keystore)$/i.test(name) ||
	/^(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|\.npmrc|\.pypirc|\.pgpass)$/i.test(name);

/** Whether a text holds what looks like a key or a password. */
export const holdsSecret = (text: string): boolean => redactOutput(text) !== text;

/** Settings without those that look like secrets, whose dotted names are told. */
export function withoutSecrets(value: unknown, path: readonly string[] = []): { readonly value: unknown; readonly secrets: readonly string[] } {
	const name = path.at(-1) ?? "";
	if (typeof value === "string" && value !== "" && (isSecretVariable(snakeCase(name)) || holdsSecret(`${name}: ${value}`) || holdsSecret(value))) return { value: undefined, secrets: [path.join(".")] };
	if (typeof value !== "object" || value === null) return { value, secrets: [] };
	const parts = Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner, [...path, key])] as const);
	const secrets = parts.flatMap(([, part]) => part.secrets);
	const kept = parts.filter(([, part]) => part.secrets.length === 0 || part.value !== undefined).map(([key, part]) => [key, part.value] as const);
	return { value: Array.isArray(value) ? kept.map(([, part]) => part) : Object.fromEntries(kept), secrets };
}

const snakeCase = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll("-", "_");
