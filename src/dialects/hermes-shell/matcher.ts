// `matcher:` of a hook: a Python regular expression that must match the whole name of a tool.
import { didYouMean } from "../../system/nearest.ts";
import { type Node, PatternError, readPattern, sourceOf } from "./pattern.ts";

/** As the engine takes it: names where only names are meant, otherwise an expression. */
export type ToolPattern = string | readonly string[] | RegExp;

/** Longer names fit no matcher: none of ours is, and an expression could take its time over what a model makes up. */
export const longestToolName = 64;
/** Ways through an expression for one name. So many are looked at in some milliseconds. */
const mostWays = 1_000_000;
/** Of MCP servers: their tools are not known before they have started. */
const laterTools = "mcp__";

/** What other agents call the tools. */
const elsewhere: Readonly<Record<string, string>> = {
	Bash: "terminal", bash: "terminal", Shell: "terminal", shell: "terminal", run_shell_command: "terminal", execute_command: "terminal",
	Read: "read_file", Write: "write_file", write: "write_file", write_to_file: "write_file", Edit: "patch", MultiEdit: "patch", edit: "patch", replace: "patch", apply_patch: "patch",
	Glob: "search_files", Grep: "search_files", glob: "search_files", grep: "search_files", grep_search: "search_files",
	WebFetch: "web_extract", webfetch: "web_extract", web_fetch: "web_extract", WebSearch: "web_search", google_web_search: "web_search", Task: "delegate_task", task: "delegate_task",
};

/** The matcher as the engine takes it, or why there is none, as words that go on "the matcher". */
export function readMatcher(text: string): { readonly tool: ToolPattern } | { readonly mistake: string } {
	const names = text.split("|");
	if (names.every((name) => /^[\w-]+$/.test(name))) return { tool: names.length === 1 ? names[0]! : names };
	try {
		const { root, flags } = readPattern(text);
		if (ways(root) > mostWays) return { mistake: "could take for ever to compare with some names: write it without a repetition inside of a repetition, and with three of .* at most" };
		// Names have no lines, so the flag m changes nothing but what the $ here means.
		return { tool: new RegExp(`(?=[^]{0,${longestToolName}}$)(?:${sourceOf(root)})`, flags.replace("m", "")) };
	} catch (error) {
		if (error instanceof PatternError || error instanceof SyntaxError) return { mistake: error.message };
		throw error;
	}
}

/** Whether a tool of this name is meant. */
export function matches(tool: ToolPattern, name: string): boolean {
	if (typeof tool === "string") return tool === name;
	return tool instanceof RegExp ? new RegExp(`(?<![^])(?:${tool.source})(?![^])`, tool.flags).test(name) : tool.includes(name);
}

/** What to say of a matcher that fits none of the tools there are and none that may come; undefined when it fits one. `near` when a name in it looks misspelt. */
export function matchesNothing(text: string, tool: ToolPattern, toolNames: readonly string[]): { readonly message: string; readonly near: boolean } | undefined {
	if (toolNames.some((name) => matches(tool, name)) || mayMatchLater(text)) return undefined;
	const words = text.match(/[A-Za-z_][\w-]*/g) ?? [];
	const known = words.find((word) => Object.hasOwn(elsewhere, word));
	if (known !== undefined) return { message: `fits no tool there is: what others call ${known} is '${elsewhere[known]!}' here`, near: true };
	const guess = words.map((word) => didYouMean(word, toolNames)).find((found) => found !== "");
	return { message: `fits no tool there is (${toolNames.join(", ")})${guess === undefined ? "" : `:${guess.replace(/\?$/, "").toLowerCase()}`}`, near: guess !== undefined };
}

/** Whether a name that begins like those of MCP servers could fit. */
function mayMatchLater(text: string): boolean {
	const { root, flags } = readPattern(text);
	return ends(root, new Set([0]), flags.includes("i") ? "i" : "").has(laterTools.length);
}

/** How far into the beginning one can be after a node, from these places; at its end, anything may follow. Look-arounds are taken to hold. */
function ends(node: Node, from: ReadonlySet<number>, flags: string): ReadonlySet<number> {
	switch (node.kind) {
		case "one": {
			const test = new RegExp(`^${node.source}$`, `${flags}s`);
			return new Set([...from].flatMap((at) => (at === laterTools.length ? [at] : test.test(laterTools[at]!) ? [at + 1] : [])));
		}
		case "here":
			return from;
		case "all":
			return node.parts.reduce((places, part) => ends(part, places, flags), from);
		case "any":
			return new Set(node.branches.flatMap((branch) => [...ends(branch, from, flags)]));
		case "group":
			return ends(node.inner, from, flags);
		case "times": {
			const found = new Set(node.least === 0 ? from : []);
			let places = from;
			// Beyond the end nothing moves any more, so further rounds find nothing new.
			for (let round = 1; round <= Math.min(node.most, Math.max(node.least, 0) + laterTools.length + 1, 1000) && places.size > 0; round++) {
				places = ends(node.inner, places, flags);
				if (round >= node.least) for (const place of places) found.add(place);
			}
			return found;
		}
	}
}

/** No fewer than the ways an expression can go through a name; beyond `mostWays` it is not counted on. */
function ways(node: Node): number {
	switch (node.kind) {
		case "one":
			return 1;
		case "here":
			return node.inner === undefined ? 1 : ways(node.inner);
		case "group":
			return ways(node.inner);
		case "all":
			return node.parts.reduce((product, part) => product * ways(part), 1);
		case "any":
			return apart(node.branches) ? Math.max(...node.branches.map(ways)) : node.branches.reduce((sum, branch) => sum + ways(branch), 0);
		case "times": {
			const inner = ways(node.inner);
			let sum = 0;
			for (let round = node.least; round <= Math.min(node.most, Math.max(node.least, longestToolName)) && sum <= mostWays; round++) sum += inner ** round;
			return sum;
		}
	}
}

/** Whether the first character tells the branches apart, so that only one of them is gone into. */
function apart(branches: readonly Node[]): boolean {
	const firsts = branches.map((branch) => {
		const first = branch.kind === "all" ? branch.parts[0] : branch;
		return first?.kind === "one" ? first.literal?.toLowerCase() : undefined;
	});
	return !firsts.includes(undefined) && new Set(firsts).size === firsts.length;
}
