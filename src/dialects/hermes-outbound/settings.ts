// `hooks.outbound` in config.yaml. Nothing here guards anything, so as in Hermes Agent no mistake stops the start: what is wrong is told and left out.
import { createHash } from "node:crypto";
import { didYouMean } from "../../system/nearest.ts";
import { hasTool } from "../hermes-shell/events.ts";
import { matchesNothing, readMatcher } from "../hermes-shell/matcher.ts";
import { subscriptionsFor } from "./events.ts";
import type { OutboundTarget, Subscription } from "./target.ts";

export interface OutboundSettings {
	/** Absolute. */
	readonly file: string;
	/** The tools there are before any MCP server has started. */
	readonly toolNames: readonly string[];
	readonly placeOf: (path: readonly string[]) => { readonly line: number };
	/** Where what is wrong goes, with or without its full stop. */
	readonly warn: (path: readonly string[], message: string) => void;
}

const keys = ["url", "events", "name", "secret_env", "secret", "matcher", "timeout", "format"] as const;
type Key = (typeof keys)[number];
type Entry = Readonly<Partial<Record<Key, unknown>>>;
type Warn = (key: Key | string, message: string) => void;

const usualTimeoutS = 10;
const longestTimeoutS = 60;

/** The receivers of a list that can be told of anything. */
export function targetsIn(given: unknown, settings: OutboundSettings): readonly OutboundTarget[] {
	const top = ["hooks", "outbound"];
	if (given === undefined || given === null) return [];
	if (!Array.isArray(given)) {
		settings.warn(top, "'hooks.outbound' must be a list, even of one: put '- ' before its first line. It was left out");
		return [];
	}
	const targets: OutboundTarget[] = [];
	for (const [index, entry] of (given as readonly unknown[]).entries()) {
		const path = [...top, String(index)];
		if (entry === null) continue;
		const target = isMap(entry) ? targetIn(entry, index, path, settings) : settings.warn(path, "an entry of hooks.outbound must be a map with 'url' and 'events'; it was left out");
		if (target === undefined) continue;
		const twin = targets.find((other) => other.url === target.url && other.matcher === target.matcher && sameEvents(other, target));
		if (twin !== undefined) settings.warn(path, `this receiver is there already, in line ${twin.line}; it is told once, as it is set there`);
		else targets.push({ ...target, id: free(target.id, targets) });
	}
	return targets;
}

function targetIn(entry: Entry, index: number, path: readonly string[], settings: OutboundSettings): OutboundTarget | undefined {
	const name = typeof entry.name === "string" && entry.name.trim() !== "" ? entry.name.trim() : undefined;
	const warn: Warn = (key, message) => settings.warn([...path, key], `${name === undefined ? `entry ${index + 1}` : `'${name}'`} of hooks.outbound: ${message}`);
	const url = addressIn(entry.url, warn);
	const subscriptions = eventsIn(entry.events, warn);
	const matcher = matcherIn(entry.matcher, subscriptions, settings.toolNames, warn);
	for (const key of Object.keys(entry)) if (!(keys as readonly string[]).includes(key)) warn(key, `'${key}' is unknown and was left out.${didYouMean(key, keys)}`);
	if (entry.name !== undefined && entry.name !== null && typeof entry.name !== "string") warn("name", "'name' must be a text; it was left out");
	if (url === undefined || subscriptions.length === 0 || matcher === "unusable") return undefined;
	return {
		id: idOf(name, url),
		...(name !== undefined && { name }),
		url,
		subscriptions,
		...(matcher !== undefined && { matcher }),
		...secretIn(entry, warn),
		timeoutMs: timeoutIn(entry.timeout, warn) * 1000,
		format: formatIn(entry.format, warn),
		file: settings.file,
		line: settings.placeOf(path).line,
	};
}

function addressIn(given: unknown, warn: Warn): string | undefined {
	const url = typeof given === "string" ? URL.parse(given.trim()) : null;
	if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
		warn("url", `its 'url' ${given === undefined ? "is missing" : "is no address that begins with https:// or http://"}, so it was left out`);
		return undefined;
	}
	const isHere = url.hostname === "localhost" || url.hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(url.hostname);
	if (url.protocol === "http:" && !isHere) warn("url", "what it is told goes over the network for all to read. Use https:// if the receiver has it");
	return url.href;
}

