// Measuring: contestants take turns in short rounds, so that whatever slows the machine down slows all of them, and ratios hold.

/** Does its operation `times` times; gives a promise when it waits. */
export type Work = (times: number) => unknown;

export interface Contestant {
	readonly name: string;
	readonly work: Work;
}

/** In ns, bytes or as a ratio; what it is stands with the row. */
export interface Figure {
	readonly median: number;
	readonly min: number;
	readonly max: number;
}

/** One contestant's result: ns per operation, over all rounds and of each. */
export interface Timing extends Figure {
	readonly name: string;
	readonly rounds: readonly number[];
}

/** Milliseconds that only grow. */
export type Clock = () => number;

/**
 * CPU time of the process, the collector's threads included: what work costs, whatever else runs on the machine. Not that of the thread
 * (process.threadCpuUsage), which Linux brings up to date only at each tick of its scheduler, 4 ms apart.
 */
export const processCpu: Clock = () => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
};

export interface RaceOptions {
	readonly clock?: Clock;
	readonly rounds?: number;
	/** How long one contestant works in one round, in ms. */
	readonly sampleMs?: number;
	/** How long each works before it counts, in ms. */
	readonly warmUpMs?: number;
}

/** Lets contestants work in turns, each round in the opposite order of the one before. Results come in the order given. */
export async function race(contestants: readonly Contestant[], { clock = processCpu, rounds = 15, sampleMs = 6, warmUpMs = 150 }: RaceOptions = {}): Promise<readonly Timing[]> {
	const lanes: { readonly contestant: Contestant; times: number; readonly rounds: number[] }[] = [];
	for (const contestant of contestants) lanes.push({ contestant, times: await warmUp(contestant.work, clock, sampleMs, warmUpMs), rounds: [] });
	for (let round = 0; round < rounds; round++) {
		for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) {
			const began = clock();
			const pending = lane.contestant.work(lane.times);
			if (pending instanceof Promise) await pending;
			lane.rounds.push(((clock() - began) * 1e6) / lane.times);
		}
	}
	return lanes.map(({ contestant, rounds: figures }) => ({ name: contestant.name, rounds: figures, ...figureOf(figures) }));
}

/** Runs the work until it is compiled; gives how many times fill one sample. */
async function warmUp(work: Work, clock: Clock, sampleMs: number, warmUpMs: number): Promise<number> {
	let times = 1;
	let spent = 0;
	for (;;) {
		const began = clock();
		await work(times);
		const took = clock() - began;
		spent += took;
		if (took < sampleMs / 2) times *= 2;
		else if (spent >= warmUpMs) return Math.max(1, Math.round((times * sampleMs) / took));
	}
}

export function figureOf(values: readonly number[]): Figure {
	const sorted = values.toSorted((a, b) => a - b);
	return { median: quantile(sorted, 0.5), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/** `sorted` ascending; `part` from 0 to 1. */
export function quantile(sorted: readonly number[], part: number): number {
	const at = (sorted.length - 1) * part;
	const below = sorted[Math.floor(at)] ?? Number.NaN;
	const above = sorted[Math.ceil(at)] ?? Number.NaN;
	return below + (above - below) * (at - Math.floor(at));
}

/** The median of the rounds' ratios: two figures of the same round had the same machine. */
export function ratioOf(one: { readonly rounds: readonly number[] }, other: { readonly rounds: readonly number[] }): number {
	return figureOf(one.rounds.map((value, i) => value / (other.rounds[i] ?? Number.NaN))).median;
}

/**
 * Bytes the heap grows with each operation. Needs --expose-gc, and few enough times that nothing is collected meanwhile.
 * What the measuring itself allocates is taken off.
 */
export function heapGrowth(work: Work, times: number): Figure {
	const grown = (run: () => void): number => {
		globalThis.gc?.();
		const before = process.memoryUsage().heapUsed;
		run();
		return process.memoryUsage().heapUsed - before;
	};
	const samples = Array.from({ length: 9 }, () => (grown(() => work(times)) - grown(() => work(0))) / times);
	return figureOf(samples.map((bytes) => Math.max(0, bytes)));
}

const kept: { value: unknown } = { value: undefined };
/** Keeps a result from being optimised away. */
export function keep(value: unknown): void {
	kept.value = value;
}
