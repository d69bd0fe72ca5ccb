// What extensions keep in sight, as lines: their texts below the status line, their widgets around the editor. Each names whose it is.
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { visibleLine } from "../../../system/visible.ts";
import type { Shelf, ShelfWidget } from "../ui/shelf.ts";
import type { Theme } from "./theme.ts";

const between = " · ";
/** A text gets at least that many cells, or is not shown. */
const leastCells = 8;

/** One line, shared fairly: what short texts leave is for the longer ones. Nothing when there are none. */
export function statusesLine({ statuses }: Shelf, width: number, theme: Theme): readonly string[] {
	if (statuses.length === 0) return [];
	const most = Math.max(1, Math.floor(width / (leastCells + between.length)));
	const hidden = statuses.length - most;
	// The last place is for how many there are besides.
	const shown = hidden > 0 ? statuses.slice(0, most - 1) : statuses;
	const texts = shown.map(({ extension, text }, i) => visibleLine(shown[i - 1]?.extension === extension ? text : `${extension}: ${text}`));
	const more = hidden > 0 ? [`+${statuses.length - shown.length}`] : [];
	let room = width - between.length * (texts.length + more.length - 1) - (more[0]?.length ?? 0);
	const cut: string[] = [];
	for (const [i, at] of texts.keys().toArray().toSorted((a, b) => visibleWidth(texts[a]!) - visibleWidth(texts[b]!)).entries()) {
		cut[at] = truncateToWidth(texts[at]!, Math.floor(room / (texts.length - i)), "…");
		room -= visibleWidth(cut[at]);
	}
	return [theme.faint([...cut, ...more].join(between))];
}

/** Lines of all widgets together, and of a screen only a part: the conversation is what it is for. */
const mostLines = 20;
const share = 3;

export function widgetLines({ widgets }: Shelf, width: number, rows: number, theme: Theme): Readonly<Record<ShelfWidget["place"], readonly string[]>> {
	const lines = { above: [] as string[], below: [] as string[] };
	let room = Math.min(mostLines, Math.floor(rows / share));
	for (const place of ["above", "below"] as const) {
		let last: string | undefined;
		for (const { extension, lines: given, cut } of widgets.filter((widget) => widget.place === place)) {
			const shown = given.slice(0, room);
			room -= shown.length;
			if (extension !== last) lines[place].push(theme.faint(`┌ ${extension}`));
			last = extension;
			const bar = theme.faint("│");
			for (const line of shown) lines[place].push(`${bar} ${truncateToWidth(visibleLine(line), width - 2, "…")}`);
			const hidden = given.length + cut - shown.length;
			if (hidden > 0) lines[place].push(theme.faint(`└ ${hidden} more line${hidden === 1 ? "" : "s"}`));
		}
	}
	return lines;
}
