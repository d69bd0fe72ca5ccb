// One handler hears what happens in a session one after the other, as it does in Hermes: a slow `agent:start` is over before `agent:end` comes.

/** Runs work in the order in which it was given, one at a time per key; different keys do not wait for each other. */
export function inOrder(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
	const last = new Map<string, Promise<unknown>>();
	return async (key, work) => {
		const running = (last.get(key) ?? Promise.resolve()).then(work);
		const settled = running.catch(() => {});
		last.set(key, settled);
		try {
			return await running;
		} finally {
			if (last.get(key) === settled) last.delete(key);
		}
	};
}
