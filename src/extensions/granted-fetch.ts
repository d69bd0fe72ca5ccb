// A request that an installed extension makes through us: each hop is checked, and the connection made to the address that was checked.
import type { LookupAddress } from "node:dns";
import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type FetchRequest, type Fetched, type Gate, mostFetchBytes } from "../hosts/gate.ts";
import { orAborted } from "../system/abort.ts";
import { addressesOf, readUrl } from "../tools/web-address.ts";

export interface GrantedFetchOptions {
	/** Hosts, or hosts with port, that may have a private address. */
	readonly allowHosts: readonly string[];
	/** @throws GrantError unless that host was granted: `example.com`, with its port where that is an unusual one. */
	readonly need: (host: string) => void;
}

const mostRedirects = 10;
/** Answers whose body is not read to its end yet. */
const mostOpen = 16;
/** Until a server answers, and until somebody asks for the next piece. */
const idleMs = 60_000;
/** As it crosses to the extension's process. */
const pieceBytes = 1024 * 1024;
/** What goes no further than the host it was meant for. */
const ofOneHost = new Set(["authorization", "cookie", "proxy-authorization"]);
const ofTheConnection = new Set(["connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect", "accept-encoding"]);

interface Open {
	readonly pieces: AsyncIterator<Buffer>;
	readonly stop: () => void;
	timer: NodeJS.Timeout;
}

export function grantedFetch(options: GrantedFetchOptions): Pick<Gate, "fetch" | "piece" | "end"> {
	const open = new Map<number, Open>();
	let numbers = 0;
	const end = (body: number) => {
		const one = open.get(body);
		open.delete(body);
		clearTimeout(one?.timer);
		one?.stop();
	};
	const later = (body: number) => setTimeout(() => end(body), idleMs).unref();
	return {
		async fetch(request, signal) {
			if (open.size >= mostOpen) throw new Error(`fetch: the answers of ${mostOpen} requests are not read to their end; read or cancel one of them.`);
			const { response, url, redirected } = await follow(request, options, signal);
			const headers = pairsOf(response.rawHeaders);
			const { statusCode: status = 0, statusMessage: statusText = "" } = response;
			const encoded = decoderOf(response) !== undefined;
			const fetched: Fetched = { url: url.href, redirected, status, statusText, headers: encoded ? headers.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name)) : headers };
			if (request.method === "HEAD" || status === 204 || status === 304) {
				response.destroy();
				return fetched;
			}
			const body = ++numbers;
			open.set(body, { pieces: piecesOf(response), stop: () => response.destroy(), timer: later(body) });
			return { ...fetched, body };
		},
		async piece(body) {
			const one = open.get(body);
			if (one === undefined) throw new Error(`fetch: the rest of the answer is gone: nobody asked for it within ${idleMs / 1000} s.`);
			clearTimeout(one.timer);
			try {
				const { value, done } = await one.pieces.next();
				if (done) end(body);
				else one.timer = later(body);
				return done ? {} : { bytes: value.toString("base64") };
			} catch (error) {
				end(body);
				throw new Error(`fetch: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
			}
		},
		end,
	};
}

async function follow(request: FetchRequest, { allowHosts, need }: GrantedFetchOptions, signal: AbortSignal): Promise<{ readonly response: http.IncomingMessage; readonly url: URL; readonly redirected: boolean }> {
	let target = readUrl(request.url);
	let { method } = request;
	let headers = request.headers.filter(([name]) => !ofTheConnection.has(name.toLowerCase()));
	let body = request.body === undefined ? undefined : Buffer.from(request.body, "base64");
	for (let hops = 0; ; hops++) {
		if ("mistake" in target) throw new TypeError(`fetch: ${target.mistake}`);
		const { url } = target;
		need(url.host);
		// The resolver cannot be stopped, so it is left.
		const checked = await orAborted(addressesOf(url, allowHosts), signal);
		if ("mistake" in checked) throw new TypeError(`fetch: ${checked.mistake}`);
		const response = await send(url, { method, headers, body }, checked.addresses, signal);
		const { statusCode: status = 0, headers: { location } } = response;
		if (request.redirect === "manual" || ![301, 302, 303, 307, 308].includes(status) || location === undefined) return { response, url, redirected: hops > 0 };
		response.destroy();
		if (request.redirect === "error") throw new TypeError(`fetch: ${url.href} redirects, and 'redirect: "error"' was asked for.`);
		if (hops === mostRedirects) throw new TypeError(`fetch: ${request.url} redirects more than ${mostRedirects} times.`);
		target = readUrl(location, url);
		if ("url" in target && target.url.origin !== url.origin) headers = headers.filter(([name]) => !ofOneHost.has(name.toLowerCase()));
		if ((status === 303 && method !== "HEAD") || (status < 303 && method === "POST")) {
			method = "GET";
			body = undefined;
			headers = headers.filter(([name]) => !/^content-/i.test(name));
		}
	}
}

function send(url: URL, { method, headers, body }: { readonly method: string; readonly headers: FetchRequest["headers"]; readonly body: Buffer | undefined }, addresses: readonly LookupAddress[], signal: AbortSignal): Promise<http.IncomingMessage> {
	const connectTo: LookupFunction = (_, { all }, callback) => {
		if (all) callback(null, [...addresses]);
		else callback(null, addresses[0]!.address, addresses[0]!.family);
	};
	const usual = headers.some(([name]) => name.toLowerCase() === "user-agent") ? {} : { "user-agent": "Hookline" };
	const length = body === undefined ? {} : { "content-length": body.length };
	return new Promise((resolve, reject) => {
		const { request } = url.protocol === "https:" ? https : http;
		// No agent: one that keeps connections would hand out one that was made for an address nobody has checked now.
		const sent = request(url, { method, agent: false, lookup: connectTo, headers: { ...usual, ...Object.fromEntries(headers), ...length, "accept-encoding": "gzip, br" }, timeout: idleMs });
		const stop = () => sent.destroy(signal.reason as Error);
		signal.addEventListener("abort", stop, { once: true });
		sent.on("response", (response) => {
			// The body is asked for on its own.
			signal.removeEventListener("abort", stop);
			resolve(response);
		});
		sent.on("timeout", () => sent.destroy(new Error(`${url.host} said nothing for ${idleMs / 1000} s`)));
		sent.on("error", (error: NodeJS.ErrnoException) => reject(signal.aborted ? signal.reason : new TypeError(`fetch: ${url.host} could not be reached: ${error.message || error.code}`)));
		sent.end(body);
		if (signal.aborted) stop();
	});
}

const decoders = { gzip: createGunzip, "x-gzip": createGunzip, deflate: createInflate, br: createBrotliDecompress };

function decoderOf({ headers }: http.IncomingMessage) {
	const encoding = (headers["content-encoding"] ?? "").trim().toLowerCase();
	return Object.hasOwn(decoders, encoding) ? decoders[encoding as keyof typeof decoders] : undefined;
}

async function* piecesOf(response: http.IncomingMessage): AsyncGenerator<Buffer, undefined> {
	const decoder = decoderOf(response);
	const source: Readable = decoder === undefined ? response : pipeline(response, decoder(), () => {});
	let bytes = 0;
	for await (const chunk of source as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > mostFetchBytes.received) {
			response.destroy();
			throw new Error(`the answer is longer than the ${mostFetchBytes.received} bytes that can be received.`);
		}
		for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes);
	}
	return undefined;
}

const pairsOf = (raw: readonly string[]): readonly (readonly [string, string])[] => Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!, raw[2 * i + 1]!] as const);
