// `--flag name=value`: what the person chose for the flags that extensions have.

/** By name; one without a value is true. */
export function flagsFrom(given: readonly string[] = []): Readonly<Record<string, boolean | string>> {
	return Object.fromEntries(
		given.map((flag) => {
			const at = flag.indexOf("=");
			return at < 0 ? [flag, true] : [flag.slice(0, at), flag.slice(at + 1)];
		}),
	);
}
