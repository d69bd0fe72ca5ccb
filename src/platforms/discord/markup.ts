// Markdown as models write it, for Discord, which shows most of it as it is: tables, images, rules and small headings it does not.

/** Never much longer than the text; what Discord shows anyway stays as it stands. */
export function discordMarkdown(text: string): string {
	const lines = text.split("\n");
	const shown: string[] = [];
	let fence: string | undefined;
	for (let i = 0; i < lines.length; i++) {
		const line = lines[i]!;
		const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
		if (fence !== undefined) {
			const closes = mark !== undefined && mark.startsWith(fence) && line.trim() === mark;
			shown.push(closes ? "```" : line);
			if (closes) fence = undefined;
		} else if (mark !== undefined) {
			fence = mark;
			// Discord knows one kind of fence.
			shown.push(`\`\`\`${/[\w+#.-]*/.exec(line.trim().slice(mark.length).trim())![0]}`);
		} else if (isRow(line) && isRuleOfTable(lines[i + 1])) {
			const end = lines.findIndex((other, j) => j > i + 1 && !isRow(other));
			const table = lines.slice(i, end < 0 ? lines.length : end);
			shown.push("```", ...aligned(table), "```");
			i += table.length - 1;
		} else {
			shown.push(lineOf(line));
		}
	}
	return shown.join("\n");
}

function lineOf(line: string): string {
	const heading = /^\s{0,3}#{4,6}\s+(.+?)\s*#*$/.exec(line)?.[1];
	if (heading !== undefined) return `**${heading.replaceAll("**", "")}**`;
	if (/^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/.test(line)) return "⎯⎯⎯";
	// Every other piece is code.
	return line
		.split(/(`+[^`]+`+)/)
		.map((piece, i) => (i % 2 === 1 ? piece : piece.replaceAll(/!\[([^\]]*)\]\((\S+?)\)/g, (_, words: string, url: string) => (words === "" ? url : `[${words}](${url})`)).replaceAll("||", "\\|\\|")))
		.join("");
}

const isRow = (line: string | undefined): boolean => line !== undefined && /\|/.test(line) && line.trim() !== "|";
const isRuleOfTable = (line: string | undefined): boolean => line !== undefined && /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(line) && line.includes("-") && line.includes("|");

/** Columns below each other, as code shows them. */
function aligned([head, , ...rows]: readonly string[]): string[] {
	const cells = [head!, ...rows].map((row) => row.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(/\*\*|`/g, "").replaceAll("\\|", "|")));
	const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
	const shown = cells.map((row) => widths.map((width, column) => (row[column] ?? "").padEnd(width)).join("  ").trimEnd());
	return [shown[0]!, widths.map((width) => "-".repeat(width)).join("  "), ...shown.slice(1)];
}
