// Terminal output as a model can read it.

// In this order: CSI; OSC up to its end or the end of the line, so that one that never ends does not swallow the rest; DCS and its kin when they
// end; what is left of two and three character sequences; all other control characters but tab and line feed.
// oxlint-disable-next-line no-control-regex
const sequences = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Without escape sequences and control characters. A line that was written over (a progress bar) keeps what was written last. */
export function cleanOutput(raw: string): string {
	const text = raw.replace(sequences, "");
	return text.includes("\r") ? text.split("\n").map(lastWritten).join("\n") : text;
}

function lastWritten(line: string): string {
	let end = line.length;
	// No expression like /\r+$/: on many carriage returns in the middle of a line it takes quadratic time.
	while (line[end - 1] === "\r") end--;
	return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

/** Beginning and end of a text of more than `limit` characters, with a line between them that says how much was left out. The end gets two thirds. */
export function cutMiddle(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const head = text.slice(0, Math.floor(limit / 3));
	const tail = text.slice(text.length - (limit - head.length));
	const leftOut = (text.length - limit).toLocaleString("en-US");
	// A cut through a surrogate pair would leave halves that are no Unicode.
	return `${head.toWellFormed()}\n[... ${leftOut} characters left out here; write the output to a file to read all of it ...]\n${tail.toWellFormed()}`;
}
