// Output of a program, of which only so much is kept as somebody will read.

/** Keeps the first `headBytes` and the last `tailBytes` of a stream and counts what it dropped between them. */
export class BoundedOutput {
	readonly #headBytes: number;
	readonly #tailBytes: number;
	#head: Buffer[] = [];
	#headSize = 0;
	#tail: Buffer[] = [];
	#tailSize = 0;
	#total = 0;

	constructor(headBytes: number, tailBytes: number) {
		this.#headBytes = headBytes;
		this.#tailBytes = tailBytes;
	}

	/** Bytes pushed since the beginning, or since the last `take`. */
	get totalBytes(): number {
		return this.#total;
	}

	push(chunk: Buffer): void {
		this.#total += chunk.length;
		const room = this.#headBytes - this.#headSize;
		if (room > 0) {
			this.#head.push(chunk.subarray(0, room));
			this.#headSize += Math.min(room, chunk.length);
		}
		if (chunk.length <= room) return;
		this.#tail.push(chunk.subarray(Math.max(0, room)));
		this.#tailSize += chunk.length - Math.max(0, room);
		// Cut only now and then: cutting at every piece would copy the whole tail each time.
		if (this.#tailSize > 2 * this.#tailBytes) this.#cutTail();
	}

	/** What was kept, with a line where bytes were dropped. Bytes that are no UTF-8 become U+FFFD. */
	text(): string {
		const { before, dropped, after } = this.#parts();
		return dropped === 0 ? Buffer.concat([before, after]).toString() : before.toString() + droppedLine(dropped) + after.toString();
	}

	/** Like `text`, and forgets it. The first bytes of a character whose rest has not come yet are kept for the next time. */
	take(): string {
		const { before, dropped, after } = this.#parts();
		const kept = dropped === 0 ? Buffer.concat([before, after]) : after;
		// When nothing else came since the last time, no rest will come either.
		const whole = wholeCharacters(kept) || kept.length;
		const text = (dropped === 0 ? "" : before.toString() + droppedLine(dropped)) + kept.toString("utf8", 0, whole);
		this.#head = [];
		this.#tail = [];
		this.#headSize = this.#tailSize = this.#total = 0;
		if (whole < kept.length) this.push(kept.subarray(whole));
		return text;
	}

	#parts(): { readonly before: Buffer; readonly dropped: number; readonly after: Buffer } {
		this.#cutTail();
		let before = Buffer.concat(this.#head);
		let after = Buffer.concat(this.#tail);
		if (this.#total > before.length + after.length) {
			before = before.subarray(0, wholeCharacters(before));
			let start = 0;
			while (start < Math.min(3, after.length) && (after[start]! & 0xc0) === 0x80) start++;
			after = after.subarray(start);
		}
		return { before, dropped: this.#total - before.length - after.length, after };
	}

	#cutTail(): void {
		if (this.#tailSize <= this.#tailBytes) return;
		const all = Buffer.concat(this.#tail);
		this.#tail = [all.subarray(all.length - this.#tailBytes)];
		this.#tailSize = this.#tailBytes;
	}
}

const droppedLine = (bytes: number) => `\n[... ${bytes.toLocaleString("en-US")} bytes of output dropped here ...]\n`;

/** The length without a character at the end that is not complete. */
function wholeCharacters(bytes: Buffer): number {
	for (let back = 1; back <= Math.min(3, bytes.length); back++) {
		const byte = bytes[bytes.length - back]!;
		if (byte < 0x80) break;
		if (byte < 0xc0) continue;
		const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
		return needed > back ? bytes.length - back : bytes.length;
	}
	return bytes.length;
}