function eventsIn(given: unknown, warn: Warn): readonly Subscription[] {
	if (!Array.isArray(given) || given.length === 0) {
		warn("events", "'events' must be a list of at least one event, such as [post_tool_call], so it was left out");
		return [];
	}
	const found: Subscription[] = [];
	for (const written of new Set(given as readonly unknown[])) {
		const subscriptions = typeof written === "string" ? subscriptionsFor(written.trim()) : { mistake: `'events' holds ${JSON.stringify(written)}, which is no name.` };
		if ("mistake" in subscriptions) warn("events", subscriptions.mistake);
		else found.push(...subscriptions);
	}
	if (found.length === 0) warn("events", "none of its events is there, so it was left out");
	return found;
}

function matcherIn(given: unknown, subscriptions: readonly Subscription[], toolNames: readonly string[], warn: Warn): string | undefined {
	if (given === undefined || given === null) return undefined;
	const text = typeof given === "string" ? given.trim() : undefined;
	if (text === "") return undefined;
	const read = text === undefined ? { mistake: "must be a text: a regular expression for the whole name of a tool" } : readMatcher(text);
	if (text === undefined || "mistake" in read) {
		warn("matcher", `its matcher ${"mistake" in read ? read.mistake : ""}. Nobody knows what it was to be told of, so it was left out`);
		return "unusable";
	}
	if (!subscriptions.some(({ event }) => hasTool(event))) warn("matcher", "its matcher changes nothing, as none of its events is about one tool");
	const nothing = matchesNothing(text, read.tool, toolNames);
	if (nothing !== undefined) warn("matcher", `its matcher ${nothing.message}, so it is never told of one`);
	return text;
}

function secretIn(entry: Entry, warn: Warn): Pick<OutboundTarget, "secretEnv" | "secret"> {
	const text = (key: "secret_env" | "secret"): string | undefined => {
		const given = entry[key];
		if (given === undefined || given === null || given === "") return undefined;
		if (typeof given === "string") return given;
		warn(key, `'${key}' must be a text; it was left out`);
		return undefined;
	};
	const [secretEnv, secret] = [text("secret_env"), text("secret")];
	if (secret !== undefined) warn("secret", "its secret stands in this file. Put it into an environment variable, and name that with 'secret_env'");
	if (secretEnv === undefined && secret === undefined) warn("secret_env", "it has neither 'secret_env' nor 'secret', so what it is sent is UNSIGNED: whoever knows its address could send it the same");
	return { ...(secretEnv !== undefined && { secretEnv }), ...(secret !== undefined && { secret }) };
}

function timeoutIn(given: unknown, warn: Warn): number {
	if (given === undefined || given === null) return usualTimeoutS;
	const seconds = typeof given === "number" ? given : typeof given === "string" && given.trim() !== "" ? Number(given) : Number.NaN;
	const taken = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), longestTimeoutS) : usualTimeoutS;
	if (taken !== seconds) warn("timeout", `'timeout' must be 1 to ${longestTimeoutS} seconds, and is ${JSON.stringify(given)}; it is ${taken} s now`);
	return taken;
}

function formatIn(given: unknown, warn: Warn): OutboundTarget["format"] {
	if (given === "standard" || given === "hermes") return given;
	if (given !== undefined && given !== null) warn("format", `'format' must be hermes or standard, and is ${JSON.stringify(given)}; it is hermes now`);
	return "hermes";
}

/** Short and plain: it is part of the names of its hooks. The same as long as name or address are, so that what waits finds it again. */
function idOf(name: string | undefined, url: string): string {
	const plain = (text: string) => text.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "");
	const called = plain(name ?? "").slice(0, 32);
	return called === "" ? `${plain(new URL(url).hostname).slice(0, 23)}-${createHash("sha256").update(url).digest("hex").slice(0, 8)}` : called;
}

function free(id: string, targets: readonly OutboundTarget[]): string {
	const isTaken = (wanted: string) => targets.some((target) => target.id === wanted);
	let n = 2;
	while (isTaken(`${id}-${n}`)) n++;
	return isTaken(id) ? `${id}-${n}` : id;
}

const sameEvents = (a: OutboundTarget, b: OutboundTarget): boolean => a.subscriptions.map(({ written }) => written).join("\n") === b.subscriptions.map(({ written }) => written).join("\n");
const isMap = (value: unknown): value is Entry => typeof value === "object" && value !== null && !Array.isArray(value);
