// Which Python runs hooks.
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isExecutable } from "../shell/spawner.ts";

/** As config.yaml has it. */
export interface PythonChoice {
	readonly executable?: string;
	readonly venv?: string;
}

export type FoundPython = { readonly file: string } | { readonly why: string };

const advice = "Install Python 3.9 or newer, or name one in config.yaml (python: { executable: … }).";

/** The interpreter, absolute: what is chosen, else `python3` on PATH. `why` is for a person, and says what to do. */
export function findPython({ executable, venv }: PythonChoice = {}, path: string = process.env["PATH"] ?? ""): FoundPython {
	if (executable !== undefined && venv !== undefined) return { why: "config.yaml has both python.executable and python.venv, and only one can run Python hooks. Remove the other." };
	if (executable !== undefined) {
		const file = isAbsolute(executable) || executable.startsWith("~/") ? fromHome(executable) : onPath(executable, path);
		if (file !== undefined && isProgram(file)) return { file };
		return { why: `There is no program '${executable}', which is to run Python hooks (python.executable in config.yaml). ${advice}` };
	}
	if (venv !== undefined) {
		const file = join(fromHome(venv), "bin/python");
		if (isProgram(file)) return { file };
		return { why: `There is no ${file}: the folder that is to hold the virtual environment for Python hooks (python.venv in config.yaml) is none, or its Python is gone. Make it anew: python3 -m venv '${fromHome(venv)}'.` };
	}
	const file = onPath("python3", path);
	return file === undefined ? { why: `There is no 'python3' on PATH, and hooks written in Python need one. ${advice}` } : { file };
}

/** What config.yaml says; else the virtual environment `.venv` of that folder, when it has one. */
export function choosePython(config: PythonChoice | undefined, folder: string): PythonChoice {
	if (config?.executable !== undefined || config?.venv !== undefined) return config;
	const venv = join(folder, ".venv");
	return isProgram(join(venv, "bin/python")) ? { venv } : {};
}

const onPath = (name: string, path: string): string | undefined => path.split(":").filter(isAbsolute).map((folder) => join(folder, name)).find(isProgram);
const fromHome = (path: string): string => (path.startsWith("~/") ? join(homedir(), path.slice(2)) : path);
const isProgram = (file: string): boolean => isExecutable(file) && statSync(file).isFile();
