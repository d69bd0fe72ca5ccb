// One row of the table, and how a race becomes one.
import { type Figure, ratioOf, type Timing } from "./measure.ts";

/** `ns` of time, `bytes` of memory, or a plain `ratio`. */
export type Unit = "ns" | "bytes" | "ratio";

export interface Compared {
	readonly name: string;
	/** In the row's unit. */
	readonly median: number;
}

export interface Budget {
	readonly limit: number;
	/** What is limited: the figure itself, or its ratio to the floor. */
	readonly of: "measured" | "ratio";
}

export interface Row {
	readonly what: string;
	readonly unit: Unit;
	readonly measured: Figure;
	/** The least that this work can cost. */
	readonly floor?: Compared;
	/** Measured against the floor, from the same rounds. */
	readonly ratio?: number;
	readonly peers?: readonly Compared[];
	readonly budget?: Budget;
	readonly met?: boolean;
	readonly note?: string;
}

/** Rows that are measured together, in a process of their own. */
export interface Measurement {
	/** What `--only` is matched with. */
	readonly about: string;
	measure(options: { readonly large: boolean }): Promise<readonly Row[]>;
}

/** A row with its ratio and its verdict. Peers are in the same unit. */
export function row(given: Omit<Row, "met" | "measured"> & { readonly measured: Figure }): Row {
	const { measured: { median, min, max }, budget } = given;
	const measured = { median, min, max };
	if (budget === undefined) return { ...given, measured };
	const value = budget.of === "ratio" ? given.ratio : measured.median;
	return { ...given, measured, ...(value !== undefined && { met: value <= budget.limit }) };
}

/** The row of a race: ours first, then the floor, then the peers. */
export function raceRow([ours, floor, ...peers]: readonly Timing[], more: Pick<Row, "what"> & Partial<Pick<Row, "budget" | "note">>): Row {
	if (ours === undefined || floor === undefined) throw new Error(`${more.what}: a race needs a contestant and a floor.`);
	return row({ ...more, unit: "ns", measured: ours, floor: compared(floor), ratio: ratioOf(ours, floor), ...(peers.length > 0 && { peers: peers.map(compared) }) });
}

export const compared = ({ name, median }: { readonly name: string; readonly median: number }): Compared => ({ name, median });

export const atMost = (limit: number): Budget => ({ limit, of: "measured" });
export const timesTheFloor = (limit: number): Budget => ({ limit, of: "ratio" });

export const ns = 1;
export const us = 1000;
export const ms = 1_000_000;
export const mb = 1024 * 1024;
