// Loaded before the program: takes the emission of one event (DROP) out of our own sources as they are read, and out of nothing else.
import { registerHooks } from "node:module";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stripTypeScriptTypes } from "node:module";

const event = process.env["DROP"].replaceAll(".", "\\.");
const emission = new RegExp(`\\b(has\\(|tell\\(|dispatch\\(|const event = .*)\\s*"${event}"`, "g");

registerHooks({
	load(url, context, next) {
		if (!url.startsWith("file:") || url.includes("/node_modules/") || !/\/src\/.*\.ts$/.test(url)) return next(url, context);
		const text = readFileSync(fileURLToPath(url), "utf8");
		if (!emission.test(text)) return next(url, context);
		return { format: "module", shortCircuit: true, source: stripTypeScriptTypes(text.replaceAll(emission, '$1"dropped"')) };
	},
});
