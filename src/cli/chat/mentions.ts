// Images a person names in a message with an at-sign: @shot.png, @"my shot.png".
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type GivenImage, readImageFile } from "../../agent/images.ts";

const mention = /(?:^|\s)@(?:"([^"\n]+\.(?:png|jpe?g|gif|webp))"|(\S+\.(?:png|jpe?g|gif|webp)))(?=\s|$)/gi;

export const namesImages = (text: string): boolean => text.search(mention) >= 0;

/**
 * The images a text names, each once.
 * @throws ImageRefused when one is not there or cannot be sent.
 */
export function imagesIn(text: string, cwd: string): Promise<readonly GivenImage[]> {
	const paths = new Set([...text.matchAll(mention)].map(([, quoted, bare]) => resolve(cwd, (quoted ?? bare!).replace(/^~(?=\/)/, homedir()))));
	return Promise.all([...paths].map(readImageFile));
}
