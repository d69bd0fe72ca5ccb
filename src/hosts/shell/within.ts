// Waiting with a limit.

/** What a promise resolves to; undefined when it takes longer than that, or rejects. */
export async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
	let timer: NodeJS.Timeout | undefined;
	const limit = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
	try {
		return await Promise.race([promise.catch(() => undefined), limit]);
	} finally {
		clearTimeout(timer);
	}
}
