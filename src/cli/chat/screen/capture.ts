// What anything in this process writes to stderr while the screen is ours, as lines of the conversation: written past the screen it would tear it.

/** Gives what puts stderr back. */
export function captureStderr(show: (line: string) => void): () => void {
	const { stderr } = process;
	const own = stderr.write.bind(stderr);
	let rest = "";
	stderr.write = ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown): boolean => {
		const lines = (rest + (typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"))).split("\n");
		rest = lines.pop()!;
		for (const line of lines) if (line.trim() !== "") show(line);
		const callback = typeof encoding === "function" ? encoding : done;
		if (typeof callback === "function") queueMicrotask(() => (callback as () => void)());
		return true;
	}) as typeof stderr.write;
	return () => {
		stderr.write = own;
		if (rest.trim() !== "") stderr.write(`${rest}\n`);
		rest = "";
	};
}
