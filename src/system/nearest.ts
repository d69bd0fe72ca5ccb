// "Did you mean": the nearest of some known words.

/**
 * The known word nearest to `word`, or undefined when none is near enough to be meant.
 * Distance counts insertions, deletions, replacements and swaps of neighbours; a third of the word may differ.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
	let best: string | undefined;
	let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
	const lower = word.toLowerCase();
	for (const candidate of known) {
		if (candidate.startsWith(lower) && lower.length >= 3) return candidate;
		const d = distance(lower, candidate.toLowerCase(), bestDistance);
		if (d < bestDistance) [best, bestDistance] = [candidate, d];
	}
	return best;
}

/** ` Did you mean 'x'?` or the empty string, ready to be appended to a message. */
export function didYouMean(word: string, known: readonly string[]): string {
	const found = nearest(word, known);
	return found === undefined ? "" : ` Did you mean '${found}'?`;
}

function distance(a: string, b: string, limit: number): number {
	if (Math.abs(a.length - b.length) >= limit) return limit;
	let beforePrevious: number[] = [];
	let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const same = a[i - 1] === b[j - 1];
			let d = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, beforePrevious[j - 2]! + 1);
			row.push(d);
		}
		[beforePrevious, previous] = [previous, row];
	}
	return previous[b.length]!;
}
