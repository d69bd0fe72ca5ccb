// Regular expressions that come from a model: they may be wrong, and they may take for ever.
import { createContext, Script, type Context } from "node:vm";

/** The expression, or the sentence that says what is wrong with it. A leading `(?i)`, which other languages have, is understood. */
export function compilePattern(pattern: string, ignoreCase: boolean): { readonly expression: RegExp } | { readonly mistake: string } {
	const inline = pattern.startsWith("(?i)");
	const source = inline ? pattern.slice(4) : pattern;
	const flags = ignoreCase || inline ? "i" : "";
	try {
		return { expression: new RegExp(source, `${flags}u`) };
	} catch {
		// Without the Unicode flag needless backslashes are allowed.
	}
	try {
		return { expression: new RegExp(source, flags) };
	} catch (error) {
		const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error);
		const isGlob = /^\*|^[\w./]*\*\.\w+$/.test(pattern) ? " It looks like a glob: give that as 'glob'." : "";
		return { mistake: `The pattern is no regular expression: ${why}. Put a backslash before signs that are meant literally.${isGlob}` };
	}
}

let guarded: { readonly context: Context; readonly script: Script } | undefined;

/**
 * Runs `work`, which must be synchronous, for at most `limitMs`; false when it was ended. Nothing else ends a regular expression that backtracks without
 * end: no timer fires while it runs.
 */
export function withinTime(limitMs: number, work: () => void): boolean {
	guarded ??= { context: createContext({}), script: new Script("work()") };
	guarded.context["work"] = work;
	try {
		guarded.script.runInContext(guarded.context, { timeout: limitMs });
		return true;
	} catch (error) {
		// Not instanceof: it is an error of the other context.
		if (Error.isError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
		throw error;
	}
}
