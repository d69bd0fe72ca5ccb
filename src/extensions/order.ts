// In which order extensions are loaded: what one needs comes before it.

export interface Ordered {
	readonly name: string;
	/** Undefined where nothing says it. */
	readonly version: string | undefined;
	/** Semver ranges by name. */
	readonly dependencies: Readonly<Record<string, string>>;
	readonly conflicts: readonly string[];
	/** Why it is not loaded anyhow; undefined when it is. */
	readonly out: string | undefined;
	/** All of a lower round are loaded before those of a higher one. */
	readonly round: number;
}

export interface Order {
	/** All names; alphabetically, but for those that need others. */
	readonly names: readonly string[];
	/** Why one cannot be loaded, by its name. */
	readonly problems: ReadonlyMap<string, string>;
}

/** `satisfies`: whether a version lies in a range. */
export function inOrder(all: readonly Ordered[], satisfies: (version: string, range: string) => boolean): Order {
	const known = new Map(all.map((one) => [one.name, one]));
	const problems = new Map<string, string>();
	const names: string[] = [];
	const done = new Set<string>();

	/** Puts it behind what it needs. `trail`: who needs it. */
	const visit = (one: Ordered, trail: readonly string[]): void => {
		const begin = trail.indexOf(one.name);
		if (begin >= 0) {
			const circle = [...trail.slice(begin), one.name];
			for (const name of circle) problems.set(name, `it is one of a circle in which each needs the next, so none can be loaded first: ${circle.join(" → ")}.`);
			return;
		}
		if (done.has(one.name)) return;
		for (const name of Object.keys(one.dependencies).toSorted()) if (known.has(name)) visit(known.get(name)!, [...trail, one.name]);
		if (done.has(one.name)) return;
		done.add(one.name);
		names.push(one.name);
		const why = whyNot(one);
		if (why !== undefined && !problems.has(one.name)) problems.set(one.name, why);
	};

	const whyNot = ({ dependencies, conflicts, round }: Ordered): string | undefined => {
		for (const [name, range] of Object.entries(dependencies)) {
			const needed = known.get(name);
			const what = `it needs the extension '${name}' ${range}`;
			if (needed === undefined) return `${what}, and there is none. Install that.`;
			if (needed.out !== undefined) return `${what}, and that is not loaded: ${needed.out}`;
			if (needed.version === undefined) return `${what}, and '${name}' has no EXTENSION.yaml that says its version.`;
			if (!satisfies(needed.version, range)) return `${what}, and what is there is ${needed.version}.`;
			if (needed.round > round) return `${what}, which is written in Python, and those are loaded after it.`;
			if (problems.has(name)) return `${what}, and that cannot be loaded.`;
		}
		const beside = conflicts.find((name) => known.has(name) && known.get(name)!.out === undefined);
		return beside === undefined ? undefined : `it cannot be loaded beside '${beside}', its EXTENSION.yaml says. Disable one of them.`;
	};

	for (const one of all.toSorted((a, b) => (a.name < b.name ? -1 : 1))) visit(one, []);
	return { names, problems };
}
