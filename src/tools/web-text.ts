// The bytes of a page as text, in the charset they are written in; or what they are instead.
import { TextDecoder } from "node:util";
import { sized } from "./result.ts";
import type { Page } from "./web-fetch.ts";

export type PageText = { readonly text: string; readonly html: boolean } | { readonly mistake: string };

const textTypes = /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|yaml)|x?html|javascript|ecmascript|toml|x-sh|x-ndjson|graphql|sql)$)/;
const htmlTypes = /^(?:text\/html|application\/xhtml\+xml)$/;
const unspecific = new Set(["", "application/octet-stream", "binary/octet-stream", "application/unknown"]);
const signatures: readonly (readonly [start: string, kind: string])[] = [
	["25504446", "a PDF document"],
	["89504e47", "a PNG image"],
	["ffd8ff", "a JPEG image"],
	["47494638", "a GIF image"],
	["504b0304", "a ZIP archive (or a document of that form)"],
	["1f8b", "gzip-compressed data"],
];

export function textOf({ body, contentType, cut }: Page): PageText {
	const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
	const size = `${sized(body.length)}${cut ? " and more" : ""}`;
	const start = body.toString("hex", 0, 8);
	const signature = signatures.find(([magic]) => start.startsWith(magic))?.[1];
	const named = type === "application/pdf" ? "a PDF document" : signature;
	if (named !== undefined) return { mistake: `is ${named} (${size}), not a page of text. ${advice}` };
	const known = textTypes.test(type);
	if (!known && !unspecific.has(type)) return { mistake: `is of the type '${type.replace(/[^\w.+/-]/g, "?").slice(0, 80)}' (${size}), not a page of text. ${advice}` };

	const charset = charsetOf(body, contentType);
	const text = decoderFor(charset).decode(body);
	// A character that stands in no text. In UTF-16 the bytes have zeros, the text has none.
	if (text.includes("\0") || (!known && text.slice(0, 10_000).split("\ufffd").length > 10)) return { mistake: `is binary data (${size}), not a page of text. ${advice}` };
	const html = htmlTypes.test(type) || (!known && /^\s*(?:<!doctype html|<html|<head|<body)/i.test(text.slice(0, 1000)));
	return { text, html };
}

const advice = "A program that knows the format can read it: download it with the terminal tool.";

/** What the bytes begin with is more certain than what the server says, and that more than what the page says of itself. */
function charsetOf(body: Buffer, contentType: string): string {
	if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return "utf-8";
	if (body[0] === 0xfe && body[1] === 0xff) return "utf-16be";
	if (body[0] === 0xff && body[1] === 0xfe) return "utf-16le";
	const said = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1];
	if (said !== undefined) return said;
	// Within the first kilobyte, as browsers look for it.
	const meta = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)/i.exec(body.toString("latin1", 0, 1024))?.[1];
	// A page whose ASCII could be read so far is not in UTF-16.
	return meta === undefined || /^utf-?16/i.test(meta) ? "utf-8" : meta;
}

function decoderFor(charset: string): TextDecoder {
	try {
		return new TextDecoder(charset);
	} catch {
		return new TextDecoder();
	}
}
