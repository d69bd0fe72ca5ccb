// Images on their way to a model: messages refer to them, the bytes are fetched when a message is translated.
import type { ImagePart, ImageType } from "../events/payloads/model.ts";

/** The bytes of an image that a message refers to; undefined when they are not kept any more. */
export type ImageSource = (image: ImagePart) => { readonly mediaType: ImageType; readonly data: Uint8Array } | undefined;

/** What goes on the wire for an image: its bytes as base64, or words when there are none. */
export type ImageContent = { readonly mediaType: ImageType; readonly base64: string } | { readonly words: string };

export function imageContents(images: readonly ImagePart[] = [], imageOf?: ImageSource): readonly ImageContent[] {
	return images.map((image) => {
		const found = imageOf?.(image);
		if (found === undefined) return { words: `[The image ${image.name} is not kept any more.]` };
		return { mediaType: found.mediaType, base64: Buffer.from(found.data.buffer, found.data.byteOffset, found.data.byteLength).toString("base64") };
	});
}
