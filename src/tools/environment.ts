// The environment of what tools start.
import { isSecretVariable } from "../system/redact.ts";

/**
 * The given environment without variables whose names look like secrets (`..._API_KEY`, `..._TOKEN`, `..._SECRET`, `...PASSWORD` and the like):
 * a model must not be able to print the keys of its user. Pagers and colours, which nobody would see, are off.
 */
export function toolEnvironment(from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
	const kept = Object.entries(from).filter(([name]) => !isSecretVariable(name));
	return { ...Object.fromEntries(kept), TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat" };
}
