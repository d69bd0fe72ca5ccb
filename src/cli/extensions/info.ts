// `hookline extensions info`: one extension, and what it may do: what is enforced, and what is only declared.
import { type BorderHere, borderOf, sandboxHere } from "../../extensions/border.ts";
import { type AreaName, areaNames, areas, type Held, holesOf, listOf, noPermissions } from "../../extensions/permissions.ts";
import type { Examined } from "../../extensions/examine.ts";
import { visible } from "../../system/visible.ts";
import { exitCodes } from "../exit.ts";
import { print, printJson, printTable } from "../output.ts";
import { known, named, stateOf } from "./known.ts";
import { fromOf, rowOf } from "./list.ts";

interface PermissionRow {
	readonly area: AreaName;
	readonly asks: readonly string[];
	readonly granted: readonly string[] | "everything";
	readonly held: Held["as"];
	readonly how: string;
}

export async function info(name: string, { json }: { readonly json?: boolean }): Promise<number> {
	const all = await known();
	const one = named(name, all);
	const neededBy = all.extensions.filter(({ needs }) => needs.includes(name)).map((other) => other.name);
	const border = one.granted === "everything" ? undefined : borderOf(one.language, one.granted, await sandboxHere(process.env));
	const permissions = rowsOf(one, border);
	if (json) {
		const { manifest, config } = one;
		printJson({ ...rowOf(one), author: manifest?.author, license: manifest?.license, hookline: manifest?.hookline, config, neededBy, permissions, ...(border && { border: border.border, holes: holesOf(border.border) }) });
		return exitCodes.fine;
	}
	print(visible(linesOf(one, neededBy).join("\n")));
	if (border === undefined) print("You put it there yourself, so it may do everything you may.");
	else {
		const rows = permissions.filter(({ asks, granted }) => asks.length > 0 || granted.length > 0);
		const row = ({ area, asks, granted, held, how }: PermissionRow) => [area, asks.join(", ") || "-", granted === "everything" ? granted : granted.join(", ") || "-", held, how];
		print("What it may do:");
		printTable(["PERMISSION", "ASKS FOR", "GRANTED", "HELD", "HOW"], rows.map(row), "It asks for nothing and was granted nothing.");
		print(border.inWords);
		for (const hole of holesOf(border.border)) print(`    ${hole}`);
	}
	return exitCodes.fine;
}

function rowsOf({ manifest, granted }: Examined, { border }: Pick<BorderHere, "border"> = { border: "none" }): readonly PermissionRow[] {
	return areaNames.map((area) => {
		const { of, held } = areas[area];
		const { as, how } = held[border];
		return { area, asks: of(manifest?.permissions ?? noPermissions), granted: granted === "everything" ? granted : of(granted), held: as, how };
	});
}

function linesOf(one: Examined, neededBy: readonly string[]): string[] {
	const { name, file, manifest, locked, config, problems, notes } = one;
	const version = manifest?.version ?? locked?.version;
	return [
		`${name}${version === undefined ? "" : ` ${version}`}${manifest?.description === undefined ? "" : `: ${manifest.description}`}`,
		`    state: ${stateOf(one)}`,
		`    file: ${file}`,
		`    from: ${fromOf(one)}${locked === undefined ? "" : `, ${locked.at}`}`,
		...(locked?.content === undefined ? [] : [`    content: SHA-256 ${locked.content}`]),
		...(manifest?.author === undefined ? [] : [`    author: ${manifest.author}`]),
		...(manifest?.license === undefined ? [] : [`    licence: ${manifest.license}`]),
		...(manifest?.hookline === undefined ? [] : [`    for Hookline: ${manifest.hookline}`]),
		...Object.entries(manifest?.dependencies ?? {}).map(([other, range]) => `    needs: ${other} ${range}`),
		...(neededBy.length === 0 ? [] : [`    needed by: ${neededBy.join(", ")}`]),
		...(config === undefined ? [] : [`    settings: ${JSON.stringify(config)}`]),
		...problems.map((problem) => `    problem: ${problem}`),
		...notes.map((text) => `    note: ${text}`),
		...(manifest !== undefined && listOf(manifest.permissions).length === 0 ? ["    It asks for no permission."] : []),
	];
}
