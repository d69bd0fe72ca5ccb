// Waiting for somebody else's work without being held by it.

/** What `work` gives, or the signal's reason as a rejection as soon as it is aborted, whatever `work` does then. */
export async function orAborted<Value>(work: Promise<Value> | Value, signal: AbortSignal): Promise<Value> {
	if (!(work instanceof Promise)) return work;
	let leave = (): void => {};
	const aborted = new Promise<never>((_, reject) => {
		leave = () => reject(signal.reason);
		if (signal.aborted) leave();
		else signal.addEventListener("abort", leave, { once: true });
	});
	try {
		return await Promise.race([work, aborted]);
	} finally {
		signal.removeEventListener("abort", leave);
	}
}
