/** Says yes so many times a second, then no until the next. */
export function perSecond(limit: number): () => boolean {
	let ends = 0;
	let left = 0;
	return () => {
		const now = performance.now();
		if (now > ends) {
			ends = now + 1_000;
			left = limit;
		}
		return left-- > 0;
	};
}
