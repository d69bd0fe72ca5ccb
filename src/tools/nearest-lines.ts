// When a patch does not fit: the place in the file that was most likely meant, so that the model can mend its text.

const mostCompared = 50_000;
const mostShown = 30;

/** A few sentences and lines for the model. `wanted` does not stand in `text`. */
export function describeNearest(text: string, wanted: string): string {
	const lines = text.split(/\r?\n/);
	const old = withoutEmptyEdges(wanted.split(/\r?\n/));
	if (old.length === 0) return "It is only empty lines; take the lines around them as well.";
	if (old.every((line) => /^ *\d+\t/.test(line)) && text.includes(old[0]!.replace(/^ *\d+\t/, ""))) {
		return "It has the line numbers that read_file shows; they are not part of the file. Leave them out.";
	}
	const spaced = findSame(lines, old, (line) => line.replace(/\s+/g, ""));
	if (spaced !== undefined) return `Only white space differs at ${range(spaced, old.length)}, where the file has:\n${excerpt(lines, spaced, old.length)}`;
	const near = findNearest(lines, old);
	if (near === undefined) return "Nothing in the file is like it. Read the file first.";
	const share = Math.round(near.likeness * 100);
	const place = `The nearest is ${range(near.start, old.length)} (${share} % alike), where the file has:`;
	return `${place}\n${excerpt(lines, near.start, old.length)}${firstDifference(lines, old, near.start)}`;
}

function withoutEmptyEdges(lines: readonly string[]): string[] {
	const filled = (line: string) => line.trim() !== "";
	const first = lines.findIndex(filled);
	return first < 0 ? [] : lines.slice(first, lines.findLastIndex(filled) + 1);
}

function findSame(lines: readonly string[], old: readonly string[], shape: (line: string) => string): number | undefined {
	const shapes = lines.map(shape);
	const wanted = old.map(shape);
	for (let start = 0; start + wanted.length <= shapes.length; start++) {
		if (wanted.every((line, i) => shapes[start + i] === line)) return start;
	}
	return undefined;
}

/** Compares the longest lines with the whole file and then whole windows only where those fit best: comparing all with all takes seconds. */
function findNearest(lines: readonly string[], old: readonly string[]): { readonly start: number; readonly likeness: number } | undefined {
	const grams = lines.slice(0, mostCompared).map(pairsOf);
	const wanted = old.map(pairsOf);
	const anchors = old.map((line, i) => ({ i, length: line.trim().length })).sort((a, b) => b.length - a.length).slice(0, 3);
	const candidates = anchors.flatMap(({ i }) => grams.map((gram, at) => ({ start: at - i, likeness: alike(gram, wanted[i]!) })));
	const best = candidates.filter(({ likeness, start }) => likeness > 0.3 && start >= 0).sort((a, b) => b.likeness - a.likeness).slice(0, 30);
	let found: { readonly start: number; readonly likeness: number } | undefined;
	for (const { start } of best) {
		let sum = 0;
		let weight = 0;
		for (const [i, line] of wanted.entries()) {
			sum += line.size * alike(grams[start + i] ?? new Set(), line);
			weight += line.size;
		}
		const likeness = weight === 0 ? 0 : sum / weight;
		if (likeness > (found?.likeness ?? 0.4)) found = { start, likeness };
	}
	return found;
}

/** The pairs of neighbouring characters, white space aside. */
function pairsOf(line: string): Set<string> {
	const text = line.slice(0, 500).replace(/\s+/g, "");
	const pairs = new Set<string>();
	if (text.length === 1) pairs.add(text);
	for (let i = 0; i + 1 < text.length; i++) pairs.add(text.slice(i, i + 2));
	return pairs;
}

/** From 0 (nothing in common) to 1. */
function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0;
	const [small, large] = a.size < b.size ? [a, b] : [b, a];
	let both = 0;
	for (const pair of small) if (large.has(pair)) both++;
	return (2 * both) / (a.size + b.size);
}

const range = (start: number, count: number) => (count === 1 ? `line ${start + 1}` : `lines ${start + 1} to ${start + count}`);

/** Lines as read_file shows them. */
function excerpt(lines: readonly string[], start: number, count: number): string {
	const shown = lines.slice(start, start + Math.min(count, mostShown)).map((line, i) => `${String(start + i + 1).padStart(5)}\t${line.slice(0, 500)}`);
	return shown.join("\n") + (count > mostShown ? "\n[...]" : "");
}

function firstDifference(lines: readonly string[], old: readonly string[], start: number): string {
	const at = old.findIndex((line, i) => line !== lines[start + i]);
	if (at < 0 || old.length === 1) return "";
	return `\nThe first difference is in line ${start + at + 1}, where 'old' has:\n${old[at]!.slice(0, 500)}`;
}
