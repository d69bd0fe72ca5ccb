// Images that a person sends with a message: what is taken, and what a model that cannot read them is told instead.
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import type { ImagePart, ImageType, Message } from "../events/payloads/model.ts";
import type { Model } from "../models/model.ts";
import type { NewImage } from "../stores/sessions.ts";
import { visibleLine } from "../system/visible.ts";

const mostImages = 8;
/** The least of what the providers take, in bytes. */
const mostBytes = 5 * 1024 * 1024;

export interface GivenImage {
	/** As the person knows it. */
	readonly name: string;
	readonly data: Uint8Array;
}

/** A file cannot be sent as an image. The message is a sentence for the person. */
export class ImageRefused extends Error {
	override readonly name = "ImageRefused";
}

/** @throws ImageRefused when there is no such file, or it cannot be an image that is taken. */
export async function readImageFile(path: string): Promise<GivenImage> {
	try {
		await using file = await open(path, "r");
		const stats = await file.stat();
		if (!stats.isFile()) throw new ImageRefused(`${visibleLine(path)} is no image: it is no plain file.`);
		if (stats.size > mostBytes) throw new ImageRefused(tooLarge(path, stats.size));
		return { name: basename(path), data: await file.readFile() };
	} catch (error) {
		if (error instanceof ImageRefused) throw error;
		const { code, message } = error as NodeJS.ErrnoException;
		throw new ImageRefused(code === "ENOENT" ? `There is no image ${visibleLine(path)}.` : `The image ${visibleLine(path)} cannot be read: ${message}.`);
	}
}

/** The images as a message takes them, or why it does not, as a sentence for the person. */
export function takeImages(given: readonly GivenImage[]): { readonly images: readonly NewImage[] } | { readonly mistake: string } {
	if (given.length > mostImages) return { mistake: `A message takes ${mostImages} images, not ${given.length}. Send the others with another one.` };
	const images: NewImage[] = [];
	for (const { name, data } of given) {
		if (data.byteLength > mostBytes) return { mistake: tooLarge(name, data.byteLength) };
		const mediaType = typeOf(data);
		if (mediaType === undefined) return { mistake: `${visibleLine(name)} is no image that can be sent: its content is neither PNG, JPEG, GIF nor WebP.` };
		images.push({ part: { mediaType, bytes: data.byteLength, sha256: createHash("sha256").update(data).digest("hex"), name: visibleLine(name).slice(0, 200) }, data });
	}
	return { images };
}

const tooLarge = (name: string, bytes: number) => `The image ${visibleLine(name)} has ${(bytes / 1024 / 1024).toFixed(1)} MB; at most ${mostBytes / 1024 / 1024} can be sent. Make it smaller.`;

/** By its first bytes; names lie. */
function typeOf(data: Uint8Array): ImageType | undefined {
	const start = Buffer.from(data.subarray(0, 12)).toString("latin1");
	if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
	if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
	if (/^GIF8[79]a/.test(start)) return "image/gif";
	return /^RIFF[\s\S]{4}WEBP/.test(start) ? "image/webp" : undefined;
}

// By the model as well: another one may read them. Once for each message, so that it is the same one again in every request.
const noted = new WeakMap<Model, WeakMap<Message, Message>>();

/** The messages, with words in the place of images this model is known not to read. `tell` hears of each message the first time. */
export function withReadableImages(messages: readonly Message[], model: Model, tell: (message: string) => void): readonly Message[] {
	if (model.facts?.images !== false && model.unreadImages === undefined) return messages;
	let known = noted.get(model);
	if (known === undefined) noted.set(model, (known = new WeakMap()));
	return messages.map((message) => {
		if (message.role !== "user" || message.images === undefined) return message;
		let instead = known.get(message);
		if (instead === undefined) known.set(message, (instead = withNote(message, message.images, model, tell)));
		return instead;
	});
}

function withNote(message: Extract<Message, { role: "user" }>, images: readonly ImagePart[], { name, facts, unreadImages }: Model, tell: (message: string) => void): Message {
	const isUnread = ({ mediaType }: ImagePart) => facts?.images === false || unreadImages?.includes(mediaType);
	const unread = images.filter(isUnread);
	if (unread.length === 0) return message;
	const names = unread.map((image) => `${image.name} (${image.mediaType})`).join(", ");
	tell(`${name} cannot read ${names}; it is only told that the user sent ${unread.length === 1 ? "it" : "them"}.`);
	const { images: _, ...rest } = message;
	const read = images.filter((image) => !isUnread(image));
	return { ...rest, text: `${message.text}\n\n[The user sent with this message what you cannot read: ${names}.]`, ...(read.length > 0 && { images: read }) };
}
