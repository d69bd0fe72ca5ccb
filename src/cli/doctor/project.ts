// The project of this folder: whether what it brings is loaded.
import { findProject, statusOf } from "../../extensions/project/project.ts";
import type { Home } from "../../system/home.ts";
import type { Check } from "./check.ts";

/** Nothing when the folder brings nothing. */
export async function checkProject(home: Home): Promise<readonly Check[]> {
	const name = "project";
	const unreliable: Check[] = [];
	const project = await findProject(process.cwd(), { home, environment: process.env, warn: (message) => unreliable.push({ name: "trust", state: "problem", message }) });
	if (project === undefined) return unreliable;
	const { state, message, missing } = statusOf(project);
	return [...unreliable, { name, state: state === "trusted" || state === "declined" ? "ok" : missing ? "problem" : "warning", message }];
}
