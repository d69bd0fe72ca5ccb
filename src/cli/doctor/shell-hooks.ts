// Shell hooks: whether each is approved as it is now. `hookline hooks doctor` tries them as well.
import type { Config } from "../../config/schema.ts";
import { configuredHooks, openConsent } from "../hooks/configured.ts";
import type { Check } from "./check.ts";

/** Nothing where there are none. */
export async function checkShellHooks(config: Config | undefined): Promise<readonly Check[]> {
	const name = "shell hooks";
	if (config?.hooks === undefined) return [];
	const checks: Check[] = [];
	const consent = openConsent((message) => checks.push({ name, state: "problem", message }));
	const { hooks, warnings } = await configuredHooks();
	checks.push(...warnings.map((message): Check => ({ name, state: "warning", message })));
	const examined = hooks.map((hook) => consent.examine(hook, process.cwd()));
	for (const { hook, state, reason } of examined) {
		if (state !== "approved") checks.push({ name, state: "problem", message: `${reason ?? ""} Until then it ${hook.failClosed ? `blocks every ${hook.written} it is for` : "is left out"}.` });
	}
	const approved = examined.filter(({ state }) => state === "approved").length;
	if (approved > 0) checks.push({ name, state: "ok", message: `${approved} of ${hooks.length} approved as they are now. 'hookline hooks doctor' tries them.` });
	return checks;
}
