// Cuts a long text into pieces a platform takes: between paragraphs, else lines, else words. A code block that is cut is closed and opened again.

/** No piece has more than `max` characters; all of them together say what the text says. `max` is at least 64. */
export function split(text: string, max: number): readonly string[] {
	const pieces: string[] = [];
	let rest = text;
	while (rest.length > max) {
		// Room for closing a block.
		const at = cutIn(rest, max - fence.length - 1);
		const piece = rest.slice(0, at);
		const open = openBlock(piece);
		pieces.push(open === undefined ? piece.trimEnd() : `${piece.trimEnd()}\n${fence}`);
		// Indentation at the beginning of a line of code is part of it.
		rest = open === undefined ? rest.slice(at).trimStart() : `${open}\n${rest.slice(at).replace(/^\n/, "")}`;
	}
	return rest === "" && pieces.length > 0 ? pieces : [...pieces, rest];
}

const fence = "```";

/** The line that began a block which the text leaves open, when it does; cut where it is no language. */
function openBlock(text: string): string | undefined {
	let open: string | undefined;
	for (const [line] of text.matchAll(/^```.*$/gm)) open = open === undefined ? line.slice(0, 24) : undefined;
	return open;
}

function cutIn(text: string, max: number): number {
	const head = text.slice(0, max);
	// Not in the first half: pieces of a few words would help nobody.
	for (const between of ["\n\n", "\n", " "]) {
		const at = head.lastIndexOf(between);
		if (at > max / 2) return at;
	}
	// Not between the halves of one character.
	return /[\ud800-\udbff]$/.test(head) ? max - 1 : max;
}
