// How `npm test` reports where nobody watches: a line for each file, failures in full at the end, then the runner's own summary (`# tests`, `# pass` …).
import { relative } from "node:path";
import { inspect } from "node:util";

/** A suite that failed because of what is in it, tests that failed because of the suite around them: said once, where it happened. */
const echoes = new Set(["subtestsFailed", "cancelledByParent"]);

export default async function* report(events) {
	const failures = [];
	const summary = [];
	for await (const { type, data } of events) {
		if (type === "test:stdout" || type === "test:stderr") yield data.message;
		else if (type === "test:fail" && !echoes.has(data.details.error.failureType)) failures.push(data);
		else if (type === "test:pass" && data.skip) yield `skipped ${relative(process.cwd(), data.file)}: ${data.name}: ${typeof data.skip === "string" ? data.skip : "no reason given"}\n`;
		else if (type === "test:summary" && data.file) yield fileLine(data);
		else if (type === "test:diagnostic" && data.nesting === 0 && !data.file) summary.push(data.message);
	}
	for (const [index, failure] of failures.entries()) yield describe(failure, index + 1);
	yield `${summary.map((line) => `# ${line}`).join("\n")}\n`;
}

function fileLine({ file, success, counts, duration_ms: ms }) {
	return `${success ? "ok    " : "FAILED"} ${relative(process.cwd(), file)} (${counts.passed} of ${counts.tests}, ${Math.round(ms)} ms)\n`;
}

function describe({ name, file, line, column, details }, number) {
	const { error } = details;
	const cause = error.cause instanceof Error || typeof error.cause === "string" ? error.cause : error;
	const text = typeof cause === "string" ? cause : inspect(cause, { depth: 6 });
	const where = file ? `${relative(process.cwd(), file)}:${line}:${column}` : "";
	return `\n${number}) ${name}\n   ${where}\n${text.replace(/^/gm, "   ")}\n\n`;
}
