// Puts an extension to the person before it is installed or updated: what it is, what it asks for, and what of that anybody holds it to.
import { borderOf, sandboxHere } from "../../extensions/border.ts";
import { mainIn } from "../../extensions/examine.ts";
import type { Candidate } from "../../extensions/install/install.ts";
import { sourceInWords } from "../../extensions/install/source.ts";
import type { Locked } from "../../extensions/lock.ts";
import { allows, areaNames, areas, type Border, inWords, listOf, more, type Permission, type Permissions, setOf } from "../../extensions/permissions.ts";
import { nearest } from "../../system/nearest.ts";
import { visible } from "../../system/visible.ts";
import { UsageError } from "../exit.ts";
import { note } from "../output.ts";
import { personHere } from "../trust/ask.ts";

export interface GrantOptions {
	readonly yes?: boolean;
	readonly grant?: string;
}

/** What the options grant of a list; undefined when a person has to be asked. @throws UsageError */
export function grantBy({ yes, grant }: GrantOptions): ((wanted: readonly Permission[]) => readonly Permission[]) | undefined {
	if (grant === undefined) return yes ? (wanted) => wanted : undefined;
	if (yes) throw new UsageError("--yes grants all, and --grant says what. Give one of them.");
	if (grant === "all") return (wanted) => wanted;
	const chosen = grant === "none" ? [] : grant.split(",").map((area) => area.trim());
	const areaWords = [...new Set(areaNames.flatMap((area) => [area.split(".")[0]!, area]))];
	for (const area of chosen) {
		if (areaWords.includes(area)) continue;
		const near = nearest(area, areaWords);
		throw new UsageError(`--grant: there is no '${area}'.${near === undefined ? "" : ` Did you mean '${near}'?`} It takes all, none, or some of ${[...new Set(areaNames.map((name) => name.split(".")[0]))].join(", ")}.`);
	}
	return (wanted) => wanted.filter(({ area }) => chosen.includes(area) || chosen.includes(area.split(".")[0]!));
}

/** What is granted in the end; undefined when the person says no. @throws UsageError where nobody is there to be asked. */
export async function askToInstall({ manifest, files, content, source }: Candidate, options: GrantOptions, signal: AbortSignal): Promise<Permissions | undefined> {
	const wanted = listOf(manifest.permissions);
	const by = grantBy(options);
	note(`${heading(manifest)}\n    from ${sourceInWords(source)}\n    ${files.length} ${files.length === 1 ? "file" : "files"}, ${size(files)}, SHA-256 ${content.hash}${needed(manifest)}`);
	const { border, inWords: rights } = borderOf(languageOf(manifest, files), { inline: false }, await sandboxHere(process.env));
	note(`${permissionLines(wanted, border)}\n${rights} Install only what you would run.`);
	if (by !== undefined) return setOf(by(wanted));
	return (await saysYes("Install exactly this, and grant it that? [y = yes / Enter = no] ", signal)) ? manifest.permissions : undefined;
}

/** The same for a version that takes the place of another: permissions first, and no question when it wants no more than before. */
export async function askToUpdate({ manifest, content, source }: Candidate, before: Locked, askedBefore: Permissions, options: GrantOptions, signal: AbortSignal): Promise<Permissions | undefined> {
	const wanted = more(askedBefore, manifest.permissions);
	const gone = listOf(before.granted).filter(({ area, value }) => !allows(manifest.permissions, area, value));
	const kept = listOf(manifest.permissions).filter(({ area, value }) => allows(before.granted, area, value));
	const by = grantBy(options);
	if (wanted.length > 0) note(`'${manifest.name}' ${manifest.version} wants more than ${before.version}:\n${indented(inWords(wanted))}`);
	if (gone.length > 0) note(`'${manifest.name}' no longer asks to:\n${indented(inWords(gone))}`);
	note(`${manifest.name} ${before.version} → ${manifest.version}, from ${sourceInWords(source)}\n${indented(changedFiles(before.files ?? {}, content.files))}`);
	if (wanted.length === 0) return setOf(kept);
	if (by !== undefined) return setOf([...kept, ...by(wanted)]);
	return (await saysYes("Update, and grant it that as well? [y = yes / Enter = no, keep the version that is there] ", signal)) ? setOf([...kept, ...wanted]) : undefined;
}

function languageOf(manifest: Candidate["manifest"], files: Candidate["files"]): "script" | "python" {
	const main = mainIn(manifest, (path) => files.some((file) => file.path === path));
	return typeof main === "string" && main.endsWith(".py") ? "python" : "script";
}

const heading = ({ name, version, description, author, license }: Candidate["manifest"]) => `${name} ${version}${description === undefined ? "" : `: ${description}`}${author === undefined ? "" : `\n    by ${author}`}${license === undefined ? "" : `\n    licence ${license}`}`;

const needed = ({ dependencies }: Candidate["manifest"]) => Object.entries(dependencies).map(([name, range]) => `\n    needs ${name} ${range}`).join("");

function permissionLines(wanted: readonly Permission[], border: Border): string {
	if (wanted.length === 0) return "It asks for no permission.";
	const lines = areaNames.flatMap((area) => {
		const some = wanted.filter((one) => one.area === area);
		return some.length === 0 ? [] : [`${inWords(some)[0]}  (${areas[area].held[border].as})`];
	});
	return `It asks to:\n${indented(lines)}`;
}

const indented = (lines: readonly string[]) => lines.map((line) => `    ${visible(line)}`).join("\n");

function changedFiles(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): readonly string[] {
	const changed = [
		...Object.keys(now).filter((path) => before[path] === undefined).map((path) => `new: ${path}`),
		...Object.keys(now).filter((path) => before[path] !== undefined && before[path] !== now[path]).map((path) => `changed: ${path}`),
		...Object.keys(before).filter((path) => now[path] === undefined).map((path) => `gone: ${path}`),
	];
	if (changed.length === 0) return ["no file differs"];
	return changed.length <= 20 ? changed : [...changed.slice(0, 20), `and ${changed.length - 20} more`];
}

function size(files: Candidate["files"]): string {
	const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
	return bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} KB`;
}

/** @throws UsageError without a terminal; the signal's reason. */
async function saysYes(question: string, signal: AbortSignal): Promise<boolean> {
	const readLine = personHere();
	if (readLine === undefined) throw new UsageError("There is no terminal to ask on, so nothing was changed. --yes grants all it asks for, --grant only what you name.");
	for (;;) {
		const answer = (await readLine(question, signal).catch(() => "")).trim().toLowerCase();
		signal.throwIfAborted();
		if (answer === "y" || answer === "yes") return true;
		if (["", "n", "no"].includes(answer)) return false;
		note("Please answer y, or nothing.");
	}
}
