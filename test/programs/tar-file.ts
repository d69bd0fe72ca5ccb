// A tar archive written byte by byte, so that it can hold what no well-meaning program would write.
import { gzipSync } from "node:zlib";

export interface TarEntry {
	readonly path: string;
	readonly text?: string | Buffer;
	/** `0` a file, `1` a hard link, `2` a symbolic link, `3` a device, `5` a folder, `6` a pipe. */
	readonly type?: string;
	/** Where a link leads. */
	readonly link?: string;
	/** What the header says instead of the true length, in bytes. */
	readonly claims?: number;
}

export function tar(entries: readonly TarEntry[]): Buffer {
	return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(1024)]);
}

export const tgz = (entries: readonly TarEntry[]): Buffer => gzipSync(tar(entries));

function blocksOf({ path, text = "", type = "0", link = "", claims }: TarEntry): Buffer[] {
	const body = Buffer.from(text);
	const header = Buffer.alloc(512);
	header.write(path, 0, 100);
	header.write("0000644\0", 100);
	header.write("0000000\0", 108);
	header.write("0000000\0", 116);
	header.write(`${(claims ?? body.length).toString(8).padStart(11, "0")}\0`, 124);
	header.write("00000000000\0", 136);
	header.write("        ", 148);
	header.write(type, 156);
	header.write(link, 157, 100);
	header.write("ustar\x0000", 257);
	const sum = header.reduce((total, byte) => total + byte, 0);
	header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
	return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
}
