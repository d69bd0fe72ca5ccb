// The clock that durations are measured with.

/** Milliseconds on a clock that only goes forward. Not performance.now(): reading it takes half as long again, and handlers are timed with it. */
export function monotonicMs(): number {
	const [seconds, nanoseconds] = process.hrtime();
	return seconds * 1000 + nanoseconds / 1e6;
}
