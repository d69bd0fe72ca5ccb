// Prometheus' text format, version 0.0.4.

export interface Metric {
	readonly name: string;
	readonly kind: "counter" | "gauge" | "histogram";
	readonly help: string;
	readonly samples: readonly Sample[];
}

export interface Sample {
	/** Behind the metric's name: `_bucket`, `_sum`, `_count` of a histogram. */
	readonly suffix?: string;
	readonly labels?: Labels;
	readonly value: number;
}

export type Labels = Readonly<Record<string, string>>;

export function metricText(metrics: readonly Metric[]): string {
	return metrics.map(({ name, kind, help, samples }) => [`# HELP ${name} ${escaped(help, /[\\\n]/g)}`, `# TYPE ${name} ${kind}`, ...samples.map((sample) => lineOf(name, sample))].join("\n")).join("\n") + "\n";
}

function lineOf(name: string, { suffix = "", labels = {}, value }: Sample): string {
	const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text, /[\\\n"]/g)}"`);
	return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

const escaped = (text: string, special: RegExp) => text.replace(special, (found) => (found === "\n" ? "\\n" : `\\${found}`));

/** Counts by labels. What comes after `most` different ones is counted together, as `other` in each label: who talks to us must not fill the memory. */
export class Counts {
	readonly #labels: readonly string[];
	readonly #most: number;
	readonly #counts = new Map<string, { readonly labels: Labels; value: number }>();

	constructor(labels: readonly string[], most = 1_000) {
		this.#labels = labels;
		this.#most = most;
	}

	add(...values: readonly string[]): void {
		let key = values.join("\0");
		let found = this.#counts.get(key);
		if (found === undefined && this.#counts.size >= this.#most) found = this.#counts.get((key = "other"));
		if (found === undefined) {
			const isOther = this.#counts.size >= this.#most;
			found = { labels: Object.fromEntries(this.#labels.map((label, i) => [label, isOther ? "other" : values[i]!])), value: 0 };
			this.#counts.set(isOther ? "other" : key, found);
		}
		found.value++;
	}

	samples(): readonly Sample[] {
		return [...this.#counts.values()];
	}
}

/** How often something took how long, in seconds. */
export class Durations {
	readonly #bounds: readonly number[];
	readonly #buckets: number[];
	#sum = 0;
	#count = 0;

	/** `bounds` ascend. */
	constructor(bounds: readonly number[]) {
		this.#bounds = bounds;
		this.#buckets = bounds.map(() => 0);
	}

	add(seconds: number): void {
		this.#sum += seconds;
		this.#count++;
		const i = this.#bounds.findIndex((bound) => seconds <= bound);
		if (i >= 0) this.#buckets[i]!++;
	}

	samples(): readonly Sample[] {
		let below = 0;
		const buckets = this.#bounds.map((bound, i) => ({ suffix: "_bucket", labels: { le: String(bound) }, value: (below += this.#buckets[i]!) }));
		return [...buckets, { suffix: "_bucket", labels: { le: "+Inf" }, value: this.#count }, { suffix: "_sum", value: this.#sum }, { suffix: "_count", value: this.#count }];
	}
}
