// The Python that hooks run in: seen by starting it.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Config } from "../../config/schema.ts";
import { choosePython, findPython } from "../../hosts/python/find.ts";
import type { Home } from "../../system/home.ts";
import type { Check } from "./check.ts";

const name = "python hooks";
const timeoutMs = 10_000;

export async function checkPython(home: Home, config: Config | undefined): Promise<Check> {
	const found = findPython(choosePython(config?.python, home.path));
	// Who names one wants hooks in it; others may never need it.
	const state = config?.python === undefined ? "warning" : "problem";
	if ("why" in found) return { name, state, message: found.why };
	const { file } = found;
	const version = await versionOf(file);
	if ("why" in version) return { name, state, message: `${file} does not run, so no Python hook does: ${version.why}` };
	const [major = 0, minor = 0] = version.text.split(".").map(Number);
	const isNew = major > 3 || (major === 3 && minor >= 9);
	if (!isNew) return { name, state, message: `${file} is Python ${version.text}, and Python hooks need 3.9 or newer.`, advice: "Name a newer one in config.yaml (python: { executable: … })." };
	return { name, state: "ok", message: `They run in Python ${version.text}, ${file}.` };
}

async function versionOf(file: string): Promise<{ readonly text: string } | { readonly why: string }> {
	try {
		// Not in the working folder: a chooser of versions (pyenv) would do what a file there says.
		const { stdout } = await promisify(execFile)(file, ["-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"], { timeout: timeoutMs, cwd: "/" });
		return /^\d+\.\d+\.\d+\s*$/.test(stdout) ? { text: stdout.trim() } : { why: "it did not print its version." };
	} catch (error) {
		return { why: error instanceof Error ? error.message.trim() : String(error) };
	}
}
