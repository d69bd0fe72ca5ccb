// Which files are meant. Not path.matchesGlob: its stars pass over names that begin with a dot, so `**/*.yml` would miss .github.

/**
 * A test for paths relative to the search folder, or the sentence that says what is wrong with the glob. Without a slash the glob is matched with the file's
 * name, with one with the whole path; a leading `!` turns it round.
 */
export function globTest(glob: string): ((path: string) => boolean) | { readonly mistake: string } {
	const turned = glob.startsWith("!");
	const body = (turned ? glob.slice(1) : glob).replace(/^\.?\//, "");
	const source = translate(body);
	if (source === undefined) return { mistake: `The glob '${glob}' has a bracket or brace that is not closed.` };
	let expression: RegExp;
	try {
		expression = new RegExp(`^(?:${glob.includes("/") ? "" : "(?:.*/)?"}${source})$`, "s");
	} catch {
		return { mistake: `The glob '${glob}' has a range that cannot be read.` };
	}
	return (path) => expression.test(path) !== turned;
}

function translate(glob: string): string | undefined {
	let source = "";
	let depth = 0;
	for (let at = 0; at < glob.length; at++) {
		const sign = glob[at]!;
		if (glob.startsWith("**/", at) && (at === 0 || glob[at - 1] === "/")) {
			source += "(?:.*/)?";
			at += 2;
		} else if (sign === "*") {
			// Several stars in a row mean no more than two, and as one expression each they would take exponential time.
			const many = glob[at + 1] === "*";
			while (glob[at + 1] === "*") at++;
			source += many ? ".*" : "[^/]*";
		} else if (sign === "?") source += "[^/]";
		else if (sign === "{") {
			depth++;
			source += "(?:";
		} else if (sign === "}" && depth > 0) {
			depth--;
			source += ")";
		} else if (sign === "," && depth > 0) source += "|";
		else if (sign === "[") {
			const end = glob.indexOf("]", at + 2);
			if (end < 0) return undefined;
			source += `[${glob.slice(at + 1, end).replace(/^!/, "^").replaceAll("\\", "\\\\").replaceAll("[", "\\[")}]`;
			at = end;
		} else if (sign === "\\" && at + 1 < glob.length) source += RegExp.escape(glob[++at]!);
		else source += RegExp.escape(sign);
	}
	return depth === 0 ? source : undefined;
}
