// `hookline hooks list`, `show` and `events`.
import { catalog, eventNames, specOf } from "../../events/catalog.ts";
import { homeOf } from "../../system/home.ts";
import { exitCodes } from "../exit.ts";
import { ask } from "../gateway/ask.ts";
import { findLive, isLive } from "../gateway/live.ts";
import { note, print, printJson, printTable, when } from "../output.ts";
import { isOwn } from "../own-hooks.ts";
import { type HookList, hookListOf } from "./listed.ts";
import { findHooks, matcherWords, openLive, placeOf } from "./live.ts";
import { hostWords, leftOutRow, notLive, stateOf } from "./shell-rows.ts";

export interface ListOptions {
	readonly json?: boolean;
	/** Those that a conversation in this folder would have, also while a gateway runs. */
	readonly here?: boolean;
}

/**
 * Those of the gateway that runs, since it is what acts while nobody looks; else those that a conversation here would have.
 * @returns 1 when an extension did not load, a project that was trusted, or a shell hook that is not approved: a guard that is missing is a problem, not an absence.
 */
export async function list({ json = false, here = false }: ListOptions): Promise<number> {
	const found = here ? undefined : await findLive(homeOf(process.env));
	if (isLive(found)) {
		const listed = await ask<HookList>(found, "GET /hooks");
		const { pid, since, cwd } = found;
		if (!json) note(`The gateway that runs (process ${pid}, since ${when(since)}, in ${cwd}) has these hooks. What is missing is taken up by 'hookline gateway reload' or 'restart'; --here lists those of a conversation in this folder.`);
		return showList(listed, json, { gateway: { pid, since, cwd } });
	}
	if (found !== undefined && !json) note("A gateway is starting. These are the hooks of a conversation in this folder.");
	await using runtime = await openLive();
	return showList(hookListOf(runtime), json);
}

function showList({ hooks, shell, outbound, extensions, project }: HookList, json: boolean, more: object = {}): number {
	if (json) printJson({ hooks, shellHooks: shell.map(stateOf), outbound, extensions, project, ...more });
	else {
		const rows = hooks.map((hook) => [hook.id, hook.stage, hook.event, matcherWords(hook), String(hook.priority), hostWords(hook, shell, outbound), `${hook.timeoutMs} ms`, placeOf(hook), hook.ifItFails]).concat(notLive(shell, hooks).map((examined) => [...leftOutRow(examined)]));
		printTable(["HOOK", "STAGE", "EVENT", "MATCHES", "PRIORITY", "HOST", "TIME-OUT", "WHERE", "IF IT FAILS"], rows, "");
		if (shell.length === 0 && hooks.every(({ source }) => isOwn(source))) note(`There are no hooks of yours. Put one into ${homeOf(process.env).extensions}; the README shows how.`);
		// For the other states there was a warning.
		if (project.state === "declined") note(project.message);
	}
	return extensions.failed.length > 0 || project.missing || shell.some(({ state }) => state !== "approved") ? exitCodes.problems : exitCodes.fine;
}

export async function show(id: string, { json }: { readonly json?: boolean }): Promise<number> {
	await using runtime = await openLive();
	const hooks = findHooks(runtime, id);
	if (json) {
		printJson(hooks.map((hook) => ({ ...hook, health: runtime.engine.healthOf(hook.id) })));
		return exitCodes.fine;
	}
	for (const hook of hooks) {
		const last = runtime.store.trace.recent({ hook: hook.id, event: hook.event, limit: 1 })[0];
		const did = last?.hooks.find((record) => record.hook === hook.id);
		print(
			[
				hook.id,
				`  ${hook.stage} of ${hook.event}: ${specOf(hook.event).summary}`,
				`  matches     ${matcherWords(hook)}`,
				`  priority    ${hook.priority}`,
				`  time-out    ${hook.timeoutMs} ms`,
				`  if it fails ${hook.ifItFails}`,
				`  host        ${hook.host}, trusted as ${hook.source.trust}, dialect ${hook.source.dialect}`,
				`  where       ${placeOf(hook)}`,
				`  last run    ${last === undefined || did === undefined ? "never, as far as the trace goes back" : `${new Date(last.at).toISOString()}: ${did.decision}, ${did.ms} ms`}`,
			].join("\n"),
		);
	}
	return exitCodes.fine;
}

export function events({ json }: { readonly json?: boolean }): number {
	if (json) printJson(catalog);
	else {
		const rows = eventNames.map((name) => {
			const spec = specOf(name);
			return spec.kind === "intercept" ? [name, "about to happen", spec.decisions.join(", "), `${spec.timeoutMs} ms`, spec.summary] : [name, "has happened", "-", `${spec.timeoutMs} ms`, spec.summary];
		});
		printTable(["EVENT", "KIND", "DECISIONS", "TIME-OUT", "WHEN"], rows, "");
	}
	return exitCodes.fine;
}
