// TypeScript that Node cannot run by leaving the types out: enums, parameter properties, files inside node_modules. Only files that need it are
// translated, because Node's own way keeps every line where it was and is cached.
import { readFileSync } from "node:fs";
import { registerHooks, SourceMap, stripTypeScriptTypes, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

const maps = new Map<string, SourceMap>();

/** Whether a file failed to load only because its TypeScript has to be translated. */
export function needsTranslation(thrown: unknown): boolean {
	return thrown instanceof Error && "code" in thrown && (thrown.code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" || thrown.code === "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING");
}

/** Translates the TypeScript modules whose URL carries `version` while `run` is under way. */
export async function translating<Result>(version: string, run: () => Promise<Result>): Promise<Result> {
	const hooks = registerHooks({
		load(url, context, next) {
			const file = /\.[mc]?ts$/.test(new URL(url).pathname);
			if (!file || !url.endsWith(version)) return next(url, context);
			const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8"), { mode: "transform", sourceMap: true });
			rememberMap(url, source);
			return { format: "module", shortCircuit: true, source };
		},
	});
	try {
		return await run();
	} finally {
		hooks.deregister();
	}
}

/** The author's line for a line of a script; the same where nothing was translated. */
export function originalLine(url: string, line: number, column: number): number {
	const entry = maps.get(url)?.findEntry(line - 1, column - 1);
	return entry !== undefined && "originalLine" in entry ? entry.originalLine + 1 : line;
}

function rememberMap(url: string, source: string): void {
	const encoded = /^\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/m.exec(source)?.[1];
	if (encoded !== undefined) maps.set(url, new SourceMap(JSON.parse(Buffer.from(encoded, "base64").toString()) as SourceMapPayload));
}
