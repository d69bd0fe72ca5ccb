// What a plugin requires is loaded before it, and otherwise by name.

interface Ordered {
	readonly id: string;
	readonly manifest: { readonly name: string; readonly requiresPlugins: readonly string[] };
}

/** The given order is that of names. Where some require each other in a circle, the first of them by name comes first. */
export function inLoadOrder<Plugin extends Ordered>(plugins: readonly Plugin[]): readonly Plugin[] {
	const left = [...plugins];
	const ordered: Plugin[] = [];
	const isLeft = (wanted: string, by: Plugin) => left.some((one) => one !== by && (one.id === wanted || one.manifest.name === wanted));
	while (left.length > 0) {
		const ready = left.findIndex((one) => !one.manifest.requiresPlugins.some((wanted) => isLeft(wanted, one)));
		ordered.push(...left.splice(Math.max(ready, 0), 1));
	}
	return ordered;
}
