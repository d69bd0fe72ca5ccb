// Which hosts a call means to reach.
import type { Rule } from "./rule.ts";

export interface HostRule extends Rule {
	covers(host: string): boolean;
}

/** `example.com`, `*.example.com` (what is below it), `*`. @throws Error for what is no host. */
export function hostRule({ rule, reason }: Rule): HostRule {
	const wanted = normal(rule);
	if (!/^(?:\*|(?:\*\.)?[\w.:-]+)$/.test(wanted)) throw new Error(`'${rule}' is no host: example.com, *.example.com, *.`);
	return { rule, reason, covers: (host) => wanted === "*" || host === wanted || (wanted.startsWith("*.") && host.endsWith(wanted.slice(1))) };
}

/** The hosts of all addresses in a text or a value. */
export function hostsIn(value: unknown): readonly string[] {
	if (Array.isArray(value)) return value.flatMap(hostsIn);
	if (typeof value === "object" && value !== null) return Object.values(value).flatMap(hostsIn);
	if (typeof value !== "string") return [];
	return [...value.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>|;)\\]+/gi)].flatMap(([address]) => {
		// Other schemes have other rules for what follows; the place of the host is the same.
		const host = URL.parse(address.replace(/^[^:]+/, "http"))?.hostname;
		return host ? [normal(host)] : [];
	});
}

const normal = (host: string): string => host.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.$/, "");
