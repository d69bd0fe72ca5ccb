// One page from the web: redirects followed by hand, so that every hop is checked, and the connection made to the address that was checked.
import type { LookupAddress } from "node:dns";
import * as http from "node:http";
import * as https from "node:https";
import { type LookupFunction } from "node:net";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { orAborted } from "../system/abort.ts";
import { visibleLine } from "../system/visible.ts";
import { addressesOf, readUrl } from "./web-address.ts";

const mostRedirects = 5;

export interface FetchOptions {
	/** Hosts, or hosts with port, that may have a private address. */
	readonly allowHosts: readonly string[];
	readonly signal: AbortSignal;
	/** For all hops together, in ms. */
	readonly timeoutMs: number;
	/** Of the body, compressed and uncompressed. What goes beyond is left out. */
	readonly mostBytes: number;
	/** Sent to the first host only, never to where it redirects. */
	readonly headers?: Readonly<Record<string, string>>;
}

export interface Page {
	/** Where it came from in the end. */
	readonly url: URL;
	readonly status: number;
	/** As the server wrote it; empty when it said nothing. */
	readonly contentType: string;
	readonly body: Buffer;
	/** There was more. */
	readonly cut: boolean;
}

/** A page was not got. The message is for the model. */
export class FetchFailed extends Error {
	override readonly name = "FetchFailed";
}

/** @throws FetchFailed for everything that goes wrong outside, also for a stop. */
export async function fetchPage(address: string, options: FetchOptions): Promise<Page> {
	const timeout = new AbortController();
	// Not AbortSignal.timeout(): its timer lets the process end.
	const timer = setTimeout(() => timeout.abort(), options.timeoutMs);
	const signal = AbortSignal.any([options.signal, timeout.signal]);
	let at = address;
	try {
		// The resolver cannot be stopped, so it is left.
		return await orAborted(follow(address, { ...options, signal }, (url) => (at = url.href)), signal);
	} catch (error) {
		if (error instanceof FetchFailed) throw error;
		if (options.signal.aborted) throw new FetchFailed("[interrupted]", { cause: error });
		if (timeout.signal.aborted) throw new FetchFailed(`${at} did not answer in full within ${options.timeoutMs / 1000} s. Try another page, or the same one later.`, { cause: error });
		throw new FetchFailed(`${at} could not be fetched: ${why(error)}`, { cause: error });
	} finally {
		clearTimeout(timer);
	}
}

async function follow(address: string, options: FetchOptions, arrived: (url: URL) => void): Promise<Page> {
	let target = readUrl(address);
	let origin: string | undefined;
	for (let hops = 0; ; hops++) {
		if ("mistake" in target) throw new FetchFailed(hops === 0 ? target.mistake : `The page redirects to where nothing can be fetched. ${target.mistake}`);
		const { url } = target;
		arrived(url);
		const checked = await addressesOf(url, options.allowHosts);
		if ("mistake" in checked) throw new FetchFailed(hops === 0 ? checked.mistake : `The page redirects to a closed address. ${checked.mistake}`);
		origin ??= url.origin;
		const response = await request(url, checked.addresses, options.signal, url.origin === origin ? options.headers : undefined);
		const status = response.statusCode ?? 0;
		const { location } = response.headers;
		if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return { url, status, contentType: response.headers["content-type"] ?? "", ...(await read(response, options.mostBytes)) };
		response.destroy();
		if (hops === mostRedirects) throw new FetchFailed(`${address} redirects more than ${mostRedirects} times, the last time from ${url.href}. Fetch the page it is meant to lead to.`);
		target = readUrl(location, url);
	}
}

function request(url: URL, addresses: readonly LookupAddress[], signal: AbortSignal, more: FetchOptions["headers"]): Promise<http.IncomingMessage> {
	const connectTo: LookupFunction = (_, { all }, callback) => {
		if (all) callback(null, [...addresses]);
		else callback(null, addresses[0]!.address, addresses[0]!.family);
	};
	const headers = { "user-agent": "Hookline", accept: "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5", "accept-encoding": "gzip, br", ...more };
	return new Promise((resolve, reject) => {
		const { request: open } = url.protocol === "https:" ? https : http;
		// No agent: one that keeps connections would hand out one that was made for an address nobody has checked now.
		open(url, { agent: false, lookup: connectTo, headers, signal }, resolve).on("error", reject).end();
	});
}

const decoders: Readonly<Record<string, () => Transform>> = { gzip: createGunzip, "x-gzip": createGunzip, deflate: createInflate, br: createBrotliDecompress };

async function read(response: http.IncomingMessage, mostBytes: number): Promise<{ readonly body: Buffer; readonly cut: boolean }> {
	const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
	const decoder = decoders[encoding]?.();
	if (decoder === undefined && encoding !== "identity" && encoding !== "") {
		response.destroy();
		throw new FetchFailed(`The server sent the page in an encoding nobody asked for ('${visibleLine(encoding.slice(0, 60))}'), so it cannot be read.`);
	}
	let received = 0;
	async function* arriving() {
		for await (const chunk of response as AsyncIterable<Buffer>) {
			received += chunk.length;
			yield chunk;
			// Compressed data can be endless and yield nothing.
			if (received > mostBytes) return;
		}
	}
	const source: Readable | AsyncIterable<Buffer> = decoder === undefined ? arriving() : pipeline(arriving, decoder, () => {});
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of source as AsyncIterable<Buffer>) {
			chunks.push(chunk);
			bytes += chunk.length;
			if (bytes > mostBytes) break;
		}
	} catch (error) {
		// What was cut off from outside cannot be whole inside.
		if (received <= mostBytes) throw error;
	} finally {
		response.destroy();
	}
	return { body: Buffer.concat(chunks).subarray(0, mostBytes), cut: bytes > mostBytes || received > mostBytes };
}

const reasons: Readonly<Record<string, string>> = {
	ENOTFOUND: "there is no host of that name. Check the spelling.",
	EAI_AGAIN: "names cannot be looked up now; perhaps there is no network.",
	ECONNREFUSED: "nothing listens there; the connection was refused.",
	ECONNRESET: "the server closed the connection in the middle.",
	ETIMEDOUT: "the server cannot be reached.",
	EHOSTUNREACH: "the server cannot be reached.",
	ENETUNREACH: "the network cannot be reached.",
	EPROTO: "the server speaks no TLS there that we know. Perhaps it is http:// and not https://.",
	Z_DATA_ERROR: "it was sent as compressed data that is broken.",
	Z_BUF_ERROR: "it was sent as compressed data that ends too early.",
	CERT_HAS_EXPIRED: "the server's certificate has expired.",
	DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is signed by nobody but itself.",
	ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host.",
};

function why(error: unknown): string {
	const { code = "", message } = error as NodeJS.ErrnoException;
	if (code.startsWith("HPE_")) return "what came back is no HTTP.";
	return reasons[code] ?? `${visibleLine(message || code)}.`;
}
