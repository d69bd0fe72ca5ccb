// Several things at once, but not all of them.

/** Starts `limit` at once and the next whenever one is done; the promises come in the order of the items. */
export function inParallel<Item, Result>(items: readonly Item[], limit: number, run: (item: Item) => Promise<Result>): readonly Promise<Result>[] {
	const waiting: (() => void)[] = [];
	let free = limit;
	return items.map(async (item) => {
		if (free > 0) free--;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await run(item);
		} finally {
			const next = waiting.shift();
			if (next) next();
			else free++;
		}
	});
}
