// The search of our own, for machines without ripgrep and for patterns it does not know.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isIgnored, surroundingRules, withRulesOf, type IgnoreRules } from "./ignore-rules.ts";
import { withinTime } from "./pattern.ts";
import { batchMs, findingOf, largestFile, Findings, type Search, type SearchResult } from "./search.ts";

const filesInBatch = 32;
const bytesInBatch = 4 * 1024 * 1024;

export async function searchByWalk(search: Search, expression: RegExp): Promise<SearchResult> {
	const match = search.mode === "files" ? matchNames : matchContents;
	const findings = new Findings(search.limit);
	for await (const batch of batches(search)) {
		if (!(await match(batch, search, expression, findings))) return { ending: "too-slow", findings };
		if (search.signal.aborted) break;
	}
	return { ending: search.signal.aborted ? "stopped" : "complete", findings };
}

async function* batches(search: Search): AsyncGenerator<readonly string[]> {
	if (search.file !== undefined) return yield [search.file];
	const { rules } = await surroundingRules(search.folder);
	let batch: string[] = [];
	for await (const path of filesBelow(search.folder, "", rules, search.signal)) {
		batch.push(path);
		if (batch.length < filesInBatch) continue;
		yield batch;
		batch = [];
	}
	yield batch;
}

/** Relative paths in the order of their parts. Symbolic links are not followed: they lead out of the folder or in circles. */
async function* filesBelow(root: string, path: string, above: IgnoreRules | undefined, signal: AbortSignal): AsyncGenerator<string> {
	if (signal.aborted) return;
	const folder = join(root, path);
	// What cannot be read, or has just been removed, is passed over.
	const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
	const rules = await withRulesOf(folder, above);
	entries.sort((a, b) => (a.name < b.name ? -1 : 1));
	for (const entry of entries) {
		const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : undefined;
		if (kind === undefined || entry.name === ".git" || isIgnored(rules, join(folder, entry.name), kind)) continue;
		const below = path === "" ? entry.name : `${path}/${entry.name}`;
		if (kind === "file") yield below;
		else yield* filesBelow(root, below, rules, signal);
	}
}

async function matchNames(batch: readonly string[], search: Search, expression: RegExp, findings: Findings): Promise<boolean> {
	const found: string[] = [];
	const inTime = withinTime(batchMs, () => {
		for (const path of batch) if (search.wanted(path) && expression.test(path)) found.push(path);
	});
	if (inTime) for (const path of found) findings.add(path);
	return inTime;
}

async function matchContents(batch: readonly string[], search: Search, expression: RegExp, findings: Findings): Promise<boolean> {
	let wanted: readonly string[] = [];
	if (!withinTime(batchMs, () => (wanted = batch.filter(search.wanted)))) return false;
	const files = await Promise.all(wanted.map(async (path) => ({ path, text: await textOf(join(search.folder, path)) })));
	for (let next = 0; next < files.length && !search.signal.aborted; ) {
		const found: string[] = [];
		const inTime = withinTime(batchMs, () => {
			for (let size = 0; next < files.length && size < bytesInBatch; next++) {
				const { path, text } = files[next]!;
				size += text.length;
				if (text !== "") matchLines(path, text, expression, found);
			}
		});
		if (!inTime) return false;
		for (const line of found) findings.add(line);
		await new Promise((resolve) => setImmediate(resolve));
	}
	return true;
}

function matchLines(path: string, text: string, expression: RegExp, found: string[]): void {
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	for (const [i, line] of lines.entries()) {
		const match = expression.exec(line.endsWith("\r") ? line.slice(0, -1) : line);
		if (match) found.push(findingOf(path, i + 1, line, match.index));
	}
}

/** Empty for a file that is too large, binary or unreadable. */
async function textOf(path: string): Promise<string> {
	const { size } = await stat(path).catch(() => ({ size: Number.POSITIVE_INFINITY }));
	if (size > largestFile) return "";
	const bytes = await readFile(path).catch(() => Buffer.alloc(0));
	return bytes.includes(0) ? "" : bytes.toString();
}
