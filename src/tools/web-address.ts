// Which addresses the web tools may talk to: public ones, and those the user allowed by name. A page must not be a way into the user's own network.
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/** What a text leads to, or a sentence for the model about what is wrong with it. */
export type Target = { readonly url: URL } | { readonly mistake: string };
export type Addresses = { readonly addresses: readonly LookupAddress[] } | { readonly mistake: string };

// IANA's special-purpose registries, and 168.63.129.16, which is public by its number and the inside of a cloud machine by its use.
const closed4 = blockList("ipv4", [
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
]);
/** All public IPv6 is in here, so that what is not yet given to anybody is closed as well. */
const global6 = blockList("ipv6", ["2000::/3"]);
/** Tunnels, which hide an IPv4 address, documentation and the protocols' own. */
const closed6 = blockList("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);

function blockList(family: "ipv4" | "ipv6", subnets: readonly string[]): BlockList {
	const list = new BlockList();
	for (const subnet of subnets) {
		const [network = "", bits] = subnet.split("/");
		list.addSubnet(network, Number(bits), family);
	}
	return list;
}

/** Whether an address, as text, belongs to the public internet. What is no address does not. */
export function isPublicAddress(address: string): boolean {
	if (isIP(address) === 4) return !closed4.check(address, "ipv4");
	// A zone (`fe80::1%eth0`) only ever names something near.
	if (isIP(address) !== 6 || address.includes("%")) return false;
	const inside = embeddedIpv4(address);
	if (inside !== undefined) return isPublicAddress(inside);
	return global6.check(address, "ipv6") && !closed6.check(address, "ipv6");
}

/** The IPv4 address that an IPv4-mapped one, or one behind NAT64, stands for. */
function embeddedIpv4(address: string): string | undefined {
	// The parser of URLs writes every spelling in one way, with eight groups or one gap.
	const [before = "", after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
	const head = before === "" ? [] : before.split(":");
	const tail = after === undefined || after === "" ? [] : after.split(":");
	const words = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
	const prefix = words.slice(0, 6).join(":");
	if (prefix !== "0:0:0:0:0:ffff" && prefix !== "64:ff9b:0:0:0:0") return undefined;
	return words.slice(6).flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 0xff]).join(".");
}

/** An address as the user or a redirect wrote it. Odd spellings of an IPv4 address (0x7f.1, 2130706433) come out as the address they mean. */
export function readUrl(text: string, base?: URL): Target {
	const url = URL.parse(text, base?.href);
	const shown = text.length > 200 ? `${text.slice(0, 200).toWellFormed()}...` : text;
	if (url === null) return { mistake: `'${shown}' is no address. Give a whole one, for example https://example.com/page.` };
	if (url.protocol !== "http:" && url.protocol !== "https:") return { mistake: `'${shown}' does not begin with http:// or https://, and nothing else can be fetched.` };
	if (url.username !== "" || url.password !== "") return { mistake: `The address has a user name or a password before the host '${url.hostname}'. Leave that out.` };
	url.hash = "";
	return { url };
}

/**
 * The addresses a request to this URL may connect to, after asking DNS. Whoever connects must connect to one of exactly these: a name that is asked
 * a second time may answer differently.
 * @throws The resolver's error.
 */
export async function addressesOf(url: URL, allowHosts: readonly string[]): Promise<Addresses> {
	const host = url.hostname.replace(/^\[|\]$/g, "");
	const family = isIP(host);
	const addresses = family === 0 ? await lookup(host, { all: true }) : [{ address: host, family }];
	const closed = addresses.find(({ address }) => !isPublicAddress(address));
	if (closed === undefined || isAllowed(url, allowHosts)) return { addresses };
	const where = closed.address === host ? `${url.host} is` : `${url.host} leads to ${closed.address},`;
	return { mistake: `${where} a private, local or reserved address, which is closed to the web tools. Only the user can open it, with web.allow_hosts in config.yaml.` };
}

/** As an entry of `allowHosts`, with the port in any case. */
export const hostAndPort = (url: URL): string => `${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`;

function isAllowed(url: URL, allowHosts: readonly string[]): boolean {
	return allowHosts.some((entry) => {
		const allowed = entry.trim().toLowerCase();
		return allowed === url.hostname || allowed === hostAndPort(url);
	});
}
