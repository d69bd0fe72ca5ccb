// The table on a terminal. Columns have fixed widths, so that each row can be printed when it is there.
import type { Row, Unit } from "./row.ts";

const widths = { what: 68, measured: 29, floor: 36, ratio: 9, budget: 10 } as const;

export const tableHead = [
	"what".padEnd(widths.what),
	"measured (min–max)".padEnd(widths.measured),
	"floor".padEnd(widths.floor),
	"× floor".padEnd(widths.ratio),
	"budget".padEnd(widths.budget),
	"met",
].join(" ");

/** One line, and below it what does not fit into columns. */
export function tableRow({ what, unit, measured, floor, ratio, peers, budget, met, note }: Row): string {
	const { median, min, max } = measured;
	const figure = min === max ? inUnit(median, unit) : `${inUnit(median, unit)} (${inUnit(min, unit)}–${inUnit(max, unit)})`;
	const limit = budget === undefined ? "" : `≤ ${inUnit(budget.limit, budget.of === "ratio" ? "ratio" : unit)}`;
	const cells = [
		what.padEnd(widths.what),
		figure.padEnd(widths.measured),
		(floor === undefined ? "" : `${inUnit(floor.median, unit)} ${floor.name}`).padEnd(widths.floor),
		(ratio === undefined ? "" : inUnit(ratio, "ratio")).padEnd(widths.ratio),
		limit.padEnd(widths.budget),
		met === undefined ? "" : met ? "yes" : "NO",
	];
	const below = [...(peers ? [`peers: ${peers.map((peer) => `${peer.name} ${inUnit(peer.median, unit)}`).join(" · ")}`] : []), ...(note === undefined ? [] : [note])];
	return [cells.join(" ").trimEnd(), ...below.map((line) => `    ${line}`)].join("\n");
}

/** A row that could not be measured. */
export function failedRow(what: string, why: string): string {
	return `${what.padEnd(widths.what)} not measured: ${why}`;
}

/** Three digits that matter. */
export function inUnit(value: number, unit: Unit): string {
	if (unit === "ratio") return `${digits(value)}×`;
	const steps: readonly (readonly [number, string])[] = unit === "ns" ? [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]] : [[1024 ** 2, "MB"], [1024, "KB"]];
	const found = steps.find(([size]) => Math.abs(value) >= size);
	return found === undefined ? `${digits(value)} ${unit === "ns" ? "ns" : "B"}` : `${digits(value / found[0])} ${found[1]}`;
}

function digits(value: number): string {
	if (value === 0) return "0";
	const size = Math.abs(value);
	return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : size >= 0.01 ? value.toFixed(2) : "0.00";
}
